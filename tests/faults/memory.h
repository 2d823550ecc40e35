/* SPDX-License-Identifier: MIT */
/* Global memory for tests of checkpoints: each task of a tree has its own bytes of two arrays, and objects, which it
 * checks after its joins. */
#ifndef UAT_FAULTS_MEMORY_H
#define UAT_FAULTS_MEMORY_H

#include <stdint.h>

struct memory {
    uint64_t from, to; /* the task's bytes of the arrays, its descendants' included */
    uint64_t own;      /* end of the task's own bytes, which start at `from` */
    void *object;      /* which the task has allocated */
    void *temporary;   /* array that some tasks allocate and free; or NULL */
};

/* Allocate what a run needs, and free what the run before needed. Collective, outside of runs; run: counted from 0.
 * Returns 0 or -1. */
int memory_open(uint64_t run);

/* The bytes of the root; of child i of n; none at the end of the tree. */
struct memory memory_root(void);
struct memory memory_child(const struct memory *parent, uint64_t i, uint64_t n);

/* At the start of the task with this seed: fill its bytes. After its joins: check them and change them; returns the
 * number of errors. */
void memory_begin(struct memory *m, uint64_t seed);
uint64_t memory_end(const struct memory *m, uint64_t seed);

/* Check and free the object that a child of that seed has left. Returns the number of errors. */
uint64_t memory_free(void *object, uint64_t seed);

/* In a task: a hash of all arrays and words. */
uint64_t memory_hash(void);

#endif

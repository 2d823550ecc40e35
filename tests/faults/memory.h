/* SPDX-License-Identifier: MIT */
/* Global memory for tests of checkpoints. Each task of a tree has its own objects, and its own bytes of two arrays.
 * After its joins, the task checks its objects and its bytes. */
#ifndef UAT_FAULTS_MEMORY_H
#define UAT_FAULTS_MEMORY_H

#include <stdint.h>

struct memory {
    uint64_t from, to;       /* the task's bytes of the arrays, including its descendants' bytes */
    uint64_t own;            /* the end of the task's own bytes, which start at `from` */
    void *object;            /* an object that the task has allocated */
    void *temporary;         /* an array that some tasks allocate and free, or NULL */
    const uint64_t *replica; /* a word that main() has replicated */
};

/* Allocate what a run needs, and free what the previous run needed. Collective, called outside of runs. run: the run's
 * number, from 0. Returns 0 or -1. */
int memory_open(uint64_t run);

/* The bytes of the root, of child i of n, and of a leaf (none). */
struct memory memory_root(void);
struct memory memory_child(const struct memory *parent, uint64_t i, uint64_t n);

/* Call memory_begin() at the start of the task with this seed. It fills the task's bytes. Call memory_end() after the
 * task's joins. It checks and changes the bytes, and returns the number of errors. */
void memory_begin(struct memory *m, uint64_t seed);
uint64_t memory_end(const struct memory *m, uint64_t seed);

/* Check and free the object that a child with this seed has left. Returns the number of errors. */
uint64_t memory_free(void *object, uint64_t seed);

/* Called in a task: a hash of all arrays and words. */
uint64_t memory_hash(void);

#endif

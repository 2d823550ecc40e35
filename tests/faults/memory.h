/* SPDX-License-Identifier: MIT */
/* Global memory for tests of checkpoints. Each task of a tree has an object, and its own bytes of two arrays. After its
 * joins, the task checks its bytes. Its spawner checks and frees its object. */
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

/* Before run 0, allocate all arrays. Before a later run, replace the array that lives for one run; before run 1, also
 * freeze an array. Collective, called outside of runs. run: the run's number, from 0. Returns 0 or -1. */
int memory_open(uint64_t run);

/* The bytes of the root, and of child i of n. */
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

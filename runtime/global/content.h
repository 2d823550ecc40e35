/* SPDX-License-Identifier: MIT */
/*
 * The contents of global memory, for checkpoints. The functions are called while all workers have stopped. Each worker
 * handles the chunks whose home it is, so together the workers handle every byte once.
 */
#ifndef UAT_GLOBAL_CONTENT_H
#define UAT_GLOBAL_CONTENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { UAT_CONTENT_PIECE = 1 << 20 /* maximum bytes of a piece; a piece stays in the CPU's caches from use to use */ };

/* Called with a piece of memory, which is near. Returns 0 to continue. */
typedef int uat_content_fn(void *arg, const void *at, size_t bytes);

/* Call fn for each piece of this worker's chunks that is not zero. Memory that was never touched is not read. Returns
 * 0, or the first other value that fn returned, or a negative errno that has been reported. */
int uat_content_each(uat_content_fn *fn, void *arg);

/* Set this worker's chunks to zero, and drop its cached bytes. The objects' parts from number `parts` on are left as
 * they are. Returns 0, or a negative errno that has been reported. */
int uat_content_clear(int parts);

/* Is [at, at + bytes) within one array? */
bool uat_content_has(uint64_t at, uint64_t bytes);

/* Write bytes to their home. The bytes have arrived once uat_global_before_stop() has returned. */
void uat_content_put(uint64_t at, const void *from, size_t bytes);

/* Point *words to the bookkeeping of a part for objects. Returns the size of the bookkeeping in bytes, or 0 if this
 * worker does not have the part. *words is valid until the next call. */
size_t uat_objects_save(int part, uint64_t **words);

/* Restore the bookkeeping that uat_objects_save() returned. Returns whether the words are sound and this worker has the
 * part. */
bool uat_objects_restore(int part, const uint64_t *words, size_t bytes);

#endif

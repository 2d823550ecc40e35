/* SPDX-License-Identifier: MIT */
/* Global memory that one task allocates: objects, and temporary arrays. The rules of uat/global.h hold here, too. */
#ifndef UAT_OBJECT_H
#define UAT_OBJECT_H

#include "global.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/*
 * Allocate an object of `bytes` bytes, with undefined content, in this worker's part of global memory. It is aligned to
 * 16 bytes. May be called anywhere, usually in a task. Returns the object's global address, which is near. On one host
 * a part grows up to 64 GiB, or less in a job of many workers, unless UAT_GLOBAL_SIZE gives it a fixed size. Over verbs
 * and in a job with checkpoints it has 64 MiB, because its memory is registered in advance; a program that needs more
 * there calls setenv("UAT_GLOBAL_SIZE", VALUE, 0) before uat_init(). docs/global.md has all conditions. If there is no
 * room, prints one line the first time, which names the setting to raise or the memory that is missing, and returns
 * NULL with errno ENOMEM. Growth reserves no memory: pages come at first use, as with malloc().
 */
void *uat_global_object_alloc(size_t bytes);

/*
 * Free an object, from any worker. NULL is allowed. Any other address must be that of an object that was not freed yet;
 * otherwise the job ends with a message.
 */
void uat_global_object_free(void *object);

/* In C: allocate an object of this type, with undefined content. C++ has uat::make_object(). */
#ifndef __cplusplus
#define UAT_GLOBAL_NEW(type) ((type *)uat_global_object_alloc(sizeof(type)))
#endif

/*
 * Temporary arrays: a task allocates an array that is distributed over all workers, and any task may free it. By
 * contrast, uat_global_alloc() and uat_global_free() must be called by all workers, outside of runs.
 *
 *     uat_global_temporary_open(64 << 20, 0);                      all workers, outside of runs
 *     double *t = uat_global_temporary_alloc(n * sizeof(double));  in a task
 *     ... t is used as any array ...
 *     uat_global_temporary_free(t);
 *
 * uat_global_temporary_open() reserves `bytes` bytes for all temporary arrays together. They are distributed in blocks
 * of `block` bytes, as by UAT_CYCLIC. This call maps the memory and registers it with the adapters. So a later
 * allocation only searches a table on rank 0's host; the search takes about four round trips. Collective, outside of
 * runs; all workers must pass the same arguments. A second call replaces the memory by memory of another size. A call
 * with 0 bytes frees the memory, and so does uat_finalize(). Returns 0, or a negative errno, which it has reported.
 * EBUSY: a temporary array is in use. EINVAL, ENOMEM: as for uat_global_alloc().
 *
 * uat_global_temporary_alloc() returns an array of `bytes` bytes with undefined content, at the same address on all
 * workers. The array starts at the start of a block, on any worker, and takes whole units. A unit is a block or a
 * 4096th of the memory, whichever is larger; so there are at most 4096 arrays at a time. The caller owns the array,
 * also after the end of the task and of the run. If no gap is large enough, the call returns NULL with errno ENOMEM.
 * The first such call also prints one line. While a sort of pattern.h or merge.hpp runs, it may take room for one or
 * two arrays like its own (docs/loops.md), so reserve it in addition. A call without uat_global_temporary_open() ends
 * the job with a message.
 *
 * uat_global_temporary_free() frees an array, from any worker. All accesses to the array must be ordered before the
 * call. The call waits until all bytes that this worker has written are at their homes. NULL is allowed. Any other
 * address must be that of a temporary array that was not freed yet; otherwise the job ends with a message. UAT_TORTURE
 * detects an access one element beyond an array, or to a freed array.
 */
int uat_global_temporary_open(size_t bytes, size_t block);
void *uat_global_temporary_alloc(size_t bytes);
void uat_global_temporary_free(void *array);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: MIT */
/* The worker's buffer for packed values: see uat/pack.hpp. */
#ifndef UAT_DETAIL_PACK_H
#define UAT_DETAIL_PACK_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/*
 * Each worker has one buffer. A value is in it only from its packing to the copy or the unpacking that follows at once;
 * no task may spawn, join or wait in between. So the buffer need not move with a task, and nobody frees it.
 *
 * uat_pack_resize() gives the buffer another length, in bytes; the bytes up to the shorter length are kept. Returns the
 * buffer, which is aligned to 16 bytes, or NULL if the process has no memory.
 */
void *uat_pack_resize(size_t length);

/* The buffer, and in *length its length. */
void *uat_pack_buffer(size_t *length);

/* The value in the buffer is the argument of the next spawn's child. A checkpoint does not have the buffer, so none is
 * written between this call and the start of the child. */
void uat_pack_hold(void);

/* The value in the buffer is the result of the run that has just ended: keep it for checkpoints. uat_pack_restore()
 * puts it into the buffer, if the run had ended in the interrupted job already. Returns whether it had. */
void uat_pack_keep(void);
int uat_pack_restore(void);

/* Does the program have packed values that need global memory? need: 1 says so, before main(); 0 only asks. */
int uat_pack_globally(int need);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif

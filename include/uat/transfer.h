/* SPDX-License-Identifier: MIT */
/* Copies from and to global memory beside those of uat/global.h: of rows, and in two steps. */
#ifndef UAT_TRANSFER_H
#define UAT_TRANSFER_H

#include "global.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/*
 * Copy rows of `bytes` bytes, for example a tile of a matrix: row k is at global + k * pitch and local + k *
 * local_pitch. A pitch is the number of bytes from one row to the next, at least `bytes`. Many far rows are fetched at
 * a time. As for get and put, all rows must be in one array. Rows in several arrays, or rows that overlap, end the job
 * with a message.
 */
void uat_global_get_strided(void *local, size_t local_pitch, const void *global, size_t pitch, size_t bytes,
                            size_t rows);
void uat_global_put_strided(void *global, size_t pitch, const void *local, size_t local_pitch, size_t bytes,
                            size_t rows);

/* A transfer that was begun and not waited for yet. It belongs to the runtime until uat_global_transfer_wait(). */
typedef struct uat_global_transfer {
    uint64_t mark; /* set from begin to wait */
    uint64_t end;  /* the transfer is done when the link to the home has completed this number of operations; 0: it is
                    * done */
    void *from;    /* the buffer from which the wait copies the bytes to `to`; NULL: no copy is needed */
    void *to;
    uint32_t bytes, link;
} uat_global_transfer_t;

/*
 * Get and put in two steps, so that many transfers can be in flight: begin the transfer, and wait for it before the
 * task's next spawn, join or end. Between begin and wait the program must not access `local`. Two transfers of the same
 * bytes by one task are in order only if the task waits for the first before it begins the second. The task must wait
 * for each transfer exactly once. Waiting for a transfer again, or for one that was never begun, ends the job with a
 * message.
 */
void uat_global_get_begin(uat_global_transfer_t *transfer, void *local, const void *global, size_t bytes);
void uat_global_put_begin(uat_global_transfer_t *transfer, void *global, const void *local, size_t bytes);
void uat_global_transfer_wait(uat_global_transfer_t *transfer);

/* Strided get and put in two steps, with one wait for all rows. The transfer overlaps the program's own work only if
 * all rows have the same home, and `local` is on the task's stack or in global memory. Otherwise begin itself completes
 * the transfer. */
void uat_global_get_strided_begin(uat_global_transfer_t *transfer, void *local, size_t local_pitch, const void *global,
                                  size_t pitch, size_t bytes, size_t rows);
void uat_global_put_strided_begin(uat_global_transfer_t *transfer, void *global, size_t pitch, const void *local,
                                  size_t local_pitch, size_t bytes, size_t rows);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif

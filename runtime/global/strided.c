/* SPDX-License-Identifier: MIT */
/* Get and put of rows at equal distances. Both calls also have a split-phase form. Each row is a transfer of
 * transfer.c. */
#include <inttypes.h>

#include "include/uat/global.h"
#include "include/uat/transfer.h"
#include "runtime/global/array.h"
#include "runtime/job/fatal.h"

enum { WINDOW = 32 /* rows in flight */ };

/* Ends the job unless all rows lie in one array and no two rows overlap. Returns false if there is nothing to copy. */
static bool check(const char *call, uintptr_t at, size_t pitch, size_t local_pitch, size_t bytes, size_t rows,
                  bool writes)
{
    if (bytes == 0 || rows == 0)
        return false;
    size_t least = pitch < local_pitch ? pitch : local_pitch;
    if (rows > 1 && least < bytes)
        uat_fatal("%s: rows of %zu bytes overlap, because a pitch is %zu bytes; pitches are the bytes from one row to "
                  "the next",
                  call, bytes, least);
    if (rows > 1 && (rows - 1 > (SIZE_MAX - bytes) / pitch || rows - 1 > (SIZE_MAX - bytes) / local_pitch))
        uat_fatal("%s: %zu rows with pitches of %zu and %zu bytes are more than the address space holds", call, rows,
                  pitch, local_pitch);
    size_t span = (rows - 1) * pitch + bytes;
    const struct uat_array *a = uat_array_check(call, at, span);
    if (writes)
        uat_array_refuse_frozen(call, a, at, span);
    return true;
}

void uat_global_get_strided(void *local, size_t local_pitch, const void *global, size_t pitch, size_t bytes,
                            size_t rows)
{
    uat_global_transfer_t window[WINDOW];
    size_t ended = 0;
    if (!check("uat_global_get_strided()", (uintptr_t)global, pitch, local_pitch, bytes, rows, false))
        return;
    for (size_t k = 0; k < rows; k++) {
        if (k - ended == WINDOW)
            uat_global_transfer_wait(&window[ended++ % WINDOW]);
        uat_global_get_begin(&window[k % WINDOW], (char *)local + k * local_pitch, (const char *)global + k * pitch,
                             bytes);
    }
    while (ended < rows)
        uat_global_transfer_wait(&window[ended++ % WINDOW]);
}

void uat_global_put_strided(void *global, size_t pitch, const void *local, size_t local_pitch, size_t bytes,
                            size_t rows)
{
    if (!check("uat_global_put_strided()", (uintptr_t)global, pitch, local_pitch, bytes, rows, true))
        return;
    for (size_t k = 0; k < rows; k++)
        uat_global_put((char *)global + k * pitch, (const char *)local + k * local_pitch, bytes);
}

/*
 * Add the transfer `row` to the transfer `all` of the rows before it. A link completes its operations in order, so the
 * end of a link's last row is the end of all its rows. If `row` has another home than the rows before it, this function
 * waits for these rows.
 */
static void join(uat_global_transfer_t *all, uat_global_transfer_t *row)
{
    if (row->end == 0) {
        uat_global_transfer_wait(row);
        return;
    }
    if (all->end && all->link == row->link)
        all->end = 0; /* the row's end is later */
    uat_global_transfer_wait(all);
    *all = *row;
}

void uat_global_get_strided_begin(uat_global_transfer_t *transfer, void *local, size_t local_pitch, const void *global,
                                  size_t pitch, size_t bytes, size_t rows)
{
    uat_global_get_begin(transfer, local, global, 0);
    if (!check("uat_global_get_strided_begin()", (uintptr_t)global, pitch, local_pitch, bytes, rows, false))
        return;
    for (size_t k = 0; k < rows; k++) {
        uat_global_transfer_t row;
        char *to = (char *)local + k * local_pitch;
        const char *from = (const char *)global + k * pitch;
        uat_global_get_begin(&row, to, from, bytes);
        bool bounced = row.from != NULL;
        join(transfer, &row);
        if (bounced) { /* all other rows will be bounced, too; this call at least keeps many of them in flight */
            uat_global_get_strided(to + local_pitch, local_pitch, from + pitch, pitch, bytes, rows - k - 1);
            return;
        }
    }
}

void uat_global_put_strided_begin(uat_global_transfer_t *transfer, void *global, size_t pitch, const void *local,
                                  size_t local_pitch, size_t bytes, size_t rows)
{
    uat_global_put_begin(transfer, global, local, 0);
    if (!check("uat_global_put_strided_begin()", (uintptr_t)global, pitch, local_pitch, bytes, rows, true))
        return;
    for (size_t k = 0; k < rows; k++) {
        uat_global_transfer_t row;
        uat_global_put_begin(&row, (char *)global + k * pitch, (const char *)local + k * local_pitch, bytes);
        join(transfer, &row);
    }
}

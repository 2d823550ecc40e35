/* SPDX-License-Identifier: MIT */
/* The files `memory-R` of a checkpoint: pieces of global memory. A file is read piece by piece, because it may be
 * larger than the memory that is left. */
#ifndef UAT_PIECES_H
#define UAT_PIECES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/segment/sections.h"

enum { UAT_PIECE = 1 << 20 /* maximum bytes of a piece */ };

/* Where the pieces go. */
struct uat_pieces_to {
    bool (*has)(uint64_t at, uint64_t bytes);                 /* are these bytes global memory? */
    void *(*near)(uint64_t at, size_t bytes);                 /* the place of these bytes if they are near, or NULL */
    void (*put)(uint64_t at, const void *from, size_t bytes); /* for bytes that are not near */
    void *buffer;                                             /* of UAT_PIECE bytes */
};

const char *uat_pieces_name(char *name, size_t size, uint64_t number, uint64_t rank);

/* Read the file of rank head->rank. Its pieces are dealt out to `of` readers; this worker is reader number `own`.
 * Returns the file's size or a negative errno that has been reported. */
int64_t uat_pieces_read(const struct uat_sections_head *head, uint64_t own, uint64_t of,
                        const struct uat_pieces_to *to);

#endif

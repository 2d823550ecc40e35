/* SPDX-License-Identifier: MIT */
/* The two memories of a random program: global memory, and ordinary memory for the reference. */
#ifndef UAT_TEST_MEMORY_H
#define UAT_TEST_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/random/program.h"
#include "uat/global.h"
#include "uat/sync.h"

/* Are we the reference? */
extern bool plain;

/* Allocate arrays, words and the table of handles: collective. */
int memory_open(bool cyclic);
int memory_close(void);
/* The reference begins anew, with all arrays zero. */
void memory_reset(void);

/* Where a range lies; of the reference if it is that which runs. */
char *memory_at(struct range range);
char *memory_plain_at(struct range range);
uat_atomic_t *memory_word(int word);

/* An object begins and ends. */
void memory_object(int area);
void memory_object_end(int area);

/* Handles, which tasks find in global memory by the number of the thing. */
struct handle {
    uint64_t object, size;
};
void memory_set_handle(int thing, struct handle handle);
struct handle memory_handle(int thing);

/* As those of uat/global.h. */
char *memory_checkout(struct range range, enum uat_access access);
void memory_checkin(struct range range, enum uat_access access);
void memory_get(void *local, struct range range);
void memory_put(struct range range, const void *local);

/* What a range has in it, as one number; that of a range that follows on another one. */
uint64_t hash_bytes(uint64_t before, const void *bytes, size_t n);

/* Bytes [from, from + n) of a range that bear a stamp; exclusive-or them in. local: byte `from` of it. */
void stamp_fill(void *local, uint64_t stamp, size_t from, size_t n);
void stamp_mix(void *local, uint64_t stamp, size_t from, size_t n);
bool stamp_is(const void *local, uint64_t stamp, size_t from, size_t n);

#endif

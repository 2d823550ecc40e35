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

/* Whether this process now executes the program as the reference. */
extern bool plain;

/* Allocate arrays, words and the table of handles. Collective. */
int memory_open(bool cyclic);
int memory_close(void);
/* Restart the reference, with all arrays zero. */
void memory_reset(void);

/* The address of a range, in global memory or in the reference's ordinary memory. */
char *memory_at(struct range range);
char *memory_plain_at(struct range range);
uat_atomic_t *memory_word(int word);

/* Allocate and free an object or a temporary array. */
void memory_allocate(int area);
void memory_free(int area);

/* Handles. A task finds a thing's handle in global memory by the thing's number. */
struct handle {
    uint64_t object, size;
};
void memory_set_handle(int thing, struct handle handle);
struct handle memory_handle(int thing);

/* Like the functions of uat/global.h. */
char *memory_checkout(struct range range, enum uat_access access);
void memory_checkin(struct range range, enum uat_access access);
void memory_get(void *local, struct range range);
void memory_put(struct range range, const void *local);

/* Fill a range with a stamp. Objects are filled by a checkout. Temporary arrays are filled by puts, because these
 * arrays may be larger than the cache. */
void memory_put_stamp(struct range range, uint64_t stamp);

/* A hash of bytes. `before` is the hash of the bytes that precede them. */
uint64_t hash_bytes(uint64_t before, const void *bytes, size_t n);

/* Work on bytes [from, from + n) of a range: fill them with a stamp, exclusive-or the stamp into them, or compare them
 * with the stamp. local: the address of byte `from`. */
void stamp_fill(void *local, uint64_t stamp, size_t from, size_t n);
void stamp_mix(void *local, uint64_t stamp, size_t from, size_t n);
bool stamp_is(const void *local, uint64_t stamp, size_t from, size_t n);

#endif

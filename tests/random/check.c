/* SPDX-License-Identifier: MIT */
/* Compares what a random program sees with what the reference saw, and reports the byte that differs. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/random/interpret.h"

static _Noreturn void give_up(const struct op *o)
{
    program_print_op((int)(o - program.op));
    fflush(stderr);
    abort();
}

static void head(const struct op *o)
{
    fprintf(stderr, "random: seed %" PRIu64 ", step %u, operation %d, rank %d: ", program.seed, o->step,
            (int)(o - program.op), uat_rank());
}

/* The operation whose stamp these bytes have, at any offset of its range; -1 if there is none. */
static int writer_of(struct range range, const char *seen)
{
    for (int i = program.ops - 1; i >= 0; i--) {
        const struct op *o = &program.op[i];
        if (o->range.area != range.area || range.from < o->range.from ||
            range.from + range.bytes > o->range.from + o->range.bytes)
            continue;
        if (stamp_is(seen, o->stamp, range.from - o->range.from, range.bytes))
            return i;
    }
    return -1;
}

static const char *writer_name(struct range range, const char *bytes, char text[64])
{
    int writer = writer_of(range, bytes);
    if (writer < 0)
        snprintf(text, 64, "of no single write");
    else
        snprintf(text, 64, "of step %u, operation %d", program.op[writer].step, writer);
    return text;
}

static _Noreturn void tell_bytes(int index, struct range range, const char *seen)
{
    const struct op *o = &program.op[index];
    char *copy = malloc(range.bytes);
    char text[64], other[64];
    if (!copy)
        abort();
    memcpy(copy, seen, range.bytes); /* reference_until() may overwrite what `seen` points to */
    void *address = memory_at(range);
    reference_until(index);
    const char *want = memory_plain_at(range);
    uint32_t first = 0, count = 0, last = 0;
    for (uint32_t i = 0; i < range.bytes; i++)
        if (want[i] != copy[i]) {
            first = count ? first : i;
            last = i;
            count++;
        }
    uint32_t n = count ? last + 1 - first : 0;
    struct range wrong = {range.area, range.from + first, n < 8 ? n : 8};
    head(o);
    fprintf(stderr,
            "%u bytes of area %d are wrong, from byte %u to %u at %p (home: rank %d): expected 0x%02x, %s; seen "
            "0x%02x, %s\n",
            count, range.area, range.from + first, range.from + last, (void *)((char *)address + first),
            uat_global_home((char *)address + first), (unsigned char)want[first],
            writer_name(wrong, want + first, text), (unsigned char)copy[first],
            writer_name(wrong, copy + first, other));
    give_up(o);
}

void check_bytes(int index, struct range range, const void *seen)
{
    struct op *o = &program.op[index];
    uint64_t hash = hash_bytes(1, seen, range.bytes);
    if (plain)
        o->expect = hash;
    else if (o->expect != hash)
        tell_bytes(index, range, seen);
}

void check_number(int index, uint64_t seen, const char *what)
{
    struct op *o = &program.op[index];
    if (plain) {
        o->expect = seen;
    } else if (o->expect != seen) {
        head(o);
        fprintf(stderr, "%s: expected %" PRIu64 ", seen %" PRIu64 "\n", what, o->expect, seen);
        give_up(o);
    }
}

void check_that(const struct op *o, bool holds, const char *what)
{
    if (holds)
        return;
    head(o);
    fprintf(stderr, "%s is wrong\n", what);
    give_up(o);
}

/* SPDX-License-Identifier: MIT */
/* Patterns: loops, reductions, scans, sorts, blocks and calls over a range. Each exists in two forms, one for the
 * reference. */
#include <stdlib.h>
#include <string.h>

#include "tests/mix.h"
#include "tests/random/interpret.h"
#include "uat/pattern.h"
#include "uat/reducer.h"

enum { ELEMENT = 40, CALLS = 3 };

/* Piece i of an operation's range. */
static struct range piece(const struct op *o, int64_t i)
{
    uint32_t n = (uint32_t)o->count, from = (uint32_t)i * n, left = o->range.bytes - from;
    return (struct range){o->range.area, o->range.from + from, left < n ? left : n};
}

static int64_t pieces(const struct op *o)
{
    if (o->thing >= 0) /* the pieces are critical sections */
        return (int64_t)o->count;
    return (int64_t)((o->range.bytes + o->count - 1) / o->count);
}

static void mix_piece(struct range range, uint64_t stamp)
{
    stamp_mix(memory_checkout(range, UAT_READ_WRITE), stamp, 0, range.bytes);
    memory_checkin(range, UAT_READ_WRITE);
}

static void for_body(int64_t begin, int64_t end, const void *arg)
{
    const struct op *o = &program.op[*(const int *)arg];
    for (int64_t i = begin; i < end && o->thing >= 0; i++)
        interpret_locked(o);
    for (int64_t i = begin; i < end && o->thing < 0; i++)
        mix_piece(piece(o, i), o->stamp + (uint64_t)i * OPS);
}

/* A hash of bytes, and the factor by which a preceding hash is multiplied. Combining two hashes is associative but not
 * commutative. */
struct hashed {
    uint64_t hash, power;
};

static void combine(void *left, const void *right, const void *arg)
{
    struct hashed *l = left;
    const struct hashed *r = right;
    (void)arg;
    l->hash = l->hash * r->power + r->hash;
    l->power *= r->power;
}

static void reduce_body(int64_t begin, int64_t end, void *partial, const void *arg)
{
    const struct op *o = &program.op[*(const int *)arg];
    struct hashed *h = partial;
    for (int64_t i = begin; i < end; i++) {
        struct range range = piece(o, i);
        h->hash = hash_bytes(h->hash, memory_checkout(range, UAT_READ), range.bytes);
        h->power *= hash_bytes(1, "", 0);
        for (uint32_t k = 0; k < range.bytes; k++)
            h->power *= UINT64_C(0x9e3779b97f4a7c15);
        memory_checkin(range, UAT_READ);
    }
}

/* Fill each piece with a stamp: the combined hash of the old bytes of all pieces up to this piece. */
static void scan_body(int64_t begin, int64_t end, void *prefix, const void *arg)
{
    const struct op *o = &program.op[*(const int *)arg];
    struct hashed *h = prefix;
    for (int64_t i = begin; i < end; i++) {
        struct range range = piece(o, i);
        reduce_body(i, i + 1, prefix, arg);
        stamp_fill(memory_checkout(range, UAT_WRITE), h->hash, 0, range.bytes);
        memory_checkin(range, UAT_WRITE);
    }
}

static int compare(const void *a, const void *b, const void *arg)
{
    return memcmp(a, b, *(const size_t *)arg);
}

/* Adds the elements' hashes to a word. After all calls the word has grown by the sum over all elements. */
static void add_hashes(const struct op *o, const char *elements, size_t count)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += hash_bytes(1, elements + i * o->count, o->count);
    if (plain)
        memory_word(o->word)->value += sum;
    else
        uat_atomic_add(memory_word(o->word), sum);
}

static int compare_by(const void *a, const void *b, void *size)
{
    return compare(a, b, size);
}

static void block_body(void *elements, size_t first, size_t count, const void *arg)
{
    int index = *(const int *)arg;
    const struct op *o = &program.op[index];
    size_t from = first * o->count, bytes = count * o->count;
    const char *at = memory_at(o->range) + from;
    check_that(
        o, plain || count == 1 || (bytes <= UAT_GLOBAL_BLOCK && uat_global_home(at) == uat_global_home(at + bytes - 1)),
        "a block's bounds");
    if (o->access == UAT_WRITE)
        stamp_fill(elements, o->stamp, from, bytes);
    else if (o->access == UAT_READ_WRITE)
        stamp_mix(elements, o->stamp, from, bytes);
    else
        add_hashes(o, elements, count);
}

static void call_body(void *arg, void *result)
{
    int index = ((const int *)arg)[0], i = ((const int *)arg)[1];
    const struct op *o = &program.op[index];
    uint32_t n = o->range.bytes, from = n * (uint32_t)i / CALLS, to = n * (uint32_t)(i + 1) / CALLS;
    struct range range = {o->range.area, o->range.from + from, to - from};
    if (range.bytes)
        mix_piece(range, o->stamp + (uint64_t)i);
    memcpy(result, &i, sizeof(i));
}

static void invoke(int index)
{
    uat_call_t call[CALLS];
    int args[CALLS][2], result[CALLS];
    for (int i = 0; i < CALLS; i++) {
        args[i][0] = index;
        args[i][1] = i;
        call[i] = (uat_call_t){call_body, args[i], sizeof(args[i]), &result[i], sizeof(result[i])};
        if (plain)
            call_body(args[i], &result[i]);
    }
    if (!plain)
        uat_invoke(call, CALLS);
    for (int i = 0; i < CALLS; i++)
        check_that(&program.op[index], result[i] == i, "the result of a call");
}

static void reduce(int index, bool scans)
{
    const struct op *o = &program.op[index];
    static const struct hashed identity = {0, 1};
    static const uat_reduction_t reduction = {reduce_body, combine, &identity, sizeof(identity)};
    struct hashed h = identity;
    int64_t n = pieces(o);
    const void *home = memory_at(o->range); /* of piece 0 */
    if (plain && scans)
        scan_body(0, n, &h, &index);
    else if (plain)
        reduce_body(0, n, &h, &index);
    else if (scans && o->way == 1)
        uat_scan_near(0, n, home, o->count, &reduction, scan_body, &index, sizeof(index), &h);
    else if (scans && o->way == 0)
        uat_scan(0, n, 0, &reduction, scan_body, &index, sizeof(index), &h);
    else if (scans)
        uat_scan(0, n, 1 + o->way % 3, &reduction, scan_body, &index, sizeof(index), &h);
    else if (o->way == 1)
        uat_reduce_near(0, n, home, o->count, &reduction, &index, sizeof(index), &h);
    else if (o->way == 0)
        uat_reduce(0, n, 0, &reduction, &index, sizeof(index), &h);
    else
        uat_reduce(0, n, 1 + o->way % 3, &reduction, &index, sizeof(index), &h);
    check_number(index, h.hash, scans ? "a scan" : "a reduction");
}

static void sort(const struct op *o)
{
    size_t size = o->count, n = o->range.bytes / size;
    if (plain)
        qsort_r(memory_at(o->range), n, size, compare_by, &size);
    else
        uat_sort(memory_at(o->range), n, size, compare, &size, sizeof(size));
}

void interpret_loop(int index)
{
    const struct op *o = &program.op[index];
    size_t elements = o->thing < 0 ? o->range.bytes / o->count : 0;
    switch (o->kind) {
    case OP_FOR:
        if (plain)
            for_body(0, pieces(o), &index);
        else if (o->way < 2)
            uat_for(0, pieces(o), 0, for_body, &index, sizeof(index));
        else
            uat_for(0, pieces(o), 1 + o->way % 4, for_body, &index, sizeof(index));
        break;
    case OP_REDUCE:
    case OP_SCAN:
        reduce(index, o->kind == OP_SCAN);
        break;
    case OP_SORT:
        sort(o);
        break;
    case OP_BLOCKS:
        if (plain && elements)
            block_body(memory_at(o->range), 0, elements, &index);
        else if (!plain)
            uat_for_each_block(memory_at(o->range), elements, o->count, o->access, block_body, &index, sizeof(index));
        break;
    default:
        invoke(index);
    }
}

/* A sum. Each operation of a run adds to it once. Joins are in random order, so the reducer's operation must
 * commute. */
UAT_REDUCER(uint64_t, executed, 0, UAT_PLUS)

void note_executed(int index)
{
    *executed_view() += mix((uint64_t)index);
}

void check_executed(const struct op *first)
{
    uint64_t sum = 0;
    for (int run = 0; run < program.runs; run++)
        if (first == &program.op[program.runs_of[run].root]) {
            for (int i = program.runs_of[run].from; i < program.runs_of[run].to; i++)
                sum += mix((uint64_t)i);
            check_that(first, executed_take() == sum, "the reducer");
        }
}

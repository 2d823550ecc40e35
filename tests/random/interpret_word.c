/* SPDX-License-Identifier: MIT */
/* Atomic words, and strided transfers. */
#include "uat/atomic.h"
#include "uat/transfer.h"
#include "tests/random/interpret.h"

/* The reference's version: ways 0 to 2 add; the other ways need not be atomic. */
static void change_plain(const struct op *o, uint64_t *word)
{
    uint64_t old = *word, value = o->value;
    switch (o->way) {
    case 0:
    case 1:
    case 2:
        *word += value;
        break;
    case 4:
    case 5:
    case 6:
        *word = value;
        break;
    case 8:
        *word = old > value ? old : value;
        break;
    case 9:
        *word = old < value ? old : value;
        break;
    case 10:
        *word = (int64_t)old > (int64_t)value ? old : value;
        break;
    case 11:
        *word = (int64_t)old < (int64_t)value ? old : value;
        break;
    case 12:
        *word = old & value;
        break;
    case 13:
        *word = old | value;
        break;
    default: /* a load, or a swap that fails */
        break;
    }
}

/* The functions that return an old value. The reference predicts this value. */
static uint64_t change(const struct op *o, uat_atomic_t *word, uint64_t expected)
{
    switch (o->way) {
    case 3:
        return uat_atomic_load(word);
    case 4:
        return uat_atomic_swap(word, o->value);
    case 5:
        uat_atomic_store(word, o->value);
        return uat_atomic_load(word) == o->value ? expected : ~expected;
    case 6:
        return uat_atomic_cmp_swap(word, expected, o->value);
    case 7:
        return uat_atomic_cmp_swap(word, ~expected, o->value);
    case 8:
        return uat_atomic_fetch_max(word, o->value);
    case 9:
        return uat_atomic_fetch_min(word, o->value);
    case 10:
        return (uint64_t)uat_atomic_fetch_max_signed(word, (int64_t)o->value);
    case 11:
        return (uint64_t)uat_atomic_fetch_min_signed(word, (int64_t)o->value);
    case 12:
        return uat_atomic_fetch_and(word, o->value);
    default:
        return uat_atomic_fetch_or(word, o->value);
    }
}

void interpret_word(int index)
{
    const struct op *o = &program.op[index];
    uat_atomic_t *word = memory_word(o->word);
    uint64_t old = plain ? word->value : 0;
    if (plain)
        change_plain(o, &word->value);
    else if (o->way == 0)
        uat_atomic_add(word, o->value);
    else if (o->way == 1)
        uat_atomic_fetch_add(word, o->value);
    else if (o->way == 2)
        for (uint64_t seen = uat_atomic_load(word); (old = uat_atomic_cmp_swap(word, seen, seen + o->value)) != seen;)
            seen = old;
    else
        old = change(o, word, o->expect);
    if (o->way >= 3)
        check_number(index, old, "an atomic word");
}

/*
 * Copy the operation's range from or to `local` as rows. One strided transfer copies the even rows, and another one the
 * odd rows. A get or a put copies the rest. In the last way of access, both strided transfers are in flight at the same
 * time.
 */
void interpret_strided(const struct op *o, char *local, bool puts)
{
    enum { ROWS = 40 };
    uint32_t width = (uint32_t)(o->range.bytes / (2 * (1 + o->stamp % ROWS))) + 1, pitch = 2 * width,
             rows = o->range.bytes / pitch, done = rows * pitch;
    struct range rest = {o->range.area, o->range.from + done, o->range.bytes - done};
    uat_global_transfer_t transfer[2];
    if (plain) {
        puts ? memory_put(o->range, local) : memory_get(local, o->range);
        return;
    }
    for (uint32_t odd = 0; odd < 2 && rows; odd++) {
        char *there = memory_at(o->range) + odd * width, *here = local + odd * width;
        if (o->way == WAYS_PLAIN && puts)
            uat_global_put_strided(there, pitch, here, pitch, width, rows);
        else if (o->way == WAYS_PLAIN)
            uat_global_get_strided(here, pitch, there, pitch, width, rows);
        else if (puts)
            uat_global_put_strided_begin(&transfer[odd], there, pitch, here, pitch, width, rows);
        else
            uat_global_get_strided_begin(&transfer[odd], here, pitch, there, pitch, width, rows);
    }
    if (rest.bytes)
        puts ? memory_put(rest, local + done) : memory_get(local + done, rest);
    for (int odd = 0; odd < 2 && rows && o->way > WAYS_PLAIN; odd++)
        uat_global_transfer_wait(&transfer[odd]);
}

/* SPDX-License-Identifier: MIT */
/*
 * Generators that read global memory. A task has at most one generator at a time. The generator stays in the task's
 * frame between two operations, across steals, joins and waits. The generator's value is the hash of all bytes that it
 * has read since its start.
 */
#include "tests/random/interpret.h"
#include "uat/generator.h"

enum { STACK = 8192, ON_STACK = 1024 };

/* The value of a generator of sums. It is larger than a word, so that it passes through the generator's stack. */
struct sum {
    uint64_t hash, count, hash_again;
};

/* Add the bytes that an operation reads to the hash. Returns the new hash. */
static uint64_t add_bytes(uint64_t hash, const struct op *o)
{
    char local[ON_STACK];
    if (o->range.bytes <= sizeof(local) && o->way & 1) {
        memory_get(local, o->range);
        return hash_bytes(hash, local, o->range.bytes);
    }
    hash = hash_bytes(hash, memory_checkout(o->range, UAT_READ), o->range.bytes);
    memory_checkin(o->range, UAT_READ);
    return hash;
}

UAT_GENERATOR_SIZED(STACK, uint64_t, words, const int *, index)
{
    for (uint64_t hash = 1; *index >= 0;) {
        hash = add_bytes(hash, &program.op[*index]);
        uat_generator_yield(hash);
    }
}

UAT_GENERATOR_SIZED(STACK, struct sum, sums, const int *, index)
{
    for (struct sum sum = {.hash = 1}; *index >= 0;) {
        sum.hash = add_bytes(sum.hash, &program.op[*index]);
        sum.count++;
        sum.hash_again = ~sum.hash;
        uat_generator_yield(sum);
    }
}

struct walker {
    int index; /* the operation that takes the next value; -1: the generator must end */
    int begun; /* 1: a generator of words, 2: of sums */
    uint64_t count;
    union {
        words_generator words;
        sums_generator sums;
    };
};
_Static_assert(sizeof(struct walker) <= sizeof(((struct frame *)0)->walker), "it lies in a task's frame");

static int next(struct walker *w, struct sum *sum)
{
    if (w->begun == 2)
        return sums_next(&w->sums, sum);
    *sum = (struct sum){.count = w->count};
    int any = words_next(&w->words, &sum->hash);
    sum->hash_again = ~sum->hash;
    return any;
}

/* Begin a task's next generator. The task's previous generator has returned, is ended early, or is simply abandoned. */
static void begin(struct walker *w, const struct op *o)
{
    struct sum sum;
    if (w->begun && o->stamp % 3 == 0) {
        w->index = -1;
        check_that(o, !next(w, &sum) && !next(w, &sum), "the end of a generator");
    } else if (w->begun && o->stamp % 3 == 1) {
        w->begun == 2 ? sums_end(&w->sums) : words_end(&w->words);
    }
    w->begun = 1 + (int)(o->way / 2 % 2);
    w->count = 0;
    if (w->begun == 2)
        sums_begin(&w->sums, &w->index);
    else
        words_begin(&w->words, &w->index);
}

void generator_reset(struct frame *f)
{
    ((struct walker *)(void *)f->walker)->begun = 0;
}

void interpret_next(int index, struct frame *f)
{
    const struct op *o = &program.op[index];
    if (plain) {
        check_number(index, add_bytes(o->link < 0 ? 1 : program.op[o->link].expect, o), "a generator's value");
        return;
    }
    struct walker *w = (struct walker *)(void *)f->walker;
    struct sum sum;
    if (o->link < 0)
        begin(w, o);
    w->index = index;
    w->count++;
    check_that(o, next(w, &sum), "a generator's next value");
    check_number(index, sum.hash, "a generator's value");
    check_that(o, sum.count == w->count && sum.hash_again == ~sum.hash, "the rest of a generator's value");
}

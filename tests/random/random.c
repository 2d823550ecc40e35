/* SPDX-License-Identifier: MIT */
/*
 * Description: random race-free programs that use all of uat/global.h, uat/sync.h and uat/pattern.h. At every access
 * and at the end they must see what a sequential execution of the same operations sees. A program is determined by its
 * seed and sizes. So a failing program can be run again, printed, and made smaller (tests/random/shrink).
 *
 * usage: random [--seed S] [--programs N] [--repeat N] [--steps N] [--runs N] [--array KIB] [--checkout BYTES]
 *               [--skip STEPS] [--without KIND]... [--ask N] [--print]
 *   --programs   number of programs; their seeds are S, S + 1, ...
 *   --repeat     run each program N times
 *   --steps      number of steps of a program; it has about as many operations
 *   --array      maximum KiB of an array; without it the seed decides
 *   --skip       leave out these steps, for example 3-20,25
 *   --without    make no operations of this kind
 *   --ask        one in N operations asks for a checkpoint
 *   --print      print the program and run nothing
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/mix.h"
#include "tests/random/interpret.h"

enum { CHECKED = 3000, LIMIT = 1 << 20 };

static bool skipped[STEPS + 2 * RUNS];
static struct limits limits = {.seed = 1, .steps = 400, .runs = 2, .skipped = skipped};
static unsigned long programs = 1, repeat = 1;
static bool prints;

static void skip(const char *text)
{
    while (*text) {
        char *end;
        unsigned long from = strtoul(text, &end, 10), to = from;
        if (*end == '-')
            to = strtoul(end + 1, &end, 10);
        for (; from <= to && from < sizeof(skipped); from++)
            skipped[from] = true;
        if (end == text || (*end && *end != ','))
            return;
        text = *end ? end + 1 : end;
    }
}

static int option(const char *name, const char *value)
{
    unsigned long number = strtoul(value, NULL, 10);
    int kind = program_kind(value);
    if (strcmp(name, "--seed") == 0)
        limits.seed = number;
    else if (strcmp(name, "--programs") == 0)
        programs = number;
    else if (strcmp(name, "--repeat") == 0)
        repeat = number;
    else if (strcmp(name, "--steps") == 0 && number > 0 && number <= STEPS)
        limits.steps = (unsigned)number;
    else if (strcmp(name, "--runs") == 0 && number > 0 && number <= RUNS)
        limits.runs = (unsigned)number;
    else if (strcmp(name, "--array") == 0 && number >= 16 && number < 1 << 14)
        limits.array = (uint32_t)number << 10;
    else if (strcmp(name, "--checkout") == 0)
        limits.checkout = number;
    else if (strcmp(name, "--ask") == 0)
        ask_every = number;
    else if (strcmp(name, "--skip") == 0)
        skip(value);
    else if (strcmp(name, "--without") == 0 && kind >= 0)
        limits.without |= UINT64_C(1) << kind;
    else
        return -EINVAL;
    return 0;
}

static int parse(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--print") == 0)
            prints = true;
        else if (i + 1 == argc || option(argv[i], argv[i + 1]))
            return -EINVAL;
        else
            i++;
    }
    return 0;
}

/* Make collective calls between runs, in any order. */
static int between(uint64_t seed)
{
    static const char text[] = "what all workers read";
    for (uint64_t n = mix(seed) % 4; n > 0; n--) {
        uat_stats_t s;
        const char *copy;
        void *p;
        switch (mix(seed + n) % 5) {
        case 0:
            if (uat_stats_total(&s))
                return -1;
            break;
        case 1:
            copy = uat_replicate(text, sizeof(text));
            if (!copy || strcmp(copy, text) != 0 || uat_replicate_free((void *)(uintptr_t)copy))
                return -1;
            break;
        case 2:
            p = uat_global_alloc(1 + mix(seed - n) % 300000, UAT_CYCLIC, 0);
            if (!p || uat_global_free(p))
                return -1;
            break;
        default:
            if (uat_barrier())
                return -1;
        }
    }
    return 0;
}

/* Check what all ranks wrote before the run. The bytes of a frozen array may be cached from now on. */
static int check_written(int run)
{
    struct range all = program.runs_of[run].written;
    for (uint32_t at = 0, n; at < all.bytes; at += n) {
        n = all.bytes - at < CHECKED ? all.bytes - at : CHECKED;
        struct range range = {all.area, all.from + at, n};
        bool right = stamp_is(memory_checkout(range, UAT_READ), program.runs_of[run].stamp, at, n);
        memory_checkin(range, UAT_READ);
        if (all.area == program.runs_of[run].frozen && !right) {
            fprintf(stderr, "random: seed %lu, rank %d: before run %d array %d is wrong in [%u, %u)\n",
                    (unsigned long)program.seed, uat_rank(), run, range.area, range.from, range.from + n);
            abort();
        }
    }
    return 0;
}

static int one_run(int run)
{
    struct start start = {.first = program.runs_of[run].root};
    struct range frozen = {program.runs_of[run].frozen, 0, 1};
    int rc;
    write_share(run, uat_rank(), uat_size());
    if (frozen.area >= 0 && (uat_global_freeze(memory_at(frozen)) || check_written(run)))
        return -1;
    rc = uat_run(interpret_task, &start, offsetof(struct start, bytes), NULL, 0);
    if (!rc && frozen.area >= 0)
        rc = uat_global_thaw(memory_at(frozen));
    return rc ? rc : between(limits.seed * 31 + (uint64_t)run);
}

/* All workers check all memory. */
static int check_all(void)
{
    int wrong = 0;
    for (int area = 0; area < ARRAYS; area++)
        for (uint32_t at = 0; at < program.bytes[area] && !wrong; at += CHECKED) {
            uint32_t left = program.bytes[area] - at;
            struct range range = {area, at, left < CHECKED ? left : CHECKED};
            wrong = memcmp(memory_checkout(range, UAT_READ), memory_plain_at(range), range.bytes) != 0;
            memory_checkin(range, UAT_READ);
            if (wrong)
                fprintf(stderr, "random: seed %lu, rank %d: at the end array %d is wrong in [%u, %u)\n",
                        (unsigned long)program.seed, uat_rank(), area, at, at + range.bytes);
        }
    for (int i = 0; i < WORDS && !wrong; i++) {
        uint64_t seen = uat_atomic_load(memory_word(i)), expected;
        plain = true;
        expected = memory_word(i)->value;
        plain = false;
        wrong = seen != expected;
        if (wrong)
            fprintf(stderr, "random: seed %lu, rank %d: at the end atomic word %d is %lu, not %lu\n",
                    (unsigned long)program.seed, uat_rank(), i, (unsigned long)seen, (unsigned long)expected);
    }
    return wrong;
}

static int one_program(void)
{
    program_generate(&limits);
    reference_until(program.ops);
    if (memory_open(limits.seed % 2))
        return 1;
    for (int run = 0; run < program.runs; run++)
        if (one_run(run))
            return 1;
    if (check_all())
        abort();
    executions++;
    return uat_barrier() || memory_close();
}

int main(int argc, char **argv)
{
    unsigned long operations = 0;
    uat_stats_t s;
    if (uat_init())
        return 1;
    if (parse(argc, argv)) {
        if (uat_rank() == 0)
            fprintf(stderr, "random: wrong arguments; see the top of tests/random/random.c\n");
        return 2;
    }
    if (uat_global_open())
        return 1;
    if (!limits.checkout)
        limits.checkout = uat_global_checkout_limit() < LIMIT ? uat_global_checkout_limit() : LIMIT;
    if (prints && uat_rank() == 0) {
        program_generate(&limits);
        program_print();
    }
    for (unsigned long i = 0; i < programs && !prints; i++, limits.seed++) {
        if (uat_rank() == 0) { /* the library's own error messages do not name the seed */
            printf("seed %lu\n", (unsigned long)limits.seed);
            fflush(stdout);
        }
        for (unsigned long k = 0; k < repeat; k++)
            if (one_program())
                return 1;
        operations += (unsigned long)program.ops;
    }
    if (uat_stats_total(&s))
        return 1;
    if (uat_rank() == 0 && !prints)
        printf("%lu programs, %lu operations, %lu tasks, %lu steals, %lu misses, %lu hits, %lu bytes fetched, %lu "
               "written, every answer right\n",
               programs, operations, s.tasks, s.steals, s.global_misses, s.global_hits, s.global_bytes_fetched,
               s.global_bytes_written);
    return uat_finalize() != 0;
}

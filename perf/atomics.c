/* SPDX-License-Identifier: MIT */
/*
 * Measures the rate of atomics on one worker's memory. This is the throughput of the device's atomic unit. One or
 * several processes change one or several words of rank 0. The processes with the highest ranks are used first, and
 * rank 0 is used last.
 *
 * A second part changes one word on each of several workers. These workers share a host if the launcher places
 * consecutive ranks on one host. In one case the words are at the same address in all workers. In the other case each
 * worker's word is 64 bytes beyond its predecessor's word. If the addresses are equal, an adapter is slower that
 * serialises atomics by the low 12 bits of their addresses (transport/colour.h).
 *
 * With --matrix the program measures the matrix of atomics_matrix.c instead.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "perf/atomics.h"
#include "perf/bench.h"
#include "perf/gather.h"
#include "perf/report.h"
#include "perf/tsc.h"
#include "inspect/inspect.h"

enum { WORDS_MAX = 256, WINDOW_MAX = 64, LINE = 64, COLOURS = 64 };
_Static_assert(COLOURS <= WORDS_MAX, "a coloured word is one of the words");

static int64_t operations = 100000;
static int64_t words = 8;
static int64_t window = 4;
static int64_t matrix = 0;
static int64_t microseconds = 1000000;

static const char *const names[] = {[UAT_OP_FETCH_ADD] = "fetch_add", [UAT_OP_CMP_SWAP] = "cmp_swap"};

/* One measured case. */
struct row {
    enum uat_opcode code;
    int words, processes;
    int targets;   /* workers whose words are changed: 0 to targets - 1 */
    bool coloured; /* the words are at different addresses */
    double per_second;
    double success; /* share of the operations that changed a word */
};

/* Line i of the lines at the end of the heap. Outside a run these lines are unused. The first lines have the words, and
 * the following lines receive the old values. */
static uint64_t *line(int i)
{
    return (uint64_t *)uat_inspect_spare((size_t)(WORDS_MAX + WINDOW_MAX - i) * LINE);
}

/* An operation in flight. */
struct flight {
    struct uat_pending pending;
    bool busy;
    int word;
    uint64_t expected;
    uint32_t guess; /* the value of s->guess[word] when this operation was posted */
};

/* Returns the rank that has the word. With several targets, each target has one word; in that case `word` is the
 * target's rank. */
static int target_of(const struct row *row, int word)
{
    return row->targets > 1 ? word : 0;
}
static uint64_t *address_of(const struct row *row, int word)
{
    if (row->targets > 1)
        return line(row->coloured ? word % COLOURS : 0);
    return line(word);
}

struct shooter {
    struct flight flights[WINDOW_MAX];
    /* What the next CMP_SWAP of a word expects: the last value seen, plus one increase for each operation in flight. */
    uint64_t expected[WORDS_MAX];
    uint32_t guess[WORDS_MAX]; /* number of times that the expected value was wrong */
    uint64_t successes;
};

static int land(struct shooter *s, const struct row *row, int slot)
{
    struct flight *f = &s->flights[slot];
    struct uat_pending *pending = &f->pending;
    uint64_t old;
    int status;

    if (!f->busy)
        return 0;
    status = uat_transport_wait(uat_inspect_transport(), &pending, 1);
    f->busy = false;
    old = *line(WORDS_MAX + slot);
    if (row->code == UAT_OP_FETCH_ADD || old == f->expected) {
        s->successes++;
    } else if (f->guess == s->guess[f->word]) {
        s->expected[f->word] = old; /* the operations in flight expect wrong values, so they will fail as well */
        s->guess[f->word]++;
    }
    return status;
}

/* Post and complete this process's share of a case. */
static int shoot(struct shooter *s, const struct row *row)
{
    int status = 0;

    for (int64_t i = 0; i < operations && !status; i++) {
        int slot = (int)(i % window), word = (int)((uat_rank() + i) % (row->targets > 1 ? row->targets : row->words));
        struct flight *f = &s->flights[slot];
        struct uat_op op;

        status = land(s, row, slot);
        f->word = word;
        f->expected = s->expected[word]++;
        f->guess = s->guess[word];
        f->busy = true;
        op = row->code == UAT_OP_FETCH_ADD
                 ? uat_op_fetch_add(line(WORDS_MAX + slot), address_of(row, word), 1)
                 : uat_op_cmp_swap(line(WORDS_MAX + slot), address_of(row, word), f->expected, f->expected + 1);
        if (!status)
            status = uat_transport_post(uat_inspect_transport(), target_of(row, word), &op, 1, &f->pending);
    }
    for (int slot = 0; slot < window && !status; slot++)
        status = land(s, row, slot);
    return status;
}

/* Read the words; the next CMP_SWAP expects their values. */
static int look(struct shooter *s, const struct row *row)
{
    int status = 0;

    memset(s->expected, 0, sizeof(s->expected));
    for (int word = 0; word < (row->targets > 1 ? row->targets : row->words) && !status; word++) {
        struct uat_op op = uat_op_read(line(WORDS_MAX), address_of(row, word), 8);

        status = uat_transport_do(uat_inspect_transport(), target_of(row, word), &op, 1);
        s->expected[word] = *line(WORDS_MAX);
    }
    return status;
}

/* The sum of the words, on the rank that has them. A CPU may load such a word at any time, although the HCA changes
 * it. */
static uint64_t sum_of_words(void)
{
    uint64_t sum = 0;

    for (int i = 0; i < WORDS_MAX; i++)
        sum += __atomic_load_n(line(i), __ATOMIC_RELAXED); /* this code runs between two barriers, so no process
                                                            * writes */
    return sum;
}

/* Collective: measure one case and check that no operation was lost. */
static int run_row(struct shooter *s, struct row *row)
{
    bool active = uat_rank() >= uat_size() - row->processes;
    uint64_t before = sum_of_words(), nanoseconds = 0;
    struct uat_gathered time, successes, rise;
    int status = look(s, row);

    s->successes = 0;
    if (!status)
        status = uat_barrier();
    if (!status && active) {
        struct uat_moment begin = uat_moment_now();

        status = shoot(s, row);
        nanoseconds = (uint64_t)((uat_moment_now().seconds - begin.seconds) * 1e9);
    }
    if (!status)
        status = uat_gather(nanoseconds, &time);
    if (!status)
        status = uat_gather(s->successes, &successes);
    if (!status)
        status = uat_gather(sum_of_words() - before, &rise); /* after a barrier: all processes have done their shares */
    if (status < 0)
        return status;
    row->per_second = (double)operations * row->processes / ((double)time.most * 1e-9);
    row->success = (double)successes.sum / ((double)operations * row->processes);
    if (rise.sum != successes.sum) {
        fprintf(stderr, "uat-atomics: %s from %d processes: the words rose by %llu, and should by %llu\n",
                names[row->code], row->processes, (unsigned long long)rise.sum, (unsigned long long)successes.sum);
        return -EPROTO;
    }
    return 0;
}

static const char *addresses_of(const struct row *row)
{
    return row->targets == 1 ? "own" : row->coloured ? "coloured" : "aliased";
}

static void report(const struct uat_bench *bench, const struct uat_bench_settings *settings, const struct row *rows,
                   int count)
{
    static const struct uat_report_column columns[] = {
        {"operation", "operation", -12, 0}, {"words", "words", 6, 0},
        {"targets", "targets", 8, 0},       {"addresses", "addresses", -10, 0},
        {"processes", "processes", 10, 0},  {"per_second", "per second", 14, 0},
        {"success", "success", 9, 3},       {0}};

    uat_report_begin(bench, settings);
    uat_report_count("window", (uint64_t)window);
    uat_report_line("window", "%lld operations of each process in flight at a time", (long long)window);
    uat_report_heads(columns);
    uat_report_list("rows");
    for (const struct row *r = rows; r < rows + count; r++)
        uat_report_row(columns, (struct uat_report_value[]){{names[r->code], 0},
                                                            {NULL, r->words},
                                                            {NULL, r->targets},
                                                            {addresses_of(r), 0},
                                                            {NULL, r->processes},
                                                            {NULL, r->per_second},
                                                            {NULL, r->success}});
    uat_report_close();
    uat_report_end();
}

/* The next number of processes: the powers of two, and at last all workers. 0: there is none. */
static int next(int processes)
{
    if (processes == uat_size())
        return 0;
    return 2 * processes < uat_size() ? 2 * processes : uat_size();
}

static int measure_rows(const struct uat_bench *bench, const struct uat_bench_settings *settings)
{
    static const enum uat_opcode codes[] = {UAT_OP_FETCH_ADD, UAT_OP_CMP_SWAP};
    struct shooter *s = calloc(1, sizeof(*s));
    struct row *rows = calloc((size_t)uat_size() * 4 + 4, sizeof(*rows));
    int count = 0, status = s && rows ? 0 : -ENOMEM;

    if (status < 0)
        fprintf(stderr, "uat-atomics: no memory\n");
    for (int code = 0; code < 2; code++)
        for (int several = 0; several < (words > 1 ? 2 : 1); several++)
            for (int processes = 1; processes > 0 && !status; processes = next(processes)) {
                rows[count] = (struct row){
                    .code = codes[code], .words = several ? (int)words : 1, .processes = processes, .targets = 1};
                status = run_row(s, &rows[count++]);
            }
    for (int code = 0; code < 2 && uat_size() > 1; code++)
        for (int coloured = 0; coloured < 2 && !status; coloured++) {
            rows[count] = (struct row){.code = codes[code],
                                       .words = 1,
                                       .processes = uat_size(),
                                       .targets = uat_size() < WORDS_MAX ? uat_size() : WORDS_MAX,
                                       .coloured = coloured};
            status = run_row(s, &rows[count++]);
        }
    if (!status && uat_rank() == 0)
        report(bench, settings, rows, count);
    free(rows);
    free(s);
    return status;
}

static int measure(const struct uat_bench *bench, const struct uat_bench_settings *settings)
{
    return matrix > 0 ? matrix_measure(bench, settings, (int)matrix, (int)window, (uint64_t)microseconds * 1000)
                      : measure_rows(bench, settings);
}

static const struct uat_bench_option options[] = {
    {"--ops", "N", "operations of each process in each case", &operations, NULL, 1, 1e9},
    {"--words", "N", "words, where it is not one", &words, NULL, 1, WORDS_MAX},
    {"--window", "N", "operations of a process in flight at a time", &window, NULL, 1, WINDOW_MAX},
    {"--matrix", "N", "measure the matrix of operations, places and paths; 1: a short one; 2: the usual one; 3: all",
     &matrix, NULL, 0, 3},
    {"--us", "TIME", "microseconds for each cell of the matrix", &microseconds, NULL, 1, 1e9},
    {0},
};

const struct uat_bench uat_bench = {
    .program = "uat-atomics",
    .purpose = "The rate of FETCH_ADD and CMP_SWAP on one worker's memory, from 1, 2, 4 ... all workers.",
    .options = options,
    .measure = measure,
};

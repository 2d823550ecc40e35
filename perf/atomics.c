/* SPDX-License-Identifier: MIT */
/*
 * Rate of atomics on one worker's memory, from one process and from several, on one word and on several: the throughput
 * of the device's atomic unit. Rank 0 owns the words. The processes with the highest ranks begin, so rank 0 comes last.
 *
 * Then the same on one word of each of several workers, which are those of one host if ranks are dealt out so: at one
 * address in all of them, and 64 bytes x the rank apart. An adapter that excludes atomics by the low 12 bits of their
 * addresses is slower on the first (transport/colour.h).
 */
#include <errno.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "perf/bench.h"
#include "perf/gather.h"
#include "perf/tsc.h"
#include "runtime/inspect.h"

enum { WORDS_MAX = 256, WINDOW_MAX = 64, LINE = 64, COLOURS = 64 };
_Static_assert(COLOURS <= WORDS_MAX, "a coloured word is one of the words");

static int64_t operations = 100000;
static int64_t words = 8;
static int64_t window = 4;

static const char *const names[] = {[UAT_OP_FETCH_ADD] = "fetch_add", [UAT_OP_CMP_SWAP] = "cmp_swap"};

/* One measured case. */
struct row {
    enum uat_opcode code;
    int words, processes;
    int targets;   /* workers whose words are changed: 0 to targets - 1 */
    bool coloured; /* their words at different addresses */
    double per_second;
    double success; /* share of the operations that changed their word */
};

/* Lines at the end of the heap, which is unused outside of a run: first the words, then where old values land. */
static uint64_t *line(int i)
{
    return (uint64_t *)uat_inspect_spare((size_t)(WORDS_MAX + WINDOW_MAX - i) * LINE);
}

/* An operation under way. */
struct flight {
    struct uat_pending pending;
    bool busy;
    int word;
    uint64_t expected;
    uint32_t guess; /* the word's guess when it was posted */
};

/* With several targets each has one word, and `word` is the target. */
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
    uint64_t expected[WORDS_MAX]; /* by the next CMP_SWAP: what was seen, and as if those under way succeeded */
    uint32_t guess[WORDS_MAX];    /* how often that turned out wrong */
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
        s->expected[f->word] = old; /* what is under way was posted with the old guess, and will fail too */
        s->guess[f->word]++;
    }
    return status;
}

/* This process's share of a case. */
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

/* The next CMP_SWAP expects what stands there. */
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

/* The sum of the words, on the rank that has them. A CPU may load a word of the HCA at any time. */
static uint64_t sum_of_words(void)
{
    uint64_t sum = 0;

    for (int i = 0; i < WORDS_MAX; i++)
        sum += __atomic_load_n(line(i), __ATOMIC_RELAXED); /* nobody writes: it is called between barriers */
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
        status = uat_gather(sum_of_words() - before, &rise); /* behind a barrier: all have done their share */
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

static int report_json(const struct uat_bench *bench, const struct uat_bench_settings *settings, const struct row *rows,
                       int count)
{
    json_object *object = json_object_new_object(), *list = json_object_new_array();
    int status = 0;

    if (!object || !list)
        status = -ENOMEM;
    for (int i = 0; i < count && !status; i++) {
        json_object *one = json_object_new_object();

        if (!one || json_object_array_add(list, one) < 0) {
            json_object_put(one);
            status = -ENOMEM;
            break;
        }
        uat_bench_add(one, "operation", json_object_new_string(names[rows[i].code]), &status);
        uat_bench_add(one, "words", json_object_new_int(rows[i].words), &status);
        uat_bench_add(one, "targets", json_object_new_int(rows[i].targets), &status);
        uat_bench_add(one, "addresses", json_object_new_string(addresses_of(&rows[i])), &status);
        uat_bench_add(one, "processes", json_object_new_int(rows[i].processes), &status);
        uat_bench_add(one, "per_second", json_object_new_double(rows[i].per_second), &status);
        uat_bench_add(one, "success", json_object_new_double(rows[i].success), &status);
    }
    if (!status) {
        uat_bench_add_settings(object, bench, settings, &status);
        uat_bench_add(object, "window", json_object_new_int64(window), &status);
        uat_bench_add(object, "rows", list, &status);
        list = NULL;
    }
    json_object_put(list);
    return uat_bench_print_object(object, status, stdout);
}

static void report_table(const struct uat_bench *bench, const struct uat_bench_settings *settings,
                         const struct row *rows, int count)
{
    uat_bench_print_settings(bench, settings, stdout);
    printf("  %-12s %lld operations of each process under way at once\n", "window", (long long)window);
    printf("  %-12s %6s %8s %-10s %10s %14s %9s\n", "operation", "words", "targets", "addresses", "processes",
           "per second", "success");
    for (int i = 0; i < count; i++)
        printf("  %-12s %6d %8d %-10s %10d %14.0f %8.1f%%\n", names[rows[i].code], rows[i].words, rows[i].targets,
               addresses_of(&rows[i]), rows[i].processes, rows[i].per_second, 100 * rows[i].success);
}

static int measure(const struct uat_bench *bench, const struct uat_bench_settings *settings)
{
    static const enum uat_opcode codes[] = {UAT_OP_FETCH_ADD, UAT_OP_CMP_SWAP};
    struct shooter *s = calloc(1, sizeof(*s));
    struct row *rows = calloc((size_t)uat_size() * 4 + 4, sizeof(*rows));
    int count = 0, status = s && rows ? 0 : -ENOMEM;

    if (status < 0)
        fprintf(stderr, "uat-atomics: no memory\n");
    for (int code = 0; code < 2; code++)
        for (int several = 0; several < (words > 1 ? 2 : 1); several++)
            for (int processes = 1; processes <= uat_size() && !status; processes++) {
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
    if (!status && uat_rank() == 0) {
        if (settings->json)
            status = report_json(bench, settings, rows, count);
        else
            report_table(bench, settings, rows, count);
    }
    free(rows);
    free(s);
    return status;
}

static const struct uat_bench_option options[] = {
    {"--ops", "N", "operations of each process in each case", &operations, NULL, 1, 1e9},
    {"--words", "N", "words, where it is not one", &words, NULL, 1, WORDS_MAX},
    {"--window", "N", "operations of a process under way at once", &window, NULL, 1, WINDOW_MAX},
    {0},
};

const struct uat_bench uat_bench = {
    .program = "uat-atomics",
    .purpose = "The rate of FETCH_ADD and CMP_SWAP on one worker's memory, from 1 to all workers.",
    .options = options,
    .measure = measure,
};

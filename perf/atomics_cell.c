/* SPDX-License-Identifier: MIT */
/*
 * One cell of the matrix. Each initiator keeps `window` chains in flight until the cell's time is over, and sorts their
 * durations into a histogram. Rank 0 READs the histograms of all workers and adds them up.
 *
 * Atomics and WRITEs use different areas, because no WRITE may change a word that atomics change (O6).
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perf/atomics.h"
#include "perf/histogram.h"
#include "perf/tsc.h"
#include "inspect/inspect.h"

enum { LINE = 64, AREA = 1 << 20, BULK = 1 << 16, WORDS_MAX = AREA / 8 };

/* What a worker shows to rank 0. */
struct share {
    uint64_t chains, successes;
    uint64_t counted, nanoseconds; /* counted: chains for the rate; nanoseconds: until the last chain was complete */
    struct uat_histogram histogram;
};

/* The end of the evacuation heap, which is unused outside a run. */
struct spare {
    uint64_t atomic[AREA / 8]; /* atomics change these words, and READs read them */
    uint64_t plain[AREA / 8];  /* WRITEs change these words */
    uint64_t bulk[BULK / 8];   /* data of READs arrive here, and data of WRITEs come from here */
    uint64_t old[MATRIX_WINDOW_MAX][LINE / 8];
    struct share own, other; /* other: a copy of another worker's */
};
_Static_assert(sizeof(struct share) % 8 == 0, "a READ moves whole words");

struct flight {
    struct uat_pending pending;
    bool busy;
    uint32_t word, guess; /* guess: the value of guess[word] when this chain was posted */
    uint64_t expected, posted;
};

static struct {
    struct flight flights[MATRIX_WINDOW_MAX];
    /* What the next CMP_SWAP of a word expects: the last value seen, plus one for each CMP_SWAP in flight. */
    uint64_t expected[WORDS_MAX];
    uint32_t guess[WORDS_MAX]; /* number of times that the expected value was wrong */
    uint64_t random, begin;    /* begin: the time at which this worker's cell began */
} * shooter;

static const struct {
    uint32_t words, step; /* step: bytes from one word to the next */
} places[MATRIX_PLACES] = {
    [MATRIX_WORD] = {1, 8},
    [MATRIX_LINE] = {8, 8},
    [MATRIX_LINES] = {8, LINE},
    [MATRIX_PAGES] = {8, 4096},
    [MATRIX_PAGES_SHIFTED] = {8, 4096 + LINE},
    [MATRIX_RANDOM] = {WORDS_MAX, 8},
};

static struct spare *spare(void)
{
    return uat_inspect_spare(sizeof(struct spare));
}

static int refuse(const char *what)
{
    fprintf(stderr, "uat-atomics: %s\n", what);
    return -ENOMEM;
}

int matrix_open(struct matrix_job *job)
{
    uint64_t *words = calloc((size_t)uat_size(), sizeof(*words));
    int status = 0;

    job->host = calloc((size_t)uat_size(), sizeof(*job->host));
    shooter = calloc(1, sizeof(*shooter));
    if (!words || !job->host || !shooter)
        status = refuse("no memory");
    else if (!spare())
        status = refuse("the matrix needs 3 MiB of the evacuation heap: set UAT_HEAP_SIZE");
    else
        status = uat_inspect_gather((uint64_t)uat_inspect_host(), words);
    for (int i = 0; i < uat_size() && !status; i++) {
        bool new = true;

        job->host[i] = (int)words[i];
        job->last_members += words[i] == words[uat_size() - 1];
        job->members[i == 0 ? MATRIX_OWN : words[i] == words[0] ? MATRIX_NEAR : MATRIX_FAR]++;
        for (int k = 0; k < i; k++)
            new &= words[k] != words[i];
        job->others += new;
    }
    job->last_host = job->host && !status ? job->host[uat_size() - 1] : 0;
    job->others--; /* the last host itself */
    free(words);
    if (status)
        matrix_close(job);
    else
        shooter->random = (uint64_t)uat_rank() + 1;
    return status;
}

void matrix_close(struct matrix_job *job)
{
    free(job->host);
    free(shooter);
}

static enum matrix_path path_of(const struct matrix_job *job, int rank)
{
    return rank == 0 ? MATRIX_OWN : job->host[rank] == job->host[0] ? MATRIX_NEAR : MATRIX_FAR;
}

/* The highest ranks of the path are the cell's initiators. */
static bool takes_part(const struct matrix_job *job, const struct matrix_cell *cell)
{
    int higher = 0;

    if (cell->targets)
        return uat_inspect_host() == job->last_host;
    for (int rank = uat_rank() + 1; rank < uat_size(); rank++)
        higher += path_of(job, rank) == cell->path;
    return path_of(job, uat_rank()) == cell->path && higher < cell->initiators;
}

/* The first worker of the number-th host, other than the last host. */
static int target_of(const struct matrix_job *job, uint64_t number)
{
    for (int rank = 0; rank < uat_size(); rank++) {
        bool first = job->host[rank] != job->last_host;

        for (int k = 0; k < rank; k++)
            first &= job->host[k] != job->host[rank];
        if (first && number-- == 0)
            return rank;
    }
    return 0;
}

static bool swaps(enum matrix_operation operation)
{
    return operation == MATRIX_CMP_SWAP_WON || operation == MATRIX_CMP_SWAP_READ;
}

/* Make the chain of one operation on this word, the k-th of a batch. Returns its length. */
static int chain_of(const struct matrix_cell *cell, uint32_t word, int slot, int k, uint64_t expected,
                    struct uat_op *ops)
{
    struct spare *s = spare();
    size_t i = (size_t)word * places[cell->place].step / 8, line = i / (LINE / 8) * (LINE / 8);
    uint64_t *old = s->old[slot] + k, *landing = s->bulk + slot * (LINE / 8);

    switch (cell->operation) {
    case MATRIX_READ_8:
        ops[0] = uat_op_read(landing, s->atomic + i, 8);
        return 1;
    case MATRIX_READ_64:
        ops[0] = uat_op_read(landing, s->atomic + line, LINE);
        return 1;
    case MATRIX_WRITE_8:
        ops[0] = uat_op_write(landing, s->plain + i, 8);
        return 1;
    case MATRIX_WRITE_64:
        ops[0] = uat_op_write(landing, s->plain + line, LINE);
        return 1;
    case MATRIX_FETCH_ADD:
        ops[0] = uat_op_fetch_add(old, s->atomic + i, 1);
        return 1;
    case MATRIX_CMP_SWAP_WON:
    case MATRIX_CMP_SWAP_READ:
        ops[0] = uat_op_cmp_swap(old, s->atomic + i, expected, expected + 1);
        if (cell->operation == MATRIX_CMP_SWAP_WON)
            return 1;
        ops[1] = uat_op_read(landing, s->plain + line, LINE);
        return 2;
    case MATRIX_CMP_SWAP_LOST:
        ops[0] = uat_op_cmp_swap(old, s->atomic + i, UINT64_MAX, 0);
        return 1;
    case MATRIX_WRITE_FETCH_ADD:
        ops[0] = uat_op_write(landing, s->plain + line, LINE);
        ops[1] = uat_op_fetch_add(old, s->atomic + i, 1);
        return 2;
    case MATRIX_READ_BULK:
        break;
    }
    ops[0] = uat_op_read(s->bulk, s->atomic, BULK);
    return 1;
}

/* The first fifth of a cell does not count: the queues are still filling. Chains that complete after the cell's time
 * count for the distribution only. */
static void count(const struct matrix_job *job, uint64_t posted, uint64_t now)
{
    struct share *own = &spare()->own;
    uint64_t since = now - shooter->begin;

    own->chains++;
    if (since >= job->nanoseconds / 5)
        uat_histogram_add(&own->histogram, now - posted);
    own->counted += since >= job->nanoseconds / 5 && since < job->nanoseconds;
}

/* Wait for the chain of this slot. Returns a negative errno, or 0; then *now is the time. */
static int land(const struct matrix_job *job, const struct matrix_cell *cell, int slot, uint64_t *now)
{
    struct flight *f = &shooter->flights[slot];
    struct uat_pending *pending = &f->pending;
    struct share *own = &spare()->own;
    uint64_t old;
    int status;

    if (!f->busy)
        return 0;
    status = uat_transport_wait(uat_inspect_transport(), &pending, 1);
    *now = uat_time_ns();
    f->busy = false;
    count(job, f->posted, *now);
    old = spare()->old[slot][0];
    if (!swaps(cell->operation)) {
        if (cell->operation == MATRIX_FETCH_ADD || cell->operation == MATRIX_WRITE_FETCH_ADD)
            own->successes += (uint64_t)cell->batch;
    } else if (old == f->expected) {
        own->successes++;
    } else if (f->guess == shooter->guess[f->word]) {
        shooter->expected[f->word] = old; /* the chains in flight expect wrong values, so they will fail as well */
        shooter->guess[f->word]++;
    }
    return status;
}

static uint32_t next_word(const struct matrix_cell *cell, uint64_t number)
{
    if (cell->place != MATRIX_RANDOM)
        return (uint32_t)((number + (uint64_t)uat_rank()) % places[cell->place].words);
    shooter->random ^= shooter->random << 13; /* Marsaglia's xorshift */
    shooter->random ^= shooter->random >> 7;
    shooter->random ^= shooter->random << 17;
    return (uint32_t)(shooter->random % WORDS_MAX);
}

/* Make the number-th chain of this worker. Returns its length. */
static int batch_of(const struct matrix_cell *cell, uint64_t number, int slot, struct uat_op ops[UAT_CHAIN_MAX])
{
    struct flight *f = &shooter->flights[slot];
    int length = 0;

    for (int k = 0; k < cell->batch; k++) {
        f->word = next_word(cell, number * (uint64_t)cell->batch + (uint64_t)k);
        f->guess = shooter->guess[f->word];
        f->expected = shooter->expected[f->word];
        shooter->expected[f->word] += swaps(cell->operation); /* such cells have batches of one operation */
        length += chain_of(cell, f->word, slot, k, f->expected, ops + length);
    }
    return length;
}

static int shoot(const struct matrix_job *job, const struct matrix_cell *cell)
{
    uint64_t begin = shooter->begin = uat_time_ns(), now = begin;
    int targets[MATRIX_TARGETS_MAX], status = 0;

    for (int k = 0; k < cell->targets; k++)
        targets[k] = target_of(job, (uint64_t)k);
    for (uint64_t i = 0; now - begin < job->nanoseconds && !status; i++) {
        int slot = (int)(i % (uint64_t)cell->window), peer = cell->targets ? targets[i % (uint64_t)cell->targets] : 0;
        struct flight *f = &shooter->flights[slot];
        struct uat_op ops[UAT_CHAIN_MAX];

        status = land(job, cell, slot, &now);
        if (status)
            break;
        f->busy = true;
        f->posted = now;
        status = uat_transport_post(uat_inspect_transport(), peer, ops, batch_of(cell, i, slot, ops), &f->pending);
    }
    for (int slot = 0; slot < cell->window && !status; slot++)
        status = land(job, cell, slot, &now);
    spare()->own.nanoseconds = now - begin;
    return status;
}

/* READ the words; the first CMP_SWAPs expect their values. */
static int look(const struct matrix_cell *cell)
{
    struct spare *s = spare();
    size_t loaded = SIZE_MAX;
    int status = 0;

    for (uint32_t word = 0; word < places[cell->place].words && swaps(cell->operation) && !status; word++) {
        size_t at = (size_t)word * places[cell->place].step, chunk = at / BULK;
        struct uat_op op = uat_op_read(s->bulk, s->atomic + chunk * (BULK / 8), BULK);

        if (chunk != loaded)
            status = uat_transport_do(uat_inspect_transport(), 0, &op, 1);
        loaded = chunk;
        shooter->expected[word] = s->bulk[at % BULK / 8];
    }
    return status;
}

/* The sum of rank 0's words. This code runs between two barriers, so no worker changes them. */
static uint64_t sum_of_words(void)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < AREA / 8; i++)
        sum += __atomic_load_n(spare()->atomic + i, __ATOMIC_RELAXED); /* the barriers order it after all atomics */
    return sum;
}

/* On rank 0, after all workers are done: add up their shares. */
static int collect(const struct matrix_job *job, struct matrix_cell *cell, uint64_t rise)
{
    struct spare *s = spare();
    struct share all = {0};

    for (int rank = 0; rank < uat_size(); rank++) {
        struct uat_op op = uat_op_read(&s->other, &s->own, sizeof(s->other));
        int status = uat_transport_do(uat_inspect_transport(), rank, &op, 1);

        if (status < 0)
            return status;
        all.chains += s->other.chains;
        all.counted += s->other.counted;
        all.successes += s->other.successes;
        all.nanoseconds = s->other.nanoseconds > all.nanoseconds ? s->other.nanoseconds : all.nanoseconds;
        uat_histogram_merge(&all.histogram, &s->other.histogram);
    }
    /* If a chain takes longer than the cell's time, there is only the mean from the first post to the last answer. */
    cell->per_second = 1e9 * cell->batch *
                       (all.counted ? (double)all.counted / (.8 * (double)job->nanoseconds)
                                    : (double)all.chains / (double)all.nanoseconds);
    cell->p50 = uat_histogram_quantile(&all.histogram, .5);
    cell->p99 = uat_histogram_quantile(&all.histogram, .99);
    cell->success = cell->operation >= MATRIX_FETCH_ADD && cell->operation < MATRIX_READ_BULK
                        ? (double)all.successes / (double)all.chains / cell->batch
                        : 1;
    if (rise == all.successes)
        return 0;
    fprintf(stderr, "uat-atomics: %s, %s, %d initiators: the words rose by %llu, and should by %llu\n",
            matrix_operations[cell->operation], matrix_places[cell->place], cell->initiators, (unsigned long long)rise,
            (unsigned long long)all.successes);
    return -EPROTO;
}

int matrix_run(const struct matrix_job *job, struct matrix_cell *cell)
{
    uint64_t before = uat_rank() == 0 ? sum_of_words() : 0;
    int status = 0;

    memset(&spare()->own, 0, sizeof(spare()->own));
    status = uat_barrier(); /* all shares are cleared, and rank 0 has its sum */
    if (!status)
        status = look(cell);
    if (!status)
        status = uat_barrier();
    if (!status && takes_part(job, cell))
        status = shoot(job, cell);
    if (!status)
        status = uat_barrier();
    if (!status && uat_rank() == 0)
        status = collect(job, cell, sum_of_words() - before);
    return status ? status : uat_barrier();
}

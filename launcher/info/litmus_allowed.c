/* SPDX-License-Identifier: MIT */
/* Demonstrations: litmus tests of outcomes that the rules allow, because some adapter or network may show them. */
#include "launcher/info/litmus_test.h"

/* A READ sees an earlier WRITE of the same words in its chain, without an atomic between them. */
static void write_read(struct pair *pair, struct board *board, struct litmus_result *r)
{
    uint64_t *w = pair->words, *payload = w + PAYLOAD, *landing = w + LANDING;
    for (uint64_t i = 1; pair->rank == 1 && i <= board->trials; i++) {
        bool stale = false;
        for (int k = 0; k < PAYLOAD_WORDS; k++)
            landing[PAYLOAD_WORDS + k] = i;
        struct uat_op ops[] = {uat_op_write(landing + PAYLOAD_WORDS, payload, PAYLOAD_WORDS * 8),
                               uat_op_read(landing, payload, PAYLOAD_WORDS * 8)};
        pair_do(pair, 0, ops, 2);
        for (int k = 0; k < PAYLOAD_WORDS; k++)
            stale |= load(landing + k) != i;
        r->trials++;
        r->seen += stale;
    }
}

/* Two READs in a chain take effect in order. They read words on different cache lines, first FLAG and then DATA. The
 * victim's CPU stores DATA before FLAG. So if the READs are in order, DATA is at least as new as FLAG. */
static void read_read(struct pair *pair, struct board *board, struct litmus_result *r)
{
    uint64_t *w = pair->words, *landing = w + LANDING;
    if (pair->rank == 0) {
        for (uint64_t i = 1; !load(w + DONE); i++) {
            __atomic_store_n(w + DATA, i, __ATOMIC_RELAXED);
            __atomic_store_n(w + FLAG, i, __ATOMIC_RELEASE); /* release: after the store to DATA; pairs with the two
                                                              * READs */
            pair_look(pair);
        }
        return;
    }
    for (uint64_t i = 0; i < board->trials; i++) {
        struct uat_op ops[] = {uat_op_read(landing, w + FLAG, 8), uat_op_read(landing + 1, w + DATA, 8)};
        pair_do(pair, 0, ops, 2);
        r->trials++;
        r->seen += load(landing + 1) < load(landing);
    }
    tell_done(pair);
}

/* A READ followed by an operation that gives its word the value i, in one chain. The outcome is a READ that sees this
 * value. */
static void read_first(struct pair *pair, struct board *board, struct litmus_result *r, struct uat_op later)
{
    uint64_t *w = pair->words, *landing = w + LANDING;
    struct uat_op ops[] = {uat_op_read(landing + 1, w + DATA, 8), later};
    for (uint64_t i = 1; pair->rank == 1 && i <= board->trials; i++) {
        landing[0] = i;
        pair_do(pair, 0, ops, 2);
        r->trials++;
        r->seen += load(landing + 1) == i;
    }
}

static void read_write(struct pair *pair, struct board *board, struct litmus_result *r)
{
    read_first(pair, board, r, uat_op_write(pair->words + LANDING, pair->words + DATA, 8));
}

static void read_atomic(struct pair *pair, struct board *board, struct litmus_result *r)
{
    read_first(pair, board, r, uat_op_fetch_add(pair->words + LANDING, pair->words + DATA, 1));
}

static void write_write(struct pair *pair, struct board *board, struct litmus_result *r)
{
    uint64_t *w = pair->words, *landing = w + LANDING;
    struct uat_op ops[] = {uat_op_write(landing + 8, w + PAYLOAD, PAYLOAD_WORDS * 8),
                           uat_op_write(landing + 8, w + FLAG, 8)};
    litmus_look_back(pair, board, r, ops, 2, FLAG, PAYLOAD, PAYLOAD_WORDS);
}

static void write_lines(struct pair *pair, struct board *board, struct litmus_result *r)
{
    struct uat_op op = uat_op_write(pair->words + LANDING + 8, pair->words + PAYLOAD, PAYLOAD_WORDS * 8);
    litmus_look_back(pair, board, r, &op, 1, PAYLOAD + PAYLOAD_WORDS - 1, PAYLOAD, PAYLOAD_WORDS);
}

static void atomic_write(struct pair *pair, struct board *board, struct litmus_result *r)
{
    uint64_t *w = pair->words, *landing = w + LANDING;
    struct uat_op ops[] = {uat_op_fetch_add(landing, w + DATA, 1), uat_op_write(landing + 8, w + FLAG, 8)};
    litmus_look_back(pair, board, r, ops, 2, FLAG, DATA, 1);
}

static void atomic_atomic(struct pair *pair, struct board *board, struct litmus_result *r)
{
    uint64_t *w = pair->words, *landing = w + LANDING;
    struct uat_op ops[] = {uat_op_fetch_add(landing, w + DATA, 1), uat_op_fetch_add(landing, w + FLAG, 1)};
    litmus_look_back(pair, board, r, ops, 2, FLAG, DATA, 1);
}

/*
 * The victim's CPU gives eight words the value i, from the last to the first. So at each moment no word is older than a
 * word before it, and the first is at most 1 older than the last. The outcome is a READ in which this is not true: the
 * adapter has not sampled all words at one moment. stride: distance of the words, in words.
 */
static void torn(struct pair *pair, struct board *board, struct litmus_result *r, int stride)
{
    enum { WORDS = 8 };
    uint64_t *w = pair->words, *payload = w + PAYLOAD, *landing = w + LANDING;
    if (pair->rank == 0) {
        for (uint64_t i = 1; !load(w + DONE); i++) {
            for (int k = WORDS - 1; k >= 0; k--) /* release: after the stores before it; pairs with the READ */
                __atomic_store_n(payload + k * stride, i, __ATOMIC_RELEASE);
            pair_look(pair);
        }
        return;
    }
    struct uat_op op = uat_op_read(landing, payload, ((WORDS - 1) * (size_t)stride + 1) * 8);
    for (uint64_t i = 0; i < board->trials; i++) {
        pair_do(pair, 0, &op, 1);
        bool moments = landing[(WORDS - 1) * stride] - landing[0] > 1;
        for (int k = 1; k < WORDS; k++)
            moments |= landing[k * stride] < landing[(k - 1) * stride];
        r->trials++;
        r->seen += moments;
    }
    tell_done(pair);
}

static void read_line(struct pair *pair, struct board *board, struct litmus_result *r)
{
    torn(pair, board, r, 1);
}

static void read_lines(struct pair *pair, struct board *board, struct litmus_result *r)
{
    torn(pair, board, r, 8);
}

/* When a WRITE is complete, the thief tells the victim, which READs the words through its own queue pair. On two hosts
 * the thief tells it by another WRITE, which makes the outcome less likely. */
static void completion_read(struct pair *pair, struct board *board, struct litmus_result *r)
{
    uint64_t *w = pair->words, *landing = w + LANDING;
    struct uat_op write = uat_op_write(landing + 8, w + PAYLOAD, PAYLOAD_WORDS * 8);
    struct uat_op read = uat_op_read(landing + 8, w + PAYLOAD, PAYLOAD_WORDS * 8);
    for (uint64_t i = 1; i <= board->trials; i++) {
        bool stale = false;
        for (int k = 0; pair->rank == 1 && k < PAYLOAD_WORDS; k++)
            landing[8 + k] = i;
        if (pair->rank == 1)
            pair_do(pair, 0, &write, 1);
        pair_meet(pair, 0);
        if (pair->rank == 0) {
            pair_do(pair, 0, &read, 1);
            for (int k = 0; k < PAYLOAD_WORDS; k++)
                stale |= load(landing + 8 + k) != i;
            r->trials++;
            r->seen += stale;
        }
        pair_meet(pair, 0);
    }
}

const struct litmus_test litmus_allowed[LITMUS_ALLOWED] = {
    {"cpu-adapter", "O6, 2", "an addition is lost: a CPU's atomics against FETCH_ADDs", litmus_cpu_adapter},
    {"two-adapters", "O6, 1", "an addition is lost: FETCH_ADDs through two adapters", litmus_two_adapters},
    {"unlock-write", "O6, 3", "a WRITE of 0 is lost: against a FETCH_ADD", litmus_unlock_write},
    {"write-cmp_swap", "O6, 3", "a WRITE is lost: against a CMP_SWAP that may succeed", litmus_write_cmp_swap},
    {"unlock-swap", "O6, 4", "a WRITE of 0 is lost: against a CMP_SWAP(0, 1) of a held lock", litmus_unlock_swap},
    {"write-read", "O2, 7", "a READ misses the WRITE before it in its chain", write_read},
    {"read-read", "O2, 7", "the first of two READs sees newer words than the second", read_read},
    {"read-write", "O3, 7", "a READ sees the WRITE that follows it in its chain", read_write},
    {"read-atomic", "O3, 7", "a READ sees the FETCH_ADD that follows it in its chain", read_atomic},
    {"write-write", "O2, 7", "a CPU sees the second WRITE, but not the whole first", write_write},
    {"atomic-write", "O2, 7", "a CPU sees the WRITE, but not the FETCH_ADD before it", atomic_write},
    {"atomic-atomic", "O2, 7", "a CPU sees the second FETCH_ADD, but not the first", atomic_atomic},
    {"write-lines", "O2, 8", "a CPU sees the last word of a WRITE of eight lines, but not all words", write_lines},
    {"read-line", "O2, 8", "the words of a READ of one line are of different moments", read_line},
    {"read-lines", "O2, 8", "the words of a READ of eight lines are of different moments", read_lines},
    {"completion-read", "O7, 10", "after the completion of a WRITE, a READ through another queue pair misses it",
     completion_read},
};

/* SPDX-License-Identifier: MIT */
/*
 * The phases of one steal. Two workers pass a thread back and forth. The holder publishes the thread. The other worker
 * steals it, resumes it once, and publishes it in turn. Before each steal, the thief times bare 8-byte operations on
 * the victim. So steals and bare operations are measured under the same conditions. The same code posts and polls for
 * both.
 */
#include "base/virtual.h"
#include "perf/steal.h"

#include <errno.h>
#include <string.h>

#include "asm/switch.h"
#include "base/relax.h"
#include "perf/probe_thread.h"
#include "inspect/inspect.h"

enum {
    WARM_UP = 10, /* first come rounds / WARM_UP additional rounds, which do not count */
    SETTLE = 3,   /* READs before the bare operations, while the peer is still handing over */
    CHAIN = 3,    /* requests of a claim: CMP_SWAP, READ of the slot, READ of the stack */
    LINE = 64
};

static int64_t stack_bytes = 1024;
static int64_t rounds = 10000;
static struct steal_series series;

/* What the phase hook has recorded about the current attempt. */
static struct {
    uint64_t cycles[UAT_PHASES];
    bool seen[UAT_PHASES];
    uint64_t in_place; /* when the stack was in place; at that time the acknowledgement starts */
} attempt;

static void note_phase(enum uat_phase phase, uint64_t begin, uint64_t end)
{
    attempt.cycles[phase] += end - begin;
    attempt.seen[phase] = true;
    if (phase == UAT_PHASE_ACKNOWLEDGE)
        attempt.in_place = begin;
    else if (phase == UAT_PHASE_ANSWER)
        attempt.in_place = end;
}

/* Word i of the peer's words that the bare operations access. These words are at the end of the heap. Outside a run
 * this part is unused. */
static uint64_t *bare_word(int i)
{
    return (uint64_t *)uat_inspect_spare((size_t)(2 * STEAL_BARES - i) * LINE);
}

/* Post the first request as a separate chain, and then the other requests as a second chain. Wait for both chains. */
static void do_apart(int peer, const struct uat_op *ops, int count)
{
    struct uat_transport *transport = uat_inspect_transport();
    struct uat_pending first = {0}, rest = {0};
    struct uat_relax relax = {0};

    uat_check(uat_transport_post(transport, peer, ops, 1, &first));
    uat_check(uat_transport_post(transport, peer, ops + 1, count - 1, &rest));
    while (!first.done || !rest.done) {
        uat_relax(&relax);
        uat_check(transport->class_->progress(transport));
    }
}

static void time_bare(int peer, bool counted)
{
    uint64_t *landing = bare_word(STEAL_BARES);
    const struct uat_op read = uat_op_read(landing, bare_word(STEAL_READ), 8);
    const struct uat_op settle = uat_op_read(landing, landing, 8);
    const struct uat_op chains[STEAL_BARES][CHAIN] = {
        [STEAL_READ] = {read},
        [STEAL_WRITE] = {uat_op_write(landing, bare_word(STEAL_WRITE), 8)},
        [STEAL_FETCH_ADD] = {uat_op_fetch_add(landing, bare_word(STEAL_FETCH_ADD), 1)},
        [STEAL_CMP_SWAP] = {uat_op_cmp_swap(landing, bare_word(STEAL_CMP_SWAP), 0, 1)},
        [STEAL_READS] = {read, read, read},
        [STEAL_CLAIM] = {uat_op_cmp_swap(landing, bare_word(STEAL_CLAIM), 0, 1), read, read},
        [STEAL_CLAIM_ALONE] = {uat_op_cmp_swap(landing, bare_word(STEAL_CLAIM_ALONE), 0, 1), read, read},
        [STEAL_WRITE_ADD] = {uat_op_write(landing, bare_word(STEAL_WRITE), 8),
                             uat_op_fetch_add(landing + 1, bare_word(STEAL_WRITE_ADD), 1)},
    };
    const int lengths[STEAL_BARES] = {1, 1, 1, 1, CHAIN, CHAIN, CHAIN, 2};

    for (int i = 0; i < SETTLE; i++)
        uat_check(uat_transport_do(uat_inspect_transport(), peer, &settle, 1));
    if (counted) {
        uint64_t begin = uat_counter_ordered();

        uat_samples_add(&series.timer, uat_counter_ordered() - begin);
    }
    for (int i = 0; i < STEAL_BARES; i++) {
        uint64_t begin = uat_counter_ordered();

        if (i == STEAL_CLAIM_ALONE)
            do_apart(peer, chains[i], CHAIN);
        else
            uat_check(uat_transport_do(uat_inspect_transport(), peer, chains[i], lengths[i]));
        if (counted)
            uat_samples_add(&series.bare[i], uat_counter_ordered() - begin);
    }
}

/* Access this worker's own words of the bare operations, so that the words' lines are in this CPU's cache when the peer
 * accesses the words. In a steal, the lines of the ring are in this CPU's cache, too. */
static void touch_words(uint64_t round)
{
    *(volatile uint64_t *)bare_word(STEAL_READ) = round;
    *(volatile uint64_t *)bare_word(STEAL_WRITE) = round;
    (void)*(volatile uint64_t *)bare_word(STEAL_FETCH_ADD);
    for (int i = STEAL_CMP_SWAP; i < STEAL_BARES; i++)
        (void)*(volatile uint64_t *)bare_word(i);
}

/* Publish the thread, and wait until the peer has stolen it. */
static void offer(uintptr_t sp, uintptr_t base)
{
    struct uat_deque *deque = uat_inspect_deque();
    struct uat_transport *transport = uat_inspect_transport();
    struct uat_relax relax = {0};

    uat_deque_push_gone(deque, base);
    uat_deque_push(deque, sp);
    while ((deque->top[-1] & UAT_TAG_MASK) != UAT_TAG_GONE) {
        uat_relax(&relax);
        uat_check(transport->class_->progress(transport));
        uat_deque_refill(deque);
    }
    while (uat_deque_size(deque) > 0)
        uat_deque_pop(deque, &sp);
}

/* Count what this worker has posted since `before`. */
static void note_traffic(const struct uat_transport *before)
{
    const struct uat_transport *now = uat_inspect_transport();

    for (int i = 0; i < UAT_OP_KINDS; i++) {
        series.ops[i] += now->ops[i] - before->ops[i];
        series.requests[i] += now->requests[i] - before->requests[i];
    }
    series.doorbells += now->doorbells - before->doorbells;
}

static void note_steal(uint64_t begin, uint64_t trips, uint64_t bytes)
{
    for (int i = 0; i < UAT_PHASES; i++)
        if (attempt.seen[i])
            uat_samples_add(&series.phase[i], attempt.cycles[i]);
    uat_samples_add(&series.steal, attempt.in_place - begin);
    uat_samples_add(&series.trips, trips);
    uat_samples_add(&series.bytes, bytes);
}

/* Steal the thread. Attempts do not count before the peer has published the thread. */
static void steal(int victim, struct uat_stolen *stolen, bool counted)
{
    struct uat_transport *transport = uat_inspect_transport();
    struct uat_relax relax = {0};

    for (;;) {
        const struct uat_transport before = *transport;
        uint64_t begin;

        memset(&attempt, 0, sizeof(attempt));
        begin = uat_counter_ordered();
        if (uat_check(uat_inspect_steal(victim, stolen)) == UAT_STEAL_DONE) {
            if (counted) {
                note_steal(begin, transport->round_trips - before.round_trips,
                           transport->bytes_read - before.bytes_read);
                note_traffic(&before);
            }
            return;
        }
        uat_relax(&relax);
    }
}

/* Let the thread run once, until it suspends itself. */
static void ride(uintptr_t sp, bool counted)
{
    uint64_t begin = uat_counter_ordered(), end;

    uat_resume(sp);
    end = uat_counter_ordered();
    if (UAT_IS_VIRTUAL()) /* a switch takes no virtual time, so do not use the thread's read of the CPU's counter */
        uat_probe_thread_resumed = begin;
    if (counted) {
        uat_samples_add(&series.resume, uat_probe_thread_resumed - begin);
        uat_samples_add(&series.suspend, end - uat_probe_thread_resumed);
    }
}

/* The two workers take turns as thief and victim. Returns false if the thread arrived damaged. */
static bool pass_back_and_forth(void)
{
    int rank = uat_rank();
    uintptr_t base = uat_probe_thread_base((size_t)stack_bytes), sp = base - (size_t)stack_bytes;
    uint64_t warm_up = (uint64_t)(rounds / WARM_UP), total = 2 * ((uint64_t)rounds + warm_up);

    if (rank == 0)
        uat_probe_thread_make(base, (size_t)stack_bytes);
    for (uint64_t round = 0; round < total; round++) {
        bool counted = round >= 2 * warm_up;
        struct uat_stolen stolen;

        if ((int)(round % 2) == rank) {
            touch_words(round);
            offer(sp, base);
            continue;
        }
        time_bare(1 - rank, counted);
        steal(1 - rank, &stolen, counted);
        if (stolen.sp != sp || stolen.base != base || !uat_probe_thread_is_whole(base, (size_t)stack_bytes, round))
            return false;
        ride(sp, counted);
    }
    return true;
}

static bool always(void *context, uintptr_t sp)
{
    return true;
}

static int open_series(void)
{
    static const char *const phases[UAT_PHASES] = {
        [UAT_PHASE_PEEK] = "peek",         [UAT_PHASE_LOCK] = "lock",   [UAT_PHASE_CLAIM] = "claim",
        [UAT_PHASE_LOOK] = "look",         [UAT_PHASE_STACK] = "stack", [UAT_PHASE_ACKNOWLEDGE] = "acknowledge",
        [UAT_PHASE_AWAIT] = "await",       [UAT_PHASE_ASK] = "ask",     [UAT_PHASE_ANSWER] = "answer",
        [UAT_PHASE_WITHDRAW] = "withdraw", [UAT_PHASE_GIVE] = "give",
    };
    /* The names of the other series, in the order of struct steal_series. */
    static const char *const others[STEAL_SERIES - UAT_PHASES] = {
        "read",      "write", "fetch_add", "cmp_swap", "read_chain", "claim_chain", "claim_alone",
        "write_add", "steal", "resume",    "suspend",  "timer",      "round_trips", "bytes_read"};
    int status = 0;

    for (int i = 0; i < STEAL_SERIES && !status; i++)
        status = uat_samples_open(&series.all[i], i < UAT_PHASES ? phases[i] : others[i - UAT_PHASES], (size_t)rounds);
    if (status < 0)
        fprintf(stderr, "uat-steal: no memory for %lld rounds; give a smaller --rounds\n", (long long)rounds);
    return status;
}

static int measure(const struct uat_bench *bench, const struct uat_bench_settings *settings)
{
    struct uat_deque_user *user = &uat_inspect_deque()->user;
    struct uat_deque_user own = *user;
    int status = open_series();

    if (!status && uat_size() < 2) {
        fprintf(stderr, "uat-steal: needs two workers: uatrun -n 2 uat-steal ...\n");
        status = -EINVAL;
    }
    if (!status && (size_t)stack_bytes > uat_inspect_region_size() / 2) {
        fprintf(stderr, "uat-steal: --stack %lld needs a larger UAT_STACK_SIZE\n", (long long)stack_bytes);
        status = -EINVAL;
    }
    if (!status && uat_rank() < 2) {
        uat_phase_fn *trace = uat_phase_hook;

        user->part = always; /* the thread needs no join record, because it is no task's child */
        uat_phase_hook = note_phase;
        if (!pass_back_and_forth())
            uat_fatal("uat-steal: the thread arrived damaged");
        uat_phase_hook = trace;
        *user = own;
    }
    if (!status)
        status = uat_barrier();
    if (!status && uat_rank() == 0)
        steal_report(bench, settings, &series, (uint64_t)stack_bytes);
    for (int i = 0; i < STEAL_SERIES; i++)
        uat_samples_close(&series.all[i]);
    return status;
}

/* Refuses nothing. Rounds the size of the stack up, because a stack consists of whole words. */
static const char *refuse(void)
{
    stack_bytes = (stack_bytes + UAT_PROBE_THREAD_MULTIPLE - 1) / UAT_PROBE_THREAD_MULTIPLE * UAT_PROBE_THREAD_MULTIPLE;
    return NULL;
}

static const struct uat_bench_option options[] = {
    {"--stack", "BYTES", "stack of the thread, rounded up to a multiple of 8", &stack_bytes, NULL, UAT_PROBE_THREAD_MIN,
     65536},
    {"--rounds", "N", "steals measured", &rounds, NULL, 10, 10000000},
    {0},
};

const struct uat_bench uat_bench = {
    .program = "uat-steal",
    .purpose = "Two workers pass one thread back and forth: each phase of a steal, beside the bare operations.",
    .options = options,
    .refuse = refuse,
    .measure = measure,
};

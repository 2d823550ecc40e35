/* SPDX-License-Identifier: MIT */
#include "runtime/job/stall.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/kernel.h"
#include "base/log.h"
#include "runtime/job/alike.h"
#include "runtime/job/bootstrap.h"
#include "runtime/job/settings.h"
#include "runtime/segment/segment.h"
#include "runtime/job/self.h"
#include "runtime/job/fatal.h"
#include "runtime/job/neighbour.h"

/* Volatile, because a signal handler on the same thread reads it, and uat_stall_doing() on any thread. */
static volatile struct {
    enum uat_doing doing;
    uint64_t since;   /* seconds */
    const char *call; /* name of the call, such as "uat_barrier()", for UAT_DOING_CALL */
    enum uat_wait wait;
    uint64_t what; /* what it waits for, as `wait` says: index of an entry, a rank, name of an object, ... */
    int holder;    /* rank that holds an object's guard */
    uint64_t wait_since;
    uint64_t probed; /* time of the last probe, in seconds */
    bool reported;
} stall;

static uint64_t fences; /* number of fences that have ended; equal in all workers that wait in a fence */
static void (*describe_worker)(char *text, size_t size);
static struct sigaction previous;
static bool caught;

/* The notice that this worker publishes as a thief, and the buffer for READs of peers' notices. */
static struct uat_area notice = {.name = "notice", .size = sizeof(struct uat_notice), .peers = UAT_PEERS_READ};
static struct uat_area intent = {.name = "a peer's notice", .size = 2 * sizeof(uint64_t), .peers = UAT_PEERS_NOTHING};

void uat_stall_reserve(void)
{
    uat_segment_reserve(&notice);
    uat_segment_reserve(&intent);
}

struct uat_notice *uat_stall_notice(void)
{
    return notice.at;
}
UAT_KERNEL(uat_stall_notice);

uint64_t uat_stall_seconds(void)
{
    return uat_clock_seconds();
}

void uat_stall_set(enum uat_doing doing)
{
    stall.doing = doing;
    stall.since = uat_stall_seconds();
    stall.wait = UAT_WAIT_NONE;
}

void uat_stall_set_call(const char *call)
{
    stall.call = call;
    uat_stall_set(UAT_DOING_CALL);
}

enum uat_doing uat_stall_doing(void)
{
    return stall.doing;
}

bool uat_stall_is_at_end(void)
{
    return stall.doing == UAT_DOING_END;
}

void uat_stall_note(enum uat_wait kind, uint64_t what)
{
    if (stall.wait == kind && stall.what == what)
        return;
    stall.what = what;
    stall.wait_since = stall.probed = uat_stall_seconds();
    stall.reported = false;
    stall.wait = kind;
}

/* READ the victim and the entry that `rank` was about to steal. Ends the job if rank cannot be reached. */
static const uint64_t *read_intent(int rank)
{
    struct uat_op op = uat_op_read(intent.at, notice.at, intent.size);
    uat_check(uat_transport_do(uat_self.transport, rank, &op, 1));
    return intent.at;
}

/* The thief that has claimed entry `index` of this worker and not acknowledged it; -1 if no thief's notice says so. */
static int find_thief(uint64_t index)
{
    for (int rank = 0; rank < uat_self.size; rank++) {
        if (rank == uat_self.rank)
            continue;
        const uint64_t *claim = read_intent(rank);
        if (claim[0] == (uint64_t)uat_self.rank && claim[1] == index)
            return rank;
    }
    return -1;
}

/* READ once a second from all workers that may have claimed the entry, so that a dead link shows within the retry
 * bound. */
static void probe(uint64_t index)
{
    uint64_t now = uat_stall_seconds();
    if (now == stall.probed)
        return;
    stall.probed = now;
    find_thief(index);
}

/* Describe the wait in one line: which worker is waited for, and why. */
static void describe(char *line, size_t size)
{
    uint64_t waited = uat_stall_seconds() - stall.wait_since;
    if (stall.wait == UAT_WAIT_FENCE) {
        snprintf(line, size, "has waited %" PRIu64 " s for all workers %s", waited, uat_bootstrap_wait());
        return;
    }
    if (stall.wait == UAT_WAIT_ANSWER) {
        snprintf(line, size,
                 "has waited %" PRIu64 " s for rank %" PRIu64
                 ", which has taken a request for work and not answered it",
                 waited, stall.what);
        return;
    }
    if (stall.wait == UAT_WAIT_GUARD) {
        snprintf(line, size,
                 "has waited %" PRIu64 " s for rank %d, which holds the guard of object %" PRIx64 " of rank %d", waited,
                 stall.holder, stall.what & ((UINT64_C(1) << 48) - 1), (int)(stall.what >> 48));
        return;
    }
    if (stall.wait == UAT_WAIT_PART) {
        snprintf(line, size,
                 "has waited %" PRIu64
                 " s for the worker that has taken part %d of an adaptive interval of rank %d, and "
                 "has not named the part's result",
                 waited, (int)(stall.what & UINT32_MAX), (int)(stall.what >> 32));
        return;
    }
    int thief = find_thief(stall.what);
    if (thief < 0)
        snprintf(line, size,
                 "has waited %" PRIu64 " s for the acknowledgement of entry %" PRIu64 ", which a thief has claimed",
                 waited, stall.what);
    else
        snprintf(line, size,
                 "has waited %" PRIu64 " s for rank %d, which has claimed entry %" PRIu64 " and not acknowledged it",
                 waited, thief, stall.what);
}

/* The awaited step should take only a moment. Report the wait after UAT_STALL_TIMEOUT, and end the job after
 * UAT_STALL_LIMIT. */
static void judge(void)
{
    uint64_t waited = uat_stall_seconds() - stall.wait_since;
    char line[200];
    if (uat_job_settings.stall_limit > 0 && waited >= (uint64_t)uat_job_settings.stall_limit) {
        describe(line, sizeof(line));
        uat_fatal("%s; UAT_STALL_LIMIT=%d is reached, the job ends", line, uat_job_settings.stall_limit);
    }
    if (uat_job_settings.stall_timeout > 0 && waited >= (uint64_t)uat_job_settings.stall_timeout && !stall.reported) {
        stall.reported = true;
        if (stall.wait == UAT_WAIT_FENCE && !uat_alike_speaks("fence", stall.what))
            return;
        describe(line, sizeof(line));
        uat_warn("%s; it may be stopped, swapped out or lost. The run goes on when it does (UAT_STALL_TIMEOUT=%d)",
                 line, uat_job_settings.stall_timeout);
    }
}

void uat_stall_ack(void *context, uint64_t index)
{
    (void)context;
    uat_stall_note(UAT_WAIT_ACK, index);
    uat_neighbour_look();
    probe(index);
    judge();
}

void uat_stall_answer(int victim)
{
    uat_stall_note(UAT_WAIT_ANSWER, (uint64_t)victim);
    uat_neighbour_look();
    uint64_t now = uat_stall_seconds();
    if (now != stall.probed) { /* the READ makes a dead link show within the retry bound */
        stall.probed = now;
        read_intent(victim);
    }
    judge();
}
UAT_KERNEL(uat_stall_answer);

void uat_stall_fence(void)
{
    uat_stall_note(UAT_WAIT_FENCE, fences);
    uat_neighbour_look();
    judge();
}

void uat_stall_fence_over(void)
{
    fences++;
    uat_stall_over();
}

void uat_stall_child(int rank)
{
    uat_stall_note(UAT_WAIT_CHILD, (uint64_t)rank);
    uat_neighbour_look();
}

void uat_stall_guard(uint64_t object, int holder)
{
    uat_stall_note(UAT_WAIT_GUARD, object);
    stall.holder = holder;
    uat_neighbour_look();
    judge();
}

void uat_stall_part(struct uat_part_wait *wait)
{
    uint64_t now = uat_clock_ns();
    /* Hosts have different clocks, so the time of a migration does not count. */
    if (wait->ranks == uat_self.rank + 1)
        wait->waited += now - wait->last;
    wait->ranks = uat_self.rank + 1;
    wait->last = now;
    uint64_t seconds = wait->waited / UINT64_C(1000000000);
    stall.what = (uint64_t)wait->home << 32 | wait->part;
    stall.wait_since = uat_stall_seconds() - seconds;
    stall.reported = wait->reported;
    stall.wait = UAT_WAIT_PART;
    uat_neighbour_look();
    if (seconds != wait->probed) {
        wait->probed = seconds;
        find_thief(UINT64_MAX); /* no entry: READ from all workers, because any of them may have taken the part */
    }
    judge();
    wait->reported = stall.reported;
    uat_stall_over();
}
UAT_KERNEL(uat_stall_part);

void uat_stall_ack_over(void *context)
{
    (void)context;
    uat_stall_over();
}

void uat_stall_over(void)
{
    stall.wait = UAT_WAIT_NONE;
}
UAT_KERNEL(uat_stall_over);

/* Describe what the worker waits for, as the end of a sentence; "" if it does not wait. */
static void describe_wait(char *wait, size_t size)
{
    wait[0] = '\0';
    switch (stall.wait) {
    case UAT_WAIT_ACK:
        snprintf(wait, size, ", waits for the acknowledgement of entry %" PRIu64, stall.what);
        break;
    case UAT_WAIT_BARRIER:
        snprintf(wait, size, ", waits for rank %" PRIu64, stall.what);
        break;
    case UAT_WAIT_ROOT:
        snprintf(wait, size, ", waits for rank 0 to enter uat_run()");
        break;
    case UAT_WAIT_FENCE:
        snprintf(wait, size, ", waits for all workers %s", uat_bootstrap_wait());
        break;
    case UAT_WAIT_ANSWER:
        snprintf(wait, size, ", waits for the answer of rank %" PRIu64, stall.what);
        break;
    case UAT_WAIT_CHILD:
        snprintf(wait, size, ", waits in place for a child, whose join record is on rank %" PRIu64, stall.what);
        break;
    case UAT_WAIT_GUARD:
        snprintf(wait, size, ", waits for rank %d to free the guard of an object of rank %d", stall.holder,
                 (int)(stall.what >> 48));
        break;
    case UAT_WAIT_PART:
        snprintf(wait, size, ", waits for the thief of a part of an adaptive interval of rank %d",
                 (int)(stall.what >> 32));
        break;
    case UAT_WAIT_NONE:
        break;
    }
}

/* The handler of SIGUSR1. Here snprintf() formats only numbers and strings, so it allocates nothing and takes no
 * lock. */
static void print_state(int number)
{
    (void)number;
    const char *const names[] = {[UAT_DOING_OUTSIDE] = "outside of uat_run()",
                                 [UAT_DOING_TASK] = "in a task",
                                 [UAT_DOING_SCHEDULE] = "looking for work",
                                 [UAT_DOING_END] = "at the end of a run",
                                 [UAT_DOING_CALL] = stall.call};
    const char *in = stall.doing == UAT_DOING_CALL ? "in " : "";
    char wait[100], worker[200];
    describe_wait(wait, sizeof(wait));
    describe_worker(worker, sizeof(worker));
    uat_log(UAT_LOG_ERROR, "%s%s for %" PRIu64 " s%s; %s", in, names[stall.doing], uat_stall_seconds() - stall.since,
            wait, worker);
}

static int report_signal(int error)
{
    uat_error("SIGUSR1 cannot be caught: %s", strerror(error));
    return -error;
}

int uat_stall_open(void (*describe)(char *text, size_t size))
{
    describe_worker = describe;
    uat_stall_set(UAT_DOING_OUTSIDE);
    struct sigaction action = {.sa_handler = print_state, .sa_flags = SA_RESTART | SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    if (sigaction(SIGUSR1, NULL, &previous))
        return report_signal(errno);
    if (previous.sa_handler != SIG_DFL)
        return 0; /* leave the program's own handler in place */
    caught = sigaction(SIGUSR1, &action, NULL) == 0;
    return caught ? 0 : report_signal(errno);
}

void uat_stall_close(void)
{
    if (caught)
        sigaction(SIGUSR1, &previous, NULL);
    caught = false;
}

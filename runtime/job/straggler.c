/* SPDX-License-Identifier: MIT */
#include "runtime/job/straggler.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/log.h"
#include "runtime/job/self.h"
#include "runtime/job/call.h"
#include "runtime/job/fatal.h"
#include "runtime/job/neighbour.h"
#include "runtime/job/settings.h"
#include "runtime/job/stall.h"

static struct {
    int rank;         /* the rank that this worker waits for; -1: none */
    uint64_t since;   /* start of the wait, in seconds of CLOCK_MONOTONIC */
    uint64_t looked;  /* time of the last look at that rank, in seconds */
    uint64_t survey;  /* time of the next look at all workers, in seconds */
    uint64_t entered; /* since when all are in the run that ends, or wait for each other; 0 if unknown */
    bool any_late;    /* a survey of this wait has found a late worker */
    uint64_t longest; /* the longest wait that this worker has reported, in seconds */
    uint64_t due;     /* this worker looks whether it has to report the wait once it has lasted this long, in seconds */
    bool differs;     /* the last look found a different call */
    bool reported;
    bool root_entered; /* rank 0 has been seen in the current run */
} wait = {.rank = -1};

/* What a look at all other workers has found. */
struct survey {
    int late, first_late; /* number of workers that have not entered the call; the lowest of their ranks */
    int busy;             /* the lowest rank that has entered the call and does not wait in it; -1: none */
};

/* Look at all workers. If `only_mine`, returns false when another worker has to report this wait: the lowest waiting
 * rank reports it. */
static bool survey(struct survey *s, bool only_mine)
{
    *s = (struct survey){.busy = -1};
    for (int rank = 0; rank < uat_self.size; rank++) {
        if (rank == uat_self.rank)
            continue;
        uint64_t word;
        enum uat_peer_call peer = uat_call_look(rank, &word);
        if (peer == UAT_PEER_LATE && s->late++ == 0)
            s->first_late = rank;
        if (peer == UAT_PEER_BUSY && s->busy < 0)
            s->busy = rank;
        if (peer == UAT_PEER_WAITING && rank < uat_self.rank && only_mine)
            return false;
    }
    return true;
}

/* Seconds between two surveys of a wait. */
static uint64_t survey_seconds(void)
{
    return uat_job_settings.stall_limit < 4 ? 1 : (uint64_t)uat_job_settings.stall_limit / 4;
}

static void begin(int rank)
{
    uint64_t now = uat_stall_seconds();
    wait.rank = rank;
    wait.since = wait.looked = now;
    wait.survey = now + survey_seconds();
    wait.entered = 0;
    wait.due = (uint64_t)uat_job_settings.stall_timeout;
    if (wait.due < 2 * wait.longest)
        wait.due = 2 * wait.longest;
    wait.any_late = wait.differs = wait.reported = false;
}

void uat_straggler_over(void)
{
    if (wait.rank < 0)
        return;
    uint64_t waited = uat_stall_seconds() - wait.since;
    if (wait.reported && waited > wait.longest)
        wait.longest = waited;
    wait.rank = -1;
    uat_stall_over();
}

static void warn_late(int rank, int others, uint64_t waited)
{
    char more[40] = "";
    if (others > 0)
        snprintf(more, sizeof(more), " and %d other%s", others, others > 1 ? "s" : "");
    uat_warn("has waited %" PRIu64 " s for rank %d%s to enter %s; it goes on waiting (UAT_STALL_TIMEOUT=%d)", waited,
             rank, more, uat_call_name(), uat_job_settings.stall_timeout);
}

/* Is the wait long enough to report? A worker reports each wait once, and only if it is twice as long as the longest
 * wait that this worker has reported so far. */
static bool is_worth_a_line(uint64_t waited)
{
    return uat_job_settings.stall_timeout > 0 && !wait.reported && waited >= wait.due;
}

/* Another rank has to report the wait. That rank may stop waiting before it does so. So look again, but seldom, because
 * a look may READ from many workers. */
static void leave_to_another(uint64_t waited)
{
    wait.due = 2 * waited;
}

static void report(uint64_t waited)
{
    struct survey s;
    if (!survey(&s, true)) {
        leave_to_another(waited);
        return;
    }
    wait.reported = true;
    if (s.late > 0)
        warn_late(s.first_late, s.late - 1, waited);
    else if (s.busy >= 0)
        uat_warn("has waited %" PRIu64 " s for rank %d, which has entered %s and does not come to its end; it may be "
                 "stopped, swapped out or lost. The job goes on when it does (UAT_STALL_TIMEOUT=%d)",
                 waited, s.busy, uat_call_name(), uat_job_settings.stall_timeout);
    else
        uat_warn("has waited %" PRIu64 " s for the others in %s, in which all workers wait for each other; a count is "
                 "lost, or the network repeats it (UAT_STALL_TIMEOUT=%d)",
                 waited, uat_call_name(), uat_job_settings.stall_timeout);
}

/* Look, now and then, whether all workers have entered the call and wait in it. If so, only a message that is still in
 * the network could end their waits. Ends the job if this lasts for UAT_STALL_LIMIT. */
static void judge_circle(uint64_t now)
{
    struct survey s;
    bool overdue = wait.entered && now - wait.entered >= (uint64_t)uat_job_settings.stall_limit;
    if (uat_job_settings.stall_limit == 0 || (now < wait.survey && !overdue))
        return;
    wait.survey = now + survey_seconds();
    survey(&s, false);
    if (s.late > 0 || s.busy >= 0)
        wait.entered = 0;
    else if (!wait.entered)
        wait.entered = now;
    else if (overdue)
        uat_fatal("has waited %" PRIu64
                  " s for the others in %s, in which all workers wait for each other: a count is lost, "
                  "memory is corrupt; UAT_STALL_LIMIT=%d is reached, the job ends",
                  now - wait.since, uat_call_name(), uat_job_settings.stall_limit);
}

/* Once all workers have entered the run, its end takes only a moment. Ends the job if the end takes UAT_STALL_LIMIT.
 * There is no limit while a worker has not entered the run, because others may hear of the end only from that
 * worker. */
static void judge_end(uint64_t now)
{
    struct survey s;
    bool overdue = wait.entered && now - wait.entered >= (uint64_t)uat_job_settings.stall_limit;
    if (uat_job_settings.stall_limit == 0 || (now < wait.survey && !overdue))
        return;
    wait.survey = now + survey_seconds();
    survey(&s, false);
    if (s.late > 0) {
        wait.any_late = true;
        wait.entered = 0;
        return;
    }
    if (!wait.entered)
        wait.entered = wait.any_late ? now : wait.since;
    if (now - wait.entered < (uint64_t)uat_job_settings.stall_limit)
        return;
    char whom[40] = "another worker";
    if (s.busy >= 0)
        snprintf(whom, sizeof(whom), "rank %d", s.busy);
    uat_fatal("has waited %" PRIu64 " s for %s, which has entered uat_run() and does not come to its end; "
              "UAT_STALL_LIMIT=%d is reached, the job ends",
              now - wait.since, whom, uat_job_settings.stall_limit);
}

void uat_straggler_barrier(int rank)
{
    if (wait.rank != rank)
        begin(rank);
    uat_stall_note(UAT_WAIT_BARRIER, (uint64_t)rank);
    uat_neighbour_look();
    uint64_t now = uat_stall_seconds(), waited = now - wait.since, word;
    if (now == wait.looked && !wait.differs)
        return;
    wait.looked = now;
    if (uat_call_look(rank, &word) == UAT_PEER_DIFFERS) {
        /* The rank may have left this call since. In that case the rank's word may have arrived already, and this
         * worker does not look a second time. */
        if (wait.differs)
            uat_call_compare(rank, word);
        wait.differs = true;
        return;
    }
    wait.differs = false;
    if (is_worth_a_line(waited))
        report(waited);
    if (uat_stall_is_at_end())
        judge_end(now);
    else
        judge_circle(now);
}

void uat_straggler_run(void)
{
    wait.root_entered = uat_self.rank == 0;
}

void uat_straggler_root(void)
{
    if (wait.root_entered)
        return;
    if (wait.rank != 0)
        begin(0);
    uint64_t now = uat_stall_seconds(), waited = now - wait.since, word;
    if (now == wait.looked)
        return;
    wait.looked = now;
    switch (uat_call_look(0, &word)) {
    case UAT_PEER_DIFFERS: /* rank 0 cannot have left this run: at its end it would wait for this worker */
        uat_call_compare(0, word);
        break;
    case UAT_PEER_LATE:
        uat_stall_note(UAT_WAIT_ROOT, 0);
        if (!is_worth_a_line(waited))
            break;
        for (int rank = 1; rank < uat_self.rank; rank++)
            if (uat_call_look(rank, &word) != UAT_PEER_LATE) { /* that rank is in the run, and reports the wait */
                leave_to_another(waited);
                return;
            }
        wait.reported = true;
        warn_late(0, 0, waited);
        break;
    default:
        wait.root_entered = true;
        uat_straggler_over();
    }
}

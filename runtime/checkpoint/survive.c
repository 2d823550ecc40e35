/* SPDX-License-Identifier: MIT */
#include "runtime/checkpoint/survive.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/cpu.h"
#include "base/log.h"
#include "base/relax.h"
#include "base/survival.h"
#include "include/uat/detail/failure.h"
#include "runtime/checkpoint/copy.h"
#include "runtime/checkpoint/settings.h"
#include "runtime/checkpoint/spare.h"
#include "runtime/checkpoint/state.h"
#include "runtime/global/global.h"
#include "runtime/job/call.h"
#include "runtime/job/collective.h"
#include "runtime/job/crew.h"
#include "runtime/job/fatal.h"
#include "runtime/job/self.h"
#include "runtime/job/stall.h"
#include "runtime/job/tree.h"
#include "runtime/sched/park.h"
#include "runtime/sched/stop.h"
#include "runtime/segment/record.h"
#include "runtime/segment/segment.h"
#include "runtime/task/exception.h"
#include "runtime/task/stacks.h"
#include "runtime/task/worker.h"
#include "runtime/torture/settings.h"

enum {
    REST = 4,      /* Z7 */
    BACK_TIMES = 4 /* times of a way back: loss noticed, all have met, own memory restored, all restored */
};

bool uat_survive_on;
jmp_buf uat_survive_back;

static struct {
    struct uat_survival *words; /* shared with uatrun and all workers */
    struct uat_copy *places;    /* two, shared with this worker's spare processes */
    bool (*hindered)(void);
    bool inside;    /* the jump may be made */
    pid_t thread;   /* that makes it */
    uint64_t start; /* number of the copy of the run's start */
    uint64_t meets; /* meetings since the last loss */
    uint64_t epoch; /* uat_self.epoch without losses */
    struct uat_chain chain;
    timer_t timer; /* rank 0: when the next copy is due */
    bool timed, said;
    uint64_t copies, copy_ns, run_ns, run_began; /* rank 0, for the report at the job's end */
} survive;

static struct uat_survival *words(void)
{
    return survive.words;
}

/* Acquire: a worker that sees the gate closed leaves the run, and its accesses come after those of the run. Pairs with
 * the swaps of uatrun and of rank 0. */
static uint64_t gate(void)
{
    return uat_cpu_load_acquire(&words()->gate);
}

/* For uat_relax_gate. Another thread, or a wait outside of runs, has nothing to leave. */
static void leave(void)
{
    if (survive.inside && gettid() == survive.thread)
        _longjmp(uat_survive_back, 1);
}

/* Map the words whose descriptor the environment names. NULL: there are none, or it is not uatrun's object. */
static struct uat_survival *inherited(void)
{
    const char *text = getenv(UAT_SURVIVAL_VARIABLE);
    unsigned long long inode;
    struct stat st;
    int fd;
    if (!text || sscanf(text, "%d:%llu", &fd, &inode) != 2 || fstat(fd, &st) || st.st_ino != inode ||
        st.st_size < (off_t)sizeof(struct uat_survival))
        return NULL;
    void *at = mmap(NULL, sizeof(struct uat_survival), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    return at == MAP_FAILED ? NULL : at;
}

static int refuse(const char *what)
{
    uat_error("UAT_CHECKPOINT=...,survive= cannot be used %s", what);
    return -EINVAL;
}

static int check(bool caught)
{
    if (uat_torture_settings.torture != UAT_TORTURE_NONE)
        return refuse("with UAT_TORTURE, whose modes it does not reset");
    if (!caught)
        return refuse("in a program that itself catches SIGUSR2");
    if (uat_stacks)
        return refuse("with UAT_STACKS=iso");
    if (strcmp(uat_self.transport->class_->name, "shm") != 0 || !(survive.words = inherited()))
        return refuse("here: it needs uatrun, workers on one host, and the transport shm");
    if (uat_self.size > UAT_SURVIVAL_RANKS)
        return refuse("with more than 1024 workers");
    return 0;
}

int uat_survive_open(bool caught, bool (*hindered)(void))
{
    if (uat_checkpoint_settings.survive == 0 || uat_self.size == 1)
        return 0;
    int rc = check(caught);
    if (rc)
        return rc;
    survive.places = mmap(NULL, 2 * sizeof(*survive.places), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (survive.places == MAP_FAILED) {
        uat_error("no memory for the copies that survive= needs");
        return -ENOMEM;
    }
    survive.places[0] = survive.places[1] = (struct uat_copy)UAT_COPY_NONE;
    for (int i = 0; i < 2; i++) /* before any spare process is forked, which inherits them */
        if ((rc = uat_copy_make(&survive.places[i])))
            return rc;
    survive.hindered = hindered;
    survive.epoch = uat_self.epoch;
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR2};
    event.sigev_value.sival_int = UAT_SURVIVAL_MARK;
    event._sigev_un._tid = gettid();
    survive.timed = uat_self.rank == 0 && timer_create(CLOCK_MONOTONIC, &event, &survive.timer) == 0;
    if (uat_self.rank == 0 && !survive.timed) {
        uat_error("no timer for survive=: %s", strerror(errno));
        return -EAGAIN;
    }
    uat_relax_gate.losses = gate() / 2;
    uat_relax_gate.left = leave;
    uat_relax_gate.gate = &words()->gate;
    uat_survive_on = true;
    return 0;
}

void uat_survive_close(void)
{
    if (uat_survive_on && uat_self.rank == 0)
        uat_info("%" PRIu64 " copies of the runs in memory took %.3f of %.3f s", survive.copies,
                 (double)survive.copy_ns * 1e-9, (double)survive.run_ns * 1e-9);
    uat_survive_on = false;
    uat_relax_gate.gate = NULL;
    if (survive.timed)
        timer_delete(survive.timer);
    if (survive.places) {
        uat_copy_free(&survive.places[0]);
        uat_copy_free(&survive.places[1]);
        munmap(survive.places, 2 * sizeof(*survive.places));
    }
    if (survive.words)
        munmap(survive.words, sizeof(*survive.words));
    memset(&survive, 0, sizeof(survive));
}

bool uat_survive_signal(const siginfo_t *info)
{
    if (!uat_survive_on || info->si_value.sival_int != UAT_SURVIVAL_MARK ||
        (info->si_code != SI_QUEUE && info->si_code != SI_TIMER))
        return false;
    if (info->si_code == SI_TIMER)
        uat_stop_for_copy = 1;
    if (uat_worker.running) /* the next slow path stops, or sees the gate */
        uat_deque_watch(&uat_worker.deque, true);
    return true;
}

/* Rank 0: let a copy be due after this time. 0: none is due. */
static void arm(uint64_t ns)
{
    const struct itimerspec at = {
        .it_value = {.tv_sec = (time_t)(ns / UAT_SECONDS), .tv_nsec = (long)(ns % UAT_SECONDS)}};
    if (uat_self.rank == 0)
        timer_settime(survive.timer, 0, &at, NULL);
}

/* Rank 0: let the next copy be due. took: what the last one took, with its stop. */
static void set_timer(uint64_t took)
{
    uint64_t ns = (uint64_t)uat_checkpoint_settings.survive * UAT_MILLISECONDS;
    arm(ns > REST * took ? ns : REST * took); /* Z7 */
}

/* Copy the state. Collective. */
static void copy(const struct uat_chain *chain)
{
    /* Relaxed: a barrier or a stop has ordered rank 0's store before this load. */
    uint64_t number = __atomic_load_n(&words()->committed, __ATOMIC_RELAXED) + 1;
    uat_copy_take(&survive.places[number % 2], chain); /* Z1 */
    /* Release: all copies are made (K10). Pairs with the load in uat_survive_recover(). */
    if (uat_self.rank == 0)
        uat_cpu_store_release(&words()->committed, number);
}

bool uat_survive_stopped(const struct uat_chain *chain)
{
    uint64_t begin = uat_clock_ns(), word = uat_self.rank == 0 && uat_stop_is_requested();
    if (uat_state_obstacle(&word) == 0)
        copy(chain);
    uint64_t took = uat_stop_ns() + uat_clock_ns() - begin;
    survive.copies++;
    survive.copy_ns += took;
    set_timer(took);
    return word;
}

/* In a former spare process: the reset clears the records that the lost process may have used. A record that was never
 * touched is zero, and touching it would cost a page. */
static void note_records(void)
{
    uintptr_t memory = (uintptr_t)uat_records.memory, end = memory + uat_records.lent.capacity * uat_records.stride;
    uat_records.used =
        (uint32_t)((uat_segment_touched(memory, end) - memory + uat_records.stride - 1) / uat_records.stride);
}

bool uat_survive_begin(bool *lost)
{
    static const struct uat_chain nothing;
    const char *obstacle = survive.hindered()    ? "the program calls uat_checkpoint_register()"
                           : uat_global_is_far() ? "global memory is divided among hosts (UAT_GLOBAL_HOSTS)"
                           : uat_park_names() > uat_self.size ? "the run goes on from a checkpoint of more workers"
                                                              : NULL;
    *lost = false;
    if (obstacle) {
        if (uat_self.rank == 0 && !survive.said)
            uat_warn("no loss of a worker is survived, because %s", obstacle);
        survive.said = true;
        return false;
    }
    if (uat_collective_agree(0)) /* all are in this run, and nobody has begun to work */
        uat_fatal_reported();
    copy(&nothing);
    survive.start = words()->committed;
    survive.inside = false;
    *lost = uat_spare_make(words());
    survive.thread = gettid();
    if (*lost)
        note_records();
    return true;
}

void uat_survive_watch(void)
{
    uint64_t losses = uat_relax_gate.losses;
    survive.inside = true;
    uat_spare_await(words());
    if (uat_collective_agree(0)) /* Z8 */
        uat_fatal_reported();
    /* Release: orders all that the workers have prepared. Pairs with the load in raise_gate() of
     * launcher/survival.c. */
    if (uat_self.rank == 0)
        uat_cpu_store_release(&words()->gate, 2 * losses + 1);
    survive.run_began = uat_clock_ns();
    set_timer(0);
}

/* Wait until all workers have come here, the one that took the lost rank over included. */
static void meet(void)
{
    struct uat_relax relax = {0};
    uint64_t *met = &words()->met[uat_relax_gate.losses], all = ++survive.meets * (uint64_t)uat_self.size; /* Z3 */
    /* Release: orders what this worker did before. Pairs with the load below, on the other workers. */
    __atomic_fetch_add(met, 1, __ATOMIC_RELEASE);
    /* Acquire: orders what the others did before the meeting ahead of what this worker does after it. Pairs with the
     * addition above. */
    while (uat_cpu_load_acquire(met) < all)
        uat_relax_long(&relax);
}

/* The words of barriers and trees are reset, too, because the lost worker was perhaps inside of one. */
static void reset(void)
{
    uat_exception_drop();
    if (uat_failing.yes)
        uat_failure_take(NULL);
    uat_call_set_waiting(false);
    uat_collective_reset();
    uat_tree_reset();
    uat_crew_reset();
    uat_copy_reset_rooms();
    free(survive.chain.entries);
    survive.chain = (struct uat_chain){.sp = 0};
}

/* Rank 0: say how long the way back took, without the fork of the next spare process. seen: when uatrun saw the loss;
 * at: see uat_survive_recover(). */
static void report(uint64_t number, uint64_t seen, const uint64_t at[BACK_TIMES])
{
    const double ms = 1e-6;
    uat_info(
        "all workers have gone back to copy %" PRIu64 ", %.2f ms after uatrun has seen the loss: rank 0 noticed it "
        "after %.2f ms, all had left their work %.2f ms later, rank 0 restored its memory in %.2f ms, and the last "
        "worker %.2f ms later",
        number, (double)(int64_t)(at[3] - seen) * ms, (double)(int64_t)(at[0] - seen) * ms,
        (double)(at[1] - at[0]) * ms, (double)(at[2] - at[1]) * ms, (double)(at[3] - at[2]) * ms);
}

const struct uat_chain *uat_survive_recover(void)
{
    uint64_t at[BACK_TIMES];
    uat_relax_gate.losses = gate() / 2;
    /* Relaxed: pairs with the store in uat_survival_replace(); the gate's load has acquired it. If uatrun has seen
     * another loss meanwhile, this is the time of that one. */
    const uint64_t seen = __atomic_load_n(&words()->raised, __ATOMIC_RELAXED);
    at[0] = uat_clock_ns();
    survive.meets = 0;
    survive.inside = true;
    uat_stall_set(UAT_DOING_SCHEDULE);
    uat_check(uat_self.transport->class_->flush(uat_self.transport));
    meet(); /* Z4 */
    at[1] = uat_clock_ns();
    uat_stop_note_again();
    /* Acquire: pairs with the store in copy(). No copy is being made after the meeting. */
    uint64_t number = uat_cpu_load_acquire(&words()->committed);
    uat_self.epoch = survive.epoch + uat_relax_gate.losses; /* K13 */
    reset();
    if (uat_copy_put(&survive.places[number % 2], &survive.chain))
        uat_fatal_reported();
    at[2] = uat_clock_ns();
    meet(); /* Z6, for the names */
    uat_state_add_names();
    if (survive.chain.sp)
        uat_notice_begin(uat_stall_notice()); /* K8 */
    meet();                                   /* Z6 */
    uat_spare_await(words());
    at[3] = uat_clock_ns();
    if (uat_self.rank == 0)
        report(number, seen, at);
    set_timer(0);
    uat_deque_start(&uat_worker.deque);
    uat_stop_watch();
    return number == survive.start ? NULL : &survive.chain;
}

void uat_survive_end(void)
{
    struct uat_relax relax = {0};
    uint64_t open = 2 * uat_relax_gate.losses + 1;
    uat_check(uat_self.transport->class_->flush(uat_self.transport));
    if (uat_collective_agree(0)) /* Z8: all have the result */
        uat_fatal_reported();
    /* Release: see gate(). If uatrun has noted a loss first, the swap fails. */
    if (uat_self.rank == 0)
        __atomic_compare_exchange_n(&words()->gate, &(uint64_t){open}, open - 1, false, __ATOMIC_RELEASE,
                                    __ATOMIC_RELAXED);
    while (gate() == open)
        uat_relax_long(&relax);
    uat_relax_look(); /* a loss instead of the end */
    survive.inside = false;
    survive.run_ns += uat_clock_ns() - survive.run_began;
    arm(0); /* outside of runs the signal would cut a sleep() */
    uat_stop_for_copy = 0;
    uat_spare_dismiss(words());
}

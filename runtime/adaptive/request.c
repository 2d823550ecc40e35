/* SPDX-License-Identifier: MIT */
/* The thief's side of requests. */
#include "runtime/adaptive/context.h"

#include <errno.h>
#include <string.h>

#include "base/delay.h"
#include "base/relax.h"
#include "include/uat/pattern.h"
#include "runtime/job/fatal.h"
#include "runtime/job/self.h"
#include "runtime/job/stall.h"
#include "runtime/task/worker.h"
#include "transport/transport.h"

/* This worker's own request. */
static struct {
    bool open;  /* posted, and neither refused, cancelled nor run */
    bool asked; /* posted by a task, not by the scheduler */
    int victim, slot;
    uint64_t value, number, answers; /* answers: the number of answers before the request */
    struct uat_request_data data;    /* sent with the requests that this worker posts when it is idle */
} own;

/* Copy the bytes. Ends the job if there are too many. */
static void copy_data(struct uat_request_data *to, const void *data, size_t size, const char *call)
{
    if (size > UAT_REQUEST_DATA)
        uat_fatal("%s: %zu bytes of data; a request has room for %d", call, size, UAT_REQUEST_DATA);
    *to = (struct uat_request_data){.size = size};
    if (size > 0)
        memcpy(to->data, data, size);
}

void uat_request_reset(void)
{
    memset(&own, 0, sizeof(own));
}

void uat_request_set_data(const void *data, size_t size)
{
    copy_data(&own.data, data, size, "uat_request_set_data()");
}

/* Post a request with the data in the landing area. Returns 0, or -EBUSY if a request is open or the slot is in use. */
static int post(int victim)
{
    struct uat_cells *there = uat_cells_of(victim);
    int slot = uat_self.rank % UAT_REQUEST_SLOTS;
    if (own.open)
        return -EBUSY;
    uint64_t value = ++own.number << UAT_REQUEST_RANK_BITS | (uint64_t)(uat_self.rank + 1);
    if (uat_cell_swap(victim, &uat_cells()->slot[slot], 0, value) != 0)
        return -EBUSY;
    own.open = true;
    own.victim = victim;
    own.slot = slot;
    own.value = value;
    own.answers = uat_cell_load(uat_self.rank, &uat_cells()->answers);
    struct uat_op chain[] = {
        uat_op_write(&uat_cells_landing()->data, &there->data[slot], sizeof(struct uat_request_data)),
        /* Takes effect after the WRITE (O1); pairs with collect() in answer.c. */
        uat_op_fetch_add(NULL, &there->asked, UINT64_C(1) << slot),
    };
    uat_delay();
    uat_check(uat_transport_post_unsignaled(uat_self.transport, victim, chain, 2));
    return 0;
}

/* Returns 0 if a part was given, -EAGAIN if the request was refused, or -EINPROGRESS. Acquire, in uat_cell_load():
 * orders the count before the part that was given; pairs with the chain in send() of answer.c. */
static int test(void)
{
    uint64_t answers = uat_cell_load(uat_self.rank, &uat_cells()->answers) - own.answers;
    if (answers == 0)
        return -EINPROGRESS;
    if (answers == UAT_ANSWERED_GIVEN)
        return 0;
    own.open = false;
    return -EAGAIN;
}

static int cancel(void)
{
    if (uat_cell_swap(own.victim, &uat_cells()->slot[own.slot], own.value, own.value | UAT_REQUEST_CANCELLED) !=
        own.value)
        return -EBUSY;
    own.open = false;
    return 0;
}

/* Wait for the answer, and try to cancel the request after a while (A7). Returns 0 if a part was given, or -EAGAIN. */
static int await(void)
{
    struct uat_relax relax = {0};
    uint64_t end = uat_time_ns() + UAT_REQUEST_WAIT_US * UINT64_C(1000);
    bool sure = false;
    for (;;) {
        int rc = test();
        if (rc != -EINPROGRESS) {
            if (sure)
                uat_stall_over();
            return rc;
        }
        if (sure)
            uat_stall_answer(own.victim);
        else if (uat_time_ns() > end) {
            if (cancel() == 0)
                return -EAGAIN;
            sure = true; /* the answer is in flight */
        }
        uat_relax_away(&relax);
        if (own.asked)
            uat_work_wanted();
        else
            uat_deque_refuse(&uat_worker.deque);
    }
}

void uat_request_check_idle(void)
{
    if (own.open)
        uat_fatal("a task has ended or waits, but its request to rank %d is open; after uat_request_post() call "
                  "uat_request_wait() or uat_request_cancel(), and uat_request_run() if a part was given",
                  own.victim);
}

bool uat_request_ask(int victim)
{
    uat_cells_landing()->data = own.data;
    own.asked = false;
    if (post(victim) || await())
        return false;
    own.open = false;
    uat_cells_landing()->part = uat_cells()->given;
    return true;
}

static void check_task(const char *call)
{
    if (!uat_worker.running)
        uat_fatal("%s was called outside of a task", call);
}

int uat_request_post(int victim, const void *data, size_t size)
{
    check_task("uat_request_post()");
    if (victim < 0 || victim >= uat_self.size)
        uat_fatal("uat_request_post(): there is no rank %d; the job has ranks 0 to %d", victim, uat_self.size - 1);
    if (victim == uat_self.rank)
        return -EBUSY;
    copy_data(&uat_cells_landing()->data, data, size, "uat_request_post()");
    own.asked = true;
    return post(victim);
}

static void check_open(const char *call)
{
    check_task(call);
    if (!own.open)
        uat_fatal("%s: this worker has no request; perhaps the task has migrated since uat_request_post()", call);
}

int uat_request_test(void)
{
    check_open("uat_request_test()");
    return test();
}

int uat_request_wait(void)
{
    check_open("uat_request_wait()");
    return await();
}

int uat_request_cancel(void)
{
    check_open("uat_request_cancel()");
    return cancel();
}

int uat_request_accept(void)
{
    check_open("uat_request_run()");
    if (test())
        uat_fatal("uat_request_run(): no part was given; uat_request_wait() has to return 0 first");
    own.open = false;
    return own.victim;
}

/* SPDX-License-Identifier: MIT */
#include "runtime/task/steal.h"

#include <string.h>

#include "base/config.h"
#include "base/log.h"
#include "runtime/memory/segment.h"
#include "runtime/start/self.h"
#include "runtime/task/victims.h"
#include "runtime/task/worker.h"
#include "runtime/watch/die.h"
#include "runtime/watch/stall.h"

_Static_assert(UAT_PEEKS_LIMIT == UAT_PEEKS_MAX, "base/config.h is out of step with deque/thief.h");

static struct {
    struct uat_thief thief;
    uat_steal_fn *protocol;
    struct uat_mail mail; /* the message protocol's owner's side */
    struct uat_steal_traffic traffic;
} stealing;

static uat_steal_fn *const protocols[] = {
    [UAT_DEQUE_LOCK] = uat_lock_steal, [UAT_DEQUE_CLAIM] = uat_claim_steal, [UAT_DEQUE_MESSAGE] = uat_message_steal};

static void die(int rc)
{
    uat_check(rc);
}

static void open_mail(void)
{
    uat_mail_open(&stealing.mail, &uat_worker.deque, uat_self.transport, uat_segment.mailbox,
                  &uat_segment.landing->mail);
    stealing.mail.colours = uat_segment.colours;
    stealing.mail.failed = die;
    stealing.thief.mail = &stealing.mail;
    stealing.thief.waiting = uat_stall_answer;
    stealing.thief.waited = uat_stall_over;
}

int uat_steal_open(const struct uat_options *options)
{
    int rc = uat_thief_open(&stealing.thief, uat_self.transport, uat_segment.ring, uat_segment.landing,
                            &uat_segment.control->notice);
    if (rc) {
        uat_error("no memory for the thief's notes on %d workers", uat_self.size);
        return rc;
    }
    stealing.thief.low = uat_segment.low;
    stealing.thief.high = uat_segment.high;
    stealing.thief.colours = uat_segment.colours;
    stealing.thief.peek = options->peek != 0;
    stealing.protocol = protocols[options->deque];
    if (options->deque == UAT_DEQUE_MESSAGE)
        open_mail();
    return 0;
}

void uat_steal_close(void)
{
    uat_thief_close(&stealing.thief);
}

int uat_steal_try(struct uat_stolen *stolen)
{
    struct uat_victims victims;
    uat_victims_choose(&victims);
    return uat_steal_from(&victims, stolen);
}

int uat_steal_from(const struct uat_victims *victims, struct uat_stolen *stolen)
{
    const struct uat_transport *t = uat_self.transport;
    struct uat_steal_traffic before;
    memcpy(before.ops, t->ops, sizeof(before.ops));
    memcpy(before.requests, t->requests, sizeof(before.requests));
    before.doorbells = t->doorbells;
    int result = stealing.protocol(&stealing.thief, victims, stolen);
    if (result == UAT_STEAL_DONE) {
        struct uat_steal_traffic *sum = &stealing.traffic;
        for (int i = 0; i < UAT_OP_KINDS; i++) {
            sum->ops[i] += t->ops[i] - before.ops[i];
            sum->requests[i] += t->requests[i] - before.requests[i];
        }
        sum->doorbells += t->doorbells - before.doorbells;
    }
    return result;
}

int uat_steal_ready(struct uat_ready *ready, struct uat_ready_task *task, bool *fetched, unsigned *trips)
{
    struct uat_victims victims;
    uat_victims_choose(&victims);
    return uat_ready_steal(ready, &stealing.thief, &victims, task, fetched, trips);
}

const struct uat_steal_traffic *uat_steal_traffic(void)
{
    return &stealing.traffic;
}

const struct uat_thief_counts *uat_steal_counts(void)
{
    return &stealing.thief.count;
}

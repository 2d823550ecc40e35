/* SPDX-License-Identifier: MIT */
#include "runtime/sched/steal.h"

#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "runtime/job/fatal.h"
#include "runtime/job/self.h"
#include "runtime/job/stall.h"
#include "runtime/segment/segment.h"
#include "runtime/task/worker.h"

static struct {
    struct uat_thief thief;
    const struct uat_protocol *protocol;
    struct uat_mail mail; /* the owner's side of the message protocol */
    struct uat_steal_traffic traffic;
} stealing;

struct uat_protocol uat_protocols[UAT_DEQUE_PROTOCOLS] = {
    [UAT_DEQUE_LOCK] = {uat_lock_steal, uat_lock_poke, NULL},
    [UAT_DEQUE_CLAIM] = {uat_claim_steal, uat_claim_poke, NULL},
    [UAT_DEQUE_MESSAGE] = {uat_message_steal, uat_message_poke, uat_mail_open},
};

static struct uat_area ring = {.name = "deque",
                               .size = sizeof(struct uat_ring),
                               .align = _Alignof(struct uat_ring),
                               .peers = UAT_PEERS_CHANGE,
                               .striped = true};
static struct uat_area mailbox = {.name = "mailbox",
                                  .size = sizeof(struct uat_mailbox),
                                  .align = _Alignof(struct uat_mailbox),
                                  .peers = UAT_PEERS_CHANGE,
                                  .striped = true};
static struct uat_area landing = {.name = "landing of steals",
                                  .size = sizeof(struct uat_landing),
                                  .align = _Alignof(struct uat_landing),
                                  .peers = UAT_PEERS_NOTHING};

int uat_steal_choose(void)
{
    stealing.protocol = &uat_protocols[uat_deque_settings.protocol];
    if (stealing.protocol->steal)
        return 0;
    uat_error(
        "UAT_DEQUE=%s: this protocol is for comparisons, and this program does not link it: link the program with "
        "papers_dep of papers/meson.build, as perf/ does, or use claim, lock or message",
        uat_deque_settings.protocol == UAT_DEQUE_PAPER ? "paper" : "paper-message");
    return -ENOTSUP;
}

void uat_steal_reserve(void)
{
    uat_segment_reserve(&ring);
    uat_segment_reserve(&mailbox);
    uat_segment_reserve(&landing);
}

struct uat_ring *uat_steal_ring(void)
{
    return ring.at;
}

static void die(int rc)
{
    uat_check(rc);
}

static void open_mail(void)
{
    stealing.protocol->open_mail(&stealing.mail, &uat_worker.deque, uat_self.transport, mailbox.at,
                                 &((struct uat_landing *)landing.at)->mail);
    stealing.mail.colours = uat_segment.colours;
    stealing.mail.failed = die;
    stealing.thief.mail = &stealing.mail;
    stealing.thief.waiting = uat_stall_answer;
    stealing.thief.waited = uat_stall_over;
}

int uat_steal_open(void)
{
    int rc = uat_thief_open(&stealing.thief, uat_self.transport, ring.at, landing.at, uat_stall_notice());
    if (rc) {
        uat_error("no memory for the thief's notes on %d workers", uat_self.size);
        return rc;
    }
    stealing.thief.low = uat_segment.low;
    stealing.thief.high = uat_segment.high;
    stealing.thief.placing = uat_worker.deque.placing;
    stealing.thief.colours = uat_segment.colours;
    stealing.thief.peek = uat_deque_settings.peeks != UAT_PEEKS_NONE;
    if (stealing.protocol->open_mail)
        open_mail();
    return 0;
}

void uat_steal_reset(void)
{
    uat_deque_reset(&uat_worker.deque);
    uat_deque_stop(&uat_worker.deque);
    uat_thief_reset(&stealing.thief);
    memset(mailbox.at, 0, mailbox.size);
    if (stealing.protocol->open_mail)
        open_mail();
    stealing.traffic = (struct uat_steal_traffic){0};
}

void uat_steal_close(void)
{
    uat_thief_close(&stealing.thief);
}

int uat_steal_try(struct uat_stolen *stolen)
{
    struct uat_victims victims;
    uat_victims_choose(&victims); /* different random ranks, as many as UAT_PEEKS says */
    return uat_steal_from(&victims, stolen);
}

int uat_steal_from(const struct uat_victims *victims, struct uat_stolen *stolen)
{
    const struct uat_transport *t = uat_self.transport;
    struct uat_steal_traffic before;
    memcpy(before.ops, t->ops, sizeof(before.ops));
    memcpy(before.requests, t->requests, sizeof(before.requests));
    before.doorbells = t->doorbells;
    int result = stealing.protocol->steal(&stealing.thief, victims, stolen);
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

int uat_steal_poke(int rank)
{
    return stealing.protocol->poke(&stealing.thief, rank);
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

/* SPDX-License-Identifier: MIT */
#include "tests/unit/deque_stress.h"

#include <sched.h>
#include <stddef.h>

#include "base/delay.h"
#include "papers/grant.h"
#include "papers/thief_paper.h"

enum { MAILBOX_AT = 2048, STACKS_SIZE = 1 << 20, STACK_STEP = 32, STACK_MAX = 1024, STACK_LARGE = 40000 };

/* The state that all workers share. It is outside the segments. */
struct shared {
    struct deque_stress stress;
    bool owner_done;
    struct uat_deque_counts owner;
    struct uat_mail_counts mail;
    struct uat_thief_counts thieves[PEERS_MAX];
    uint64_t taken[PEERS_MAX];
    uint8_t times[]; /* times[i]: how many times entry i was taken */
};

struct layout {
    struct uat_ring *ring;
    struct uat_mailbox *mailbox;
    struct uat_landing *landing;
    struct uat_notice *notice;
    uintptr_t low, high; /* the bounds of the stacks */
};

static struct layout lay_out(const struct peer *me)
{
    char *p = me->data;
    _Static_assert(sizeof(struct uat_ring) <= MAILBOX_AT && MAILBOX_AT + sizeof(struct uat_mailbox) <= 4096,
                   "one page");
    struct layout l = {.ring = (struct uat_ring *)p,
                       .mailbox = (struct uat_mailbox *)(p + MAILBOX_AT),
                       .landing = (struct uat_landing *)(p + 4096)};
    l.notice = (struct uat_notice *)(l.landing + 1);
    l.low = (uintptr_t)(l.notice + 1);
    l.low = (l.low + 4095) / 4096 * 4096;
    l.high = l.low + STACKS_SIZE;
    PEER_CHECK(l.high <= (uintptr_t)p + me->data_size);
    return l;
}

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state >> 16;
}

/* Note that this worker has taken the entry. Relaxed: the parent reads the count after all workers have ended. */
static void take(struct peer *me, struct shared *shared, uint64_t entry)
{
    PEER_CHECK(entry < shared->stress.pushes);
    __atomic_fetch_add(&shared->times[entry], 1, __ATOMIC_RELAXED);
    shared->taken[me->rank]++;
}

static void fill(uintptr_t sp, uintptr_t base, uint64_t entry)
{
    for (uint64_t *p = (uint64_t *)sp; p < (uint64_t *)base; p++)
        *p = entry;
}

/* Returns the number of the entry whose stack is from sp to base. Every word of the stack must equal that number. */
static uint64_t entry_of(uintptr_t sp, uintptr_t base)
{
    const uint64_t *p = (const uint64_t *)sp, *end = (const uint64_t *)base;
    uint64_t entry = *p;
    while (p < end)
        PEER_CHECK(*p++ == entry);
    return entry;
}

static bool always_part(void *context, uintptr_t sp)
{
    return true;
}

/* Now and then pretend that no record is free. */
static bool mostly_part(void *context, uintptr_t sp)
{
    static unsigned calls;
    return always_part(context, sp) && ++calls % 16 > 0;
}

static void push(struct uat_deque *d, uint64_t *random, uint64_t entry)
{
    uintptr_t base = uat_deque_base(d);
    uint64_t r = next_random(random);
    size_t bytes = r % 256 == 0 ? STACK_LARGE : STACK_STEP * (1 + r / 256 % (STACK_MAX / STACK_STEP));
    fill(base - bytes, base, entry);
    uat_deque_push(d, base - bytes);
}

/* End the task whose entry is the youngest. */
static void pop(struct peer *me, struct shared *shared, struct uat_deque *d)
{
    uintptr_t sp, base = 0;
    if (uat_deque_size(d) >= 2)
        base = d->top[-2] & ~(uintptr_t)UAT_TAG_MASK;
    if (uat_deque_pop(d, &sp) != UAT_POP_GONE)
        take(me, shared, entry_of(sp, base));
}

/* Set the counters as if all indices below `index` had been claimed before. */
static void start_at(struct uat_deque *d, uint64_t index)
{
    d->ring->claims = d->bottom = d->newest = d->seen = index;
    for (uint64_t i = index - UAT_RING_SLOTS; i < index; i++)
        d->ring->ack[uat_slot_of(i)] = uat_ack(i, UAT_ACK_STOLEN);
}

/* Make d answer requests from now on. */
static void open_mail(const struct peer *me, struct uat_mail *mail, struct uat_deque *d, const struct layout *l,
                      bool grants)
{
    (grants ? uat_grant_open : uat_mail_open)(mail, d, me->transport, l->mailbox, &l->landing->mail);
    uat_deque_start(d);
}

static void owner(struct peer *me, struct shared *shared, const struct layout *l)
{
    struct uat_deque d;
    struct uat_deque_user user = {.part = always_part};
    PEER_CHECK(uat_deque_open(&d, l->ring, 4096, &user) == 0);
    start_at(&d, shared->stress.start);
    if (shared->stress.steal == uat_paper_steal)
        l->ring->lock = l->ring->claims; /* P1 */
    struct uat_mail mail = {0};
    bool grants = shared->stress.steal == uat_paper_message_steal;
    if (shared->stress.steal == uat_message_steal)
        d.user.part = mostly_part;
    if (grants || shared->stress.steal == uat_message_steal)
        open_mail(me, &mail, &d, l, grants);
    peer_barrier(me);
    uint64_t random = shared->stress.seed * 2 + 1;
    uat_deque_push_gone(&d, l->high);
    for (uint64_t entry = 0; entry < shared->stress.pushes;) {
        bool deeper =
            uat_deque_size(&d) == 1 || (uat_deque_size(&d) <= shared->stress.depth && next_random(&random) % 2);
        if (deeper)
            push(&d, &random, entry++);
        else
            pop(me, shared, &d);
        if (entry % 64 == 0)
            sched_yield(); /* thieves also need a core */
    }
    while (uat_deque_size(&d) > 0)
        pop(me, shared, &d);
    if (d.giver)
        uat_mail_settle(&mail);
    shared->owner = d.count;
    shared->mail = mail.count;
    uat_deque_close(&d);
}

static void thief(struct peer *me, struct shared *shared, const struct layout *l)
{
    struct uat_thief t;
    PEER_CHECK(uat_thief_open(&t, me->transport, l->ring, l->landing, l->notice) == 0);
    t.low = l->low;
    t.high = l->high;
    t.peek = !shared->stress.blind;
    struct uat_deque own; /* stays empty: this worker refuses every request */
    struct uat_deque_user user = {.part = always_part};
    struct uat_mail mail;
    PEER_CHECK(uat_deque_open(&own, l->ring, 16, &user) == 0);
    open_mail(me, &mail, &own, l, shared->stress.steal == uat_paper_message_steal);
    t.mail = &mail;
    t.patience = me->rank % 2 ? UAT_PATIENCE : 1; /* some thieves withdraw nearly all their requests */
    peer_barrier(me);
    /* Acquire: pairs with the owner's release below; the flag only says when to stop. */
    while (!__atomic_load_n(&shared->owner_done, __ATOMIC_ACQUIRE)) {
        struct uat_stolen stolen;
        int result = shared->stress.steal(&t, &(struct uat_victims){.count = 1}, &stolen);
        PEER_CHECK(result >= 0);
        if (result == UAT_STEAL_DONE)
            take(me, shared, entry_of(stolen.sp, stolen.base));
        else
            sched_yield();
    }
    shared->thieves[me->rank] = t.count;
    uat_thief_close(&t);
    uat_deque_close(&own);
}

static void work(struct peer *me, void *arg)
{
    struct shared *shared = arg;
    struct layout l = lay_out(me);
    if (shared->stress.delays)
        uat_delay_start(shared->stress.seed + (uint64_t)me->rank);
    if (me->rank == 0) {
        owner(me, shared, &l);
        __atomic_store_n(&shared->owner_done, true, __ATOMIC_RELEASE); /* Pairs with the acquire in thief(). */
    } else {
        thief(me, shared, &l);
    }
    PEER_CHECK(me->transport->class_->flush(me->transport) == 0);
    peer_barrier(me);
    /* Each 1 that was added to the lock has been subtracted. The paper protocol keeps the 1 of each claim. */
    PEER_CHECK(l.ring->lock == (shared->stress.steal == uat_paper_steal ? l.ring->claims : 0));
    PEER_CHECK(uat_mailbox_is_free(&l.mailbox->front)); /* every thief that asked has an answer or has withdrawn its
                                                         * request */
}

static void gather(const struct shared *shared, int workers, struct deque_stress_counts *counts)
{
    *counts =
        (struct deque_stress_counts){.owner = shared->owner, .mail = shared->mail, .taken_by_owner = shared->taken[0]};
    for (int i = 1; i < workers; i++) {
        counts->taken_by_thieves += shared->taken[i];
        counts->thieves.attempts += shared->thieves[i].attempts;
        counts->thieves.done += shared->thieves[i].done;
        counts->thieves.empty += shared->thieves[i].empty;
        counts->thieves.lost += shared->thieves[i].lost;
        counts->thieves.aborted += shared->thieves[i].aborted;
        counts->thieves.refused += shared->thieves[i].refused;
        counts->thieves.withdrawn += shared->thieves[i].withdrawn;
        counts->thieves.second_looks += shared->thieves[i].second_looks;
    }
}

int deque_stress_run(const struct peers_spec *spec, const struct deque_stress *stress,
                     struct deque_stress_counts *counts)
{
    size_t size = sizeof(struct shared) + stress->pushes;
    struct shared *shared = peers_share(size);
    shared->stress = *stress;
    int rc = peers_run(spec, work, shared);
    gather(shared, spec->workers, counts);
    for (uint32_t i = 0; i < stress->pushes && !rc; i++)
        if (shared->times[i] != 1) {
            fprintf(stderr, "entry %u was taken %u times (seed %llu)\n", i, shared->times[i],
                    (unsigned long long)stress->seed);
            rc = 1;
        }
    peers_unshare(shared, size);
    return rc;
}

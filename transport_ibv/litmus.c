/* SPDX-License-Identifier: MIT */
/*
 * Does this adapter keep the two orders on which every chain relies? The first worker of each group tests its adapter
 * when it has reached the other groups, over the connection to itself: the adapter executes such operations on the
 * memory of this host, as it executes the operations of other hosts. The firmware can break both orders without any
 * trace that an ordinary user could query:
 *
 *   { WRITE; FETCH_ADD }  with PCI_WR_ORDERING=force_relax the sum may reach memory before the data
 *   { CMP_SWAP; READ }    with PCIe atomics (PCI_ATOMIC_MODE) the READ may pass the swap. uat then sets a fence; but
 *                         without DEVX the driver does not know about them
 *
 * These trials find a violation that happens often. `uat_info --litmus` has more trials, between two processes.
 */
#include "transport_ibv/ibv.h"

#include <errno.h>

#include "base/clock.h"
#include "base/cpu.h"
#include "base/log.h"
#include "base/relax.h"

enum {
    TRIALS = 200,
    TRIALS_MIN = 8,           /* on the slowest devices */
    TIME_NS = 5000000,        /* no further trial begins after this time */
    BYTES = 8 * UAT_IBV_SLOT, /* several cache lines */
    WORDS = BYTES / 8
};

/* The words of a trial, in the payload slots. These are free, because no fire-and-forget chain has been posted. */
struct trial {
    uint64_t source[WORDS], target[WORDS];
    uint64_t flag, swapped; /* only the adapter changes these */
    uint64_t landing[2];
};
_Static_assert(sizeof(struct trial) <= sizeof(((struct uat_ibv_scratch *)NULL)->slots), "the slots have room");

/* Acquire: orders this load before the loads of the WRITE's target. Pairs with the adapter's order of WRITE and
 * FETCH_ADD, which is under test. */
static uint64_t load(const uint64_t *word)
{
    return uat_cpu_load_acquire(word);
}

static int finish(struct uat_ibv *ibv, const struct uat_pending *pending, int rc)
{
    struct uat_relax relax = {0};
    while (!rc && !pending->done) {
        rc = uat_ibv_progress(&ibv->base);
        uat_relax(&relax);
    }
    return rc;
}

/* Let the adapter WRITE the next number to all words of the target, and then add 1 to the flag. Look at the target as
 * soon as the flag has changed, without waiting for the completion. */
static int try_write_add(struct uat_ibv *ibv, struct trial *t, bool *violated)
{
    uint64_t number = load(&t->flag) + 1;
    struct uat_pending pending = {0};
    struct uat_relax relax = {0};
    for (int i = 0; i < WORDS; i++)
        t->source[i] = number;
    struct uat_op ops[] = {uat_op_write(t->source, t->target, BYTES), uat_op_fetch_add(t->landing, &t->flag, 1)};
    int rc = uat_ibv_post(&ibv->base, ibv->base.rank, ops, 2, &pending);
    while (!rc && load(&t->flag) != number && !pending.done) {
        if (++relax.spins % UAT_RELAX_SPINS == 0) /* seldom, because it may make the device catch up */
            rc = uat_ibv_progress(&ibv->base);
        uat_pause();
    }
    for (int i = 0; i < WORDS && !rc; i++)
        *violated |= load(&t->target[i]) != number;
    return finish(ibv, &pending, rc);
}

static int try_swap_read(struct uat_ibv *ibv, struct trial *t, bool *violated)
{
    struct uat_pending pending = {0};
    uint64_t now = load(&t->swapped);
    struct uat_op ops[] = {uat_op_cmp_swap(&t->landing[0], &t->swapped, now, now + 1),
                           uat_op_read(&t->landing[1], &t->swapped, sizeof(t->swapped))};
    int rc = finish(ibv, &pending, uat_ibv_post(&ibv->base, ibv->base.rank, ops, 2, &pending));
    *violated |= !rc && load(&t->landing[1]) != now + 1;
    return rc;
}

static int refuse(const struct uat_ibv *ibv, int trials, const char *what, const char *key)
{
    uat_error("%s of %s breaks the order on which uat relies: in %d trials %s. %s; or name another adapter with "
              "UAT_NET_DEVICES. `uat_info --litmus` tests this order",
              ibv->port.device, ibv->host, trials, what, key);
    return -EIO;
}

int uat_ibv_litmus(struct uat_ibv *ibv)
{
    struct trial *t = (struct trial *)(void *)ibv->scratch->slots;
    struct uat_transport counts = ibv->base; /* the trials do not count as the job's operations */
    bool overtaken = false, passed = false;
    uint64_t began = uat_clock_ns();
    int trials = 0, rc = 0;
    while (!rc && trials < TRIALS && (trials < TRIALS_MIN || uat_clock_ns() - began < TIME_NS)) {
        rc = try_write_add(ibv, t, &overtaken);
        if (!rc)
            rc = try_swap_read(ibv, t, &passed);
        trials++;
    }
    ibv->base = counts;
    if (!rc && overtaken)
        return refuse(ibv, trials, "a FETCH_ADD overtook the WRITE before it",
                      "On mlx5 the firmware key is PCI_WR_ORDERING, which must be per_mkey(0): as root, `mlxconfig -d "
                      "DEVICE set PCI_WR_ORDERING=0`, then restart the host");
    if (!rc && passed)
        return refuse(ibv, trials, "a READ overtook the CMP_SWAP before it",
                      "On mlx5 the firmware key is PCI_ATOMIC_MODE: the adapter has PCIe atomics, but its driver does "
                      "not say so; as root, `mlxconfig -d DEVICE set UCTX_EN=1` lets it, or PCI_ATOMIC_MODE=0 takes "
                      "the adapter's own atomics");
    if (!rc)
        uat_info("%s kept { WRITE; FETCH_ADD } and { CMP_SWAP; READ } in order in %d trials", ibv->port.device, trials);
    return rc;
}

/* SPDX-License-Identifier: MIT */
#include "runtime/task/keeper.h"

#include "runtime/job/fatal.h"
#include "runtime/job/self.h"
#include "runtime/segment/ghost.h"
#include "runtime/segment/segment.h"

/* The mark of a block or record that is given back. */
static struct uat_area one = {.name = "1", .size = sizeof(uint64_t), .peers = UAT_PEERS_NOTHING};

void uat_keeper_reserve(void)
{
    uat_segment_reserve(&one);
}

/* A chain of operations on a ghost's memory, translated to the addresses at the ghost's keeper. */
struct moved {
    struct uat_op ops[UAT_CHAIN_MAX];
};

/* Sets *rank to the rank to which the chain must be posted. Returns the chain with the addresses at that rank. */
static const struct uat_op *locate(int *rank, const struct uat_op *ops, int n, struct moved *moved)
{
    int name = *rank;
    if (!uat_ghosts_has((uint64_t)name))
        return ops;
    for (int i = 0; i < n; i++) {
        struct uat_located home = uat_ghosts_locate(name, (uintptr_t)ops[i].remote);
        moved->ops[i] = ops[i];
        moved->ops[i].remote = (void *)home.address;
        *rank = home.rank;
    }
    return moved->ops;
}

void uat_keeper_do(int rank, const struct uat_op *ops, int n)
{
    struct moved moved;
    ops = locate(&rank, ops, n, &moved);
    uat_check(uat_transport_do(uat_self.transport, rank, ops, n));
}

void uat_keeper_post(int rank, const struct uat_op *ops, int n, struct uat_pending *pending)
{
    struct moved moved;
    ops = locate(&rank, ops, n, &moved);
    uat_check(uat_transport_post(uat_self.transport, rank, ops, n, pending));
}

void uat_keeper_post_unsignaled(int rank, const struct uat_op *ops, int n)
{
    struct moved moved;
    ops = locate(&rank, ops, n, &moved);
    uat_check(uat_transport_post_unsignaled(uat_self.transport, rank, ops, n));
}

void uat_keeper_give_back(int rank, uint64_t *returned)
{
    *(uint64_t *)one.at = 1;
    struct uat_op op = uat_op_write(one.at, returned, 8);
    uat_keeper_post_unsignaled(rank, &op, 1);
}

/* SPDX-License-Identifier: MIT */
#include "tests/unit/bulk_worker.h"

#include <string.h>
#include <sys/mman.h>

#include "tests/test.h"

struct bulk_worker bulk_my;

static int gather(const int *ranks, int count, const void *mine, size_t bytes, void *all)
{
    PEER_CHECK(bytes <= BULK_GATHER && count <= bulk_my.size);
    memcpy(bulk_my.shared->gather[bulk_my.peer->rank], mine, bytes);
    peer_barrier(bulk_my.peer);
    for (int i = 0; i < count; i++)
        memcpy((char *)all + (size_t)i * bytes, bulk_my.shared->gather[ranks ? ranks[i] : i], bytes);
    peer_barrier(bulk_my.peer);
    return 0;
}

bool bulk_is_leader(void)
{
    return bulk_my.leader[bulk_my.host] == bulk_my.peer->rank;
}

int bulk_open(struct peer *me, const struct bulk_test *test)
{
    bulk_my.peer = me;
    bulk_my.shared = test->shared;
    bulk_my.size = me->size;
    bulk_my.hosts = test->hosts;
    for (int rank = me->size - 1; rank >= 0; rank--) {
        bulk_my.host_of[rank] = rank * bulk_my.hosts / me->size;
        bulk_my.leader[bulk_my.host_of[rank]] = rank;
    }
    bulk_my.host = bulk_my.host_of[me->rank];
    bulk_my.arena = mmap(NULL, BULK_ARENA, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    PEER_CHECK(bulk_my.arena != MAP_FAILED && me->transport->class_->bulk);
    const struct uat_bulk_config config = {.transport = me->transport,
                                           .hosts = bulk_my.hosts,
                                           .host = bulk_my.host,
                                           .leader = bulk_my.leader,
                                           .host_of = bulk_my.host_of,
                                           .arena = bulk_my.arena,
                                           .arena_size = BULK_ARENA,
                                           .late = test->late,
                                           .seed = 5,
                                           .gather = gather};
    return me->transport->class_->bulk->open(&config, &bulk_my.bulk);
}

/* Open the links. A leader also exposes the regions of its host. When the call returns, all hosts have exposed
 * theirs. */
void bulk_begin(struct peer *me, const struct bulk_test *test)
{
    PEER_CHECK(bulk_open(me, test) == 0);
    for (int i = 0; i < BULK_REGIONS && bulk_is_leader(); i++)
        PEER_CHECK(bulk_my.bulk->class_->expose(bulk_my.bulk, -1, bulk_my.shared->region[bulk_my.host][i], BULK_REGION,
                                                &bulk_my.shared->key[bulk_my.host][i]) == 0);
    peer_barrier(me);
}

void bulk_end(struct peer *me)
{
    peer_barrier(me); /* after this, no worker has operations in flight */
    if (bulk_is_leader())
        bulk_my.bulk->class_->conceal(bulk_my.bulk, bulk_my.shared->region[bulk_my.host][1]);
    bulk_my.bulk->class_->close(bulk_my.bulk);
    peer_barrier(me);
}

struct uat_bulk_op bulk_operation(enum uat_opcode code, int host, int region, size_t offset, void *local, size_t bytes)
{
    const struct uat_bulk_key *key = &bulk_my.shared->key[host][region];
    return (struct uat_bulk_op){
        .code = code, .bytes = bytes, .local = local, .remote = key->base + offset, .rkey = key->rkey};
}

void bulk_post(int host, struct uat_bulk_op op)
{
    PEER_CHECK(bulk_my.bulk->class_->post(bulk_my.bulk, host, &op) == 0);
}

void bulk_await(int host)
{
    PEER_CHECK(uat_bulk_wait(bulk_my.bulk, host, bulk_my.bulk->link[host].posted) == 0);
}

/* FETCH_ADD to the word of a host; returns the old value. */
uint64_t bulk_add(int host, uint64_t addend)
{
    struct uat_bulk_op op = bulk_operation(UAT_OP_FETCH_ADD, host, 0, BULK_WORD, bulk_my.arena, 8);
    op.operand = addend;
    bulk_post(host, op);
    bulk_await(host);
    return *(uint64_t *)bulk_my.arena;
}

void bulk_run(const struct uat_transport_class *transport, peer_fn *fn, int workers, struct bulk_test test)
{
    struct peers_spec spec = {.transport = transport, .workers = workers, .seed = 3};
    test.shared = peers_share(sizeof(*test.shared));
    int rc = peers_run(&spec, fn, &test);
    peers_unshare(test.shared, sizeof(*test.shared));
    assert_int_equal(rc, 0);
}

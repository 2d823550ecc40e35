/* SPDX-License-Identifier: MIT */
/*
 * Description: the ring of ready entries of flows, and the list of entries for which it has no room, on the test's own
 * transport. The oldest entry comes first, whoever takes it. Each entry is taken once. A wrong number of claims is
 * refused.
 */
#include "tests/unit/flow_alone.h"
#include "tests/unit/one_process.h"
#include "tests/unit/refusal.h"

static uint64_t *claims_meanwhile; /* another worker adds 1 to this word before the next CMP_SWAP */

static int post(struct uat_transport *t, int peer, const struct uat_op *ops, int count, struct uat_pending *p)
{
    if (claims_meanwhile && ops[0].code == UAT_OP_CMP_SWAP) {
        ++*claims_meanwhile;
        claims_meanwhile = NULL;
    }
    return execute_chain(ops, count, p);
}

static struct uat_transport transport = {
    .class_ = &(struct uat_transport_class){.name = "wire", .post = post, .progress = no_progress}, .size = 2};

static int open_all(void **state)
{
    return open_flow(&transport);
}

/* The name of ready entry number i. */
static uint64_t ready(uint64_t i)
{
    return (i + 1) * UAT_FLOW_ENTRY;
}

static struct uat_flow_ring *ring(void)
{
    return uat_segment_find("ready entries of flows")->at;
}

/* Check that exactly the entries first to last - 1 are ready, and that thieves can reach as many as the ring holds. */
static void assert_ready(uint64_t first, uint64_t last)
{
    static uint64_t names[8 * UAT_FLOW_SLOTS];
    uint64_t open = uat_self.size == 1 ? 0 : last - first < UAT_FLOW_SLOTS ? last - first : UAT_FLOW_SLOTS;
    assert_int_equal(ring()->ends[0].bottom - ring()->ends[0].claims, open);
    assert_int_equal(uat_flow_ring_copy(NULL), last - first);
    assert_int_equal(uat_flow_ring_copy(names), last - first);
    for (uint64_t i = first; i < last; i++)
        assert_int_equal(names[i - first], ready(i));
    assert_int_equal(uat_flow_ring_any(), last > first);
}

/* The ring gives the oldest entry, to the owner and to a thief, however many entries there are. */
TEST_WITH(ring_of_entries, open_all, close_flow)
{
    uint64_t first = 0, last = 0;
    for (int turn = 0; turn < 4; turn++) {
        set_near(turn % 2);
        while (last < first + (unsigned)(turn + 1) * UAT_FLOW_SLOTS) {
            uat_flow_ring_push(ready(last++));
            assert_ready(first, last);
        }
        while (last > first + (unsigned)turn) {
            bool other = last - first <= UAT_FLOW_SLOTS && first % 3 == 0; /* a thief does not fill the ring */
            assert_int_equal(other ? uat_flow_ring_steal() : uat_flow_ring_take(), ready(first++));
            assert_ready(first, last);
        }
    }
    while (first < last)
        assert_int_equal(uat_flow_ring_take(), ready(first++));
    assert_int_equal(uat_flow_ring_take(), 0);
    assert_int_equal(uat_flow_ring_steal(), 0);
}

/* Another worker takes the oldest entry just before this one claims it. */
TEST_WITH(claim_lost, open_all, close_flow)
{
    set_near(false);
    for (uint64_t i = 0; i < 4; i++)
        uat_flow_ring_push(ready(i));
    claims_meanwhile = &ring()->ends[0].claims;
    assert_int_equal(uat_flow_ring_steal(), 0);
    assert_int_equal(uat_stall_notice()->work & 1, 0); /* has no work */
    claims_meanwhile = &ring()->ends[0].claims;
    assert_int_equal(uat_flow_ring_take(), ready(2));
    assert_int_equal(uat_flow_ring_steal(), ready(3));
    assert_int_equal(uat_stall_notice()->work & 1, 1);
}

static void look_at_ring(void)
{
    uat_flow_ring_any();
}

/* The owner refuses a number of claims that the ring cannot have. */
TEST_WITH(wrong_claims, open_all, close_flow)
{
    for (uint64_t i = 0; i < 3; i++)
        uat_flow_ring_push(ready(i));
    ring()->ends[0].claims = ring()->ends[0].bottom + 1;
    assert_refusal(look_at_ring);
    ring()->ends[0].claims = ring()->ends[0].bottom - UAT_FLOW_SLOTS - 1;
    assert_refusal(look_at_ring);
}

/* A worker without peers keeps all entries in its list. The list grows while its oldest entry is in any place. */
TEST_WITH(list, open_all, close_flow)
{
    uat_self.size = 1;
    for (uint64_t begin = 0; begin < 70; begin++) {
        uint64_t first = 0, last = 0;
        while (last < begin) {
            uat_flow_ring_push(ready(last++));
            assert_int_equal(uat_flow_ring_take(), ready(first++));
        }
        while (last < first + 300)
            uat_flow_ring_push(ready(last++));
        assert_ready(first, last);
        while (first < last)
            assert_int_equal(uat_flow_ring_take(), ready(first++));
        assert_int_equal(uat_flow_ring_take(), 0);
        uat_flow_ring_close();
    }
}

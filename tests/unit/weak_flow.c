/* SPDX-License-Identifier: MIT */
/* Description: the part of test_weak_rooms about the mark and the count of a flow's entry. */
#include "runtime/flow/access.h"
#include "runtime/flow/ring.h"
#include "tests/test.h"
#include "tests/unit/weak_rooms.h"

static union {
    struct uat_flow_state state;
    char room[sizeof(struct uat_flow_state) + sizeof(struct uat_flow_part) +
              UAT_FLOW_CHUNK * sizeof(struct uat_flow_note)];
} flow;
static uint64_t entry;
enum { ID = 1 << 16 };

static void flow_begin(void)
{
    const uint64_t chunk = UINT64_C(1) << 48 | (uintptr_t)shared.chunk;
    memset(&flow, 0, sizeof(flow));
    flow.state.parts = flow.state.part_room = 1;
    uat_flow_lay_out(&flow.state);
    struct uat_flow_part *part = flow.state.part;
    *part = (struct uat_flow_part){.chunk = uat_flow_address(chunk), .rank = 1};
    struct uat_flow_note *note = uat_flow_note(&flow.state, ID);
    *note = (struct uat_flow_note){.id = ID, .entry = uat_flow_entry_of(part->chunk, 0), .rank = 1};
    note->entry->links = (struct uat_flow_links){.id = ID, .shared = chunk};
    entry = uat_flow_name(note);
}

static void ends_task(void)
{
    work();
    uat_flow_work.ended(entry);
}

static void asks_whether_under_way(void)
{
    for (int i = 0; i < LOOKS; i++)
        if (!uat_flow_under_way(&flow.state, ID)) {
            learned();
            return; /* the note records the end from now on */
        }
}

static void retires(void)
{
    for (int i = 0; i < LOOKS && flow.state.retired == 0; i++) {
        uat_flow_retire(&flow.state);
        if (flow.state.retired > 0)
            learned();
    }
}

LOOKS_FOR(counts_ends, uat_flow_ended_count(&flow.state, true) == 1)

LOOKS_FOR(counts_by_add, uat_flow_add(1, &((struct uat_flow_chunk *)(void *)shared.chunk)->count, 0) == 1)

TEST(flow)
{
    check(flow_begin, ends_task, asks_whether_under_way);
    check(flow_begin, ends_task, retires);
    check(flow_begin, ends_task, counts_ends);
    check(flow_begin, ends_task, counts_by_add);
}

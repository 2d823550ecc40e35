/* SPDX-License-Identifier: MIT */
#include "tests/security/words.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "deque/mailbox.h"
#include "deque/ready.h"
#include "runtime/adaptive/cell.h"
#include "runtime/flow/ring.h"
#include "runtime/flow/state.h"
#include "runtime/global/array.h"
#include "runtime/global/global.h"
#include "runtime/sched/park.h"
#include "runtime/segment/heap.h"
#include "runtime/segment/record.h"
#include "runtime/segment/settings.h"
#include "runtime/sync/waitobj.h"

uint64_t words_objects[WORDS_OBJECTS];

static int find_in_area(const struct word *w, uint64_t **at)
{
    if (!uat_segment_find(w->area)) {
        fprintf(stderr, "no area has the name %s\n", w->area);
        exit(2);
    }
    for (int i = 0; i < w->count; i++)
        at[i] = (uint64_t *)(void *)((char *)uat_segment_find(w->area)->at + w->offset + (size_t)i * w->stride);
    return w->count;
}

/* The first `count` join records: a worker uses records with low numbers first. */
static int find_in_records(const struct word *w, uint64_t **at)
{
    for (int i = 0; i < w->count; i++)
        at[i] = (uint64_t *)(void *)(uat_segment.records + (size_t)i * uat_segment.record_stride + w->offset);
    return w->count;
}

/* The marks of this worker's stacks of UAT_STACKS=iso, which are join records. */
static int find_in_berths(const struct word *w, uint64_t **at)
{
    size_t count = uat_segment_region_size() / uat_segment_settings.berth / (size_t)uat_self.size,
           first = count * (size_t)uat_self.rank;
    struct uat_record *marks = uat_segment_find(w->area)->at;
    int n = 0;
    for (; n < WORDS_INSTANCES && (size_t)n < count; n++)
        at[n] = (uint64_t *)(void *)((char *)&marks[first + (size_t)n] + w->offset);
    return n;
}

/* Lent block i, or NULL. The list may change during the search, but each of its items is or was a block. */
static char *lent_block(size_t i)
{
    uint32_t unit = uat_heap.lent.items[i];
    return unit < uat_heap.units ? uat_heap.memory + (size_t)unit * UAT_HEAP_UNIT : NULL;
}

/* The headers of blocks with waiting tasks, except joiners. */
static int find_in_waiters(const struct word *w, uint64_t **at)
{
    int n = 0;
    for (size_t i = 0; i < uat_heap.lent.count && n < WORDS_INSTANCES; i++) {
        struct uat_parked *p = (struct uat_parked *)(void *)lent_block(i);
        if (p && p->kind > UAT_PARK_JOIN && p->kind < UAT_PARK_OBJECT)
            at[n++] = (uint64_t *)(void *)((char *)p + w->offset);
    }
    return n;
}

/* The select waiters. Such a waiter is recognized by its first entry, which names it. */
static int find_in_selects(const struct word *w, uint64_t **at)
{
    int n = 0;
    for (size_t i = 0; i < uat_heap.lent.count && n < WORDS_INSTANCES; i++) {
        struct uat_select_waiter *t = (struct uat_select_waiter *)(void *)lent_block(i);
        if (t && t->entry[0].base == ((uint64_t)uat_self.rank << 48 | (uintptr_t)t))
            at[n++] = (uint64_t *)(void *)((char *)t + w->offset);
    }
    return n;
}

/* The states of ledgers if w->stride is 0; otherwise the chunks of ledgers. A chunk has `count` words of this name,
 * `stride` bytes apart. Both are blocks of one kind, but only a state contains its own size. */
static int find_in_ledgers(const struct word *w, uint64_t **at)
{
    int n = 0;
    for (size_t i = 0; i < uat_heap.lent.count && n < WORDS_INSTANCES - w->count; i++) {
        struct uat_flow_state *s = (struct uat_flow_state *)(void *)lent_block(i);
        if (!s || s->block.kind != UAT_PARK_LEDGER)
            continue;
        bool state = s->line_room > 0 && s->bytes == uat_flow_state_bytes(s->part_room, s->line_room);
        for (int k = 0; state == (w->stride == 0) && k < w->count; k++)
            at[n++] = (uint64_t *)(void *)((char *)s + w->offset + (size_t)k * w->stride);
    }
    return n;
}

static int find_in_objects(const struct word *w, uint64_t **at)
{
    for (int i = 0; i < w->count; i++)
        at[i] = (uint64_t *)(void *)((char *)uat_waitobj_address(words_objects[(int)w->stride + i]) + w->offset);
    return w->count;
}

static int find_freed_head(const struct word *w, uint64_t **at)
{
    (void)w;
    at[0] = (uint64_t *)(uintptr_t)uat_objects_freed_word();
    return at[0] != NULL;
}

/* Words of objects that were freed, and of the headers before them. The offset is relative to the object. An object in
 * use again counts only for its state (offset -16). `stride` is a flag here: if it is not 0, nothing is found while the
 * list of objects that peers have freed has entries. So each object that is found then is on one of the owner's lists
 * of free objects. */
static int find_in_freed(const struct word *w, uint64_t **at)
{
    static const uint64_t freed = 0x7561742066726565; /* FREED of runtime/global/heap.c */
    static uintptr_t seen[WORDS_INSTANCES];
    static int count;
    const uint64_t *word = uat_objects_freed_word();
    int n = 0;
    if (!word)
        return 0;
    uintptr_t head = __atomic_load_n(word, __ATOMIC_RELAXED), begin = (uintptr_t)word & ~(uintptr_t)(UAT_PART_HEAD - 1);
    bool last = count > 0 && seen[count - 1] == head;
    if (!last && count < WORDS_INSTANCES && head % 16 == 0 && head - begin < 1 << 20)
        seen[count++] = head;
    if (head && w->stride) /* the owner will soon take these objects off the list */
        return 0;
    for (int i = 0; i < count; i++)
        if (((uint64_t *)seen[i])[-2] == (freed ^ seen[i]) || w->offset == (size_t)-16)
            at[n++] = (uint64_t *)(seen[i] + w->offset);
    return n;
}

#define IN_AREA(name, area, type, field, stride, count)                                                                \
    {                                                                                                                  \
        name, find_in_area, area, offsetof(type, field), stride, count, WORDS_ALL                                      \
    }
#define IN_RECORDS(name, field)                                                                                        \
    {                                                                                                                  \
        name, find_in_records, NULL, offsetof(struct uat_record, field), 0, 64, WORDS_ALL                              \
    }
#define IN_WAITERS(name, field)                                                                                        \
    {                                                                                                                  \
        name, find_in_waiters, NULL, offsetof(struct uat_parked, field), 0, 0, WORDS_ALL                               \
    }
#define IN_SELECTS(name, field)                                                                                        \
    {                                                                                                                  \
        name, find_in_selects, NULL, offsetof(struct uat_select_waiter, field), 0, 0, WORDS_ALL                        \
    }
#define IN_OBJECTS(name, first, count, field)                                                                          \
    {                                                                                                                  \
        name, find_in_objects, NULL, offsetof(struct uat_waitobj, field), first, count, WORDS_ALL                      \
    }
/* IN_ENTRIES: a word of each entry of a chunk. IN_CHUNKS: a word of a chunk's head, which precedes the entries.
 * IN_STATES: a word of a ledger's state. */
#define IN_ENTRIES(name, field)                                                                                        \
    {                                                                                                                  \
        name, find_in_ledgers, NULL, UAT_FLOW_ENTRY + offsetof(struct uat_flow_entry, field), UAT_FLOW_ENTRY,          \
            UAT_FLOW_CHUNK, WORDS_FLOW                                                                                 \
    }
#define IN_CHUNKS(name, field)                                                                                         \
    {                                                                                                                  \
        name, find_in_ledgers, NULL, offsetof(struct uat_flow_chunk, field), UAT_FLOW_ENTRY, 1, WORDS_FLOW             \
    }
#define IN_STATES(name, field)                                                                                         \
    {                                                                                                                  \
        name, find_in_ledgers, NULL, offsetof(struct uat_flow_state, field), 0, 1, WORDS_LEDGER                        \
    }
#define IN_CELLS(name, field, stride, count)                                                                           \
    {                                                                                                                  \
        name, find_in_area, "adaptive requests", offsetof(struct uat_cells, field), stride, count, WORDS_ADAPTIVE      \
    }
#define AT(name, area, offset, stride, count, part)                                                                    \
    {                                                                                                                  \
        name, find_in_area, area, offset, stride, count, part                                                          \
    }
/* A word of the description of an array's memory object, in the area from which all workers READ it. Only the first
 * worker of each host puts a memory object there. */
#define IN_MEMOBJS(name, field) AT(name, "gather", offsetof(struct uat_memobj, field), 0, 1, WORDS_GLOBAL)

const struct word words[] = {
    IN_AREA("deque.claims", "deque", struct uat_ring, claims, 0, 1),
    IN_AREA("deque.lock", "deque", struct uat_ring, lock, 0, 1),
    IN_AREA("deque.slot.state", "deque", struct uat_ring, slot[0].state, sizeof(struct uat_slot), UAT_RING_SLOTS),
    IN_AREA("deque.slot.place", "deque", struct uat_ring, slot[0].place, sizeof(struct uat_slot), UAT_RING_SLOTS),
    IN_AREA("deque.ack", "deque", struct uat_ring, ack, 8, UAT_RING_SLOTS),
    IN_AREA("mailbox.ask", "mailbox", struct uat_mailbox, front.ask, 0, 1),
    IN_AREA("mailbox.taken", "mailbox", struct uat_mailbox, front.taken, 0, 1),
    IN_AREA("mailbox.offer", "mailbox", struct uat_mailbox, front.offer, 0, 1),
    IN_AREA("mailbox.answers", "mailbox", struct uat_mailbox, answers, 0, 1),
    IN_AREA("mailbox.given", "mailbox", struct uat_mailbox, given, 0, 1),
    {"inbox.head", find_in_area, "inbox", 0, 0, 1, WORDS_ALL},
    IN_AREA("ready.claims", "ready tasks", struct uat_ready_ring, claims, 0, 1),
    IN_AREA("ready.slot.state", "ready tasks", struct uat_ready_ring, slot[0].state, sizeof(struct uat_ready_slot),
            UAT_READY_SLOTS),
    IN_AREA("ready.slot.place", "ready tasks", struct uat_ready_ring, slot[0].place, sizeof(struct uat_ready_slot),
            UAT_READY_SLOTS),
    IN_AREA("ready.slot.where", "ready tasks", struct uat_ready_ring, slot[0].where, sizeof(struct uat_ready_slot),
            UAT_READY_SLOTS),
    IN_AREA("ready.ack", "ready tasks", struct uat_ready_ring, ack, 8, UAT_READY_SLOTS),
    IN_RECORDS("record.state", state),
    IN_RECORDS("record.count", count),
    IN_RECORDS("record.returned", returned),
    {"berth.returned", find_in_berths, "berths", offsetof(struct uat_record, returned), 0, 0, WORDS_ALL},
    IN_RECORDS("record.views", views),
    IN_RECORDS("record.waiter.rank", waiter.rank),
    IN_RECORDS("record.waiter.block", waiter.block),
    IN_RECORDS("record.waiter.sp", waiter.sp),
    IN_RECORDS("record.waiter.base", waiter.base),
    IN_WAITERS("waiter.next", next),
    IN_WAITERS("waiter.sp", sp),
    IN_WAITERS("waiter.base", base),
    IN_WAITERS("waiter.reply", reply),
    IN_WAITERS("waiter.object", object),
    IN_WAITERS("waiter.returned", returned),
    IN_SELECTS("select.claim", claim),
    IN_SELECTS("select.stack", stack),
    IN_SELECTS("select.sp", sp),
    IN_SELECTS("select.base", base),
    IN_SELECTS("select.returned", returned),
    IN_SELECTS("select.entry.base", entry[0].base),
    IN_SELECTS("select.entry.next", entry[0].next),
    IN_SELECTS("select.entry.sp", entry[0].sp),
    IN_SELECTS("select.entry.reply", entry[0].reply),
    IN_SELECTS("select.entry.object", entry[0].object),
    IN_OBJECTS("object.guard", 0, WORDS_OBJECTS, guard),
    IN_OBJECTS("object.kind", 0, WORDS_OBJECTS, kind),
    IN_OBJECTS("object.head", 0, WORDS_OBJECTS, head),
    IN_OBJECTS("object.tail", 0, WORDS_OBJECTS, tail),
    IN_OBJECTS("channel.first", 0, 3, word[0]),
    IN_OBJECTS("channel.count", 0, 3, word[1]),
    IN_OBJECTS("channel.capacity", 0, 3, word[2]),
    IN_OBJECTS("channel.flags", 0, 3, word[3]),
    IN_OBJECTS("mutex.locked", 3, 1, word[0]),
    IN_OBJECTS("group.count", 4, 1, word[0]),
    /* The words of runtime/job/collective.c are, in this order: runs_ended, which takes a cache line; barrier[24];
     * run_result; and told[2][24], whose elements have 24 bytes. The words of tree.c begin with up[24] and down. From
     * the next cache line on follows share[24], whose elements begin with a struct uat_told. */
    AT("run.ended", "barriers and ends of runs", 0, 0, 1, WORDS_ALL),
    AT("barrier.count", "barriers and ends of runs", 64, 8, 2, WORDS_ALL),
    AT("run.origin", "barriers and ends of runs", 256, 0, 1, WORDS_ALL),
    AT("run.size", "barriers and ends of runs", 264, 0, 1, WORDS_ALL),
    AT("told.call", "barriers and ends of runs", 272, 24, 48, WORDS_ALL),
    AT("told.status", "barriers and ends of runs", 280, 24, 48, WORDS_ALL),
    AT("told.word", "barriers and ends of runs", 288, 24, 48, WORDS_REPLICA),
    AT("tree.up", "trees", 0, 8, 2, WORDS_ALL),
    AT("tree.down", "trees", 192, 0, 1, WORDS_ALL),
    AT("tree.share.call", "trees", 256, 0, 1, WORDS_ALL),
    AT("tree.share.status", "trees", 264, 0, 1, WORDS_ALL),
    AT("call.word", "calls", 0, 0, 1, WORDS_ALL),
    AT("call.waiting", "calls", 8, 0, 1, WORDS_ALL),
    AT("notice", "notice", 0, 8, 3, WORDS_ALL),
    AT("waits", "tasks that wait", 0, 8, UAT_PARK_KINDS, WORDS_ALL),
    AT("replica.info", "the attach info of a replica", 0, 8, 3, WORDS_REPLICA),
    IN_MEMOBJS("memobj.pid", pid),
    IN_MEMOBJS("memobj.fd", fd),
    IN_MEMOBJS("memobj.inode", inode),
    IN_MEMOBJS("memobj.bytes", bytes),
    IN_MEMOBJS("memobj.page", page),
    IN_MEMOBJS("memobj.key", key),
    AT("flow.claims", "ready entries of flows", offsetof(struct uat_flow_ring, ends[0].claims), 16, UAT_FLOW_RINGS,
       WORDS_FLOW),
    AT("flow.slot", "ready entries of flows", offsetof(struct uat_flow_ring, slot), 8, UAT_FLOW_SLOTS, WORDS_FLOW),
    IN_ENTRIES("flow.open", open),
    IN_ENTRIES("flow.shared", links.shared),
    IN_ENTRIES("flow.next", links.next[0]),
    IN_ENTRIES("flow.size", body.size),
    IN_CHUNKS("flow.waiter.where", waiter.where),
    IN_CHUNKS("flow.waiter.base", waiter.base),
    IN_STATES("ledger.bytes", bytes),
    IN_STATES("ledger.parts", parts),         /* and part_room */
    IN_STATES("ledger.part_last", part_last), /* and lines */
    IN_STATES("ledger.line_room", line_room), /* and guards */
    IN_CELLS("part.taken", taken[0][0].name, sizeof(struct uat_taken), UAT_CELLS *(UAT_CONTEXT_PARTS + 1)),
    IN_CELLS("part.given.result_size", given.result_size, 0, 1), /* and number */
    IN_CELLS("part.given.home", given.home, 0, 1),               /* and cell */
    IN_CELLS("part.given.begin", given.begin, 0, 1),             /* and end */
    IN_CELLS("request.slot", slot, 8, UAT_REQUEST_SLOTS),
    IN_CELLS("request.size", data[0].size, sizeof(struct uat_request_data), UAT_REQUEST_SLOTS),
    {"freed.head", find_freed_head, NULL, 0, 0, 1, WORDS_GLOBAL},
    {"freed.next", find_in_freed, NULL, 0, 0, 0, WORDS_GLOBAL},
    {"freed.kept", find_in_freed, NULL, 0, 1, 0, WORDS_GLOBAL},
    {"freed.state", find_in_freed, NULL, (size_t)-16, 0, 0, WORDS_GLOBAL},
    {"freed.class", find_in_freed, NULL, (size_t)-8, 0, 0, WORDS_GLOBAL},
};
const size_t words_count = sizeof(words) / sizeof(words[0]);

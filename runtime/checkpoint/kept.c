/* SPDX-License-Identifier: MIT */
#include "runtime/checkpoint/kept.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/checkpoint/state.h"
#include "runtime/job/self.h"
#include "runtime/job/stall.h"
#include "runtime/sched/park.h"
#include "runtime/segment/ghost.h"
#include "runtime/segment/heap.h"
#include "runtime/segment/record.h"
#include "runtime/segment/segment.h"
#include "runtime/sync/waitobj.h"

enum { HEAP_SHARE = 16 /* a chain that would take more than 1/HEAP_SHARE of the heap is not offered */ };

/* A record or block that a ghost had lent. address: as in its name. here: its place on this worker. */
struct lent {
    enum uat_section_kind kind;
    uint64_t address, whole;
    char *here;
};

struct kept {
    int rank;
    struct lent *lent;
    size_t count, room;
    struct uat_chain chain; /* sp is 0 once the chain was offered or has begun */
    char *stack;            /* the bytes of the chain's stacks */
};

static struct {
    struct kept *of;
    size_t count;
    size_t begun; /* all chains before this index were offered or have begun */
} kept;

static uint64_t *returned(const struct lent *lent)
{
    size_t offset = lent->kind == UAT_SECTION_RECORD ? offsetof(struct uat_record, returned) : 0;
    return (uint64_t *)(void *)(lent->here + offset);
}

static bool keep_lent(struct kept *k, const struct uat_section *section)
{
    struct uat_located home = uat_ghosts_locate(k->rank, section->address);
    struct uat_located last = uat_ghosts_locate(k->rank, section->address + section->whole - 1);
    if (home.rank != uat_self.rank || last.rank != uat_self.rank || last.address != home.address + section->whole - 1 ||
        section->whole < sizeof(struct uat_record) || section->address % 64 != 0)
        return false;
    if (k->count == k->room) {
        struct lent *larger = realloc(k->lent, (k->room = 2 * k->room + 16) * sizeof(*larger));
        if (!larger)
            return false;
        k->lent = larger;
    }
    k->lent[k->count++] = (struct lent){section->kind, section->address, section->whole, (char *)home.address};
    uat_section_put(section, (char *)home.address);
    return true;
}

static bool keep_stack(struct kept *k, const struct uat_section *section)
{
    if (!uat_state_has_stack(section, &k->chain))
        return false;
    k->stack = malloc(section->whole);
    if (k->stack)
        uat_section_put(section, k->stack);
    return k->stack;
}

static bool keep(struct kept *k, const struct uat_section *section)
{
    switch (section->kind) {
    case UAT_SECTION_RECORD:
    case UAT_SECTION_BLOCK:
        return keep_lent(k, section);
    case UAT_SECTION_COUNTS:
        return uat_state_add_counts(section);
    case UAT_SECTION_CHAIN:
        return uat_state_take_chain(section, &k->chain);
    case UAT_SECTION_STACK:
        return keep_stack(k, section);
    default:
        return uat_state_restore_room(k->rank, section);
    }
}

/* Offer the ghost's chain to all workers, if the heap has room. */
static void offer(struct kept *k)
{
    size_t size = k->stack ? uat_chain_base(&k->chain, 0) - k->chain.sp : 0,
           entries = k->chain.count * sizeof(uintptr_t);
    size_t bytes = size + sizeof(uint64_t) + entries;
    struct uat_block *block = NULL;
    if (size > 0 && k->chain.join == 0 && bytes <= uat_segment.heap_size / HEAP_SHARE)
        block = uat_heap_get(&uat_heap, bytes);
    if (!block)
        return;
    char *to = uat_block_stack(block);
    ((struct uat_parked *)block)->kind = UAT_PARK_NONE;
    memcpy(to, k->stack, size);
    memcpy(to + size, &k->chain.count, sizeof(uint64_t));
    memcpy(to + size + sizeof(uint64_t), k->chain.entries, entries);
    uint64_t name = (uint64_t)uat_self.rank << 48 | (uintptr_t)block | UAT_READY_CHAIN;
    const struct uat_ready_task task = {.sp = k->chain.sp, .base = uat_chain_base(&k->chain, 0), .where = name};
    if (uat_ready_push(&uat_parking.ready, &task))
        uat_park_no_memory();
    uat_parking.seen = true;
    uat_notice_begin(uat_stall_notice()); /* K8 */
    k->chain.sp = 0;
}

int uat_kept_restore(int rank, struct uat_sections_in *in)
{
    const struct uat_section *section;
    struct kept *larger = realloc(kept.of, (kept.count + 1) * sizeof(*larger));
    if (!larger)
        return uat_sections_refuse(in, "there is no memory for it");
    kept.of = larger;
    struct kept *k = &kept.of[kept.count++];
    *k = (struct kept){.rank = rank};
    while ((section = uat_sections_next(in)))
        if (!keep(k, section))
            return uat_sections_refuse(in, "it names an address or a size that this job does not have");
    if ((k->chain.count != 0) != (k->stack != NULL))
        return uat_sections_refuse(in, "a stack is missing");
    offer(k);
    return 0;
}

void uat_kept_add_names(void)
{
    for (size_t i = 0; i < kept.count; i++)
        for (size_t j = 0; j < kept.of[i].count; j++) {
            const struct lent *lent = &kept.of[i].lent[j];
            if (lent->kind == UAT_SECTION_BLOCK &&
                ((const struct uat_parked *)(const void *)lent->here)->kind == UAT_PARK_NAME)
                uat_sync_add_name(kept.of[i].rank, lent->address, lent->here);
        }
}

void uat_kept_used(struct uat_used *used)
{
    for (size_t i = 0; i < kept.count; i++)
        for (size_t j = 0; j < kept.of[i].count; j++) {
            const struct lent *lent = &kept.of[i].lent[j];
            uint64_t end = uat_ghosts_offset(kept.of[i].rank, lent->address) + lent->whole;
            if (lent->kind == UAT_SECTION_BLOCK)
                uat_used_raise(&used->heap, end - uat_ghosts.heap);
            else
                uat_used_raise(&used->records, end);
        }
}

void uat_kept_save(struct uat_sections_out *out, int rank)
{
    struct kept *k = kept.of;
    while (k->rank != rank)
        k++;
    size_t left = 0;
    for (size_t i = 0; i < k->count; i++) {
        /* Relaxed: all workers have stopped and have since met in a barrier. Pairs with uat_keeper_give_back(). */
        if (__atomic_load_n(returned(&k->lent[i]), __ATOMIC_RELAXED))
            continue;
        k->lent[left++] = k->lent[i];
        uat_sections_add(out, k->lent[i].kind, k->lent[i].address, k->lent[i].here, k->lent[i].whole);
    }
    k->count = left;
    if (k->chain.sp)
        uat_state_save_chain(out, &k->chain, k->stack);
}

bool uat_kept_any(void)
{
    while (kept.begun < kept.count && kept.of[kept.begun].chain.sp == 0)
        kept.begun++;
    return kept.begun < kept.count;
}

const struct uat_chain *uat_kept_next(void)
{
    static struct uat_chain chain;
    if (!uat_kept_any())
        return NULL;
    struct kept *k = &kept.of[kept.begun];
    chain = k->chain;
    memcpy((void *)chain.sp, k->stack, uat_chain_base(&chain, 0) - chain.sp);
    k->chain.sp = 0;
    return &chain;
}

void uat_kept_free(void)
{
    for (size_t i = 0; i < kept.count; i++) {
        free(kept.of[i].lent);
        free(kept.of[i].chain.entries);
        free(kept.of[i].stack);
    }
    free(kept.of);
    memset(&kept, 0, sizeof(kept));
}

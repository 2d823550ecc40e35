/* SPDX-License-Identifier: MIT */
/*
 * Words that tasks change concurrently. Each word has one domain of atomicity: its home's adapter or, where the
 * transport has none, the CPUs (bulk.h, B5). A CPU may load these words at any time.
 */
#include "base/virtual.h"
#include "runtime/global/arena.h"
#include "runtime/global/hosts.h"
#include "runtime/global/array.h"
#include "runtime/global/link.h"
#include "runtime/job/fatal.h"

/* Check that the word is aligned, lies in an array and may be changed; return its home. */
static struct uat_home check(const char *call, const uat_atomic_t *word, bool changes)
{
    uintptr_t at = (uintptr_t)word;
    if (at % 8)
        uat_fatal("%s: %p is not aligned to 8 bytes", call, (const void *)word);
    const struct uat_array *a = uat_array_check(call, at, 8);
    if (changes)
        uat_array_refuse_frozen(call, a, at, 8);
    return uat_array_home(a, at);
}

static bool is_near_cpu(const struct uat_home *home)
{
    return home->near && uat_links.bulk->class_->cpu_atomics;
}

static uint64_t post(const uat_atomic_t *word, const struct uat_home *home, struct uat_bulk_op op, uint64_t *local)
{
    const struct uat_bulk_key *key = &uat_array_of((uintptr_t)word)->memobj[home->host].key;
    op.bytes = 8;
    op.local = local;
    op.remote = key->base + home->offset;
    op.rkey = key->rkey;
    return uat_link_post(home->host, &op);
}

static uint64_t do_far(const uat_atomic_t *word, const struct uat_home *home, struct uat_bulk_op op)
{
    if (op.code != UAT_OP_READ) /* B2: without this wait, two atomics have no order */
        uat_link_await_additions(home->host);
    uat_link_wait(home->host, post(word, home, op, &uat_arena.landing[1]));
    return uat_arena.landing[1];
}

uint64_t uat_atomic_fetch_add_elsewhere(uat_atomic_t *word, uint64_t addend)
{
    struct uat_home home = check("uat_atomic_fetch_add()", word, true);
    /* Release and acquire, here and below: global.h says what they order. */
    if (is_near_cpu(&home))
        return __atomic_fetch_add(&word->value, addend, __ATOMIC_ACQ_REL);
    return do_far(word, &home, (struct uat_bulk_op){.code = UAT_OP_FETCH_ADD, .operand = addend});
}

uint64_t uat_atomic_cmp_swap_elsewhere(uat_atomic_t *word, uint64_t expected, uint64_t desired)
{
    struct uat_home home = check("uat_atomic_cmp_swap()", word, true);
    if (is_near_cpu(&home)) {
        __atomic_compare_exchange_n(&word->value, &expected, desired, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
        return expected;
    }
    return do_far(word, &home, (struct uat_bulk_op){.code = UAT_OP_CMP_SWAP, .operand = desired, .compare = expected});
}

uint64_t uat_atomic_load_elsewhere(const uat_atomic_t *word)
{
    struct uat_home home = check("uat_atomic_load()", word, false);
    /* A CPU may load a word that adapters change. In virtual time the word is READ, because a loop of loads must let
     * time pass. If another adapter of this host changes the word, a completion from this worker's adapter does not
     * imply that the change is in memory. So such a word is READ, too. The READ goes through the other adapter, and
     * follows this worker's additions (B2). */
    if (home.host == uat_hosts.own && !UAT_IS_VIRTUAL()) {
        uat_link_await_additions(home.host); /* else the CPU's load may precede them */
        /* Acquire: pairs with any worker's atomic on this word, by an adapter (B5). */
        return uat_cpu_load_acquire(&word->value);
    }
    return do_far(word, &home, (struct uat_bulk_op){.code = UAT_OP_READ});
}

void uat_atomic_add_elsewhere(uat_atomic_t *word, uint64_t addend)
{
    struct uat_home home = check("uat_atomic_add()", word, true);
    if (is_near_cpu(&home)) {
        __atomic_fetch_add(&word->value, addend, __ATOMIC_ACQ_REL);
        return;
    }
    const struct uat_bulk_op op = {.code = UAT_OP_FETCH_ADD, .operand = addend};
    uat_link_note_addition(home.host, post(word, &home, op, &uat_arena.landing[2]));
}

/* Set a word by CMP_SWAP, and return its old value. A CPU must not store to a word that adapters change, and CMP_SWAP
 * is the only atomic of an adapter that sets a word. */
static uint64_t swap(const char *call, uat_atomic_t *word, uint64_t desired)
{
    check(call, word, true);
    uint64_t old = uat_atomic_load_elsewhere(word), found;
    while ((found = uat_atomic_cmp_swap_elsewhere(word, old, desired)) != old)
        old = found;
    return old;
}

uint64_t uat_atomic_swap_elsewhere(uat_atomic_t *word, uint64_t desired)
{
    return swap("uat_atomic_swap()", word, desired);
}

void uat_atomic_store_elsewhere(uat_atomic_t *word, uint64_t desired)
{
    swap("uat_atomic_store()", word, desired);
}

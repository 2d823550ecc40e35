/* SPDX-License-Identifier: MIT */
/*
 * Names of channels and mutexes. Each worker has a table of lists. A hash of the name determines the list. A node of a
 * list is a block of the evacuation heap of the worker that made the object.
 *
 *   N1  Only CMP_SWAPs by the adapter or the CPU of the home (O6) change the head of a list. Nodes are only added, in
 *       front.
 *   N2  A node is complete before the CMP_SWAP that adds it, and never changes after it, until uat_finalize().
 *   N3  A worker adds a node only if no node from the expected head on has the new node's name and kind. So there is
 *       one node per name and kind.
 *
 * Model: tests/model/named.pml.
 */
#include <inttypes.h>
#include <string.h>

#include "base/cpu.h"
#include "base/delay.h"
#include "base/word.h"
#include "include/uat/channel.h"
#include "include/uat/lock.h"
#include "include/uat/sync.h"
#include "runtime/job/fatal.h"
#include "runtime/task/worker.h"
#include "runtime/segment/heap.h"
#include "runtime/segment/segment.h"
#include "runtime/sync/waitobj.h"

enum {
    LISTS = 64, /* number of lists of a worker */
    KNOWN = 16  /* maximum number of named mutexes whose handles a worker keeps */
};
#define MUTEX UINT64_MAX /* the `size` of a mutex's node; a channel's is at most UAT_RESULT_MAX */

struct node {
    uint64_t next; /* name of the next node, or 0 */
    uint64_t object, size, capacity;
    char name[UAT_CHANNEL_NAME_MAX + 1];
};
_Static_assert(sizeof(struct node) == UAT_SYNC_NODE, "there is room for it in the staging area");

static struct uat_area lists = {
    .name = "names of channels", .size = LISTS * sizeof(uint64_t), .peers = UAT_PEERS_CHANGE, .striped = true};

/* Mutexes that this worker has named; a hash of the name gives its place. A name that is known needs no round trip. */
static struct known {
    uint64_t object; /* 0: none */
    char name[UAT_CHANNEL_NAME_MAX + 1];
} known[KNOWN];

void uat_sync_reserve_names(void)
{
    uat_segment_reserve(&lists);
    memset(known, 0, sizeof(known)); /* the mutexes of an earlier uat_init() are gone */
}

/* The head of a list, and the rank where the head is. */
struct list {
    int rank;
    uint64_t *head;
};

/* FNV-1a (Fowler, Noll, Vo). */
static uint64_t hash_of(const char *name)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (const char *c = name; *c; c++)
        hash = (hash ^ (unsigned char)*c) * UINT64_C(1099511628211);
    return hash;
}

static struct list list_of(const char *name)
{
    uint64_t hash = hash_of(name);
    int rank = (int)((hash >> 32) % (uint64_t)uat_self.size);
    return (struct list){rank, (uint64_t *)uat_segment_of(rank, lists.at) + hash % LISTS};
}

/* May this CPU use its own atomics on the list? The list lies outside of the heap. */
static bool is_near(const struct list *list)
{
    return list->rank == uat_self.rank && uat_self.near_size > 0;
}

static uint64_t head_of(const struct list *list)
{
    if (is_near(list)) /* Acquire: orders this load before the loads of the nodes; pairs with add() */
        return uat_cpu_load_acquire(list->head);
    struct uat_op op = uat_op_read(&uat_sync_staging()->word, list->head, sizeof(uint64_t));
    uat_waitobj_do((uint64_t)list->rank << 48, &op, 1);
    return uat_sync_staging()->word;
}

/* If the head is `expected`, set the head to `node` (N1). Returns whether the head was set. */
static bool add(const struct list *list, uint64_t expected, uint64_t node)
{
    uat_delay();
    if (is_near(list)) /* a release: the node is complete before the swap (N2); pairs with head_of() and node_at() */
        return __atomic_compare_exchange_n(list->head, &expected, node, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    /* A post is a release, too: the node is complete before the swap (N2). Pairs with head_of() and node_at(). */
    struct uat_op op = uat_op_cmp_swap(&uat_sync_staging()->old, list->head, expected, node);
    uat_waitobj_do((uint64_t)list->rank << 48, &op, 1);
    return uat_sync_staging()->old == expected;
}

/* The node of this name, READ if it is far. Valid until the next call. */
static const struct node *node_at(uint64_t name)
{
    struct node *here = (struct node *)(void *)uat_sync_staging()->node, *there = (void *)uat_waitobj_address(name);
    if (!uat_park_is_block(name - UAT_HEAP_HEADER, sizeof(*here)))
        uat_word_refuse(-1, "the place of a channel's name", name);
    /* posted after the READ of the word that names the node has completed (O7) */
    uat_waitobj_read(name, here, there, sizeof(*here));
    here->name[UAT_CHANNEL_NAME_MAX] = 0;
    return here;
}

/* The node of this name in the list from `first` up to `last`, or NULL. size: MUTEX, or a channel's. */
static const struct node *find(const char *name, uint64_t size, uint64_t first, uint64_t last)
{
    const struct node *node;
    for (uint64_t at = first; at != last; at = node->next) {
        if (at == 0)
            uat_word_refuse(-1, "the list of channels' names", first);
        node = node_at(at);
        if (strcmp(node->name, name) == 0 && (node->size == MUTEX) == (size == MUTEX))
            return node;
    }
    return NULL;
}

static uint64_t found(const struct node *node, const char *name, size_t size, size_t capacity)
{
    if (node->size != size || node->capacity != capacity)
        uat_fatal("uat_channel_named(): the channel \"%s\" has %" PRIu64 " values of %" PRIu64
                  " bytes; it was named for %zu values of %zu bytes",
                  name, node->capacity, node->size, capacity, size);
    return node->object;
}

static struct node *make(const char *name, size_t size, size_t capacity)
{
    struct uat_block *block = uat_heap_get(&uat_heap, sizeof(struct node));
    if (!block)
        uat_fatal("UAT_HEAP_SIZE=%zuk leaves no room for the name \"%s\"; set it to %zuk or more",
                  uat_segment.heap_size >> 10, name, uat_heap_advice(sizeof(struct node)));
    struct node *node = uat_block_stack(block);
    ((struct uat_parked *)block)->kind = UAT_PARK_NAME;
    ((struct uat_parked *)block)->holder = !uat_worker.running;
    uint64_t object = size == MUTEX ? uat_mutex_create().object : uat_channel_create(size, capacity).object;
    *node = (struct node){.object = object, .size = size, .capacity = capacity};
    memcpy(node->name, name, strlen(name));
    return node;
}

static void undo(struct node *node)
{
    if (node->size == MUTEX)
        uat_mutex_destroy((uat_mutex_t){node->object});
    else
        uat_channel_destroy((uat_channel_t){node->object, node->size});
    uat_heap_put(&uat_heap, (struct uat_block *)(void *)((char *)node - UAT_HEAP_HEADER));
}

void uat_sync_forget_names(void)
{
    memset(known, 0, sizeof(known));
    memset(lists.at, 0, lists.size); /* a barrier follows, before the peers' CMP_SWAPs in uat_sync_add_name() */
}

void uat_sync_add_name(int rank, uint64_t address, void *here)
{
    struct node *node = (struct node *)(void *)((char *)here + UAT_HEAP_HEADER);
    node->name[UAT_CHANNEL_NAME_MAX] = 0;
    const struct list list = list_of(node->name);
    do
        node->next = head_of(&list);
    while (!add(&list, node->next, (uint64_t)rank << 48 | (address + UAT_HEAP_HEADER)));
}

static void check_name(const char *name, const char *what)
{
    if (!uat_self.transport)
        uat_fatal("%s was called outside of uat_init() and uat_finalize()", what);
    if (!name || strlen(name) == 0 || strlen(name) > UAT_CHANNEL_NAME_MAX)
        uat_fatal("%s: a name has 1 to %d bytes", what, UAT_CHANNEL_NAME_MAX);
}

/* Find or make the object of this name. size: MUTEX, or a channel's. Returns the object. */
static uint64_t object_of(const char *name, size_t size, size_t capacity)
{
    const struct list list = list_of(name);
    uint64_t head = head_of(&list), seen = 0;
    const struct node *other = find(name, size, head, 0);
    if (other)
        return found(other, name, size, capacity);
    struct node *node = make(name, size, capacity);
    while (!other) {
        node->next = head;
        if (add(&list, head, (uint64_t)uat_self.rank << 48 | (uintptr_t)node))
            return node->object;
        seen = head;
        head = head_of(&list);
        other = find(name, size, head, seen); /* search only the nodes that other workers have added since (N3) */
    }
    undo(node);
    return found(other, name, size, capacity);
}

uat_channel_t uat_channel_named(const char *name, size_t size, size_t capacity)
{
    check_name(name, "uat_channel_named()");
    if (size == MUTEX)
        uat_channel_create(size, capacity); /* ends the job */
    return (uat_channel_t){object_of(name, size, capacity), size};
}

uat_mutex_t uat_mutex_named(const char *name)
{
    check_name(name, "uat_mutex_named()");
    struct known *k = &known[hash_of(name) % KNOWN];
    if (k->object == 0 || strcmp(k->name, name) != 0) {
        k->object = object_of(name, MUTEX, 0);
        memcpy(k->name, name, strlen(name) + 1);
    }
    return (uat_mutex_t){k->object};
}

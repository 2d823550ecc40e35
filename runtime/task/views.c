/* SPDX-License-Identifier: MIT */
#include "runtime/task/stacks.h"
#include "base/kernel.h"
#include "runtime/task/views.h"

#include <string.h>
#include <sys/mman.h>

#include "runtime/job/fatal.h"
#include "runtime/task/worker.h"
#include "runtime/segment/heap.h"
#include "runtime/segment/segment.h"

enum { STACK_LEFT = 16 << 10 /* bytes of stack that must stay free below views */ };

/* A view. Views lie one after the other, in `views` and in flat form. */
struct view {
    const void *key; /* NULL: its room is free */
    const uat_reduction_t *operations;
    uint64_t room; /* bytes of `value`, a multiple of UAT_VIEWS_ALIGN */
    _Alignas(UAT_VIEWS_ALIGN) char value[];
};

/* The running strand's views. The memory does not move, because the program holds addresses of views. */
static struct {
    char *memory;
    size_t used; /* bytes, including those of free rooms */
} views;

size_t uat_views_bytes;
UAT_KERNEL(uat_views_bytes);
bool uat_views_seen;
struct uat_view_slot uat_view_slots[UAT_VIEW_SLOTS];

static struct view *next_of(const struct view *view)
{
    return (struct view *)(void *)((char *)(uintptr_t)view->value + view->room);
}

static size_t size_of(const struct view *view)
{
    return sizeof(*view) + view->room;
}

static struct view *first(void)
{
    return (struct view *)(void *)views.memory;
}

static const struct view *end(void)
{
    return (const struct view *)(const void *)(views.memory + views.used);
}

static _Noreturn void refuse_key(const void *key)
{
    uat_fatal("two reducers have the key %p; take the value of a local reducer before its variable's life ends", key);
}

/* The view of this key, or NULL. */
static struct view *find(const void *key, const uat_reduction_t *operations)
{
    for (struct view *view = first(); view < end(); view = next_of(view)) {
        if (view->key != key)
            continue;
        if (view->operations != operations)
            refuse_key(key);
        return view;
    }
    return NULL;
}

/* A free room of this size, or a new one. */
static struct view *make_room(size_t room)
{
    for (struct view *view = first(); view < end(); view = next_of(view))
        if (!view->key && view->room == room)
            return view;
    size_t most = uat_segment.heap_size;
    if (!views.memory) {
        void *memory = mmap(NULL, most, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED)
            uat_fatal("no memory for the views of reducers");
        views.memory = memory;
    }
    if (room > most || views.used + sizeof(struct view) + room > most)
        uat_fatal("UAT_HEAP_SIZE=%zuk leaves no room for a reducer's view of %zu bytes; set it to %zuk or more",
                  most >> 10, room, uat_heap_advice(room));
    struct view *view = (struct view *)(void *)(views.memory + views.used);
    view->room = room;
    views.used += size_of(view);
    return view;
}

static struct view *make(const void *key, const uat_reduction_t *operations, const void *value)
{
    struct view *view = make_room((operations->size + UAT_VIEWS_ALIGN - 1) / UAT_VIEWS_ALIGN * UAT_VIEWS_ALIGN);
    view->key = key;
    view->operations = operations;
    memcpy(view->value, value, operations->size);
    uat_views_bytes += size_of(view);
    uat_views_seen = true;
    return view;
}

static void clear(void)
{
    memset(uat_view_slots, 0, sizeof(uat_view_slots));
    views.used = uat_views_bytes = 0;
}

static void forget(struct view *view)
{
    struct uat_view_slot *slot = uat_view_slot_of(view->key);
    if (slot->key == view->key)
        slot->key = NULL;
    view->key = NULL;
    uat_views_bytes -= size_of(view);
    if (uat_views_bytes == 0)
        clear();
}

static void check_task(const char *call)
{
    if (!uat_worker.running)
        uat_fatal("%s was called outside of a task; only the root of uat_run() and its descendants have views", call);
}

/* A constructor of C++ calls this before main(), too. */
void uat_reducer_begin(uat_reducer_t *reducer, const uat_reduction_t *operations)
{
    *reducer = (uat_reducer_t){reducer, operations};
    for (struct view *view = first(); view < end(); view = next_of(view))
        if (view->key == reducer) { /* a view of a variable whose lifetime has ended */
            forget(view);
            return;
        }
}

void *uat_reducer_find(const uat_reducer_t *reducer)
{
    check_task("uat_reducer_view()");
    struct view *view = find(reducer->key, reducer->operations);
    if (!view)
        view = make(reducer->key, reducer->operations, reducer->operations->identity);
    *uat_view_slot_of(reducer->key) = (struct uat_view_slot){reducer->key, view->value};
    return view->value;
}

void uat_refuse_identity(const char *name)
{
    uat_fatal(
        "%s: combine(identity, identity) is not the identity, so the result would depend on the number of parts; "
        "give UAT_REDUCE() and UAT_REDUCER() the neutral value of the operation, and combine an initial value with "
        "the result",
        name);
}

void uat_reducer_take(const uat_reducer_t *reducer, void *value)
{
    check_task("uat_reducer_take()");
    struct view *view = find(reducer->key, reducer->operations);
    memcpy(value, view ? view->value : reducer->operations->identity, reducer->operations->size);
    if (view)
        forget(view);
}

int uat_reducer_is_empty(const uat_reducer_t *reducer)
{
    return uat_views_bytes == 0 || !find(reducer->key, reducer->operations);
}

size_t uat_views_size(void)
{
    if (uat_views_bytes != 0) /* the caller is about to make room for them on its stack */
        uat_views_check_stack(uat_views_bytes);
    return uat_views_bytes;
}

void uat_views_put_aside(void *flat)
{
    char *to = flat;
    if (uat_views_bytes == 0)
        return;
    for (const struct view *view = first(); view < end(); view = next_of(view))
        if (view->key) {
            memcpy(to, view, size_of(view));
            to += size_of(view);
        }
    clear();
}

void uat_views_add(const void *flat, size_t size)
{
    const struct view *right = flat;
    for (size_t left = size; left > 0; left -= size_of(right), right = next_of(right)) {
        struct view *own = find(right->key, right->operations);
        if (own)
            right->operations->combine(own->value, right->value, NULL);
        else
            make(right->key, right->operations, right->value);
    }
}

void uat_views_drop(void)
{
    clear();
}

void uat_views_reset(void)
{
    clear();
    if (views.memory)
        munmap(views.memory, uat_segment.heap_size);
    views.memory = NULL;
}

/* Check that views of `size` bytes fit onto this task's stack. The views may be larger than the guard below the stack,
 * so an overflow could skip the guard. */
void uat_views_check_stack(size_t size)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    uat_stacks_check_room(here, size + STACK_LEFT, "a list of views");
    if (size + STACK_LEFT > here - uat_segment.low)
        uat_fatal("views of %zu bytes do not fit on the task stacks, UAT_STACK_SIZE=%zu; set it to %zu or more", size,
                  uat_segment_region_size(), uat_segment_region_size() + size + STACK_LEFT);
}

int uat_views_suspend(struct uat_park *wait)
{
    size_t size = uat_views_bytes;
    uat_views_check_stack(size);
    _Alignas(UAT_VIEWS_ALIGN) char own[size];
    uat_views_put_aside(own);
    int rc = uat_suspend(wait);
    uat_views_add(own, size);
    return rc;
}

int uat_views_suspend_word(struct uat_park *wait, uint64_t value, void *to)
{
    size_t size = uat_views_bytes;
    uat_views_check_stack(size);
    _Alignas(UAT_VIEWS_ALIGN) char own[size];
    uat_views_put_aside(own);
    int rc = uat_suspend_word(wait, value, to);
    uat_views_add(own, size);
    return rc;
}

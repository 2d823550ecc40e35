/* SPDX-License-Identifier: MIT */
/*
 * Channels. A channel is a ring of values at its home, and one queue. Receivers wait in the queue while the ring is
 * empty, and senders wait in it while the ring is full. A waiting sender keeps its value in its stack, and the receiver
 * READs the value from there. If a receiver waits, a sender WRITEs its value into the receiver's stack.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/word.h"
#include "include/uat/channel.h"
#include "runtime/global/global.h"
#include "runtime/segment/frame.h"
#include "runtime/segment/segment.h"
#include "runtime/sync/channel.h"
#include "runtime/sync/waitobj.h"
#include "runtime/job/fatal.h"
#include "runtime/job/self.h"

enum { FIRST, COUNT, CAPACITY, FLAGS }; /* indices of struct uat_waitobj's words; FLAGS also has a value's size */
enum {
    CLOSED = 1,
    SENDERS = 2, /* the waiters are senders */
    ORDER_SHIFT = 2,
    ORDER_BITS = 6, /* the block has 2^order units; this bounds CAPACITY, which peers may have overwritten */
    SIZE_SHIFT = ORDER_SHIFT + ORDER_BITS
};

/* Bytes that a block of this order has for values. */
static size_t room_of(unsigned order)
{
    return ((size_t)UAT_HEAP_UNIT << order) - UAT_HEAP_HEADER - sizeof(struct uat_waitobj);
}

/* Check the words that say where values are, because any worker may have written them. */
static void check_words(const struct uat_waitobj *o, uint64_t size)
{
    unsigned order = o->word[FLAGS] >> ORDER_SHIFT & ((1u << ORDER_BITS) - 1);
    uint64_t capacity = o->word[CAPACITY],
             values = order < UAT_HEAP_ORDERS ? room_of(order) / (size ? uat_round8(size) : 1) : 0;
    if (capacity > values && size)
        uat_word_refuse(uat_waitobj_held_rank(), "the capacity of a channel", capacity);
    if (o->word[FIRST] >= capacity && o->word[FIRST])
        uat_word_refuse(uat_waitobj_held_rank(), "the first place of a channel", o->word[FIRST]);
    if (o->word[COUNT] > capacity)
        uat_word_refuse(uat_waitobj_held_rank(), "the number of values in a channel", o->word[COUNT]);
}

uat_channel_t uat_channel_create(size_t size, size_t capacity)
{
    if (size > uat_segment.result_max && uat_self.transport)
        uat_fatal("a channel of values of %zu bytes: they are larger than UAT_RESULT_MAX=%zu; set it to %zu or more",
                  size, uat_segment.result_max, (size + 7) / 8 * 8);
    size_t bytes;
    if (__builtin_mul_overflow(uat_round8(size), capacity, &bytes))
        bytes = SIZE_MAX; /* no block has room for that */
    unsigned order = 0;
    while (order < UAT_HEAP_ORDERS && room_of(order) < bytes)
        order++;
    const uint64_t word[4] = {
        [CAPACITY] = capacity, [FLAGS] = (uint64_t)size << SIZE_SHIFT | (uint64_t)order << ORDER_SHIFT};
    return (uat_channel_t){uat_waitobj_create(UAT_PARK_RECEIVE, bytes, word), size};
}

void uat_channel_check(uat_channel_t c, const char *what)
{
    uint64_t flags = uat_waitobj_held()->word[FLAGS], size = flags >> SIZE_SHIFT;
    if (size > uat_segment.result_max)
        uat_word_refuse(uat_waitobj_held_rank(), "the size of values in a channel", flags);
    if (size != c.size)
        uat_fatal("%s: a handle for values of %" PRIu64 " bytes on channel %" PRIx64 " of rank %d of values of %" PRIu64
                  " bytes",
                  what, c.size, c.object & ((UINT64_C(1) << 48) - 1), uat_waitobj_rank(c.object), size);
    check_words(uat_waitobj_held(), size);
}

static struct uat_waitobj *take(uat_channel_t c, const char *what)
{
    struct uat_waitobj *o = uat_waitobj_take(c.object, UAT_PARK_RECEIVE, what);
    uat_channel_check(c, what);
    return o;
}

/* The address of value i, counted from the oldest. */
static char *place_of(uat_channel_t c, uint64_t i)
{
    const struct uat_waitobj *o = uat_waitobj_held();
    uint64_t at = o->word[FIRST] + i;
    at = at < o->word[CAPACITY] ? at : at - o->word[CAPACITY];
    return uat_waitobj_address(c.object)->data + at * uat_round8(c.size);
}

/* Append the staged value to the ring. The guard must be held, and the ring must have room. */
static void append(uat_channel_t c)
{
    struct uat_waitobj *o = uat_waitobj_held();
    uat_waitobj_write(c.object, uat_sync_staging()->value, place_of(c, o->word[COUNT]), c.size);
    o->word[COUNT]++;
}

enum uat_channel_outcome uat_channel_send_now(uat_channel_t c)
{
    struct uat_waitobj *o = uat_waitobj_held();
    struct uat_waking waking;
    if (o->word[FLAGS] & CLOSED) {
        uat_waitobj_leave(c.object, 0);
        return UAT_CHANNEL_SHUT;
    }
    if (!(o->word[FLAGS] & SENDERS) && uat_waitobj_unqueue(&waking)) {
        uat_waitobj_leave(c.object, 0);
        uat_waitobj_wake(&waking, UAT_PARK_RECEIVE, 0, uat_sync_staging()->value, c.size);
        return UAT_CHANNEL_DONE;
    }
    if (o->word[COUNT] == o->word[CAPACITY])
        return UAT_CHANNEL_MUST_WAIT;
    append(c);
    uat_waitobj_leave(c.object, 0);
    return UAT_CHANNEL_DONE;
}

static void leave_empty_handed(uat_channel_t c)
{
    uat_waitobj_leave(c.object, 0);
    uat_waitobj_poll_failed();
}

int uat_channel_try_send(uat_channel_t c, const void *value)
{
    take(c, "uat_channel_try_send()");
    uat_waitobj_copy(uat_sync_staging()->value, value, c.size);
    enum uat_channel_outcome outcome = uat_channel_send_now(c);
    if (outcome == UAT_CHANNEL_MUST_WAIT)
        leave_empty_handed(c);
    return outcome == UAT_CHANNEL_DONE ? 0 : outcome == UAT_CHANNEL_SHUT ? -EPIPE : -EAGAIN;
}

/* Wait to send a value whose size is not 8 bytes. A separate function, so that the common case needs no frame. */
static __attribute__((noinline)) int send_large(uat_channel_t c, const void *value)
{
    uint64_t reply[1 + c.size / 8 + 1];
    memcpy(reply + 1, value, c.size);
    uat_waitobj_wait(c.object, UAT_PARK_SEND, reply);
    return -(int)reply[0];
}

int uat_channel_send(uat_channel_t c, const void *value)
{
    struct uat_waitobj *o = take(c, "uat_channel_send()");
    uat_waitobj_copy(uat_sync_staging()->value, value, c.size);
    enum uat_channel_outcome outcome = uat_channel_send_now(c);
    if (outcome != UAT_CHANNEL_MUST_WAIT)
        return outcome == UAT_CHANNEL_DONE ? 0 : -EPIPE;
    o->word[FLAGS] |= SENDERS;
    if (c.size != 8)
        return send_large(c, value);
    uint64_t word;
    memcpy(&word, value, sizeof(word));
    return uat_waitobj_wait_word(c.object, UAT_PARK_SEND, word, NULL);
}

enum uat_channel_outcome uat_channel_receive_now(uat_channel_t c)
{
    struct uat_waitobj *o = uat_waitobj_held();
    struct uat_waking waking;
    bool stored = o->word[COUNT] > 0, sender = (o->word[FLAGS] & SENDERS) && uat_waitobj_unqueue(&waking);
    if (!o->head)
        o->word[FLAGS] &= ~(uint64_t)SENDERS;
    if (!stored && !sender) {
        if (!(o->word[FLAGS] & CLOSED))
            return UAT_CHANNEL_MUST_WAIT;
        uat_waitobj_leave(c.object, 0);
        return UAT_CHANNEL_SHUT;
    }
    if (stored) {
        /* The sender that has waited longest can now send. The ring was full, so the new value goes to the place that
         * the oldest value had. */
        char *place = place_of(c, 0), *staged = uat_sync_staging()->value;
        uint64_t oldest[1 + c.size / 8];
        uat_waitobj_read(c.object, staged, place, c.size);
        uat_waitobj_copy(oldest, staged, c.size);
        if (sender) {
            uat_waitobj_read(waking.name, staged, uat_waitobj_reply(&waking, c.size), c.size);
            uat_waitobj_write(c.object, staged, place, c.size);
            uat_waitobj_copy(staged, oldest, c.size);
        } else
            o->word[COUNT]--;
        o->word[FIRST] = o->word[FIRST] + 1 == o->word[CAPACITY] ? 0 : o->word[FIRST] + 1;
    } else
        uat_waitobj_read(waking.name, uat_sync_staging()->value, uat_waitobj_reply(&waking, c.size), c.size);
    uat_waitobj_leave(c.object, 0);
    if (sender)
        uat_waitobj_wake(&waking, UAT_PARK_SEND, 0, NULL, 0);
    return UAT_CHANNEL_DONE;
}

int uat_channel_try_receive(uat_channel_t c, void *value)
{
    take(c, "uat_channel_try_receive()");
    enum uat_channel_outcome outcome = uat_channel_receive_now(c);
    if (outcome == UAT_CHANNEL_MUST_WAIT)
        leave_empty_handed(c);
    if (outcome == UAT_CHANNEL_DONE)
        uat_waitobj_copy(value, uat_sync_staging()->value, c.size);
    return outcome == UAT_CHANNEL_DONE ? 0 : outcome == UAT_CHANNEL_SHUT ? -EPIPE : -EAGAIN;
}

/* Wait to receive a value whose size is not 8 bytes. A separate function for the same reason as send_large(). */
static __attribute__((noinline)) int receive_large(uat_channel_t c, void *value)
{
    uint64_t reply[1 + c.size / 8 + 1];
    uat_waitobj_wait(c.object, UAT_PARK_RECEIVE, reply);
    if (reply[0] == 0)
        memcpy(value, reply + 1, c.size);
    return -(int)reply[0];
}

int uat_channel_receive(uat_channel_t c, void *value)
{
    take(c, "uat_channel_receive()");
    enum uat_channel_outcome outcome = uat_channel_receive_now(c);
    if (outcome == UAT_CHANNEL_SHUT)
        return -EPIPE;
    if (outcome == UAT_CHANNEL_DONE) {
        uat_waitobj_copy(value, uat_sync_staging()->value, c.size);
        return 0;
    }
    return c.size == 8 ? uat_waitobj_wait_word(c.object, UAT_PARK_RECEIVE, 0, value) : receive_large(c, value);
}

void uat_channel_close(uat_channel_t c)
{
    struct uat_waitobj *o = take(c, "uat_channel_close()");
    enum uat_park_kind kind = o->word[FLAGS] & SENDERS ? UAT_PARK_SEND : UAT_PARK_RECEIVE;
    struct uat_waking waking;
    o->word[FLAGS] = (o->word[FLAGS] | CLOSED) & ~(uint64_t)SENDERS;
    uat_global_before_wait();            /* a release for the woken tasks, as in uat_waitobj_leave() */
    while (uat_waitobj_unqueue(&waking)) /* under the guard: once the guard is free, a select may free its own block
                                          * (S7) */
        uat_waitobj_wake(&waking, kind, EPIPE, NULL, 0);
    uat_waitobj_leave(c.object, 0);
}

void uat_channel_queue(uint64_t waiter, bool sends)
{
    if (sends)
        uat_waitobj_held()->word[FLAGS] |= SENDERS;
    uat_waitobj_queue(waiter);
}

void uat_channel_remove(uint64_t waiter)
{
    struct uat_waitobj *o = uat_waitobj_held();
    uat_waitobj_remove(waiter);
    if (!o->head)
        o->word[FLAGS] &= ~(uint64_t)SENDERS;
}

void uat_channel_destroy(uat_channel_t c)
{
    uat_waitobj_destroy(c.object, UAT_PARK_RECEIVE, "uat_channel_destroy()");
}

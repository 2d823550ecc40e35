/* SPDX-License-Identifier: MIT */
/* Channels, and the select among them. The rules of uat/sync.h hold here, too. */
#ifndef UAT_CHANNEL_H
#define UAT_CHANNEL_H

#include "sync.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/*
 * A channel (Hoare's CSP, 1978; Go). It has room for `capacity` values of `size` bytes each (at most UAT_RESULT_MAX). A
 * channel of capacity 0 is a rendezvous: the sender waits for the receiver. Each value is received once, in the order
 * of sending.
 */
typedef struct uat_channel {
    uint64_t object;
    uint64_t size;
} uat_channel_t;

uat_channel_t uat_channel_create(size_t size, size_t capacity);
/*
 * Get the channel of this name. The first call makes the channel; later calls, by any task on any worker and in any
 * run, return the same channel. `name` has 1 to UAT_CHANNEL_NAME_MAX bytes and is copied. If size or capacity differ
 * from those of the first call, the job ends with a message. A call takes at least one round trip to the worker that
 * keeps the name, so keep the handle. uat_finalize() destroys the channel. After a uat_channel_destroy() by the
 * program, the name must not be used again.
 */
enum { UAT_CHANNEL_NAME_MAX = 63 };
uat_channel_t uat_channel_named(const char *name, size_t size, size_t capacity);
/* Send a value. Waits for room. Returns 0, or -EPIPE if the channel is closed or was closed while the task waited for
 * room. */
int uat_channel_send(uat_channel_t c, const void *value);
/* Receive a value. Waits until there is one. Returns 0, or -EPIPE if the channel is closed and empty. */
int uat_channel_receive(uat_channel_t c, void *value);
/* Send and receive without waiting. A send returns -EAGAIN if there is no room and no waiting receiver, and a receive
 * returns -EAGAIN if there is no value. Both return 0 and -EPIPE as the functions above do. */
int uat_channel_try_send(uat_channel_t c, const void *value);
int uat_channel_try_receive(uat_channel_t c, void *value);
/* Close the channel to further values. The values in it can still be received. Closing it twice is harmless. */
void uat_channel_close(uat_channel_t c);
void uat_channel_destroy(uat_channel_t c);

/*
 * Select (as in Go): wait until at least one of several sends and receives is possible, and do one possible operation.
 * If several are possible, one of them is chosen at random.
 */
typedef struct uat_case {
    uat_channel_t channel;
    int sends;   /* 1: send *value; 0: receive into *value */
    void *value; /* channel.size bytes; used only if this case is chosen */
    int status;  /* set only in the chosen case: 0, or -EPIPE, like the results of uat_channel_send() and
                  * uat_channel_receive() */
} uat_case_t;

enum { UAT_SELECT_MAX = 16 };

/*
 * Select among n cases, 1 to UAT_SELECT_MAX. Returns the index of the chosen case. `cases` must be in the task's own
 * frames, because the task may be resumed on another worker. No channel may be both in a case that sends and in a case
 * that receives. A channel may be destroyed only after all selects that name it have returned.
 */
int uat_select(uat_case_t *cases, int n);
/* uat_select() without waiting (Go's `default`): returns -EAGAIN if no case is possible now. */
int uat_try_select(uat_case_t *cases, int n);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

/*
 * UAT_CHANNEL(type, name) defines the handle name_channel, for values of one type, and
 *     name_channel name_create(size_t capacity), name_named(const char *, size_t capacity)
 *     int name_send(name_channel, type), name_try_send(name_channel, type)
 *     int name_receive(name_channel, type *), name_try_receive(name_channel, type *)
 *     void name_close(name_channel), name_destroy(name_channel)
 *     uat_case_t name_sends(name_channel, type *), name_receives(name_channel, type *): cases for uat_select()
 */
#include "detail/channel.h"

#endif

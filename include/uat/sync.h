/* SPDX-License-Identifier: MIT */
/*
 * What tasks wait for besides their children: futures, mutexes, conditions, semaphores, latches, barriers, channels.
 * They work between any two tasks of a run, on whatever workers these are. A task that waits leaves its worker, which
 * goes on with something else; once it is woken up, any idle worker resumes it.
 *
 * An object lives with the worker that created it, in its evacuation heap (UAT_HEAP_SIZE), until it is destroyed. What
 * uat_*_create() returns is a handle: a value to be copied and passed to tasks as any argument. Objects are created
 * between uat_init() and uat_finalize() by anybody; they are used inside tasks of a run. After every call the task may
 * be on another worker, as after a join.
 *
 * A function that tries and finds nothing offers thieves what this worker has, as uat_work_wanted() does: a task may
 * poll for what the continuation of its spawner does, if there is another worker and the task has no range of global
 * memory checked out.
 *
 * Errors end the job with a message, in every build: a future that is set twice, a mutex unlocked by a task that does
 * not hold it or destroyed while it is locked, an object destroyed while tasks wait for it, or used after that. A
 * program in which all tasks wait and nobody can wake them is a deadlock: that is found, and ends the job with the
 * number of tasks that wait for each kind of thing.
 *
 * A steal moves stacks, not memory: an event orders what tasks do by themselves and through these objects. A task that
 * was woken up sees the values that were passed to it.
 *
 * All handles below are valid until uat_*_destroy() of their kind is called, by any task, once nobody waits for the
 * object and nobody will use it again. Objects that are left are freed at uat_finalize(). Values are copied: `value`
 * stays the caller's. uat_*_create() returns a handle, or ends the job with a line if UAT_HEAP_SIZE has no room.
 * docs/protocol.md describes the protocols.
 */
#ifndef UAT_SYNC_H
#define UAT_SYNC_H

#include "../uat.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/*
 * Let others run first: this task goes to the end of its worker's queue of ready tasks. The worker goes on with the
 * continuations that it has, then with ready tasks; one that became ready when n others were is resumed there after at
 * most n + n / 7 + 97 others, or earlier by another worker.
 */
void uat_yield(void);

/*
 * A future (Baker and Hewitt 1977): a value that is set once and got any number of times. size: bytes of the value, at
 * most UAT_RESULT_MAX.
 */
typedef struct uat_future {
    uint64_t object; /* (rank << 48) | address; belongs to the library, and likewise below */
    uint64_t size;
} uat_future_t;

/* A future that is not set. */
uat_future_t uat_future_create(size_t size);
/* Copy size bytes in, once, and wake up everybody who waits. */
void uat_future_set(uat_future_t f, const void *value);
/* Wait until it is set, and copy the value out. */
void uat_future_get(uat_future_t f, void *value);
/* The same without waiting: 1 with the value, 0 if it is not set. */
int uat_future_try_get(uat_future_t f, void *value);
/* No task waits for it, and none will use it any more; likewise for the other kinds below. */
void uat_future_destroy(uat_future_t f);

/* Mutual exclusion. An unlock hands the mutex to the task that has waited longest. */
typedef struct uat_mutex {
    uint64_t object;
} uat_mutex_t;

/* A mutex that nobody holds. */
uat_mutex_t uat_mutex_create(void);
/* Wait until the mutex is this task's. It is not recursive: who holds it already waits for ever. */
void uat_mutex_lock(uat_mutex_t m);
/* The same without waiting: 1 with the mutex, 0 without. */
int uat_mutex_try_lock(uat_mutex_t m);
/* Give it up, by the task that holds it. */
void uat_mutex_unlock(uat_mutex_t m);
void uat_mutex_destroy(uat_mutex_t m);

/*
 * A condition variable (Hoare 1974, with Mesa's semantics: who is woken up looks again whether its condition holds).
 * The mutex is released while the task waits; no wake-up is lost in between, and none is spurious.
 */
typedef struct uat_condition {
    uint64_t object;
} uat_condition_t;

uat_condition_t uat_condition_create(void);
/* Unlock m, which this task holds, wait for a signal, and lock m again. */
void uat_condition_wait(uat_condition_t c, uat_mutex_t m);
/* Wake up the task that has waited longest, or all of them. */
void uat_condition_signal(uat_condition_t c);
void uat_condition_broadcast(uat_condition_t c);
void uat_condition_destroy(uat_condition_t c);

/* A counting semaphore (Dijkstra 1965). */
typedef struct uat_semaphore {
    uint64_t object;
} uat_semaphore_t;

/* count: units that can be acquired at once. */
uat_semaphore_t uat_semaphore_create(uint64_t count);
/* Take one unit; wait until there is one. */
void uat_semaphore_acquire(uat_semaphore_t s);
/* The same without waiting: 1 with a unit, 0 without. */
int uat_semaphore_try_acquire(uat_semaphore_t s);
/* Give n units back; as many tasks that wait go on. */
void uat_semaphore_release(uat_semaphore_t s, uint64_t n);
void uat_semaphore_destroy(uat_semaphore_t s);

/* A latch opens, for good, once it has been counted down to 0. */
typedef struct uat_latch {
    uint64_t object;
} uat_latch_t;

/* count: from where it is counted down; 0: it is open. */
uat_latch_t uat_latch_create(uint64_t count);
/* Subtract n. More than is left is an error. */
void uat_latch_count_down(uat_latch_t l, uint64_t n);
/* Wait until it is open. */
void uat_latch_wait(uat_latch_t l);
void uat_latch_destroy(uat_latch_t l);

/* A barrier of a group of tasks, to be used again and again. (uat_barrier() is another thing: for all workers, outside
 * of tasks.) */
typedef struct uat_group {
    uint64_t object;
} uat_group_t;

/* n: tasks of the group. */
uat_group_t uat_group_create(uint64_t n);
/* Wait until n tasks have called it. Returns 1 to the one that came last, 0 to the others. */
int uat_group_wait(uat_group_t g);
void uat_group_destroy(uat_group_t g);

/*
 * A channel (Hoare's CSP, 1978; Go) of values of size bytes (at most UAT_RESULT_MAX), with room for `capacity` of them;
 * 0: a rendezvous, the sender waits for the receiver. Values arrive once each, in the order in which they were sent.
 */
typedef struct uat_channel {
    uint64_t object;
    uint64_t size;
} uat_channel_t;

uat_channel_t uat_channel_create(size_t size, size_t capacity);
/* 0, or -EPIPE if the channel is closed, before or while the task waited for room. */
int uat_channel_send(uat_channel_t c, const void *value);
/* 0, or -EPIPE if it is closed and empty. */
int uat_channel_receive(uat_channel_t c, void *value);
/* The same without waiting: -EAGAIN if there is no room and nobody waits for the value; if there is no value. */
int uat_channel_try_send(uat_channel_t c, const void *value);
int uat_channel_try_receive(uat_channel_t c, void *value);
/* No more values: what is in the channel may still be received. Closing it twice is harmless. */
void uat_channel_close(uat_channel_t c);
void uat_channel_destroy(uat_channel_t c);

/*
 * Select (as in Go): wait until one of several channels lets this task send or receive, and do that, once. If several
 * do, one of them is taken at random.
 */
typedef struct uat_case {
    uat_channel_t channel;
    int sends;   /* 1: send *value; 0: receive to *value */
    void *value; /* channel.size bytes; used for the case that is taken alone */
    int status;  /* set for that case: 0, or -EPIPE as uat_channel_send() and uat_channel_receive() return it */
} uat_case_t;

enum { UAT_SELECT_MAX = 16 };

/* Returns the index of the case that was taken. n: 1 to UAT_SELECT_MAX. cases: in the task's own frames, for it may be
 * resumed elsewhere. No channel may stand there both to send and to receive, and none may be destroyed before all
 * selects that name it have returned. */
int uat_select(uat_case_t *cases, int n);
/* The same without waiting (Go's `default`): -EAGAIN if no case can be taken now. */
int uat_try_select(uat_case_t *cases, int n);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

/*
 * Typed futures and channels. UAT_FUTURE(type, name) defines the handle name_future and
 *     name_future name_create(void)      void name_set(name_future, type)      type name_get(name_future)
 *     int name_try_get(name_future, type *)                                    void name_destroy(name_future)
 * UAT_CHANNEL(type, name) defines the handle name_channel and, for uat_select(), name_sends() and name_receives(), and
 *     name_channel name_create(size_t capacity)   int name_send(name_channel, type)   int name_receive(name_channel,
 *     type *) int name_try_send(...), name_try_receive(...)      void name_close(name_channel),
 *     name_destroy(name_channel) uat_case_t name_sends(name_channel, type *), name_receives(name_channel, type *)
 */
#define UAT_FUTURE(type, name)                                                                                         \
    typedef struct {                                                                                                   \
        uat_future_t future;                                                                                           \
    } name##_future;                                                                                                   \
    UAT_UNUSED static inline name##_future name##_create(void)                                                         \
    {                                                                                                                  \
        name##_future uat_f;                                                                                           \
        uat_f.future = uat_future_create(sizeof(type));                                                                \
        return uat_f;                                                                                                  \
    }                                                                                                                  \
    UAT_UNUSED static inline void name##_set(name##_future uat_f, type uat_value)                                      \
    {                                                                                                                  \
        uat_future_set(uat_f.future, &uat_value);                                                                      \
    }                                                                                                                  \
    UAT_UNUSED static inline type name##_get(name##_future uat_f)                                                      \
    {                                                                                                                  \
        type uat_value;                                                                                                \
        uat_future_get(uat_f.future, &uat_value);                                                                      \
        return uat_value;                                                                                              \
    }                                                                                                                  \
    UAT_UNUSED static inline int name##_try_get(name##_future uat_f, type *uat_value)                                  \
    {                                                                                                                  \
        return uat_future_try_get(uat_f.future, uat_value);                                                            \
    }                                                                                                                  \
    UAT_UNUSED static inline void name##_destroy(name##_future uat_f)                                                  \
    {                                                                                                                  \
        uat_future_destroy(uat_f.future);                                                                              \
    }                                                                                                                  \
    typedef name##_future name##_uat_future_is_defined

#define UAT_CHANNEL(type, name)                                                                                        \
    typedef struct {                                                                                                   \
        uat_channel_t channel;                                                                                         \
    } name##_channel;                                                                                                  \
    UAT_UNUSED static inline name##_channel name##_create(size_t uat_capacity)                                         \
    {                                                                                                                  \
        name##_channel uat_c;                                                                                          \
        uat_c.channel = uat_channel_create(sizeof(type), uat_capacity);                                                \
        return uat_c;                                                                                                  \
    }                                                                                                                  \
    UAT_UNUSED static inline int name##_send(name##_channel uat_c, type uat_value)                                     \
    {                                                                                                                  \
        return uat_channel_send(uat_c.channel, &uat_value);                                                            \
    }                                                                                                                  \
    UAT_UNUSED static inline int name##_try_send(name##_channel uat_c, type uat_value)                                 \
    {                                                                                                                  \
        return uat_channel_try_send(uat_c.channel, &uat_value);                                                        \
    }                                                                                                                  \
    UAT_UNUSED static inline int name##_receive(name##_channel uat_c, type *uat_value)                                 \
    {                                                                                                                  \
        return uat_channel_receive(uat_c.channel, uat_value);                                                          \
    }                                                                                                                  \
    UAT_UNUSED static inline int name##_try_receive(name##_channel uat_c, type *uat_value)                             \
    {                                                                                                                  \
        return uat_channel_try_receive(uat_c.channel, uat_value);                                                      \
    }                                                                                                                  \
    UAT_UNUSED static inline void name##_close(name##_channel uat_c)                                                   \
    {                                                                                                                  \
        uat_channel_close(uat_c.channel);                                                                              \
    }                                                                                                                  \
    UAT_UNUSED static inline void name##_destroy(name##_channel uat_c)                                                 \
    {                                                                                                                  \
        uat_channel_destroy(uat_c.channel);                                                                            \
    }                                                                                                                  \
    UAT_UNUSED static inline uat_case_t name##_sends(name##_channel uat_c, type *uat_value)                            \
    {                                                                                                                  \
        uat_case_t uat_k = {uat_c.channel, 1, (void *)uat_value, 0};                                                   \
        return uat_k;                                                                                                  \
    }                                                                                                                  \
    UAT_UNUSED static inline uat_case_t name##_receives(name##_channel uat_c, type *uat_value)                         \
    {                                                                                                                  \
        uat_case_t uat_k = {uat_c.channel, 0, (void *)uat_value, 0};                                                   \
        return uat_k;                                                                                                  \
    }                                                                                                                  \
    typedef name##_channel name##_uat_channel_is_defined

#endif

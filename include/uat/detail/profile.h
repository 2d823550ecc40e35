/* SPDX-License-Identifier: MIT */
/*
 * The hooks of the profile (profile/ in the sources, docs/slow.md). They exist only in a program that is compiled with
 * -DUAT_PROFILE and linked with libuat_profile.a, as `pkg-config uat-profile` says. Without -DUAT_PROFILE the public
 * headers compile to the same machine code as if this file did not exist. Included by uat.h.
 */
#ifndef UAT_DETAIL_PROFILE_H
#define UAT_DETAIL_PROFILE_H

#ifdef UAT_PROFILE

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define UAT_PROFILE_PATHS 6

/* A stretch of serial code: between two calls that spawn, join or wait. Code addresses; the time in ns. */
struct uat_profile_stretch {
    double ns;
    uint64_t name, from, to;
};

/* A longest path through the run's tasks, from the run's start to a point in a task, in ns. It knows which tasks it
 * consists of, up to UAT_PROFILE_PATHS names; `ns` less the sum of the parts belongs to others. */
struct uat_profile_span {
    double ns;
    struct {
        uint64_t name;
        double ns;
    } part[UAT_PROFILE_PATHS];
    struct uat_profile_stretch longest; /* the longest stretch on this path */
};

/* What a child tells its spawner at its end. The size is a multiple of 16, so that results keep their alignment. */
struct uat_profile_totals {
    double work, tasks; /* ns and number of tasks, of the child and its descendants */
    double burdened;    /* ns of the longest path if each spawn and join costs a steal */
    uint64_t measured;  /* 0: nothing is known of this child */
    double calls;       /* ns of waits and of the calls that end waits */
    struct uat_profile_span span;
};

/* The additional fields of a handle: what the child has told, from its end to the join, and the number of children that
 * the spawner had not joined at the spawn. */
struct uat_profile_child {
    struct uat_profile_totals totals;
    uint64_t outstanding;
    uint64_t measured;
};

/* The additional fields of a group: a reducer with the sum of what its children have told, and the number of spawns
 * since the last wait. */
struct uat_profile_group {
    const void *key, *operations;
    uint64_t spawned;
};

struct uat_task;
struct uat_group;
void uat_profile_join(struct uat_task *t);
void uat_profile_joined(struct uat_task *t); /* the handle's child has ended in place, and the handle goes */
void uat_profile_group_begin(struct uat_group *group);
void uat_profile_group_wait(struct uat_group *group);

/* uat_spawn_typed() of a task of a flow, which is not measured. handle: the flow's, without additional fields */
void uat_profile_flow_task(void *handle, void (*body)(void *, void *), const void *arg, size_t size);

/* Bytes of global memory that the inline functions have accessed in near memory and in the cache of far memory. */
extern uint64_t uat_profile_near_bytes, uat_profile_cached_bytes;

/* The next spawn of this worker is one of this function: for the library's loops, whose tasks run the user's body. */
extern void (*uat_profile_as)(void);

#ifdef __cplusplus
}
#endif

#define UAT_PROFILED              1
#define UAT_PROFILE_CHILD         struct uat_profile_child profile;
#define UAT_PROFILE_GROUP         struct uat_profile_group profile;
#define UAT_PROFILE_JOINED(t)     uat_profile_joined(t)
#define UAT_PROFILE_NEAR(bytes)   (uat_profile_near_bytes += (bytes))
#define UAT_PROFILE_CACHED(bytes) (uat_profile_cached_bytes += (bytes))
#define UAT_PROFILE_AS(fn)        (uat_profile_as = (void (*)(void))(fn))
/* The handle in a group has no additional fields, because the runtime knows the layout of a group. */
#define UAT_GROUP_HANDLE                                                                                               \
    struct {                                                                                                           \
        uint64_t record;                                                                                               \
        void *result;                                                                                                  \
        uint64_t size;                                                                                                 \
    }
#define UAT_GROUP_TASK(group)                        UAT_CAST(uat_task_t *, &(group)->task)
#define UAT_FLOW_SPAWN(spawn, flow, body, arg, size) uat_profile_flow_task(&(flow)->task, body, arg, size)

#else

#define UAT_PROFILED 0
#define UAT_PROFILE_CHILD
#define UAT_PROFILE_GROUP
#define UAT_PROFILE_JOINED(t)                        ((void)0)
#define UAT_PROFILE_NEAR(bytes)                      ((void)0)
#define UAT_PROFILE_CACHED(bytes)                    ((void)0)
#define UAT_PROFILE_AS(fn)                           ((void)0)
#define UAT_GROUP_HANDLE                             uat_task_t
#define UAT_GROUP_TASK(group)                        (&(group)->task)
#define UAT_FLOW_SPAWN(spawn, flow, body, arg, size) spawn(&(flow)->task, body, arg, size, NULL, 0)

#endif

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The hooks of the race detector. Only `uatcc -check` defines UAT_RACES; it also links libuat-races.a, which defines
 * the functions. Otherwise the library's inline functions are as if this file did not exist.
 */
#ifndef UAT_DETAIL_RACES_H
#define UAT_DETAIL_RACES_H

#ifdef UAT_RACES

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct uat_task;
struct uat_group;
struct uat_flow;

void uat_races_join(struct uat_task *t);
void uat_races_group_wait(struct uat_group *g);
void uat_races_flow_end(struct uat_flow *flow);
void uat_races_flow_wait(struct uat_flow *flow, const void *p, int mode);
/* An access of global memory; `access` as in uat_global_checkout(). */
void uat_races_global(const void *p, size_t bytes, int access);
void uat_races_atomic(const void *word, int access);
/* The program has asked for its view of a reducer. */
void uat_races_view(const void *view, size_t bytes);
void uat_races_ignore(const void *p, size_t bytes);
/* The task goes on after a wait for the condition. */
void uat_races_condition(uint64_t object);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#define UAT_RACES_GLOBAL(p, bytes, access) uat_races_global(p, bytes, access)
#define UAT_RACES_ATOMIC(word, access)     uat_races_atomic(word, access)
#define UAT_RACES_IGNORE(p, bytes)         uat_races_ignore(p, bytes)
#define UAT_RACES_CONDITION(object)        uat_races_condition(object)
#define UAT_RACES_WATCHED                  1
#define UAT_RACES_STACK                    4096 /* bytes of a generator's stack that the hooks may use */

#else

#define UAT_RACES_GLOBAL(p, bytes, access) ((void)0)
#define UAT_RACES_ATOMIC(word, access)     ((void)0)
/* The detector reports nothing about these bytes. For memory that each process has for itself on purpose, such as a
 * counter per process that main() adds up after the run. */
#define UAT_RACES_IGNORE(p, bytes)         ((void)0)
#define UAT_RACES_CONDITION(object)        ((void)0)
#define UAT_RACES_WATCHED                  0
#define UAT_RACES_STACK                    0

#endif

#endif

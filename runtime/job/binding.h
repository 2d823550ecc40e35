/* SPDX-License-Identifier: MIT */
/*
 * Binding of a worker to cores and memory. By default, a worker keeps the binding of its launcher. Without such a
 * binding, the worker binds to a core of its own, unless the workers of its host leave cores unused or the cores are
 * too few. A quota of processor time, such as a container's, limits the cores as well. Each worker publishes its cores,
 * so that a bad placement can be reported.
 */
#ifndef UAT_BINDING_H
#define UAT_BINDING_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

#include "runtime/job/settings.h"

/* What a worker publishes. "Core" is what Linux counts as a processor; sets hold the first 1024. */
struct uat_binding {
    uint64_t machine; /* the same for workers under one kernel, whatever their host names */
    cpu_set_t cores;  /* the cores on which it may run; empty if unknown */
};

/* How the workers of a machine share its cores. */
struct uat_crowding {
    bool oversubscribed; /* some of them always share cores */
    int first, second;   /* ranks that share core `shared` although core `unused` is free; -1: none */
    int shared, unused;
};

/*
 * Bind this worker as `bind` says, and fill in *binding. This is worker local_rank of local_size on its host. Binding
 * only affects speed, so failures are logged and otherwise ignored.
 */
void uat_binding_take(struct uat_binding *binding, enum uat_bind bind, int local_rank, int local_size);

/*
 * The allowed core for local_rank, or -1 if the allowed cores are not enough for local_size workers. siblings[c] is the
 * first hardware thread of c's core. Second threads are used only when all cores have a worker.
 */
int uat_binding_choose(const cpu_set_t *allowed, const int *siblings, int local_rank, int local_size);

/* The number of cores in `allowed`; the hardware threads of a core count once. */
int uat_binding_cores(const cpu_set_t *allowed, const int *siblings);

/* Judge the places of ranks 0..n-1 as rank `self` sees them. `allowed` are the cores that the machine offers them. */
struct uat_crowding uat_binding_judge(const struct uat_binding *const *places, int n, int self,
                                      const cpu_set_t *allowed);

/* Judge the places of ranks 0..n-1 during the start. The lowest rank of the machine prints advice if the workers exceed
 * their quota; and, if `advise`, if workers share a core while another core is unused. Returns whether workers share
 * cores. Call uat_binding_take() first. */
bool uat_binding_report(const struct uat_binding *const *places, int n, int self, bool advise);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The memory of replicas, which lie below the segment. All workers create and free the same replicas in the same order,
 * so the addresses are equal on all workers. A job that was restarted with fewer workers has a larger segment, but the
 * addresses stay the same. The workers of a host share one copy. The host's first worker creates a memory object
 * without a name. The others open this object through /proc/PID/fd/N. A worker that cannot open it gets a private copy.
 */
#ifndef UAT_REPLICA_H
#define UAT_REPLICA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How the workers of a host find a replica's memory. */
struct uat_replica_info {
    uint64_t fd, device, inode;
};

/* Set where replicas lie, and which worker creates them. leader: the lowest rank of this worker's host; leader_pid:
 * that rank's process. end: where the highest replica ends. */
void uat_replica_open(int leader, long leader_pid, char *end);

/* Unmap all replicas. */
void uat_replica_close(void);

/* The address for the next replica, which has `size` bytes (whole pages). The replica lies at the upper end of the
 * highest gap that is large enough, or directly below the lowest replica. */
char *uat_replica_place(size_t size);

/*
 * Create the memory of a replica at `at`, and set *info for the host's other workers. Called on the host's first
 * worker, which then fills the memory. Returns 0, or a negative errno that has been reported.
 */
int uat_replica_make(char *at, size_t size, struct uat_replica_info *info);

/* Attach the host's copy, which the leader's attach info names. *own becomes true if this worker cannot open the copy.
 * In that case this worker gets a private copy, which it must fill. Returns 0, or a negative errno that has been
 * reported. */
int uat_replica_attach(char *at, size_t size, const struct uat_replica_info *info, bool *own);

/* Keep the replica, and make it read-only. All workers of the host have attached it by now. The attach info is unused
 * from now on. Returns 0, or a negative errno that has been reported. */
int uat_replica_keep(char *at, size_t size);

/* Give back what uat_replica_make() or uat_replica_attach() has mapped. */
void uat_replica_abandon(char *at, size_t size);

/* uat_replica_is(): does a replica start at `at`? uat_replica_drop(): unmap it. */
bool uat_replica_is(const char *at);
void uat_replica_drop(char *at);

/* uat_replica_leads(): is this the host's first worker, which creates the copy? uat_replica_leader(): that worker's
 * rank. */
bool uat_replica_leads(void);
int uat_replica_leader(void);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The memory of replicas. They lie above the segment, at addresses that are equal on all workers because all workers
 * make and free the same ones in the same order. The workers of a host share one copy: the first of them makes a memory
 * object without a name, the others open it through /proc/PID/fd/N. A worker that may not open it has a copy of its
 * own.
 */
#ifndef UAT_REPLICA_H
#define UAT_REPLICA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How the workers of a host find the memory of a replica. */
struct uat_replica_info {
    uint64_t fd, device, inode;
};

/* Reserve the words of uat_replicate() in the segment. */
void uat_replicate_reserve(void);

/* leader: the lowest rank of this worker's host; leader_pid: its process. start: where replicas begin. */
void uat_replica_open(int leader, long leader_pid, char *start);

/* Take all replicas back. */
void uat_replica_close(void);

/* Where a replica of size bytes (whole pages) will lie: the lowest room between those there are. */
char *uat_replica_place(size_t size);

/*
 * Make the memory of a replica at `at`, to be written here. The host's first worker fills *info for the others. 0 or a
 * negative errno, reported.
 */
int uat_replica_make(char *at, size_t size, struct uat_replica_info *info);

/* Attach the host's copy that the leader's attach info names. *own: it may not be opened, so this worker has a copy to
 * fill. 0 or a negative errno, reported. */
int uat_replica_attach(char *at, size_t size, const struct uat_replica_info *info, bool *own);

/* All workers of the host have attached it: keep it. The attach info is of no use any more. */
int uat_replica_keep(char *at, size_t size, struct uat_replica_info *info);

/* Does a replica begin at `at`? Take it back. */
bool uat_replica_is(const char *at);
void uat_replica_drop(char *at);

/* The host's first worker, which makes the copy. */
bool uat_replica_leads(void);
int uat_replica_leader(void);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * UAT_CONNECT=regions=shared: the first worker of a group registers the pool for the whole group. The other workers use
 * the first worker's open device and protection domain (ibv_import_device(3), ibv_import_pd(3)). Each of them still has
 * its own queue pairs, and its own region for its own segment. So the pages of the pool are pinned and translated once
 * per group, not once per worker. Only mlx5's driver supports this. If sharing fails, each worker registers the pool
 * itself.
 */
#ifndef UAT_IBV_SHARE_H
#define UAT_IBV_SHARE_H

#include "transport_ibv/ibv.h"

/* uat_ibv_share_leads(): does this worker register the pool for its group? uat_ibv_share_follows(): does another worker
 * register the pool for this worker's group? */
bool uat_ibv_share_leads(const struct uat_ibv *ibv);
bool uat_ibv_share_follows(const struct uat_ibv *ibv);

/*
 * For a worker that follows: wait for the first worker's offer, and take its device, domain and keys. Call this when
 * the pool is mapped and no domain is open. On success sets ibv->pool.shared. If the offer cannot be used, changes
 * nothing. leader: the pid of the first worker. Returns 0, or a negative errno after reporting the error.
 */
int uat_ibv_share_take(struct uat_ibv *ibv, int leader);

/* Can another process use this domain? Tests this by importing the domain into this process. Returns 0 or an errno. */
int uat_ibv_share_try(const struct ibv_pd *pd);

/* For the worker that leads: if `shared`, offer the registered pool to the group. Otherwise tell the other workers to
 * register the pool themselves. */
void uat_ibv_share_offer(struct uat_ibv *ibv, bool shared);

/* For the worker that leads: forbid other processes to take descriptors. Call this when all workers have finished the
 * calls above. */
void uat_ibv_share_end(const struct uat_ibv *ibv);

#endif

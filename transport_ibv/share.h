/* SPDX-License-Identifier: MIT */
/*
 * UAT_CONNECT=regions=shared: the first worker of a group registers the pool for all of it. The others use its open
 * device and its protection domain (ibv_import_device(3), ibv_import_pd(3)), with queue pairs and a region of their own
 * segment. The pages of the pool are then pinned and translated once on a host, not once for each worker. Only mlx5's
 * driver can do this. Where it does not work, a worker registers the pool itself.
 */
#ifndef UAT_IBV_SHARE_H
#define UAT_IBV_SHARE_H

#include "transport_ibv/ibv.h"

/* Does this worker, or does another one of its group, register the pool for the group? */
bool uat_ibv_share_leads(const struct uat_ibv *ibv);
bool uat_ibv_share_follows(const struct uat_ibv *ibv);

/*
 * Of a worker that follows, when the pool is mapped and no domain is open: wait for the first worker's offer, and take
 * its device, domain and keys. Sets ibv->pool.shared if that worked; if not, nothing has changed. leader is the first
 * worker's process. 0 or a negative errno, reported.
 */
int uat_ibv_share_take(struct uat_ibv *ibv, int leader);

/* Can another process use this domain? Tries it in this one. 0 or an errno. */
int uat_ibv_share_try(const struct ibv_pd *pd);

/* Of the worker that leads: say that the pool is registered for all, or that each worker does that itself. */
void uat_ibv_share_offer(struct uat_ibv *ibv, bool shared);

/* Of the worker that leads, when all workers are done with the calls above: let nobody take descriptors any more. */
void uat_ibv_share_end(const struct uat_ibv *ibv);

#endif

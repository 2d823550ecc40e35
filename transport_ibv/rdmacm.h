/* SPDX-License-Identifier: MIT */
/*
 * UAT_CONNECT=rdmacm: librdmacm resolves the peers' addresses and the routes to them, and sets up the connections. So
 * GID, VLAN, service level and MTU come from the route. queues.c creates the queue pairs.
 */
#ifndef UAT_IBV_RDMACM_H
#define UAT_IBV_RDMACM_H

#include "transport_ibv/ibv.h"

/* Listen on the address of the chosen GID. The kernel chooses the port. Stores the port in ibv->cm_port. */
int uat_ibv_rdmacm_listen(struct uat_ibv *ibv);

/* Connect all queue pairs except the one to this worker itself, and close the listener. All workers must call this
 * function at the same time. */
int uat_ibv_rdmacm_connect(struct uat_ibv *ibv, const struct uat_endpoint *peers);

void uat_ibv_rdmacm_close(struct uat_ibv *ibv);

#endif

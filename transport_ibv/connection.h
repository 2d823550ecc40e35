/* SPDX-License-Identifier: MIT */
#ifndef UAT_IBV_CONNECTION_H
#define UAT_IBV_CONNECTION_H

#include "transport_ibv/endpoint.h"

/* READs and atomics that may be under way on one queue pair: sent by this worker, sent by the peer. Each is the
 * minimum of what the initiator can track and what the target can serve; e is the peer's endpoint. */
int uat_ibv_outgoing_reads(const struct uat_ibv *ibv, const struct uat_ibv_endpoint *e);
int uat_ibv_incoming_reads(const struct uat_ibv *ibv, const struct uat_ibv_endpoint *e);

#endif

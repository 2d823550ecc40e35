/* SPDX-License-Identifier: MIT */
/* Saying what a failed completion means: which operation, on whom, why, and what to look at. */
#include "transport_ibv/ibv.h"

#include <errno.h>

#include "base/log.h"

const char *const uat_ibv_names[UAT_OP_KINDS] = {
    [UAT_OP_READ] = "READ",
    [UAT_OP_WRITE] = "WRITE",
    [UAT_OP_FETCH_ADD] = "FETCH_ADD",
    [UAT_OP_CMP_SWAP] = "CMP_SWAP",
};

const char *uat_ibv_status_advice(enum ibv_wc_status status)
{
    switch (status) {
    case IBV_WC_RETRY_EXC_ERR:
    case IBV_WC_RESP_TIMEOUT_ERR:
        return "the peer does not answer: did its process end (look for its own message), is a link or switch down "
               "(`rdma link`, `ibstat`), does the network drop RoCE packets (VLAN, UAT_GID_INDEX, "
               "UAT_IB_TRAFFIC_CLASS)?";
    case IBV_WC_RNR_RETRY_EXC_ERR:
        return "the peer's adapter was not ready for too long: look for messages of its driver (`dmesg`)";
    case IBV_WC_REM_ACCESS_ERR:
    case IBV_WC_REM_INV_REQ_ERR:
    case IBV_WC_REM_INV_RD_REQ_ERR:
        return "the peer's adapter refused the address: has the peer left the job, or do the workers differ in "
               "their segment sizes?";
    case IBV_WC_REM_OP_ERR:
    case IBV_WC_REM_ABORT_ERR:
        return "the peer's adapter could not carry it out: look for messages of its driver (`dmesg`) there";
    case IBV_WC_LOC_QP_OP_ERR:
        return "the adapter could not send it: on Soft-RoCE, is the network interface down or without a route "
               "(`ip link`, `ip route`)?";
    case IBV_WC_LOC_LEN_ERR:
    case IBV_WC_LOC_PROT_ERR:
    case IBV_WC_LOC_ACCESS_ERR:
        return "the local buffer is not in registered memory, or is too long";
    case IBV_WC_WR_FLUSH_ERR:
        return "the queue pair was already broken and the device did not say why: look for messages of its driver "
               "(`dmesg`)";
    default:
        return "look for messages of the adapter's driver (`dmesg`) on both hosts";
    }
}

int uat_ibv_status_errno(enum ibv_wc_status status)
{
    switch (status) {
    case IBV_WC_RETRY_EXC_ERR:
    case IBV_WC_RESP_TIMEOUT_ERR:
    case IBV_WC_RNR_RETRY_EXC_ERR:
        return -ETIMEDOUT;
    case IBV_WC_REM_ACCESS_ERR:
    case IBV_WC_REM_INV_REQ_ERR:
    case IBV_WC_REM_INV_RD_REQ_ERR:
        return -EACCES;
    default:
        return -EIO;
    }
}

int uat_ibv_report_completion(struct uat_ibv *ibv, const struct ibv_wc *wc)
{
    /* Of a failed completion only status, vendor_err, qp_num and wr_id are valid. */
    uint64_t mask = _Alignof(struct uat_ibv_chain) - 1;
    const struct uat_ibv_chain *chain = (const struct uat_ibv_chain *)(uintptr_t)(wc->wr_id & ~mask);
    unsigned at = (unsigned)(wc->wr_id & mask);
    struct ibv_port_attr now = {.state = IBV_PORT_NOP};
    ibv_query_port(ibv->context, (uint8_t)ibv->port.number, &now); /* if it fails, the state says so */
    const struct uat_ibv_connection *way = uat_ibv_way(ibv, chain->peer);
    int rc = uat_ibv_status_errno(wc->status);
    if (rc == -ETIMEDOUT && way->rank != ibv->base.rank) { /* it need not be the peer that has not answered */
        ibv->base.lost = way->rank;
        ibv->base.lost_host = way->host;
    }
    uat_error(
        "%s at address %p of rank %d (%s), operation %u of %u in its chain, failed on %s:%d (port %s): %s (status %d, "
        "vendor error 0x%x); %s",
        uat_ibv_names[chain->code[at]], chain->remote[at], chain->peer, way->host, at + 1, chain->count,
        ibv->port.device, ibv->port.number, ibv_port_state_str(now.state), ibv_wc_status_str(wc->status), wc->status,
        wc->vendor_err, uat_ibv_status_advice(wc->status));
    return rc;
}

/* SPDX-License-Identifier: MIT */
/* Reports of failed completions: the operation, its rank, the cause, and what to check. */
#include "transport_ibv/ibv.h"

#include <errno.h>

#include "base/log.h"

const char *const uat_ibv_names[UAT_OP_KINDS] = {
    [UAT_OP_READ] = "READ",
    [UAT_OP_WRITE] = "WRITE",
    [UAT_OP_FETCH_ADD] = "FETCH_ADD",
    [UAT_OP_CMP_SWAP] = "CMP_SWAP",
};

static const char *status_advice(enum ibv_wc_status status)
{
    switch (status) {
    case IBV_WC_RETRY_EXC_ERR:
    case IBV_WC_RESP_TIMEOUT_ERR:
        return "the peer does not answer: did its process end (look for its own message), is a link or switch down "
               "(`rdma link`, `ibstat`), does the network drop RoCE packets (VLAN, UAT_GID_INDEX, "
               "UAT_IB_PATH), does the fabric demand another service level (UAT_IB_PATH=sl=N)?";
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

static int status_errno(enum ibv_wc_status status)
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

int uat_ibv_report_completion(struct uat_ibv *ibv, const struct uat_ibv_connection *way, const struct ibv_wc *wc,
                              const char *what)
{
    struct ibv_port_attr now = {.state = IBV_PORT_NOP};
    ibv_query_port(ibv->context, (uint8_t)ibv->port.number, &now); /* if it fails, the state remains NOP */
    int rc = status_errno(wc->status);
    /* The worker at the other end of the connection did not answer. The operation's target may be another worker. */
    if (rc == -ETIMEDOUT && way->rank != ibv->base.rank) {
        ibv->base.lost = way->rank;
        ibv->base.lost_host = way->host;
    }
    uat_error("%s failed on %s:%d (port %s): %s (status %d, vendor error 0x%x); %s", what, ibv->port.device,
              ibv->port.number, ibv_port_state_str(now.state), ibv_wc_status_str(wc->status), wc->status,
              wc->vendor_err, status_advice(wc->status));
    return rc;
}

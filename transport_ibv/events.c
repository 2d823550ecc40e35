/* SPDX-License-Identifier: MIT */
/* Asynchronous events: a device reports them apart from completions. */
#include "transport_ibv/ibv.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/log.h"
#include "base/relax.h"

int uat_ibv_events_open(const struct ibv_context *context, const char *device)
{
    if (fcntl(context->async_fd, F_SETFL, fcntl(context->async_fd, F_GETFL) | O_NONBLOCK) == 0)
        return 0;
    int rc = -errno;
    uat_error("cannot make the event queue of %s non-blocking: %s", device, strerror(-rc));
    return rc;
}

static int judge_pair(struct uat_ibv *ibv, const struct ibv_async_event *event)
{
    const struct uat_ibv_connection *c = event->element.qp->qp_context;
    switch (event->event_type) {
    case IBV_EVENT_QP_FATAL:
    case IBV_EVENT_QP_REQ_ERR:
    case IBV_EVENT_QP_ACCESS_ERR:
    case IBV_EVENT_PATH_MIG_ERR:
        uat_error(
            "the queue pair to rank %d (%s) on %s:%d broke: %s; look for messages of that rank and of the adapter's "
            "driver (`dmesg`)",
            c->rank, c->host, ibv->port.device, ibv->port.number, ibv_event_type_str(event->event_type));
        return -EIO;
    default: /* connection established, queue drained: nothing to do */
        return 0;
    }
}

static void judge_port(struct uat_ibv *ibv, const struct ibv_async_event *event)
{
    if (event->element.port_num != ibv->port.number)
        return;
    if (event->event_type == IBV_EVENT_PORT_ERR)
        uat_warn("the link of %s:%d is down; operations are repeated for some seconds before they fail",
                 ibv->port.device, ibv->port.number);
    else
        uat_info("%s:%d: %s", ibv->port.device, ibv->port.number, ibv_event_type_str(event->event_type));
}

static int judge(struct uat_ibv *ibv, const struct ibv_async_event *event)
{
    switch (event->event_type) {
    case IBV_EVENT_QP_FATAL:
    case IBV_EVENT_QP_REQ_ERR:
    case IBV_EVENT_QP_ACCESS_ERR:
    case IBV_EVENT_PATH_MIG_ERR:
    case IBV_EVENT_PATH_MIG:
    case IBV_EVENT_COMM_EST:
    case IBV_EVENT_SQ_DRAINED:
    case IBV_EVENT_QP_LAST_WQE_REACHED:
        return judge_pair(ibv, event);
    case IBV_EVENT_PORT_ACTIVE:
    case IBV_EVENT_PORT_ERR:
    case IBV_EVENT_LID_CHANGE:
    case IBV_EVENT_PKEY_CHANGE:
    case IBV_EVENT_SM_CHANGE:
    case IBV_EVENT_CLIENT_REREGISTER:
    case IBV_EVENT_GID_CHANGE:
        judge_port(ibv, event);
        return 0;
    case IBV_EVENT_CQ_ERR:
    case IBV_EVENT_DEVICE_FATAL:
        uat_error("%s failed: %s; look for messages of its driver (`dmesg`)", ibv->port.device,
                  ibv_event_type_str(event->event_type));
        return -EIO;
    default:
        return 0;
    }
}

int uat_ibv_events_poll(struct uat_ibv *ibv)
{
    struct ibv_async_event event;
    int rc = 0;
    while (!ibv_get_async_event(ibv->context, &event)) { /* does not block: see uat_ibv_events_open */
        int verdict = judge(ibv, &event);
        if (!rc)
            rc = verdict;
        ibv_ack_async_event(&event); /* required, because destroying the event's object waits for this
                                      * acknowledgement */
    }
    return rc;
}

int uat_ibv_events_poll_seldom(struct uat_ibv *ibv)
{
    unsigned every = uat_relax_oversubscribed ? UAT_IBV_EVENT_POLLS_OVERSUBSCRIBED : UAT_IBV_EVENT_POLLS;
    return ++ibv->idle_polls % every == 0 ? uat_ibv_events_poll(ibv) : 0;
}

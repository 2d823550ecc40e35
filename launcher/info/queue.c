/* SPDX-License-Identifier: MIT */
/* The orders that the chosen device promises, and the shortcuts that it has. A queue pair and a memory region show
 * them. This file makes both in the same way as a worker does, and releases them at once. */
#include "launcher/info/info.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "transport_ibv/devices.h"
#include "transport_ibv/order.h"
#include "transport_ibv/share.h"

enum { REGION = 4096, INLINE = 64 /* bytes of inline data that a worker requests */ };

/* Does the device register memory whose accesses keep their order? */
static void add_keys(json_object *o, struct ibv_pd *pd)
{
    static _Alignas(REGION) char page[REGION];
    struct ibv_mr *mr = ibv_reg_mr(pd, page, REGION,
                                   IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE |
                                       IBV_ACCESS_REMOTE_ATOMIC);
    info_add_text(o, "ordered_keys", mr ? "yes" : strerror(errno));
    if (mr)
        ibv_dereg_mr(mr);
}

#ifdef UAT_HAVE_DATA_IN_ORDER
static const char *in_order(struct ibv_qp *qp, enum ibv_wr_opcode code)
{
    return ibv_query_qp_data_in_order(qp, code, 0) ? "yes" : "not promised";
}
#endif

static void add_pair(json_object *o, struct ibv_context *context, struct ibv_pd *pd)
{
    struct ibv_cq *cq = ibv_create_cq(context, 1, NULL, NULL, 0);
    struct ibv_qp_init_attr init = {
        .send_cq = cq,
        .recv_cq = cq,
        .cap = {.max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1, .max_inline_data = INLINE},
        .qp_type = IBV_QPT_RC};
    struct ibv_qp *qp = cq ? ibv_create_qp(pd, &init) : NULL;
    if (cq && !qp) { /* try again without inline data, as a worker does */
        init.cap.max_inline_data = 0;
        qp = ibv_create_qp(pd, &init);
    }
    if (!qp) {
        info_add_text(o, "error", strerror(errno));
    } else {
        info_add_number(o, "inline_bytes", init.cap.max_inline_data);
#ifdef UAT_HAVE_DATA_IN_ORDER
        info_add_text(o, "read_data_in_order", in_order(qp, IBV_WR_RDMA_READ));
        info_add_text(o, "write_data_in_order", in_order(qp, IBV_WR_RDMA_WRITE));
#endif
        ibv_destroy_qp(qp);
    }
    if (cq)
        ibv_destroy_cq(cq);
}

void info_add_queue(json_object *chosen, const char *device, int port)
{
    char levels[8];
    struct ibv_context *context = uat_ibv_context_use(device);
    struct ibv_pd *pd = context ? ibv_alloc_pd(context) : NULL;
    struct ibv_td_init_attr none = {0};
    struct ibv_td *td = context ? ibv_alloc_td(context, &none) : NULL;
    json_object *o = json_object_new_object();
    if (context) {
        snprintf(levels, sizeof(levels), "0x%04x", uat_ibv_unordered_levels(context, port));
        info_add_text(o, "unordered_levels", levels);
    }
    info_add_text(o, "thread_domain", td ? "yes" : "no");
    if (td)
        ibv_dealloc_td(td);
    if (pd) {
        add_pair(o, context, pd);
        add_keys(o, pd);
        int error = uat_ibv_share_try(pd);
        info_add_text(o, "shared_domain", error ? strerror(error) : "yes");
        ibv_dealloc_pd(pd);
    } else {
        info_add_text(o, "error", strerror(errno));
    }
    /* mlx5's driver reads these variables. If they are unset, the driver uses BlueFlame for single requests. */
    const char *off = getenv("MLX5_SHUT_UP_BF"), *prefer = getenv("MLX5_POST_SEND_PREFER_BF");
    if (strncmp(device, "mlx5", strlen("mlx5")) == 0)
        info_add_text(o, "blueflame",
                      off && strcmp(off, "0") != 0         ? "turned off by MLX5_SHUT_UP_BF"
                      : prefer && strcmp(prefer, "0") == 0 ? "for inline data only, by MLX5_POST_SEND_PREFER_BF=0"
                                                           : "yes");
    json_object_object_add(chosen, "queue", o);
}

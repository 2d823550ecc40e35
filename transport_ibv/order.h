/* SPDX-License-Identifier: MIT */
/* What mlx5 devices report about the order that they keep. libibverbs has no call for this, so these functions ask the
 * firmware. */
#ifndef UAT_IBV_ORDER_H
#define UAT_IBV_ORDER_H

#include <infiniband/verbs.h>

#include <stdbool.h>
#include <stdint.h>

/*
 * Does every memory key of the device have relaxed ordering, even if a registration does not request it? Asks an mlx5
 * device for its capability mkc_order_write_after_write_ro_only. Returns false if the device says no, is not an mlx5
 * device, or does not answer.
 */
bool uat_ibv_keys_are_relaxed(struct ibv_context *context);

/*
 * A mask of service levels: bit N is set if this InfiniBand port delivers packets of level N out of order, because the
 * fabric routes them adaptively. Asks an mlx5 device for the mask ooo_sl_mask of the port. Returns 0 if there is no
 * such level, if the device is not an mlx5 device, or if it does not answer.
 */
uint16_t uat_ibv_unordered_levels(struct ibv_context *context, int port);

#endif

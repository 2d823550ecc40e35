/* SPDX-License-Identifier: MIT */
/*
 * The verbs devices of this host, and the contexts of the opened ones. Opening a device takes milliseconds and
 * resources of the adapter (mlx5: 8 doorbell pages). So while a worker looks for its port, the devices are listed once,
 * and each is opened at most once. For one thread only.
 */
#ifndef UAT_IBV_CONTEXTS_H
#define UAT_IBV_CONTEXTS_H

#include <infiniband/verbs.h>

/* The array of the host's devices. *n is set to their number. Valid until uat_ibv_contexts_close(). NULL with errno on
 * failure. */
struct ibv_device *const *uat_ibv_devices(int *n);

/* The context of a device, open until uat_ibv_contexts_close(). NULL with errno on failure. */
struct ibv_context *uat_ibv_context_use(const char *name);

/* The context of a device, which the caller must close. */
struct ibv_context *uat_ibv_context_take(const char *name);

void uat_ibv_contexts_close(void);

#endif

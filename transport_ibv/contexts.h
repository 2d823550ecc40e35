/* SPDX-License-Identifier: MIT */
/*
 * The verbs devices of this host, and the contexts of the opened devices. Opening a device takes milliseconds and
 * resources of the adapter (mlx5: 8 doorbell pages). So while a worker looks for its port, it lists the devices once,
 * and opens each device at most once. For one thread only.
 */
#ifndef UAT_IBV_CONTEXTS_H
#define UAT_IBV_CONTEXTS_H

#include <infiniband/verbs.h>

/* Returns the array of the host's devices, and sets *n to their number. The array is valid until
 * uat_ibv_contexts_close(). On failure returns NULL and sets errno. */
struct ibv_device *const *uat_ibv_devices(int *n);

/* Returns the context of a device, open until uat_ibv_contexts_close(). On failure returns NULL and sets errno. */
struct ibv_context *uat_ibv_context_use(const char *name);

/* Returns the context of a device. The caller must close it. On failure returns NULL and sets errno. */
struct ibv_context *uat_ibv_context_take(const char *name);

void uat_ibv_contexts_close(void);

#endif

/* SPDX-License-Identifier: MIT */
#include "transport_ibv/devices.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct {
    struct ibv_device **devices; /* NULL: not listed yet */
    int count;
    struct opened {
        struct ibv_context *context;
        int error; /* errno of the attempt to open the device */
    } * opened;    /* one per device */
} hosts_devices;

struct ibv_device *const *uat_ibv_devices(int *n)
{
    if (!hosts_devices.devices) {
        hosts_devices.devices = ibv_get_device_list(&hosts_devices.count);
        if (!hosts_devices.devices)
            return NULL;
        hosts_devices.opened = calloc((size_t)hosts_devices.count + 1, sizeof(*hosts_devices.opened));
        if (!hosts_devices.opened) {
            uat_ibv_contexts_close();
            errno = ENOMEM;
            return NULL;
        }
    }
    *n = hosts_devices.count;
    return hosts_devices.devices;
}

/* The errno of a device that could not be opened. The library's errno may mislead: it is that of a second attempt,
 * which opens the device's file elsewhere. */
static int open_error(const struct ibv_device *device)
{
    int error = errno ? errno : EIO;
    char path[96] = "/dev/infiniband/";
    strncat(path, device->dev_name, sizeof(path) - strlen(path) - 1);
    return access(path, R_OK | W_OK) ? errno : error;
}

/* Open the device if possible, and return its entry. NULL if there is no such device. */
static struct opened *open_device(const char *name)
{
    int n, i = 0;
    struct ibv_device *const *devices = uat_ibv_devices(&n);
    while (devices && i < n && strcmp(ibv_get_device_name(devices[i]), name) != 0)
        i++;
    if (!devices || i == n)
        return NULL;
    struct opened *o = &hosts_devices.opened[i];
    if (o->context || o->error)
        return o;
    errno = 0;
    o->context = ibv_open_device(devices[i]);
    if (!o->context)
        o->error = open_error(devices[i]);
    return o;
}

struct ibv_context *uat_ibv_context_use(const char *name)
{
    const struct opened *o = open_device(name);
    errno = o ? o->error : ENODEV;
    return o ? o->context : NULL;
}

struct ibv_context *uat_ibv_context_take(const char *name)
{
    struct ibv_context *context = uat_ibv_context_use(name);
    for (int i = 0; context && i < hosts_devices.count; i++)
        if (hosts_devices.opened[i].context == context)
            hosts_devices.opened[i].context = NULL;
    return context;
}

void uat_ibv_contexts_close(void)
{
    for (int i = 0; hosts_devices.opened && i < hosts_devices.count; i++)
        if (hosts_devices.opened[i].context)
            ibv_close_device(hosts_devices.opened[i].context);
    if (hosts_devices.devices)
        ibv_free_device_list(hosts_devices.devices);
    free(hosts_devices.opened);
    memset(&hosts_devices, 0, sizeof(hosts_devices));
}

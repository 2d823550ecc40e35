/* SPDX-License-Identifier: MIT */
/* Replaces the transport over verbs when the library is built without libibverbs. */
#include <errno.h>
#include <stdio.h>

#include "base/log.h"
#include "transport/transport.h"
#include "transport_ibv/host.h"

static int absent_open(const struct uat_transport_config *config, struct uat_transport **out)
{
    (void)config;
    (void)out;
    uat_error(
        "this build of uat has no verbs: install libibverbs-dev and librdmacm-dev and configure it with -Dibv=enabled");
    return -ENODEV;
}

/* No other function is ever called, because open() always fails. */
const struct uat_transport_class uat_transport_ibv = {.name = "ibv", .open = absent_open};

int uat_ibv_probe(bool next, char *why, size_t size)
{
    (void)next;
    snprintf(why, size, "this build of uat has no verbs");
    return 0;
}

/* SPDX-License-Identifier: MIT */
#include "transport_ibv/host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "transport_ibv/devices.h"
#include "transport_ibv/port.h"

int uat_ibv_probe(bool next, char *why, size_t size)
{
    struct uat_ibv_port *ports;
    int n;
    int rc = uat_ibv_ports_list(&ports, &n);
    if (rc) {
        snprintf(why, size, "cannot list the verbs devices: %s", strerror(-rc));
        return 0;
    }
    char reason[544];
    int chosen = uat_ibv_port_find(ports, n, &uat_ibv_settings, reason, sizeof(reason));
    if (chosen < 0) /* later, opening the transport reports that the wish cannot be met */
        chosen = uat_ibv_port_find(ports, n, NULL, reason, sizeof(reason));
    if (chosen >= 0)
        snprintf(why, size, "%s:%d is active: %s", ports[chosen].device, ports[chosen].number, reason);
    else
        snprintf(why, size, "%s", reason);
    free(ports);
    if (!next || chosen < 0)
        uat_ibv_contexts_close();
    return chosen >= 0;
}

/* SPDX-License-Identifier: MIT */
#include "runtime/job/transport_select.h"

#include <stdio.h>

#include "runtime/job/settings.h"
#include "transport_ibv/probe.h"

const struct uat_transport_class *uat_transport_select(bool one_host, char *why, size_t size)
{
    if (uat_job_settings.transport != UAT_TRANSPORT_AUTO) {
        snprintf(why, size, "UAT_TRANSPORT");
        return uat_job_settings.transport == UAT_TRANSPORT_SHM   ? &uat_transport_shm
               : uat_job_settings.transport == UAT_TRANSPORT_SIM ? &uat_transport_sim
                                                                 : &uat_transport_ibv;
    }
    if (one_host) {
        snprintf(why, size, "all workers are on one host");
        return &uat_transport_shm;
    }
    char probed[576];
    bool usable = uat_ibv_probe(true, probed, sizeof(probed)) > 0;
    snprintf(why, size, "workers are on several nodes; %s", probed);
    return usable ? &uat_transport_ibv : &uat_transport_shm;
}

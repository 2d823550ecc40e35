/* SPDX-License-Identifier: MIT */
#include "runtime/flow/home.h"

enum { HOMES = UAT_FLOW_HOMES >> UAT_FLOW_HOME_SHIFT /* number of hosts that the bits can distinguish */ };

unsigned uat_flow_home(const void *p)
{
    int host = uat_global_is_far() ? uat_global_host(p) : -1;
    return host < 0 ? 0 : (1 + (unsigned)host % HOMES) << UAT_FLOW_HOME_SHIFT;
}

unsigned uat_flow_home_far(const uat_flow_t *flow, const uat_flow_access_t *access, size_t n)
{
    const void *largest = NULL;
    size_t most = 0;
    if (flow->home)
        return flow->home & UAT_FLOW_HOMES;
    for (size_t i = 0; i < n; i++) {
        size_t bytes = access[i].bytes * (access[i].rows > 1 ? access[i].rows : 1);
        if ((access[i].mode & ~(unsigned)UAT_FLOW_BELOW) != UAT_FLOW_IN && bytes > most) {
            largest = access[i].p;
            most = bytes;
        }
    }
    return largest ? uat_flow_home(largest) : 0;
}

bool uat_flow_home_is_elsewhere(uint64_t name)
{
    return !uat_global_host_is_near((int)((name & UAT_FLOW_HOMES) >> UAT_FLOW_HOME_SHIFT) - 1, HOMES);
}

/* SPDX-License-Identifier: MIT */
#include "runtime/global/hosts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "runtime/global/settings.h"

struct uat_hosts uat_hosts;

int uat_hosts_open(const int *host_of)
{
    struct uat_hosts *h = &uat_hosts;
    size_t size = (size_t)uat_self.size;
    *h = (struct uat_hosts){.given = malloc(size * sizeof(int)),
                            .of = malloc(size * sizeof(int)),
                            .leader = malloc(size * sizeof(int)),
                            .local = malloc(size * sizeof(int)),
                            .size = calloc(size, sizeof(int)),
                            .near = calloc(size, sizeof(bool))};
    if (!h->given || !h->of || !h->leader || !h->local || !h->size || !h->near) {
        uat_error("no memory for the table of hosts");
        uat_hosts_close();
        return -ENOMEM;
    }
    memcpy(h->given, host_of, size * sizeof(int));
    return 0;
}

void uat_hosts_close(void)
{
    free(uat_hosts.given);
    free(uat_hosts.of);
    free(uat_hosts.leader);
    free(uat_hosts.local);
    free(uat_hosts.size);
    free(uat_hosts.near);
    uat_hosts = (struct uat_hosts){0};
}

/* Are two ranks on one host? Simulated hosts (UAT_GLOBAL_HOSTS) divide real hosts. */
static bool share_host(int a, int b, int simulated)
{
    int64_t size = uat_self.size;
    return uat_hosts.given[a] == uat_hosts.given[b] &&
           (!simulated || (int64_t)a * simulated / size == (int64_t)b * simulated / size);
}

/* Number the hosts by their lowest rank. adapter: as in struct uat_bulk_class, or NULL to leave hosts undivided. */
static void number(int wanted, int (*adapter)(struct uat_transport *t, int rank))
{
    struct uat_transport *t = uat_self.transport;
    uat_hosts.count = 0;
    for (int rank = 0; rank < uat_self.size; rank++) {
        int host = uat_hosts.count - 1; /* usually it is the previous rank's host */
        while (host >= 0 && (!share_host(uat_hosts.leader[host], rank, wanted) ||
                             (adapter && adapter(t, uat_hosts.leader[host]) != adapter(t, rank))))
            host--;
        if (host < 0) {
            host = uat_hosts.count++;
            uat_hosts.leader[host] = rank;
            uat_hosts.size[host] = 0;
        }
        uat_hosts.of[rank] = host;
        uat_hosts.local[rank] = uat_hosts.size[host]++;
    }
}

/* Find the hosts. In a job of one host, no adapter carries bytes. So the host is not divided by adapters, and an array
 * needs few mappings. */
void uat_hosts_find(void)
{
    struct uat_transport *t = uat_self.transport;
    int wanted = uat_global_settings.hosts < uat_self.size ? uat_global_settings.hosts : uat_self.size;
    number(wanted, NULL);
    uat_hosts.far = uat_hosts.count > 1;
    if (uat_hosts.far && t->class_->bulk && t->class_->bulk->adapter)
        number(wanted, t->class_->bulk->adapter);
    uat_hosts.by_size = uat_divisor((uint64_t)uat_self.size);
    uat_hosts.own = uat_hosts.of[uat_self.rank];
    for (int host = 0; host < uat_hosts.count; host++)
        uat_hosts.near[host] = share_host(uat_hosts.leader[host], uat_self.rank, wanted);
}

void uat_hosts_forget(void)
{
    uat_hosts.count = uat_hosts.own = 0;
    uat_hosts.by_size = (struct uat_divisor){0};
    uat_hosts.far = false;
}

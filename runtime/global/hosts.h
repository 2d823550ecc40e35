/* SPDX-License-Identifier: MIT */
/* Which worker is on which host, as far as global memory is concerned. In a job of several hosts, a host whose workers
 * use several adapters counts as several hosts that are near each other. */
#ifndef UAT_GLOBAL_HOSTS_H
#define UAT_GLOBAL_HOSTS_H

#include "runtime/global/state.h"

struct uat_hosts {
    int count, own;
    struct uat_divisor by_size; /* divides by the number of workers */
    bool far;                   /* there is more than one host */
    int *given;                 /* host_of of struct uat_room_job */
    int *of, *leader, *local;   /* host of a rank; leader of a host; a rank's number on its host */
    int *size;                  /* number of workers of a host */
    bool *near;                 /* per host: do this worker's CPU and that host share memory? */
};
extern struct uat_hosts uat_hosts __attribute__((visibility("hidden")));

/* Make the lists, and copy host_of. Returns 0, or -ENOMEM, which has been reported; then nothing is to be freed. */
int uat_hosts_open(const int *host_of);
void uat_hosts_close(void);

/* Number the hosts. uat_hosts_forget() takes this back. */
void uat_hosts_find(void);
void uat_hosts_forget(void);

#endif

/* SPDX-License-Identifier: MIT */
#include "profile/profile.h"

#include "base/cpu.h"

#include <string.h>

struct uat_strand *uat_strand_now;
uint64_t uat_profile_stretches;
uint64_t uat_profile_near_bytes, uat_profile_cached_bytes;

/* ns per count of the processor's counter; 0: the clock is uat_time_ns(). Set at the start of each run. */
static double rate;
static uint64_t first_count, first_ns;
static double cost; /* ns of reading the clock, the shortest of some */

static double read_clock(void)
{
    return rate > 0 ? (double)(uat_cpu_counter() - first_count) * rate : (double)uat_time_ns();
}

double uat_profile_clock(void)
{
    return read_clock();
}

/* The bytes that were accessed before the present stretch. */
static uint64_t near_before, cached_before;

void uat_profile_clock_open(void)
{
    if (!first_count) {
        first_count = uat_cpu_counter();
        first_ns = uat_time_ns();
    }
}

void uat_profile_clock_set(void)
{
    uint64_t count, ns;
    if (strcmp(uat_setting("time"), "virtual") == 0)
        return;
    do { /* the longer the interval, the better the rate; 1 ms gives 1e-4 */
        count = uat_cpu_counter();
        ns = uat_time_ns();
    } while (ns - first_ns < 1000000);
    rate = (double)(ns - first_ns) / (double)(count - first_count);
    cost = 1e9;
    for (int i = 0; i < 100; i++) {
        double from = read_clock(), d = read_clock() - from;
        if (d < cost)
            cost = d;
    }
}

struct uat_strand *uat_profile_stop(uint64_t to)
{
    struct uat_strand *s = uat_strand_now;
    if (!s)
        return NULL;
    double ns = read_clock() - s->since - cost; /* reading the clock is no work */
    struct uat_name *row = uat_name_of(s->name);
    uat_strand_run(s, ns > 0 ? ns : 0, to);
    if (ns > row->longest.ns)
        row->longest = (struct uat_profile_stretch){.ns = ns, .name = s->name, .from = s->from, .to = to};
    row->near_bytes += (double)(uat_profile_near_bytes - near_before);
    row->cached_bytes += (double)(uat_profile_cached_bytes - cached_before);
    return s;
}

void uat_profile_start(struct uat_strand *s, uint64_t from)
{
    uat_strand_now = s;
    if (!s)
        return;
    uat_profile_stretches++;
    near_before = uat_profile_near_bytes;
    cached_before = uat_profile_cached_bytes;
    s->from = from;
    s->since = read_clock();
}

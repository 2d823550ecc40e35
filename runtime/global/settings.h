/* SPDX-License-Identifier: MIT */
/* The settings of global memory: see base/settings.h. */
#ifndef UAT_GLOBAL_SETTINGS_H
#define UAT_GLOBAL_SETTINGS_H

#include "base/settings.h"

enum uat_huge_pages { UAT_HUGE_PAGES_TRY, UAT_HUGE_PAGES_REQUIRE, UAT_HUGE_PAGES_NONE };
enum uat_map_pages { UAT_MAP_PAGES_AUTO, UAT_MAP_PAGES_OWN, UAT_MAP_PAGES_ALL, UAT_MAP_PAGES_NONE };

enum { UAT_PART_AUTO = 0 };

struct uat_global_settings {
    uint64_t part_size;  /* bytes for objects in a worker's part, or UAT_PART_AUTO */
    uint64_t cache_size; /* bytes of a worker's cache of far memory */
    int huge_pages;      /* enum uat_huge_pages */
    int map_pages;       /* enum uat_map_pages */
    int hosts;           /* simulated hosts; 0: the real ones */
    int latency;         /* round trip to a simulated host, in ns */
};
extern struct uat_global_settings uat_global_settings;

#ifdef UAT_SETTINGS_ROWS
#define GLOBAL(member) UAT_FIELD(struct uat_global_settings, member)
static const struct uat_setting uat_global_hosts_parts[] = {
    {"hosts", "0", UAT_MAY_DIFFER, GLOBAL(hosts), UAT_NUMBER(0, 65536), "number of such hosts; 0: the real ones"},
    {"latency", "0", UAT_MAY_DIFFER, GLOBAL(latency), UAT_TIME(0, UAT_SECONDS, 1),
     "round trip to the global memory of such a host"},
    UAT_LAST_SETTING,
};
static const struct uat_setting uat_pages_parts[] = {
    {"huge", "try", UAT_EQUAL, GLOBAL(huge_pages),
     UAT_CHOICE({"try", UAT_HUGE_PAGES_TRY}, {"require", UAT_HUGE_PAGES_REQUIRE}, {"none", UAT_HUGE_PAGES_NONE}),
     "pages of 2 MiB; try: where available; require: reserved ones, or refuse the array; none: never"},
    {"map", "auto", UAT_EQUAL, GLOBAL(map_pages),
     UAT_CHOICE({"auto", UAT_MAP_PAGES_AUTO}, {"own", UAT_MAP_PAGES_OWN}, {"all", UAT_MAP_PAGES_ALL},
                {"none", UAT_MAP_PAGES_NONE}),
     "pages that a worker maps when an array is allocated; own: those of its own chunks; all: those of its host; auto: "
     "all if at most 8 workers share a host, else own; none: each page at its first use"},
    UAT_LAST_SETTING,
};
static const struct uat_setting uat_global_rows[] = {
    {"UAT_GLOBAL_SIZE", "auto", UAT_EQUAL, GLOBAL(part_size),
     UAT_SIZE_OR(64 << 10, UINT64_C(1) << 40, 4096, {"auto", UAT_PART_AUTO}),
     "room for a worker's objects in global memory, in bytes; auto: it grows to 64G, but is 64M over verbs and in a "
     "job with checkpoints"},
    {"UAT_CACHE_SIZE", "16M", UAT_MAY_DIFFER, GLOBAL(cache_size), UAT_SIZE(128 << 10, UINT64_C(64) << 30, 4096),
     "a worker's cache of far global memory, in bytes; rounded down to a power of two"},
    {"UAT_PAGES", NULL, UAT_EQUAL, UAT_NO_FIELD, UAT_PARTS(uat_pages_parts), "pages of global arrays"},
    {"UAT_GLOBAL_HOSTS", NULL, UAT_MAY_DIFFER, UAT_NO_FIELD, UAT_PARTS(uat_global_hosts_parts),
     "for tests: treat the workers as if they ran on several hosts"},
    UAT_LAST_SETTING,
};
#endif

#endif

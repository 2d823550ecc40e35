/* SPDX-License-Identifier: MIT */
/* The settings of a worker's segment: see base/settings.h. */
#ifndef UAT_SEGMENT_SETTINGS_H
#define UAT_SEGMENT_SETTINGS_H

#include "base/settings.h"

/* The address of the segment in every worker: far from where Linux places mappings by itself. */
#define UAT_SEGMENT_ADDRESS_DEFAULT 0x7ea000000000
#define UAT_SEGMENT_ADDRESS_LOWEST  0x200000

#define UAT_STACK_SIZE_MAX (UINT64_C(2) << 30) /* a stack moves in one READ, and InfiniBand's limit is 2 GiB */
#define UAT_RESULT_MAX_MIN UINT64_C(1024)
#define UAT_RESULT_MAX_MAX UINT64_C(65536)

enum uat_stacks { UAT_STACKS_UNI, UAT_STACKS_ISO };
struct uat_segment_settings {
    uint64_t address;    /* a multiple of 2 MiB */
    uint64_t stack_size; /* bytes of the uni-address region */
    uint64_t heap_size;  /* bytes of the evacuation heap */
    uint64_t records;    /* join records per worker */
    uint64_t result_max; /* bytes */
    int stacks;          /* enum uat_stacks */
    uint64_t berth;      /* bytes of a task's stack with UAT_STACKS_ISO */
};
extern struct uat_segment_settings uat_segment_settings;

#ifdef UAT_SETTINGS_ROWS
#define SEGMENT(member) UAT_FIELD(struct uat_segment_settings, member)
#define TEXT(number)    TEXT_OF(number)
#define TEXT_OF(number) #number
static const struct uat_setting uat_stacks_parts[] = {
    {"mode", "uni", UAT_EQUAL, SEGMENT(stacks), UAT_CHOICE({"uni", UAT_STACKS_UNI}, {"iso", UAT_STACKS_ISO}), NULL},
    {"size", "16k", UAT_EQUAL, SEGMENT(berth), UAT_SIZE(4096, 1 << 20, 4096), NULL},
    UAT_LAST_SETTING,
};
static const struct uat_setting uat_segment_rows[] = {
    {"UAT_SEGMENT_ADDRESS", TEXT(UAT_SEGMENT_ADDRESS_DEFAULT), UAT_EQUAL, SEGMENT(address),
     UAT_ADDRESS(UAT_SEGMENT_ADDRESS_LOWEST, 0x7fffffe00000,
                 0x200000), /* up to the last huge page of a 47-bit address space */
     "virtual address of the segment"},
    {"UAT_STACK_SIZE", "16M", UAT_EQUAL, SEGMENT(stack_size), UAT_SIZE(64 << 10, UAT_STACK_SIZE_MAX, 4096),
     "room for the stacks of running tasks, in bytes"},
    {"UAT_STACKS", NULL, UAT_EQUAL, UAT_NO_FIELD, UAT_PARTS(uat_stacks_parts), NULL}, /* for papers/ */
    {"UAT_HEAP_SIZE", "16M", UAT_EQUAL, SEGMENT(heap_size), UAT_SIZE(64 << 10, UINT64_C(64) << 30, 4096),
     "room for the stacks of waiting tasks, in bytes"},
    {"UAT_RECORDS", "4096", UAT_EQUAL, SEGMENT(records), UAT_NUMBER(1, 1 << 24), "join records per worker"},
    /* At least 1k, because uat_spawn() checks only larger results. The transport moves whole 8-byte words. */
    {"UAT_RESULT_MAX", "1k", UAT_EQUAL, SEGMENT(result_max), UAT_SIZE(UAT_RESULT_MAX_MIN, UAT_RESULT_MAX_MAX, 8),
     "largest result of a task, in bytes"},
    UAT_LAST_SETTING,
};
#endif

#endif

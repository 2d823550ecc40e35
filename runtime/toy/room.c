/* SPDX-License-Identifier: MIT */
/* A toy room, which shows what a row is good for: it has an area, and says its value in the line of SIGUSR1. */
#include "runtime/segment/room.h"

#include <stdio.h>

#include "runtime/segment/segment.h"

static struct uat_area area = {.name = "toy", .size = sizeof(uint64_t), .peers = UAT_PEERS_READ};

static void reserve(void)
{
    uat_segment_reserve(&area);
}

static int open_toy(const struct uat_room_job *job)
{
    (void)job;
    *(uint64_t *)area.at = 1;
    return 0;
}

static void describe(char *text, size_t size)
{
    snprintf(text, size, "; toy %d", (int)*(const uint64_t *)area.at);
}

const struct uat_room uat_toy_room = {.name = "toy", .reserve = reserve, .open = open_toy, .describe = describe};

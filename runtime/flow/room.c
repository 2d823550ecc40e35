/* SPDX-License-Identifier: MIT */
/* The descriptor of data-flow tasks: see runtime/segment/room.h. */
#include "runtime/segment/room.h"

#include <stdlib.h>

#include "runtime/flow/access.h"
#include "runtime/flow/ring.h"
#include "runtime/flow/unroll.h"
#include "runtime/global/global.h"
#include "runtime/job/stall.h"
#include "runtime/sched/park.h"
#include "runtime/segment/sections.h"

static void reserve(void)
{
    uat_flow_access_reserve();
    uat_flow_ring_reserve();
}

static int open_flow(const struct uat_room_job *job)
{
    (void)job;
    if (uat_flow_always())
        uat_global_watch(uat_flow_watch);
    return 0;
}

/* Save the names of ready entries. The entries themselves lie in blocks. */
static void save(struct uat_sections_out *out, int rank)
{
    if (rank != uat_self.rank) /* a ghost's entries are among the keeper's since the restart */
        return;
    size_t count = uat_flow_ring_copy(NULL);
    uint64_t *names = malloc(count * sizeof(*names) + 1);
    if (!names)
        uat_park_no_memory();
    uat_flow_ring_copy(names);
    if (count > 0)
        uat_sections_add(out, UAT_SECTION_FLOW, 0, names, count * sizeof(*names));
    free(names);
}

static bool restore(int rank, const struct uat_section *section)
{
    size_t count = section->whole / sizeof(uint64_t), pushed = 0;
    uint64_t *names = section->whole % sizeof(*names) == 0 ? malloc(section->whole + 1) : NULL;
    (void)rank;
    if (!names)
        return false;
    uat_section_put(section, (char *)names);
    uat_notice_begin(uat_stall_notice()); /* K8 */
    while (pushed < count && uat_flow_is_entry(names[pushed]))
        uat_flow_ring_push(names[pushed++]);
    free(names);
    return pushed == count;
}

static void reset(void)
{
    uat_flow_ring_reset();
    uat_flow_look_anew();
}

const struct uat_room uat_flow_room = {.name = "flow",
                                       .reserve = reserve,
                                       .open = open_flow,
                                       .close = uat_flow_ring_close,
                                       .work = &uat_flow_work,
                                       .save = save,
                                       .restore = restore,
                                       .reset = reset,
                                       .sections = 1 << UAT_SECTION_FLOW};

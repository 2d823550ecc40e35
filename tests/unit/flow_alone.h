/* SPDX-License-Identifier: MIT */
/* A worker with what data-flow tasks need, for unit tests of one process. */
#ifndef UAT_TESTS_UNIT_FLOW_ALONE_H
#define UAT_TESTS_UNIT_FLOW_ALONE_H

#include "runtime/flow/access.h"
#include "runtime/flow/ring.h"
#include "runtime/job/self.h"
#include "runtime/job/stall.h"
#include "runtime/sched/steal.h"
#include "runtime/segment/frame.h"
#include "runtime/segment/segment.h"
#include "runtime/segment/settings.h"
#include "runtime/task/worker.h"
#include "tests/test.h"

enum { HEAP = 4 << 20 };

/* The worker has rank 0 of 2. Both ranks have the same memory. */
static int open_flow(struct uat_transport *transport)
{
    static struct uat_endpoint peers[2] = {{.host = "here"}, {.host = "here"}};
    static uint8_t colours[2];
    static struct uat_frame frame; /* of the task that runs */
    static uintptr_t entries[1];
    uat_segment_settings = (struct uat_segment_settings){.address = UAT_SEGMENT_ADDRESS_DEFAULT,
                                                         .stack_size = 1 << 16,
                                                         .heap_size = HEAP,
                                                         .records = 16,
                                                         .result_max = UAT_RESULT_MAX_MIN};
    uat_torture_settings.torture_delay = UAT_TORTURE_NO_DELAY;
    uat_self = (struct uat_self){.size = 2, .transport = transport};
    uat_segment_begin();
    uat_stall_reserve();
    uat_flow_access_reserve();
    uat_flow_ring_reserve();
    uat_segment_lay_out();
    if (uat_segment_open(0) || uat_heap_open(&uat_heap, uat_segment.heap, uat_segment.heap_size))
        return -1;
    uat_segment.colours = colours;
    uat_victims_open(peers, "here");
    entries[0] = (uintptr_t)(&frame + 1);
    uat_worker.deque.top = &entries[1];
    uat_self.near_first = (uintptr_t)uat_segment.heap;
    return 0;
}

static int close_flow(void **state)
{
    (void)state;
    uat_flow_ring_close();
    uat_heap_close(&uat_heap);
    uat_segment.colours = NULL;
    uat_segment_close();
    return 0;
}

/* near: the CPU acts on the worker's words; otherwise the transport does. */
static void set_near(bool near)
{
    uat_self.near_size = near ? HEAP : 0;
}

#endif

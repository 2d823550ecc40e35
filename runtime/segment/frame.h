/* SPDX-License-Identifier: MIT */
/* A task's base frame. uat_spawn() puts it at the top of the child's own stack segment, and it moves with the task. */
#ifndef UAT_FRAME_H
#define UAT_FRAME_H

#include <stdint.h>

#include "asm/offsets.h"
#include "include/uat.h"

struct uat_frame {
    _Alignas(UAT_FRAME_ALIGN) uat_task_t *task; /* the spawner's handle, in the spawner's frame; NULL for a root */
    uint64_t record;                            /* name of the join record; set when child and spawner can part */
    uint32_t result_size;                       /* bytes */
    uint32_t pending;                           /* children that have parted from this task and are not joined yet */
};
_Static_assert(sizeof(struct uat_frame) == UAT_FRAME_SIZE, "asm/offsets.h");
_Static_assert(offsetof(struct uat_frame, task) == UAT_FRAME_TASK, "asm/offsets.h");
_Static_assert(offsetof(struct uat_frame, record) == UAT_FRAME_RECORD, "asm/offsets.h");
_Static_assert(offsetof(struct uat_frame, result_size) == UAT_FRAME_RESULT_SIZE, "asm/offsets.h");
_Static_assert(offsetof(struct uat_frame, pending) == UAT_FRAME_PENDING, "asm/offsets.h");
_Static_assert(offsetof(uat_task_t, record) == UAT_TASK_RECORD, "asm/offsets.h");
_Static_assert(offsetof(uat_task_t, result) == UAT_TASK_RESULT, "asm/offsets.h");

static inline uint32_t uat_round8(uint64_t bytes)
{
    return (uint32_t)((bytes + 7) & ~UINT64_C(7));
}

/* The frame of the task whose segment begins at base. */
static inline struct uat_frame *uat_frame_at(uintptr_t base)
{
    return (struct uat_frame *)(base - UAT_FRAME_SIZE);
}

/* The place where the task stores its result. */
static inline void *uat_frame_result(struct uat_frame *frame)
{
    return (char *)frame - uat_round8(frame->result_size);
}

#endif

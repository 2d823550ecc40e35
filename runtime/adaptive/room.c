/* SPDX-License-Identifier: MIT */
/* The descriptor of adaptive requests: see runtime/segment/room.h. */
#include "runtime/adaptive/cell.h"
#include "runtime/adaptive/context.h"

static void reset(void)
{
    uat_cells_reset();
    uat_part_look_anew();
    uat_request_reset();
    uat_answer_reset();
}

const struct uat_room uat_adaptive_room = {.name = "adaptive",
                                           .reserve = uat_cells_reserve,
                                           .work = &uat_part_work,
                                           .reset = reset,
                                           .busy = uat_cells_any,
                                           .busy_reason =
                                               "an interval of uat_adaptive_run() is open, which cannot be saved"};

/* SPDX-License-Identifier: MIT */
/* The descriptor of teams: see runtime/segment/room.h. */
#include "runtime/segment/room.h"

#include "runtime/team/board.h"
#include "runtime/team/team.h"

static void reset(void)
{
    uat_board_reset();
    uat_team_reset();
    uat_team_forget();
}

const struct uat_room uat_team_room = {.name = "team",
                                       .reserve = uat_board_reserve,
                                       .open = uat_team_open,
                                       .close = uat_team_close,
                                       .work = &uat_team_work,
                                       .reset = reset};

/* SPDX-License-Identifier: MIT */
/* Only this file defines the structs of the rooms' settings and instantiates the tables in their headers. uatrun links
 * this file alone, without the rooms. */
#define UAT_SETTINGS_ROWS

#include "deque/settings.h"
#include "runtime/checkpoint/settings.h"
#include "runtime/global/settings.h"
#include "runtime/job/settings.h"
#include "runtime/rooms.h"
#include "runtime/sched/settings.h"
#include "runtime/segment/settings.h"
#include "runtime/torture/settings.h"
#include "runtime/trace/settings.h"
#include "transport_ibv/settings.h"
#include "transport_sim/settings.h"

#define DEFINE(room, title) struct uat_##room##_settings uat_##room##_settings;
#define LIST(room, title)   {title, uat_##room##_rows, &uat_##room##_settings},
#define NO_SETTINGS(room)   /* a descriptor only */

UAT_ROOMS(DEFINE, NO_SETTINGS, DEFINE)

const struct uat_settings uat_settings[] = {UAT_ROOMS(LIST, NO_SETTINGS, LIST){NULL, NULL, NULL}};

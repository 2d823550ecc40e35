/* SPDX-License-Identifier: MIT */
/* The settings of checkpoints: see base/settings.h. */
#ifndef UAT_CHECKPOINT_SETTINGS_H
#define UAT_CHECKPOINT_SETTINGS_H

#include "base/settings.h"

enum uat_sigterm { UAT_SIGTERM_END, UAT_SIGTERM_CHECKPOINT, UAT_SIGTERM_LEAVE };
enum uat_restart { UAT_RESTART_AUTO, UAT_RESTART_YES, UAT_RESTART_NO };

struct uat_checkpoint_settings {
    char folder[512]; /* "": no checkpoints */
    int every;        /* seconds; 0: only when asked */
    int keep;
    int restart;     /* enum uat_restart */
    int sigterm;     /* enum uat_sigterm */
    int survive;     /* milliseconds; 0: no copies in memory */
    uint64_t number; /* which checkpoint to continue from; 0: the newest */
};
extern struct uat_checkpoint_settings uat_checkpoint_settings;

#ifdef UAT_SETTINGS_ROWS
#define CHECKPOINT(member) UAT_FIELD(struct uat_checkpoint_settings, member)
static const struct uat_setting uat_checkpoint_parts[] = {
    {"folder", "none", UAT_EQUAL_IF_SET, CHECKPOINT(folder), UAT_PATH_OR("none"),
     "folder of the checkpoints, which all hosts see; none: no checkpoint is written"},
    {"every", "0", UAT_MAY_DIFFER, CHECKPOINT(every), UAT_TIME(0, 10080 * UAT_MINUTES, UAT_SECONDS),
     "time from one checkpoint to the next; 0: only SIGUSR2 and uat_checkpoint() ask for one"},
    {"keep", "2", UAT_MAY_DIFFER, CHECKPOINT(keep), UAT_NUMBER(1, 1000),
     "number of complete checkpoints to keep; the oldest is removed once the newest is complete"},
    {"restart", "auto", UAT_MAY_DIFFER, CHECKPOINT(restart),
     UAT_CHOICE({"auto", UAT_RESTART_AUTO}, {"yes", UAT_RESTART_YES}, {"no", UAT_RESTART_NO}),
     "auto: continue from the newest checkpoint, or begin anew if there is none; yes: fail if there is none; no: begin "
     "anew"},
    {"sigterm", "end", UAT_MAY_DIFFER, CHECKPOINT(sigterm),
     UAT_CHOICE({"end", UAT_SIGTERM_END}, {"checkpoint", UAT_SIGTERM_CHECKPOINT}, {"leave", UAT_SIGTERM_LEAVE}),
     "checkpoint: the first SIGTERM asks for a checkpoint and the end of the job, as SIGUSR2 does; leave: after the "
     "checkpoint, uatrun lets the job go on without the worker that got the signal; end: it ends the job"},
    {"survive", "0", UAT_EQUAL, CHECKPOINT(survive), UAT_TIME(0, 60 * UAT_MINUTES, UAT_MILLISECONDS),
     "time from one copy of the run in memory to the next, by which the job survives the kill of a worker other than "
     "rank 0, under uatrun on one host; 0: no copies"},
    {"number", "0", UAT_MAY_DIFFER, CHECKPOINT(number), UAT_NUMBER(0, UINT32_MAX),
     "the checkpoint to continue from; 0: the newest"},
    UAT_LAST_SETTING,
};
static const struct uat_setting uat_checkpoint_rows[] = {
    {"UAT_CHECKPOINT", NULL, UAT_MAY_DIFFER, UAT_NO_FIELD, UAT_PARTS(uat_checkpoint_parts),
     "checkpoint and restart: docs/checkpoint.md"},
    UAT_LAST_SETTING,
};
#endif

#endif

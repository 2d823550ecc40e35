/* SPDX-License-Identifier: MIT */
#include "launcher/recovery.h"

#include "launcher/launcher.h"
#include "runtime/checkpoint/folder.h"
#include "runtime/checkpoint/settings.h"
#include "runtime/rooms.h"
#include "runtime/segment/sections.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>

/* The current time, by the clock that dates files. */
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* The time at which the newest checkpoint was completed. */
static double completed(void)
{
    char name[UAT_SECTIONS_NAME];
    struct stat st;
    if (stat(uat_folder_name(name, sizeof(name), 0, "latest"), &st))
        return now();
    return (double)st.st_mtim.tv_sec + (double)st.st_mtim.tv_nsec * 1e-9;
}

/* *number: the newest checkpoint; 0 if there is none. If the folder cannot be used, reports this and returns false. */
static bool newest(uint64_t *number)
{
    struct stat st;
    *number = 0;
    return stat(uat_checkpoint_settings.folder, &st) != 0 || uat_folder_latest(number) == 0;
}

/* Make the next start use the newest checkpoint, even if the user has chosen another checkpoint for the first start. */
static void choose_newest(struct uat_arguments *arguments)
{
    uat_checkpoint_settings.restart = UAT_RESTART_AUTO;
    uat_checkpoint_settings.number = 0;
    uat_arguments_pass_checkpoint(arguments);
}

void uat_recovery_begin(struct uat_recovery *recovery, const struct uat_arguments *arguments)
{
    *recovery = (struct uat_recovery){.arguments = *arguments, .starts = 1};
    recovery->begun = now();
    if (arguments->again > 0 && !newest(&recovery->checkpoint))
        recovery->checkpoint = 0;
}

/* Report the next start. number: the newest checkpoint. since: the time at which the lost work began, by now()'s
 * clock. */
static void say_next(const struct uat_recovery *recovery, uint64_t number, double since)
{
    const struct uat_arguments *arguments = &recovery->arguments;
    char from[64] = "begins anew";
    if (recovery->checkpoint == number && uat_checkpoint_settings.number > 0)
        number = uat_checkpoint_settings.number;
    else if (recovery->checkpoint == number && uat_checkpoint_settings.restart == UAT_RESTART_NO)
        number = 0;
    if (number > 0)
        snprintf(from, sizeof(from), "goes on from checkpoint %" PRIu64, number);
    uat_say("the job %s in %s with %d worker%s; %.1f s of work are lost (start %d of at most %d)", from,
            uat_checkpoint_settings.folder, arguments->simulated > 0 ? arguments->simulated : arguments->workers,
            arguments->workers == 1 && arguments->simulated == 0 ? "" : "s", now() - since, recovery->starts + 1,
            arguments->again + 1);
}

/* The next start begins now, with the newest checkpoint `number`. */
static void begin_next(struct uat_recovery *recovery, uint64_t number)
{
    struct uat_arguments *arguments = &recovery->arguments;
    if (number != recovery->checkpoint)
        choose_newest(arguments);
    if (arguments->timeout > 0) {
        double left = arguments->left - (now() - recovery->begun);
        arguments->left = left > 0.001 ? left : 0.001;
    }
    recovery->checkpoint = number;
    recovery->begun = now();
}

bool uat_recovery_next(struct uat_recovery *recovery, int lost)
{
    struct uat_arguments *arguments = &recovery->arguments;
    uint64_t number;
    if (recovery->starts > arguments->again || !newest(&number))
        return false;
    if (lost > 0)
        arguments->workers = arguments->workers > lost ? arguments->workers - lost : 1;
    say_next(recovery, number, number != recovery->checkpoint ? completed() : recovery->begun);
    recovery->starts++;
    begin_next(recovery, number);
    return true;
}

bool uat_recovery_resize(struct uat_recovery *recovery, int workers)
{
    uint64_t number;
    if (!newest(&number))
        return false;
    int before = recovery->arguments.workers;
    recovery->arguments.workers = workers;
    uat_say("the job goes on from checkpoint %" PRIu64 " with %d worker%s; it had %d", number, workers,
            workers == 1 ? "" : "s", before);
    begin_next(recovery, number);
    return true;
}

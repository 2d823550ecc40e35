/* SPDX-License-Identifier: MIT */
/* Messages of the launcher: lines "uatrun: ..." on stderr, each written by one call. */
#ifndef UAT_LAUNCHER_SAY_H
#define UAT_LAUNCHER_SAY_H

void uat_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * From now on, let only uat_say() write to this process's stderr. uatrun itself reports dead workers. Without this,
 * libpmix would report them again. Call this when all workers have been started.
 */
void uat_say_alone(void);

#endif

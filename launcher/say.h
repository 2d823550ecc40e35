/* SPDX-License-Identifier: MIT */
/* What the launcher has to say: whole lines "uatrun: ..." on stderr, one write each. */
#ifndef UAT_LAUNCHER_SAY_H
#define UAT_LAUNCHER_SAY_H

void uat_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * From now on nothing else of this process reaches stderr: libpmix would complain there of every worker that dies,
 * which uatrun itself reports. Call it when all workers have been started.
 */
void uat_say_alone(void);

#endif

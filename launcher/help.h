/* SPDX-License-Identifier: MIT */
#ifndef UAT_LAUNCHER_HELP_H
#define UAT_LAUNCHER_HELP_H

#include <stdbool.h>

/* Print the help, which names the largest number of workers and the status after --timeout. If `form` is not NULL,
 * print the settings as a document of that form instead: "md" or "man". Returns false after reporting another form. */
bool uat_help_print(const char *form, int workers_max, int status_timeout);

#endif

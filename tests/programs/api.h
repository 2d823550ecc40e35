/* SPDX-License-Identifier: MIT */
/* What test-api's files share: the report of an error, and the declarations of the tests. */
#ifndef API_H
#define API_H

#include <stdio.h>
#include <uat.h>

/* If the condition does not hold, print its source line. The value is the number of errors, 0 or 1, so that values can
 * be added up. */
#define WRONG(condition) ((condition) ? 0 : api_wrong(#condition, __FILE__, __LINE__))
int api_wrong(const char *condition, const char *file, int line);

/* Keep the worker busy for some microseconds, so that thieves have time to steal. */
void api_work(void);

/* Each test is called collectively, outside uat_run(), and returns the number of errors seen on this rank. */
int api_join_orders(void);
int api_nested(void);
int api_reused_handle(void);
int api_big_blocks(void);
int api_odd_sizes(void);
int api_kept_registers(void);
int api_deep(void);
int api_typed(void);
int api_results_everywhere(void);
int api_refusals(void);
int api_replicated(void);
int api_statistics(void);
int api_barrier(const char *folder);

#endif

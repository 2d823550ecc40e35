/* SPDX-License-Identifier: MIT */
/* This worker's requests for parts: see A6 to A8 in cell.h. */
#ifndef UAT_ADAPTIVE_REQUEST_H
#define UAT_ADAPTIVE_REQUEST_H

#include "runtime/adaptive/cell.h"

/* End the job if a task has left its request open. Called by an idle worker. */
void uat_request_check_idle(void);

/* Post a request to the victim, and wait for the answer. Called by an idle worker. Returns whether a part was given. If
 * so, the part is in uat_cells_landing()->part. */
bool uat_request_ask(int victim);

/* End a task's request after the victim has given a part. Returns the victim's rank. */
int uat_request_accept(void);

/* Forget this worker's own request, and the data for requests. */
void uat_request_reset(void);

#endif

/* SPDX-License-Identifier: MIT */
/* Answers to the requests of other workers: see A6 to A8 in cell.h. */
#ifndef UAT_ADAPTIVE_ANSWER_H
#define UAT_ADAPTIVE_ANSWER_H

#include "runtime/adaptive/cell.h"

/* Answer all requests in this worker's mailbox from the contexts of the calling task: c and the contexts around c. */
void uat_request_answer(uat_context_t *c);

/* Forget the requests that this worker has not answered, and its answers. */
void uat_answer_reset(void);

#endif

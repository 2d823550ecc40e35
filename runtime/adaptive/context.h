/* SPDX-License-Identifier: MIT */
/* Contexts, the owner's side of an interval; parts, which others run; requests for parts, and the answers. */
#ifndef UAT_ADAPTIVE_CONTEXT_H
#define UAT_ADAPTIVE_CONTEXT_H

#include "runtime/adaptive/cell.h"
#include "runtime/sched/alone.h"

/* Open the interval [begin, end) in the cell part->own. begin and end are in units. The cell's word is part->own_word.
 * `part` lies in the frame of the calling task. */
void uat_context_open(uat_context_t *c, const struct uat_part *part, uint64_t begin, uint64_t end);

/* Drop the iterations that are left, and the parts that were not merged. Returns the cell's word. */
void uat_context_end(uat_context_t *c);

/* Parts: how an idle worker takes one, and how a part runs. */

/* Forget whether looks at other workers have found intervals. */
void uat_part_look_anew(void);

/* How an idle worker takes a part: `work` of this room's descriptor. */
extern const struct uat_work uat_part_work __attribute__((visibility("hidden")));

/* This worker's requests for parts: see A6 to A8 in cell.h. */

/* End the job if a task has left its request open. Called by an idle worker. */
void uat_request_check_idle(void);

/* Post a request to the victim, and wait for the answer. Called by an idle worker. Returns whether a part was given. If
 * so, the part is in uat_cells_landing()->part. */
bool uat_request_ask(int victim);

/* End a task's request after the victim has given a part. Returns the victim's rank. */
int uat_request_accept(void);

/* Forget this worker's own request, and the data for requests. */
void uat_request_reset(void);

/* Answers to the requests of other workers: see A6 to A8 in cell.h. */

/* Answer all requests in this worker's mailbox from the contexts of the calling task: c and the contexts around c. */
void uat_request_answer(uat_context_t *c);

/* Forget the requests that this worker has not answered, and its answers. */
void uat_answer_reset(void);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Messages between uatrun and rank 0 of its job, for `uatrun --ctl`. They go over a pair of sockets that keep the
 * limits of messages. uatrun makes the pair before it starts rank 0, which inherits one end.
 */
#ifndef UAT_BASE_CONTROL_H
#define UAT_BASE_CONTROL_H

#include <stdint.h>

/* An environment variable of the workers, "DESCRIPTOR:PID": rank 0's end of the pair, and the process that made the
 * pair. */
#define UAT_CONTROL_VARIABLE "UATRUN_CONTROL"

struct uat_control_request {
    uint32_t number;  /* of the request; not 0 */
    uint32_t workers; /* let the workers of the lower ranks take part; 0: only asks */
};

struct uat_control_reply {
    uint32_t number;        /* of the request */
    int32_t status;         /* 0 or a negative errno */
    uint32_t workers, size; /* how many workers take part, as far as rank 0 has heard, and how many the job has */
};

#endif

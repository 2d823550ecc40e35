/* SPDX-License-Identifier: MIT */
/*
 * The memory in which the workers of uatrun meet: a memory object that uatrun makes before it starts them. They inherit
 * it. uatrun keeps a lock (fcntl) on the object until it ends, so a waiting worker sees that uatrun is gone. uatrun
 * itself ends the workers if one of its own processes has ended too early. If that process is a script that outlives
 * the worker in it, the other workers wait until UAT_STALL_LIMIT. The bytes that the workers publish follow the seats.
 */
#ifndef UAT_BASE_MEETING_H
#define UAT_BASE_MEETING_H

#include <stdint.h>

/* Environment variables of a worker: "PID:DESCRIPTOR:NAME" of the memory, where PID is the process of uatrun that made
 * it; and the worker's rank. */
#define UAT_MEETING_VARIABLE "UATRUN_MEETING"
#define UAT_MEETING_RANK     "UATRUN_RANK"

enum {
    UAT_MEETING_LAYOUT = 1, /* of this file; a change of the structs changes it */
    UAT_MEETING_NAME = 40   /* bytes: 32 random hexadecimal digits, and the zeros after them */
};

enum uat_presence { UAT_PRESENCE_NONE, UAT_PRESENCE_CONNECTED, UAT_PRESENCE_FINALIZED };

struct uat_meeting_seat {
    uint32_t presence; /* enum uat_presence */
    struct {
        uint64_t at, size; /* in bytes from the start of the object */
    } blob[2];             /* of exchanges after an even and after an odd number of barriers */
};

struct uat_meeting {
    char name[UAT_MEETING_NAME];
    uint32_t layout, size;   /* UAT_MEETING_LAYOUT; number of workers */
    uint32_t entered, ended; /* workers in the current barrier; number of barriers that have ended, a futex */
    uint64_t aborted;        /* rank + 1 and status (32 bits each) of the first worker that aborted the job, or 0 */
    uint64_t end;            /* of the published bytes, in bytes from the start of the object */
    struct uat_meeting_seat seat[];
};

#endif

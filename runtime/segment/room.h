/* SPDX-License-Identifier: MIT */
/*
 * A room as the start, the end and the reports of a job see it. Each room has one descriptor, `uat_NAME_room`, in its
 * file room.c. runtime/rooms.h lists the rooms in their order: a room comes after the rooms that it uses. Every member
 * except `name` may be NULL, if the room has nothing to do there.
 */
#ifndef UAT_ROOM_H
#define UAT_ROOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "include/uat.h"

struct uat_work;         /* runtime/sched/alone.h */
struct uat_section;      /* runtime/segment/sections.h */
struct uat_sections_out; /* the same header */

/* The facts about the job that rooms need when they open. Valid during the call only. */
struct uat_room_job {
    const char *host;   /* name of this worker's host. Valid until the end of the job */
    const int *host_of; /* host number of each rank, below the number of ranks */
    int leader;         /* lowest rank of those workers that can map each other's memory objects: one kernel */
    long leader_pid;    /* that rank's process */
    bool torture;       /* UAT_TORTURE is set: rooms check everything that they can */
    bool delays;        /* UAT_TORTURE=delay is set: operations take effect late */
    uint64_t seed;      /* of the delays; 0 without delays */
};

struct uat_room {
    const char *name; /* the folder's name */

    /* Reserve the room's areas of the segment by uat_segment_reserve(). The settings have been read; the job is not
     * known yet. Called once, in the table's order. Also called by uat_info, which opens nothing. */
    void (*reserve)(void);

    /* Open the room, as one of the last steps of the start: all workers are connected, and collective operations work.
     * All workers call this in the table's order, so the function may be collective. Returns 0, or a negative errno
     * that has been reported; an error must leave nothing to close. NULL for the rooms of the kernel, which startup.c
     * opens step by step. */
    int (*open)(const struct uat_room_job *job);

    /* Undo `open`: at the end of the job, or after a later room has failed to open. Rooms are closed in reverse order,
     * after a barrier after which no worker begins an operation, and before the transport is closed. */
    void (*close)(void);

    /* Set the room's counters in *stats, and leave the others alone. Called by uat_stats() and its relatives. */
    void (*count)(uat_stats_detail_t *stats);

    /* What an idle worker asks this room, and whom it informs about tasks that the room has started. Only rooms above
     * the scheduler have this. */
    const struct uat_work *work;

    /* Can the room's state not be saved now? The reason follows "no checkpoint was written:". Called on all workers
     * when they have stopped for a checkpoint; if any room of any worker is busy, there is no checkpoint. */
    bool (*busy)(void);
    const char *busy_reason;

    /* Append the room's sections to the file of `rank`: this worker, or a ghost that it keeps. All workers have
     * stopped, and no operation is in flight. Ends the job if there is no memory. */
    void (*save)(struct uat_sections_out *out, int rank);

    /* Take over a section of the file of `rank`, of a kind in the set `sections`: a bit 1 << UAT_SECTION_KIND for each
     * kind, none of them in another room's set. Called after `open`, when an interrupted run is about to continue; not
     * all workers may have restored their states. Returns false if the section is damaged, which refuses the file. */
    bool (*restore)(int rank, const struct uat_section *section);
    unsigned sections;

    /* Bring the room's process memory and its areas back to the state after `open` (for the kernel: after the start's
     * steps), except what its definition says. All rooms are reset together, in the table's order, by all workers.
     * Before and after that the workers meet by uat_bootstrap_barrier(), because the words of other barriers are reset,
     * too (in a simulation this barrier leaves virtual time: there they meet in another way). In between they are
     * outside of runs, with no operation in flight. What tasks and main() held is dropped: tasks, objects, arrays and
     * entries that still exist must not be used again. Cannot fail. */
    void (*reset)(void);

    /* A way back to a copy of the run (runtime/checkpoint/copy.h) resets all rooms except those that stay: the room's
     * state is older than the run, or concerns no task, or `restore` overwrites it. */
    bool stays;

    /*
     * Text for reports, written to `text`: what this worker does (for the line that SIGUSR1 prints); what the lost
     * worker `rank` held, as far as this worker knows; what is wrong with an access to this address. The last two
     * return false if the room has nothing to say. Called in a signal handler, from the start's first steps on, also
     * before `open`. The rooms are asked in turn: all of them for the first text, and up to the first one that returns
     * true for the others.
     */
    void (*describe)(char *text, size_t size);
    bool (*lost)(int rank, char *text, size_t size);
    bool (*explain)(uintptr_t address, char *text, size_t size);
};

/* The table: pointers to all descriptors, then NULL. Rooms below runtime/ reach it by this pointer. The table is empty
 * until uat_rooms_give(), so that a test of one part has no other rooms. */
extern const struct uat_room *const *uat_rooms __attribute__((visibility("hidden")));

/* Use this table from now on, with the rooms of uat_rooms_add() after it. */
void uat_rooms_give(const struct uat_room *const *table);

/* Add the room of another library, after all rooms of the table. Call it before uat_init(), in a constructor. All
 * workers must have the same rooms: the start compares their areas. */
void uat_rooms_add(const struct uat_room *room);

/* Open all rooms of the table, or none. Returns 0 or a negative errno that has been reported. */
int uat_rooms_open(const struct uat_room_job *job);
void uat_rooms_close(void);

/* Ask the rooms for their texts. */
void uat_rooms_describe(char *text, size_t size);
bool uat_rooms_lost(int rank, char *text, size_t size);
bool uat_rooms_explain(uintptr_t address, char *text, size_t size);

/* A loop over all rooms that have this member: UAT_EACH_ROOM (room, close) (*room)->close(); */
#define UAT_EACH_ROOM(room, member)                                                                                    \
    for (const struct uat_room *const *room = uat_rooms; *room; room++)                                                \
        if ((*room)->member)

#endif

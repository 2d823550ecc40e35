/* SPDX-License-Identifier: MIT */
/*
 * The board of a worker's teams: the words and the description of a loop by which idle workers find their parts of it.
 * team.h says what a team is. A worker's board serves one loop at a time. Model: tests/model/team.pml.
 *
 *   W1  The claim word of part r changes from seq - 1 to seq by one CMP_SWAP for each loop seq of the board. So each
 *       part of a loop starts once, and the bell of an earlier loop claims nothing. The board's own worker starts its
 *       own part without a claim. It also claims parts that nobody has claimed, so each part starts.
 *   W2  A claim and the READ of the call are one chain (O1). The call changes only while no loop is open. A loop is
 *       open until all its parts have ended, and a part ends after its READ. So the claimer of a part READs its own
 *       loop.
 *   W3  The root adds 1 to `over` after it has joined all parts. The board's worker begins no loop before this. If the
 *       root has resumed on that worker, the worker knows it at once, by `closed`.
 *   W4  A bell that a later bell overwrites is lost. This does no harm: the board's worker claims the part (W1).
 *   W5  Where bells form a tree, the worker that has claimed a leader's part rings the bells of the leader's group.
 *       The model has one root that rings all bells, and does not show this.
 */
#ifndef UAT_TEAM_BOARD_H
#define UAT_TEAM_BOARD_H

#include <stdbool.h>
#include <stdint.h>

#include "include/uat.h"

enum {
    UAT_TEAM_MAX = 2048,  /* workers; a larger job has no teams */
    UAT_TEAM_ROOM = 4096, /* maximum bytes of a loop's block */
    UAT_TEAM_FIRST = 512, /* bytes of the block that the claim's chain READs */
    UAT_TEAM_ALIGN = 16,  /* alignment of a loop's block */
    UAT_TEAM_BATCHES = 46 /* maximum batches of parts that count their ends together (J5) */
};
_Static_assert(UAT_TEAM_BATCHES *UAT_TEAM_BATCHES >= UAT_TEAM_MAX,
               "a team has about as many batches as a batch has parts");

/* Runs a part. value: room for the part's value of call->value_size bytes; NULL if that is 0. */
typedef void uat_team_fn(void *block, int64_t begin, int64_t end, void *value);

/* A loop, as the workers of its team READ it. */
struct uat_team_call {
    uint64_t seq;
    uat_task_t *group;   /* handle of the root's group, in the root's frame */
    uint64_t record;     /* the group's join record */
    uint64_t batch_size; /* parts in a batch, the last of which may have fewer; 0: there are no batches */
    uint64_t values;     /* name of the block for the parts' values; 0: the loop has no value */
    uint64_t value_size; /* bytes */
    uint64_t starts;     /* 1: the block has the values with which the parts start */
    uint64_t views;      /* name of the slots for the parts' views of reducers, or 0 */
    int64_t begin, end;  /* iterations */
    uintptr_t first;     /* if chunk > 0: address of element 0 of the array that the loop names */
    uint64_t size;       /* bytes of an element */
    uintptr_t start;     /* of the array */
    uint64_t chunk;      /* bytes of the array that each worker keeps; 0: the parts are of equal length */
    uat_team_fn *run;
    uint64_t bytes; /* of the block */
    _Alignas(UAT_TEAM_ALIGN) char block[UAT_TEAM_ROOM];
    uint64_t batch[UAT_TEAM_BATCHES]; /* the join records of the batches; a claimer READs only that of its part */
};

/* Reserve the board in the segment; and bring it back to the state after the start. */
void uat_board_reserve(void);
void uat_board_reset(void);

/* This worker's call. Only this worker's CPU stores to it. */
struct uat_team_call *uat_board_call(void);

/* The parts in a batch if this job's teams have batches, or 0. */
int uat_board_batch_size(void);

/* The loop that this worker claimed last. */
const struct uat_team_call *uat_board_claimed(void);

/* Is a loop of this worker's board open? */
bool uat_board_is_open(void);

/* Open a loop with the call that uat_board_call() holds, and ring the bells. The call's seq is set. */
void uat_board_open(void);

/* Close the loop of rank's board, after all its parts were joined (W3). */
void uat_board_close(int rank);

/* Has the bell of this worker rung since uat_board_answer()? */
bool uat_board_rings(void);

/* Take the loop whose bell has rung, and claim this worker's own part. Returns whether the claim was won. */
bool uat_board_answer(void);

/* Claim the part of the board's own loop that nobody has claimed. Returns the part, or -1 if all are claimed. */
int uat_board_claim_any(void);

/* Are parts of this board's loop unclaimed? */
bool uat_board_has_unclaimed(void);

#endif

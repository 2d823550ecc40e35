/* SPDX-License-Identifier: MIT */
/* A range of iterations that splits on demand: the common part of loops and reductions. */
#ifndef UAT_LOOP_H
#define UAT_LOOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "include/uat/pattern.h"

/* The argument of a loop's task. The identity of a reduction and the user's argument follow it. */
struct uat_loop {
    int64_t begin, end;
    int64_t grain;
    int64_t length;           /* length of a chunk; 0 if unknown: see chunk.h */
    uint64_t began;           /* uat_counter() at the start of the team's part to which this loop belongs; 0: none */
    uint64_t far;             /* bytes that an iteration would transfer if a worker of another host ran it */
    bool in_team;             /* this loop belongs to a part of a team, its caller does, or the loop has split */
    uat_for_fn *body;         /* body of a loop; NULL for a reduction */
    uat_reduce_fn *reduce;    /* body of a reduction */
    uat_combine_fn *combine;  /* combines partial results of a reduction */
    size_t value_size;        /* bytes of a partial result; 0 for a loop */
    size_t arg_offset, bytes; /* arg_offset: of the user's argument in the tail; bytes: of the whole block */
    _Alignas(16) char tail[];
};

/* Bytes of a loop's block. */
size_t uat_loop_size(size_t value_size, size_t arg_size);

/* Fill the loop's tail with the identity and the user's argument, and set the sizes in the loop's head. */
void uat_loop_make(struct uat_loop *loop, const void *identity, size_t value_size, const void *arg, size_t arg_size);

/* The `run` of a team whose block is a struct uat_loop. */
void uat_loop_run_part(void *block, int64_t begin, int64_t end, void *value);

/* Run the loop [begin, end) by a team, if one may run it; returns whether it did. array: NULL, or the array whose
 * element i, of `size` bytes, iteration i works on. */
bool uat_loop_by_team(struct uat_loop *loop, int64_t begin, int64_t end, void *partial, const void *array, size_t size);

/* The array, whose element 0 this is, if parts should follow the homes of elements begin to end - 1: the job has
 * several hosts, each worker keeps one block of the array, and the array has all these elements. Otherwise NULL: a
 * team's parts are equal. */
const void *uat_loop_home(const void *array, size_t size, int64_t begin, int64_t end);

/*
 * May a part of a team split now? began, far: as in struct uat_loop; began is 0 if no part runs. `length` is the length
 * of a chunk, `left` iterations remain, and `now` is uat_counter().
 */
bool uat_loop_part_may_split(uint64_t began, uint64_t far, int64_t length, int64_t left, uint64_t now);

/* Run [begin, end) of the loop on the calling task's stack. Combine the result into *partial; a loop does not use
 * partial. */
void uat_loop_run(struct uat_loop *loop, int64_t begin, int64_t end, void *partial);

/* uat_loop_run() of a loop that uat_loop_by_team() has refused. */
void uat_loop_run_alone(struct uat_loop *loop, int64_t begin, int64_t end, void *partial);

#endif

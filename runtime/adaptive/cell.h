/* SPDX-License-Identifier: MIT */
/*
 * The words of adaptive requests that peers reach. Each worker has a few cells, one for each open interval, and a
 * mailbox for requests. Model: tests/model/adaptive.pml.
 *
 *   A1  Only atomics by the adapter or the CPU of the cell's home (O6) change `word`. 0: the cell is free. Otherwise
 *       `word` holds the interval that is left, the number of parts that were taken, and a generation.
 *   A2  The owner takes iterations from the front, and others take parts from the back, by CMP_SWAP on `word`. A part's
 *       number is the number of parts that were taken before its swap. So each iteration is taken once, and the parts
 *       are numbered from the back.
 *   A3  A thief READs `part` after its swap, in the same chain (O1). The owner writes `part` before it opens the word,
 *       and changes `part` only after all parts have ended. So the thief READs the `part` that belongs to the word that
 *       its swap changed, even if the thief first looked at the word of an earlier interval.
 *   A4  The thief WRITEs the name of the part's result and the part's units to taken[number], once. The owner of the
 *       interval waits until both words have arrived (O2).
 *   A5  A part sets its result before it frees its cell. So if a worker loads the cell's word and then finds that the
 *       result is not set, the loaded word is the part's word. A CMP_SWAP from that word changes no other interval,
 *       because none of the next 255 intervals in the cell has the generation of that word.
 *   A6  A thief owns slot i of a mailbox from CMP_SWAP(slot[i], 0, request) on. The thief WRITEs its data, then adds
 *       bit i to `asked` (O1). The victim subtracts the bits that are set, copies the data of each slot, and then frees
 *       each slot by CMP_SWAP(slot[i], request, 0). If that swap wins, the victim answers the request. So a bit is 0
 *       when a thief adds it, and the data stay until the victim has copied them.
 *   A7  A thief cancels by CMP_SWAP(slot[i], request, request | CANCELLED). If that swap wins, the victim does not
 *       answer, and frees the slot when it finds the mark. If the swap loses, the victim answers.
 *   A8  An answer that gives a part is { WRITE part; FETCH_ADD(answers) } (O1). A refusal is the FETCH_ADD alone.
 */
#ifndef UAT_CELL_H
#define UAT_CELL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "include/uat/adaptive.h"
#include "runtime/segment/room.h"

enum { UAT_CELLS = UAT_ADAPTIVE_OPEN, UAT_REQUEST_SLOTS = 16, UAT_LOOKS_MAX = 8 };

/* What a thief needs to run a part. */
struct uat_part {
    uat_adaptive_fn *fn;
    uat_splitter_fn *splitter;
    int64_t base, last, unit; /* iterations base to last - 1, in units */
    uint32_t mode, arg_size, result_size;
    uint32_t number;     /* the part's number */
    int32_t home, cell;  /* the place of the interval that the part was taken from */
    uint32_t begin, end; /* the part's units */
    int32_t own;         /* the cell that the thief has reserved for the part, or -1 */
    uint64_t own_word;   /* the word of that cell */
    _Alignas(16) char arg[UAT_ADAPTIVE_ARG];
};

/* Bytes of a part that are in use: a multiple of 8, as WRITEs need. */
static inline size_t uat_part_size(const struct uat_part *part)
{
    return (offsetof(struct uat_part, arg) + part->arg_size + 7) & ~(size_t)7;
}

/* Bytes of the future for the result of a part. */
static inline size_t uat_part_result(const struct uat_part *part)
{
    return part->result_size > 0 ? part->result_size : 8;
}

/* The first iteration of this unit. The last unit may be incomplete. */
static inline int64_t uat_part_iteration(const struct uat_part *part, uint64_t unit)
{
    uint64_t offset = unit * (uint64_t)part->unit, size = (uint64_t)part->last - (uint64_t)part->base;
    return offset < size ? part->base + (int64_t)offset : part->last;
}

/* The data of a request. */
struct uat_request_data {
    uint64_t size;
    char data[UAT_REQUEST_DATA];
};

/* The words that peers reach. */
struct uat_cells {
    _Alignas(64) uint64_t word[UAT_CELLS]; /* a thief that looks for a part READs this line */
    _Alignas(64) uint64_t asked;
    uint64_t answers;              /* answers to this worker's own requests */
    uint64_t concurrency, changes; /* see concurrency.c */
    uint64_t slot[UAT_REQUEST_SLOTS];
    struct uat_taken {
        uint64_t name, range;
    } taken[UAT_CELLS][UAT_CONTEXT_PARTS + 1]; /* changed by WRITEs and stores only; see uat_taken_range() */
    struct uat_request_data data[UAT_REQUEST_SLOTS];
    _Alignas(64) struct uat_part given;           /* WRITTEN by the victim of this worker's request */
    _Alignas(64) struct uat_part part[UAT_CELLS]; /* written by this CPU, READ by thieves */
};

/* The place where the results of this worker's own operations arrive. */
struct uat_cells_landing {
    /* answer[k]: where the FETCH_ADD of answer k lands; in use until all answers of one uat_request_answer() are
     * complete */
    uint64_t old, read, answer[UAT_REQUEST_SLOTS];
    struct uat_taken taken;
    struct uat_request_data data; /* of this worker's request */
    uint64_t look[UAT_LOOKS_MAX][UAT_CELLS];
    _Alignas(64) struct uat_part part;                    /* the part that this worker takes, and runs next */
    _Alignas(64) struct uat_part sent[UAT_REQUEST_SLOTS]; /* the parts that this worker gives */
};

/* A word: units, number of parts, generation and marks. */
enum { UAT_WORD_UNITS = 24, UAT_WORD_PARTS_AT = 48, UAT_WORD_GENERATION_AT = 53 };
#define UAT_WORD_UNITS_MAX ((UINT64_C(1) << UAT_WORD_UNITS) - 1)
#define UAT_WORD_ASK       (UINT64_C(1) << 61) /* parts are given, not taken */
#define UAT_WORD_DROPPED   (UINT64_C(1) << 62)
#define UAT_WORD_USED      (UINT64_C(1) << 63)
_Static_assert(UAT_CONTEXT_PARTS == 31, "5 bits");

static inline uint64_t uat_word_end(uint64_t word)
{
    return word & UAT_WORD_UNITS_MAX;
}
static inline uint64_t uat_word_begin(uint64_t word)
{
    return word >> UAT_WORD_UNITS & UAT_WORD_UNITS_MAX;
}
static inline uint32_t uat_word_parts(uint64_t word)
{
    return word >> UAT_WORD_PARTS_AT & 31;
}
static inline bool uat_word_left(uint64_t word)
{
    return uat_word_begin(word) < uat_word_end(word);
}
/* The word with another interval and number of parts. */
static inline uint64_t uat_word_with(uint64_t word, uint64_t begin, uint64_t end, uint32_t parts)
{
    return (word & ~((UINT64_C(1) << UAT_WORD_GENERATION_AT) - 1)) | (uint64_t)parts << UAT_WORD_PARTS_AT |
           begin << UAT_WORD_UNITS | end;
}
/* The word with an empty interval. */
static inline uint64_t uat_word_emptied(uint64_t word)
{
    return uat_word_with(word, uat_word_end(word), uat_word_end(word), uat_word_parts(word));
}

/* The units of a part as `range` of struct uat_taken holds them. Never 0. */
static inline uint64_t uat_taken_range(const struct uat_part *part)
{
    return UAT_WORD_USED | (uint64_t)part->begin << UAT_WORD_UNITS | part->end;
}

/* What an answer adds to `answers`. */
#define UAT_ANSWERED_GIVEN   UINT64_C(1)
#define UAT_ANSWERED_REFUSED (UINT64_C(1) << 32)

/* A request in a slot: its number, the thief's rank + 1, and a mark. */
enum { UAT_REQUEST_RANK_BITS = 24 };
#define UAT_REQUEST_CANCELLED (UINT64_C(1) << 63)

extern const struct uat_room uat_adaptive_room __attribute__((visibility("hidden")));

/* Reserve the areas in the segment. */
void uat_cells_reserve(void);

/* Empty all cells and slots of this worker, and drop the limit of uat_concurrency_set(). */
void uat_cells_reset(void);

struct uat_cells *uat_cells(void);
struct uat_cells_landing *uat_cells_landing(void);

/* The cells of a rank. */
struct uat_cells *uat_cells_of(int rank);

/* Atomics on a word of a rank's cells, by this CPU if it may perform them. `own` is the address of the same word in
 * this worker's cells. Both return the old value. Each call is a full barrier: it orders this worker's earlier accesses
 * before its later ones. */
uint64_t uat_cell_swap(int rank, uint64_t *own, uint64_t expected, uint64_t desired);
uint64_t uat_cell_add(int rank, uint64_t *own, uint64_t addend);

/* The current value of the word. */
uint64_t uat_cell_load(int rank, const uint64_t *own);

/* Set both words of `own` to 0. They belong to a part that no thief has taken. */
void uat_cell_clear(int rank, struct uat_taken *own);

/* Reserve a free cell of this worker, with an empty interval. Returns its number and its word, or -1. */
int uat_cell_get(uint64_t *word);
/* Free the cell. word: its current value. No other worker changes the word, because it is marked as dropped. */
void uat_cell_put(int home, int cell, uint64_t word);

/* CMP_SWAP of the context's word from its value c->seen. Sets c->seen; returns whether the swap won. */
bool uat_context_swap(uat_context_t *c, uint64_t desired);

/* Is any cell of this worker in use? */
bool uat_cells_any(void);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The unroller's state of a flow while tasks of the flow are under way elsewhere. It has notes on the ledger's entries,
 * and the map from data to the entries that access them. No other task uses this state, so it needs no lock. The state
 * lies in a block of the evacuation heap of the worker where the unroller runs. If the unroller moves to another
 * worker, the state follows at the next call.
 */
#ifndef UAT_FLOW_STATE_H
#define UAT_FLOW_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "include/uat/dataflow.h"
#include "runtime/flow/ledger.h"

enum { UAT_FLOW_SHARERS = 10 /* maximum number of sharers that a line lists one by one */ };

/* What the unroller notes about a chunk of the ledger. */
struct uat_flow_part {
    struct uat_flow_chunk *chunk;
    int rank;      /* the rank where the chunk lies */
    uint32_t free; /* bit i: entry i is free */
};

/* The unroller's notes on an entry. */
struct uat_flow_note {
    uint64_t id;                  /* (serial number << 16) | index of the entry; 0: the entry is free */
    struct uat_flow_entry *entry; /* the same in all uses, as `rank` is */
    uint64_t base;                /* base value of `open`: see struct uat_flow_links */
    uint64_t last;                /* id of the entry that was registered last */
    uint64_t relay;               /* id of the entry that takes further registrations in place of this entry, or 0 */
    uint32_t next;                /* number of registrations */
    uint16_t rank;                /* the rank where the entry lies */
    bool ended;                   /* a registration has found that the entry had ended */
};

/*
 * A line of the map. The lines in use lie one after the other, and a hash table has their numbers. Ids of entries that
 * have ended count as absent. The sharers are the tasks after the writer. They all access the datum in one mode:
 * UAT_FLOW_IN, UAT_FLOW_ANY or UAT_FLOW_ADD. When a task with another of these modes follows, the sharers under way are
 * replaced by one writer: if there are several, this is an entry without a body that joins them.
 */
struct uat_flow_line {
    uint64_t datum; /* the address, plus 1 */
    uint64_t bytes;
    uint64_t writer;
    uint32_t sharers;
    uint32_t mode;    /* mode of the sharers */
    uint64_t guard;   /* the mutex of tasks with UAT_FLOW_ANY and UAT_FLOW_ADD, or 0 */
    uint64_t guarded; /* id of the last entry that was given the guard's name */
    uint64_t sharer[UAT_FLOW_SHARERS];
};
_Static_assert(sizeof(struct uat_flow_line) == 128, "two cache lines");

struct uat_flow_state {
    struct uat_parked block; /* as in a chunk */
    /* where `room` has what; set by uat_flow_lay_out() */
    struct uat_flow_line *line;
    struct uat_flow_part *part;
    struct uat_flow_note *note; /* UAT_FLOW_CHUNK for each part */
    uint32_t *hash;             /* 2 * line_room places, each with 1 + a line's number, or 0 */

    uint64_t bytes;   /* size of this block, without the heap's header; what follows moves with the state */
    uint64_t window;  /* a spawn waits while this many entries, relays included, are begun and not retired */
    uint64_t begun;   /* entries begun since the ledger began, without those undone */
    uint64_t retired; /* entries that uat_flow_retire() has freed since the ledger began */
    uint64_t awaited; /* sum of all that was subtracted from the first chunk's count */
    uint64_t serial;  /* entries of this ledger so far; never reset */
    uint32_t parts, part_room;
    uint32_t part_last;        /* index of the part that gave the last entry */
    uint32_t lines, line_room; /* line_room is a power of two */
    uint32_t guards;           /* number of guards that were made */
    _Alignas(64) uint64_t room[];
};

/* Bytes of a state with room for this number of parts and of lines. */
static inline size_t uat_flow_state_bytes(uint32_t parts, uint32_t lines)
{
    return sizeof(struct uat_flow_state) +
           parts * (sizeof(struct uat_flow_part) + UAT_FLOW_CHUNK * sizeof(struct uat_flow_note)) +
           lines * (sizeof(struct uat_flow_line) + 2 * sizeof(uint32_t));
}
static inline void uat_flow_lay_out(struct uat_flow_state *s)
{
    s->line = (struct uat_flow_line *)s->room;
    s->part = (struct uat_flow_part *)(s->line + s->line_room);
    s->note = (struct uat_flow_note *)(s->part + s->part_room);
    s->hash = (uint32_t *)(s->note + (size_t)s->part_room * UAT_FLOW_CHUNK);
}

/* The notes on the entry of this id. */
static inline struct uat_flow_note *uat_flow_note(struct uat_flow_state *s, uint64_t id)
{
    return &s->note[id & 0xffff];
}

/* The notes on the entry of this id, or NULL if they say that it is not under way. */
static inline struct uat_flow_note *uat_flow_alive(struct uat_flow_state *s, uint64_t id)
{
    struct uat_flow_note *note = uat_flow_note(s, id);
    return id != 0 && note->id == id && !note->ended ? note : NULL;
}

/* uat_flow_name(): the name of an entry. uat_flow_shared(): the name of the first chunk, whose count and waiter the
 * flow uses. */
static inline uint64_t uat_flow_name(const struct uat_flow_note *note)
{
    return (uint64_t)note->rank << 48 | (uintptr_t)note->entry;
}
static inline uint64_t uat_flow_shared(const struct uat_flow_state *s)
{
    return (uint64_t)s->part[0].rank << 48 | (uintptr_t)s->part[0].chunk;
}

/* The state of the flow's ledger, which is on this worker. The pointer is valid until the next call that takes a
 * flow that is not const, or a newcomer (unroll.c). */
static inline struct uat_flow_state *uat_flow_state_of(const uat_flow_t *flow)
{
    return (struct uat_flow_state *)(uintptr_t)(flow->ledger & UAT_FLOW_ADDRESS);
}

/* How a flow orders an access. */
struct uat_flow_use {
    uint64_t datum;          /* as in the datum's line */
    uint64_t bytes;          /* size of the datum; 0 for a block of a matrix: other data lie between its rows */
    enum uat_flow_mode mode; /* UAT_FLOW_IN, UAT_FLOW_INOUT, UAT_FLOW_ANY or UAT_FLOW_ADD */
    uint32_t line;           /* index that the datum's line had; a wrong index costs time only */
};

/* Begin a ledger, with one chunk. Afterwards flow->ledger names its state. */
struct uat_flow_state *uat_flow_state_begin(uat_flow_t *flow);

/* As uat_flow_state_of(), after moving the state to this worker if it was elsewhere. */
struct uat_flow_state *uat_flow_state_open(uat_flow_t *flow);

/* End the ledger, in which all entries have ended. Afterwards flow->ledger is 0. */
void uat_flow_state_end(uat_flow_t *flow);

/* Allocate an entry. Returns its notes, which are valid as long as a pointer to the state is. There may be more entries
 * than the window allows. */
struct uat_flow_note *uat_flow_entry_begin(uat_flow_t *flow);

/* Free an entry that no other worker knows. */
void uat_flow_entry_undo(struct uat_flow_state *s, uint64_t id);

/* Returns the number of entries that have ended. If the count lies on another worker, this READs the count only if
 * `now` is true. If `now` is false, the result may be too low. */
uint64_t uat_flow_ended_count(struct uat_flow_state *s, bool now);

/* As uat_flow_alive(). If the entry lies on this worker, this first updates the notes from its mark. */
struct uat_flow_note *uat_flow_under_way(struct uat_flow_state *s, uint64_t id);

/* Retire the entries that have ended: afterwards they are free. */
void uat_flow_retire(struct uat_flow_state *s);

/* Returns the mutex of a datum for the entry of this id, and makes the mutex if there is none. The mutex lasts at least
 * until this entry, and all earlier entries that got the mutex, have ended. */
uint64_t uat_flow_guard_of(uat_flow_t *flow, uint64_t id, struct uat_flow_use *use);

/* Returns the line of a datum, and makes it if there is none. Sets use->line. */
struct uat_flow_line *uat_flow_line_of(uat_flow_t *flow, struct uat_flow_use *use);

#endif

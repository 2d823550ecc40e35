/* SPDX-License-Identifier: MIT */
/*
 * A random program: operations in one list, each of one task. Every task executes its own in the order of the list. The
 * list itself is a valid sequential order: an operation depends on earlier ones alone. So the reference is the same
 * interpreter, which executes the whole list over ordinary memory (memory.h), and a task that waits cannot deadlock.
 *
 * All of it lies in static memory, which has the same addresses and contents on every worker.
 */
#ifndef UAT_TEST_PROGRAM_H
#define UAT_TEST_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    OPS = 6144,
    RUNS = 4,     /* calls of uat_run() */
    ARRAYS = 3,   /* areas that are arrays; the others are objects */
    AREAS = 128,  /* arrays and objects, those that were given back included */
    WORDS = 48,   /* of uat_atomic_t */
    THINGS = 160, /* futures, mutexes, ... */
    TASKS = 24,   /* that live at a time */
    OPENS = 4,    /* ranges and transfers that a task has open at a time */
    CASES = 8,    /* channels of a select, members of a group */
    VALUE_MAX = 1024,
    STEPS = 4000
};

enum kind {
    OP_END,
    OP_SPAWN,
    OP_JOIN,
    OP_READ,
    OP_WRITE,
    OP_OPEN,
    OP_CLOSE,
    OP_BEGIN, /* a transfer */
    OP_AWAIT, /* its end */
    OP_PREFETCH,
    OP_RELEASE,
    OP_ALLOC,
    OP_FREE,
    OP_WORD,
    OP_PUBLISH, /* by an atomic word */
    OP_LOOK,    /* at what was published */
    OP_SEEN,
    OP_WORK,
    OP_YIELD,
    OP_CREATE,
    OP_DESTROY,
    OP_SET,
    OP_GET,
    OP_TRY_GET,
    OP_COUNT_DOWN,
    OP_WAIT,
    OP_UP,
    OP_DOWN,
    OP_SEND,
    OP_RECEIVE,
    OP_SELECT,
    OP_CLOSE_CHANNEL,
    OP_LOCKED,
    OP_TRY_LOCK,
    OP_CONDITION,
    OP_GROUP,
    OP_FOR,
    OP_REDUCE,
    OP_SCAN,
    OP_SORT,
    OP_BLOCKS,
    OP_INVOKE,
    OP_KINDS
};

/* What tasks wait for. */
enum thing_kind { FUTURE, LATCH, SEMAPHORE, CHANNEL, MUTEX, GROUP, THING_KINDS };

struct range {
    int area;
    uint32_t from, bytes;
};

struct thing {
    enum thing_kind kind;
    uint32_t size;      /* of a value */
    uint32_t count;     /* capacity of a channel; what a latch is counted down from; members of a group */
    struct range range; /* what a mutex guards: all its bytes count the critical sections */
    uint64_t stamp;     /* of the guarded bytes at the start */
};

/* One of the channels of a select: `count` values are received from it, or one is sent if `sends`. */
struct choice {
    int thing;
    bool sends;
    uint32_t count, first; /* first: number of its first value */
};

struct op {
    uint8_t kind, way, slot, access;
    int task;      /* number of its task */
    int next;      /* the task's next one, or -1 */
    uint32_t step; /* the decision that made it */
    int thing, word;
    int link;           /* the first operation of a child; that which opened what is closed here */
    struct range range; /* what it accesses */
    uint64_t stamp;     /* of what it writes */
    uint64_t value, count;
    uint64_t expect[2]; /* what the reference saw: hashes of bytes, or a word's value */
    struct choice choice[CASES];
};

struct program {
    uint64_t seed;
    int ops, things, areas;
    int run, runs;
    struct {
        int root; /* the first operation of the root */
        int from, to;
        int frozen;           /* an array, or -1 */
        struct range written; /* each rank writes its share of it before the run */
        uint64_t stamp;       /* of those bytes */
    } runs_of[RUNS];
    uint32_t bytes[AREAS]; /* of each area */
    struct thing thing[THINGS];
    struct op op[OPS];
};

extern struct program program;

/* What bounds the program and what it has; all of it must be the same on every worker. */
struct limits {
    uint64_t seed;
    unsigned steps, runs;
    size_t checkout;     /* bytes that a task may have checked out at a time */
    uint32_t array;      /* bytes of an array, at most; 0: the seed decides */
    uint64_t without;    /* bit K: no operation of kind K is begun */
    const bool *skipped; /* steps that do nothing */
};

/* generate.c: make the program of this seed. */
void program_generate(const struct limits *limits);

/* print.c */
void program_print(void);
void program_print_op(int index);
/* Kind of that name, or -1. */
int program_kind(const char *name);

#endif

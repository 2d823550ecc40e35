/* SPDX-License-Identifier: MIT */
/*
 * A random program is a list of operations. Each operation belongs to one task. Each task executes its own operations
 * in the order of the list. The whole list is also a valid sequential order, because an operation depends only on
 * earlier operations. So the reference is the same interpreter, which executes the whole list over ordinary memory
 * (memory.h). Because of this order, tasks that wait cannot deadlock either.
 *
 * The program is in static memory, which has the same addresses and contents on every worker.
 */
#ifndef UAT_TEST_PROGRAM_H
#define UAT_TEST_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    OPS = 6144,
    RUNS = 4,               /* maximum number of calls of uat_run() */
    ARRAYS = 3,             /* number of areas that are arrays; the others are objects and temporary arrays */
    AREAS = 128,            /* maximum number of areas, including freed ones */
    TEMPORARY = 16,         /* maximum number of temporary arrays, including freed ones */
    TEMPORARY_MAX = 200000, /* maximum bytes of a temporary array */
    WORDS = 48,             /* number of uat_atomic_t */
    THINGS = 160,           /* maximum number of futures, mutexes, ... */
    TASKS = 24,             /* maximum number of tasks that exist at the same time */
    CHILDREN = 6,           /* maximum number of a task's children with handles: slots 0 to CHILDREN - 1. The slots
                             * after these are the task's groups */
    GROUPS = 2,
    OPENS = 4, /* maximum number of ranges and transfers that a task has open */
    CASES = 8, /* maximum channels of a select, or members of a task barrier */
    VALUE_MAX = 1024,
    WAYS_PLAIN = 8, /* number of ways to read or write a range without strides; two more ways have strides */
    WAYS_ACCESS = 10,
    WAYS_WORD = 14, /* number of ways to use an atomic word */
    RACES = 5,      /* number of kinds of races */
    RACERS = 6,
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
    OP_BEGIN, /* starts a transfer */
    OP_AWAIT, /* waits for that transfer */
    OP_PREFETCH,
    OP_RELEASE,
    OP_ALLOC,
    OP_FREE,
    OP_WORD,
    OP_PUBLISH, /* publishes bytes through an atomic word */
    OP_LOOK,    /* reads the bytes that were published */
    OP_SEEN,
    OP_WORK,
    OP_YIELD,
    OP_MIGRATE,
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
    OP_RACE, /* a race of children, for objects of their own */
    OP_NEXT, /* takes the next value of the task's generator */
    OP_KINDS
};

/* Things that tasks wait for. A GROUP is a task barrier. */
enum thing_kind { FUTURE, LATCH, SEMAPHORE, CHANNEL, MUTEX, GROUP, THING_KINDS };

struct range {
    int area;
    uint32_t from, bytes;
};

struct thing {
    enum thing_kind kind;
    bool special;       /* a channel has a name, or a mutex is biased */
    uint32_t size;      /* number of bytes of a value */
    uint32_t count;     /* capacity of a channel; initial count of a latch; members of a group */
    struct range range; /* the bytes that a mutex guards; each counts the critical sections */
    uint64_t stamp;     /* initial stamp of the guarded bytes */
};

/* One channel of a select: `count` values are received from it or, if `sends`, one value is sent to it. */
struct choice {
    int thing;
    bool sends;
    uint32_t count, first; /* first: the number of the first value */
};

struct op {
    uint8_t kind, way, slot, access;
    int task;      /* number of the task that executes this operation */
    int next;      /* the next operation of that task, or -1 */
    uint32_t step; /* the step that made this operation */
    int thing, word;
    int link;           /* a spawn: the child's first operation; a close: the operation that opened; a next: the
                         * generator's previous next, or -1 */
    struct range range; /* the bytes that the operation accesses */
    uint64_t stamp;     /* stamp of the bytes that the operation writes */
    uint64_t value, count;
    uint64_t expect; /* what the reference saw: the hash of bytes, or a word's value */
    struct choice choice[CASES];
};

struct program {
    uint64_t seed;
    int ops, things, areas;
    int run, runs;
    struct {
        int root; /* the root's first operation */
        int from, to;
        int frozen;           /* the frozen array, or -1 */
        struct range written; /* each rank writes its share of this range before the run */
        uint64_t stamp;       /* stamp of those bytes */
    } runs_of[RUNS];
    int temporaries;
    bool temporary[AREAS]; /* whether the area is a temporary array */
    uint32_t bytes[AREAS]; /* bytes of each area */
    struct thing thing[THINGS];
    struct op op[OPS];
};

extern struct program program;

/* The program's limits and options, which must be the same on every worker. */
struct limits {
    uint64_t seed;
    unsigned steps, runs;
    size_t checkout;     /* maximum bytes that a task may have checked out at the same time */
    uint32_t array;      /* maximum bytes of an array; 0: the seed decides */
    uint64_t without;    /* bit K: make no operation of kind K */
    const bool *skipped; /* steps that do nothing */
};

/* generate.c: make the program for this seed. */
void program_generate(const struct limits *limits);

/* print.c */
void program_print(void);
void program_print_op(int index);
/* The kind with this name, or -1. */
int program_kind(const char *name);

#endif

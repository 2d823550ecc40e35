/* SPDX-License-Identifier: MIT */
/*
 * A random program: a list of operations, each of one task. Each task executes its own operations in the order of the
 * list. The whole list is a valid sequential order, because an operation depends only on earlier ones. So the reference
 * is the same interpreter, executing the whole list over ordinary memory (memory.h), and tasks that wait cannot
 * deadlock.
 *
 * The program lies in static memory, which has the same addresses and contents on every worker.
 */
#ifndef UAT_TEST_PROGRAM_H
#define UAT_TEST_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    OPS = 6144,
    RUNS = 4,               /* calls of uat_run() */
    ARRAYS = 3,             /* areas that are arrays; the others are objects and temporary arrays */
    AREAS = 128,            /* all areas, including freed ones */
    TEMPORARY = 16,         /* most temporary arrays, including freed ones */
    TEMPORARY_MAX = 200000, /* bytes of one of them */
    WORDS = 48,             /* number of uat_atomic_t */
    THINGS = 160,           /* futures, mutexes, ... */
    TASKS = 24,             /* most tasks that exist at a time */
    CHILDREN = 6,           /* children of a task, each with a handle; higher slots are its groups */
    GROUPS = 2,
    OPENS = 4, /* ranges and transfers that a task has open at a time */
    CASES = 8, /* most channels of a select, or members of a task barrier */
    VALUE_MAX = 1024,
    WAYS_PLAIN = 8, /* ways to read or write a range without strides; two more ways have strides */
    WAYS_ACCESS = 10,
    WAYS_WORD = 14, /* ways to use an atomic word */
    RACES = 5,      /* kinds of races */
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
    OP_PUBLISH, /* publishes by an atomic word */
    OP_LOOK,    /* reads what was published */
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
    OP_RACE, /* a race of children, at objects of their own */
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
    bool special;       /* a channel has a name; a mutex is biased */
    uint32_t size;      /* bytes of a value */
    uint32_t count;     /* capacity of a channel; initial count of a latch; members of a group */
    struct range range; /* what a mutex guards: each byte counts the critical sections */
    uint64_t stamp;     /* initial stamp of the guarded bytes */
};

/* One of the channels of a select: `count` values are received from it, or one is sent if `sends`. */
struct choice {
    int thing;
    bool sends;
    uint32_t count, first; /* first: number of its first value */
};

struct op {
    uint8_t kind, way, slot, access;
    int task;      /* number of the task that executes it */
    int next;      /* the next operation of that task, or -1 */
    uint32_t step; /* the step that made it */
    int thing, word;
    int link;           /* a child's first operation; for a close, the operation that opened */
    struct range range; /* the bytes that the operation accesses */
    uint64_t stamp;     /* stamp of the bytes that it writes */
    uint64_t value, count;
    uint64_t expect[2]; /* what the reference saw: hashes of bytes, or a word's value */
    struct choice choice[CASES];
};

struct program {
    uint64_t seed;
    int ops, things, areas;
    int run, runs;
    struct {
        int root; /* first operation of the root */
        int from, to;
        int frozen;           /* an array, or -1 */
        struct range written; /* each rank writes its share of this range before the run */
        uint64_t stamp;       /* stamp of those bytes */
    } runs_of[RUNS];
    int temporaries;
    bool temporary[AREAS]; /* is the area a temporary array? */
    uint32_t bytes[AREAS]; /* bytes of each area */
    struct thing thing[THINGS];
    struct op op[OPS];
};

extern struct program program;

/* The program's limits and options; they must be the same on every worker. */
struct limits {
    uint64_t seed;
    unsigned steps, runs;
    size_t checkout;     /* bytes that a task may have checked out at the same time */
    uint32_t array;      /* largest size of an array in bytes; 0: the seed decides */
    uint64_t without;    /* bit K: make no operations of kind K */
    const bool *skipped; /* steps that do nothing */
};

/* generate.c: make the program of this seed. */
void program_generate(const struct limits *limits);

/* print.c */
void program_print(void);
void program_print_op(int index);
/* The kind of this name, or -1. */
int program_kind(const char *name);

#endif

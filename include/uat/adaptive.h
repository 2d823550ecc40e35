/* SPDX-License-Identifier: MIT */
/*
 * Adaptive requests: an algorithm that makes a parallel part only when an idle worker asks for one. Its sequential code
 * runs over an interval and takes the next iterations from the front. An idle worker takes a part from the back.
 *
 *     static void add(uat_context_t *c, const void *arg, void *result)
 *     {
 *         long sum = 0, more;
 *         int64_t begin, end;
 *         while (uat_context_next(c, 1000, &begin, &end))
 *             for (int64_t i = begin; i < end; i++)
 *                 sum += value(i);
 *         while (uat_context_merge(c, &more))
 *             sum += more;
 *         *(long *)result = sum;
 *     }
 *     ...
 *     static const uat_adaptive_t adding = {.fn = add, .result_size = sizeof(long)};
 *     uat_adaptive_run(&adding, NULL, 0, n, NULL, &sum);
 *
 * The same function runs every part, so a part is divided further. The owner, which runs the function for the whole
 * interval, merges the results of the parts in the order of the interval; the operation need not commute.
 *
 * A context is the state of one such call. It lies in the frame of the task that runs the function, and migrates with
 * it. The functions below are called inside a task, by the task that has the context. Errors end the job with a line.
 *
 * The interface is after the specification of X-Kaapi (Danjean, Gautier, Laferriere 2009). docs/adaptive.md says what
 * that leaves open, how this is done, and when to use it instead of uat_for().
 */
#ifndef UAT_ADAPTIVE_H
#define UAT_ADAPTIVE_H

#include "../uat.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* How an idle worker gets a part. */
enum uat_adaptive_mode {
    UAT_CONCURRENT, /* it takes the second half of what is left, by one CMP_SWAP; the owner's CPU takes no part */
    UAT_COOPERATIVE /* it posts a request; the owner answers all requests that it finds, in uat_context_next() */
};

enum {
    UAT_ADAPTIVE_OPEN = 8,    /* most intervals of one worker from which parts are taken */
    UAT_CONTEXT_PARTS = 31,   /* most parts of one context that are not yet merged */
    UAT_ADAPTIVE_ARG = 256,   /* most bytes of an argument */
    UAT_REQUEST_DATA = 48,    /* most bytes of data in a request */
    UAT_REQUEST_WAIT_US = 100 /* time after which uat_request_wait() and an idle worker cancel a request */
};

/* A context. The fields belong to the library, except `state` and `is_part`. */
typedef struct uat_context {
    void *state;               /* for fn and the splitter; NULL at first */
    struct uat_context *outer; /* the context around this one, or NULL */
    const struct uat_part *part;
    uint64_t seen;      /* the interval's word, as this task last saw it */
    int32_t home, cell; /* where the word is; cell -1: here, and no part can be taken */
    uint32_t parts;     /* parts to merge, if counted */
    uint16_t counted;
    uint16_t is_part; /* for fn. 0: it runs the whole interval; 1: a part that was taken */
} uat_context_t;

/* A request as the splitter sees it. */
typedef struct uat_request {
    int thief;                   /* the rank that asks */
    uint32_t size;               /* bytes of data */
    char data[UAT_REQUEST_DATA]; /* from uat_request_data() or uat_request_post() */
} uat_request_t;

/*
 * Runs one part of the interval. arg: the part's own copy, aligned to 16 bytes. *result: room for the part's result,
 * zero at first. A part may not use reducers (uat/reducer.h), and in C++ no exception may leave the function.
 */
typedef void uat_adaptive_fn(uat_context_t *context, const void *arg, void *result);

/*
 * Answers `count` requests, at least one, by uat_context_give(). It need not answer all: a request without an answer
 * goes on to the next inner context, and is refused after the innermost one. It must not spawn, join or wait, and finds
 * no further requests.
 */
typedef void uat_splitter_fn(uat_context_t *context, const uat_request_t *requests, int count);

typedef struct uat_adaptive {
    uat_adaptive_fn *fn;
    enum uat_adaptive_mode mode;
    uat_splitter_fn *splitter; /* UAT_COOPERATIVE; NULL: count requests get count parts of count + 1 equal ones */
    int64_t grain;             /* least number of iterations of a part, except the last; 0: 1 */
    size_t arg_size;           /* at most UAT_ADAPTIVE_ARG */
    size_t result_size;        /* at most UAT_RESULT_MAX */
} uat_adaptive_t;

/*
 * Call a->fn for the interval [begin, end), of fewer than 2^62 iterations; it is empty if end < begin. Returns after fn
 * has returned and all parts have ended. What fn has left in the interval, and parts that it has not merged, are
 * dropped: they stop at their next uat_context_next(), and their results are lost. So a search returns as soon as it
 * has found something. arg (a->arg_size bytes) is copied with each part; *result has a->result_size bytes. What the
 * calling task wrote to global memory before the call is visible to all parts. outer: a context of the calling task, or
 * NULL. Requests that the task finds go to the outermost context first. A worker has at most UAT_ADAPTIVE_OPEN open
 * intervals; a further call runs its whole interval by itself.
 */
void uat_adaptive_run(const uat_adaptive_t *a, uat_context_t *outer, int64_t begin, int64_t end, const void *arg,
                      void *result);

/*
 * Take at most `most` iterations, 1 or more, from the front of the interval. Returns 1, and [*begin, *end); or 0:
 * nothing is left. An interval is divided into units of a->grain iterations, or of more if it has more than 2^24 - 1 of
 * them; a call takes one unit at least. This is also where requests are answered, where a dropped part finds its
 * interval empty, and where the message protocol of steals is answered (uat_work_wanted()).
 */
int uat_context_next(uat_context_t *context, int64_t most, int64_t *begin, int64_t *end);

/* Answer requests now, if there are any. One load if there are none. */
void uat_context_poll(uat_context_t *context);

/* What is left of the interval now. A peer may take a part of it at any time, unless its mode is UAT_COOPERATIVE.
 * Returns whether anything is left. */
int uat_context_left(uat_context_t *context, int64_t *begin, int64_t *end);

/*
 * In a splitter: give what is left from `begin` on (rounded up to a unit) to the thief of the request, to be run by the
 * same function with a copy of arg, or of the context's argument if arg is NULL. Parts are given from the back: the
 * last part first. Returns 0; or -EAGAIN: the interval ends before, or UAT_CONTEXT_PARTS are not yet merged.
 */
int uat_context_give(uat_context_t *context, const uat_request_t *request, int64_t begin, const void *arg);

/*
 * After uat_context_next() has returned 0: wait for the part that comes next in order, and copy its result. Returns 1;
 * or 0: there is no further part, or this part was dropped. After the call the task may be on another worker.
 */
int uat_context_merge(uat_context_t *context, void *result);

/*
 * Preemption: uat_context_merge(), but a part that has not ended and was not divided stops at its next
 * uat_context_next(), and the call waits for that. *result is then its partial result, for the iterations that it has
 * taken, and the others are the rest of this context's interval again. *taken_to: the end of the iterations that
 * *result is for; it is `end` of the part if the part has ended.
 */
int uat_context_take_back(uat_context_t *context, void *result, int64_t *taken_to);

/* Copy the data of a request, at most `size` bytes. Returns the number of bytes that it has. */
size_t uat_request_read(const uat_request_t *request, void *data, size_t size);

/* The data that requests of this worker carry when it is idle (size is at most UAT_REQUEST_DATA). Copied. */
void uat_request_data(const void *data, size_t size);

/*
 * A task may ask by itself. uat_request_post() sends a request to the worker of rank `victim` and does not wait for the
 * answer. A worker has one request at a time. Until it is answered or cancelled, the task must not spawn, join or wait.
 *   post    0; -EBUSY: this worker has a request, or the victim takes no further one now
 *   test    0: a part was given, call uat_request_run(); -EINPROGRESS; -EAGAIN: refused, try another victim
 *   wait    until test returns 0 or -EAGAIN; cancels after UAT_REQUEST_WAIT_US
 *   cancel  0; -EBUSY: the victim has decided already, so test or wait again
 *   run     run the part that was given, in this task
 */
int uat_request_post(int victim, const void *data, size_t size);
int uat_request_test(void);
int uat_request_wait(void);
int uat_request_cancel(void);
void uat_request_run(void);

/*
 * The number of workers that take work of others: those of ranks 0 to n - 1; all, if n is uat_size() or more, and at
 * the start. A worker that is excluded takes no continuations, ready tasks, parts or data-flow tasks of others. It runs
 * what it has already, which others may still take, and what is sent to it by uat_migrate(), uat_spawn_on() or the end
 * of a wait. The limit stays until it is changed, over runs too. If tasks call this at the same time, one of them
 * decides for all workers. Costs one or two round trips for each worker.
 *   set  0; -EINVAL: n is less than 1
 *   get  the limit of this worker. It is that of the last call once the call has returned.
 * Inside a task. After kaapi_set_concurrency() of the specification.
 */
int uat_set_concurrency(int n);
int uat_get_concurrency(void);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif

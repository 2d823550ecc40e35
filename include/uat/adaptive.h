/* SPDX-License-Identifier: MIT */
/*
 * Adaptive requests: an algorithm makes a parallel part only when an idle worker asks for one. The algorithm's
 * sequential code works through an interval and takes its next iterations from the front. An idle worker takes a part
 * from the back.
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
 * The same function runs every part, so a part can be divided further. The owner is the call that runs the function for
 * the whole interval. It merges the results of the parts in the order of the interval, so the operation need not be
 * commutative.
 *
 * A context is the state of one call of the function. It is in the frame of the task that runs the function, and
 * migrates with the task. Only the task that has the context may call the functions below. Errors end the job with a
 * message.
 *
 * Link the library uat-adaptive: pkg-config --libs uat-adaptive, or uatcc with -luat-adaptive.
 *
 * The interface follows the specification of X-Kaapi (Danjean, Gautier, Laferriere 2009). docs/adaptive.md says what
 * the specification leaves open, how uat implements it, and when to use it instead of uat_for().
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
    UAT_CONCURRENT, /* by one CMP_SWAP it takes the second half of the remaining interval; the owner's CPU is not
                     * involved */
    UAT_COOPERATIVE /* it posts a request; in uat_context_next() or uat_context_poll(), the owner answers all requests
                     * that have arrived */
};

enum {
    UAT_ADAPTIVE_OPEN = 8,    /* maximum number of open intervals of one worker; parts can be taken from an open
                               * interval */
    UAT_CONTEXT_PARTS = 31,   /* maximum number of unmerged parts of one context */
    UAT_ADAPTIVE_ARG = 256,   /* maximum bytes of an argument */
    UAT_REQUEST_DATA = 48,    /* maximum bytes of data in a request */
    UAT_REQUEST_WAIT_US = 100 /* time after which uat_request_wait() and an idle worker cancel a request */
};

/* A context. The fields belong to the library, except `state` and `is_part`. */
typedef struct uat_context {
    void *state;               /* for fn and the splitter; NULL at first */
    struct uat_context *outer; /* the context around this context, or NULL */
    const struct uat_part *part;
    uint64_t seen;      /* the value of the interval's word that this task last saw */
    int32_t home, cell; /* the word's place; cell -1: the word is in this context, and no part can be taken */
    uint32_t parts;     /* number of parts to merge, if `counted` is set */
    uint16_t counted;
    uint16_t is_part; /* 1: this call of fn runs a part that was taken; 0: it runs the whole interval */
} uat_context_t;

/* A request as the splitter sees it. */
typedef struct uat_request {
    int thief;                   /* the rank that asks */
    uint32_t size;               /* bytes of data */
    char data[UAT_REQUEST_DATA]; /* from uat_request_set_data() or uat_request_post() */
} uat_request_t;

/*
 * Runs the whole interval or a part. arg: the part's own copy, aligned to 16 bytes. *result: buffer for the part's
 * result, initially zero. A part must not use reducers (uat/reducer.h), and in C++ no exception may leave the function.
 */
typedef void uat_adaptive_fn(uat_context_t *context, const void *arg, void *result);

/*
 * Answers requests by uat_context_give(). count: the number of requests, at least 1. The splitter need not answer all
 * of them. A request that it leaves unanswered is passed to the next inner context. If the innermost context leaves the
 * request unanswered, the request is refused. The splitter must not spawn, join or wait. While it runs, no further
 * requests are taken.
 */
typedef void uat_splitter_fn(uat_context_t *context, const uat_request_t *requests, int count);

typedef struct uat_adaptive {
    uat_adaptive_fn *fn;
    enum uat_adaptive_mode mode;
    uat_splitter_fn *splitter; /* for UAT_COOPERATIVE; NULL: divide the interval into count + 1 equal parts, keep one
                                * and give one to each request */
    int64_t grain;             /* minimum number of iterations of a part, except the last; 0 means 1 */
    size_t arg_size;           /* at most UAT_ADAPTIVE_ARG */
    size_t result_size;        /* at most UAT_RESULT_MAX */
} uat_adaptive_t;

/*
 * Call a->fn for the interval [begin, end), which must have fewer than 2^62 iterations. If end < begin, the interval is
 * empty. Returns after fn has returned and all parts have ended. Iterations that fn has not taken are dropped, and
 * parts that fn has not merged are dropped. A dropped part stops at its next uat_context_next(), and its result is
 * lost. So a search can return as soon as it has a result. arg (a->arg_size bytes) is copied for each part; *result has
 * a->result_size bytes. Writes of the calling task to global memory before the call are visible to all parts. outer: a
 * context of the calling task, or NULL. Requests are offered to the outermost context first. If the worker already has
 * UAT_ADAPTIVE_OPEN open intervals, the call runs its whole interval without giving parts.
 */
void uat_adaptive_run(const uat_adaptive_t *a, uat_context_t *outer, int64_t begin, int64_t end, const void *arg,
                      void *result);

/*
 * Take at most `most` (1 or more) iterations from the front of the interval. Returns 1 and sets [*begin, *end), or
 * returns 0 if the interval is empty. An interval consists of units of a->grain iterations. If there would be more than
 * 2^24 - 1 units, the units are larger. A call takes at least one unit. The call also answers requests. Under the
 * message protocol it answers a thief's request for a continuation, too (uat_work_wanted()). In a dropped part the call
 * finds the interval empty.
 */
int uat_context_next(uat_context_t *context, int64_t most, int64_t *begin, int64_t *end);

/* Answer the requests that have arrived. Costs one load if there are none. */
void uat_context_poll(uat_context_t *context);

/* Get the remaining interval. With UAT_CONCURRENT, a peer may take a part of the interval at any time. Returns 1 if any
 * iterations remain, else 0. */
int uat_context_left(uat_context_t *context, int64_t *begin, int64_t *end);

/*
 * In a splitter: give all remaining iterations, from `begin` (rounded up to a unit) to the end, to the thief of the
 * request. The thief runs the same function with a copy of arg, or of the context's argument if arg is NULL. Parts must
 * be given from the back: the last part first. Returns 0. Returns -EAGAIN if no iterations remain at or after `begin`,
 * or if the context already has UAT_CONTEXT_PARTS unmerged parts.
 */
int uat_context_give(uat_context_t *context, const uat_request_t *request, int64_t begin, const void *arg);

/*
 * Wait for the next part in order and copy its result. Call it after uat_context_next() has returned 0. Returns 1; or 0
 * if there is no further part, or if the part of this context was dropped. After the call the task may be on another
 * worker.
 */
int uat_context_merge(uat_context_t *context, void *result);

/*
 * Preemption: like uat_context_merge(), but a part that has not ended and was not divided stops at its next
 * uat_context_next(). The call waits until the part has stopped. Afterwards *result is the part's result for the
 * iterations that the part has taken. The part's other iterations are in this context's interval again. *taken_to is
 * set to the end of the iterations that *result includes. This is the part's end if the part has ended, and the part's
 * beginning if the part has taken no iterations.
 */
int uat_context_take_back(uat_context_t *context, void *result, int64_t *taken_to);

/* Copy the data of a request, at most `size` bytes. Returns the number of bytes in the request. */
size_t uat_request_read(const uat_request_t *request, void *data, size_t size);

/* Set the data of the requests that this worker posts when it is idle (size is at most UAT_REQUEST_DATA). The data are
 * copied. */
void uat_request_set_data(const void *data, size_t size);

/*
 * A task may itself ask for a part. uat_request_post() sends a request to the worker of rank `victim` and does not wait
 * for the answer. A worker has at most one request at a time. Until the request is answered or cancelled, the task must
 * not spawn, join or wait.
 *   post    0; -EBUSY: this worker already has a request, or the victim takes no further request now
 *   test    0: a part was given, call uat_request_run(); -EINPROGRESS; -EAGAIN: refused, try another victim
 *   wait    until test returns 0 or -EAGAIN; cancels after UAT_REQUEST_WAIT_US
 *   cancel  0; -EBUSY: the victim has decided already, so test or wait again
 *   run     run the part that was given, in this task. Call it within UAT_STALL_LIMIT after the answer, because the
 *           owner of the interval waits for this call
 */
int uat_request_post(int victim, const void *data, size_t size);
int uat_request_test(void);
int uat_request_wait(void);
int uat_request_cancel(void);
void uat_request_run(void);

/*
 * Set or get a limit n: only the workers of ranks 0 to n - 1 take work from other workers. If n is uat_size() or more,
 * or no limit was set, all workers take work. An excluded worker takes no continuations, ready tasks, parts or
 * data-flow tasks from other workers. It runs the work that it has, and tasks that uat_migrate(), uat_spawn_on() or the
 * end of a wait sends to it. Other workers may still take work from it. The limit holds until it is changed, also in
 * later runs. If several tasks set a limit at the same time, all workers get the same one of these limits. Setting a
 * limit costs one round trip per worker. It costs a second round trip for a worker whose limit differs from the
 * caller's.
 *   set  0; -EINVAL: n is less than 1
 *   get  this worker's limit: the one that the last completed call of uat_concurrency_set() has set
 * Call these functions only inside a task. The functions follow kaapi_set_concurrency() of the specification.
 */
int uat_concurrency_set(int n);
int uat_concurrency_get(void);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif

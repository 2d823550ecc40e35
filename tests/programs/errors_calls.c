/* SPDX-License-Identifier: MIT */
/* Description: one call of each function of the public headers, for the program errors. */
#include <limits.h>
#include <stddef.h>
#include <string.h>
#include <uat/adaptive.h>
#include <uat/atomic.h>
#include <uat/checkpoint.h>
#include <uat/dataflow.h>
#include <uat/object.h>
#include <uat/pattern.h>
#include <uat/reducer.h>
#include <uat/transfer.h>

#include "tests/programs/errors.h"

/* If the command line names this function, call it, and return what it returns. */
#define CALL(name, ...)                                                                                                \
    if (errors_asked(#name))                                                                                           \
    return (long)name(__VA_ARGS__)
/* An argument: right outside of tasks, wrong in a task. */
#define PICK(right, wrong) (errors_in_task ? (wrong) : (right))
/* For a function that returns nothing, or an object. */
#define DO(name, ...)                                                                                                  \
    if (errors_asked(#name)) {                                                                                         \
        name(__VA_ARGS__);                                                                                             \
        return 0;                                                                                                      \
    }
/* The same for functions without parameters. */
#define CALL_PLAIN(name)                                                                                               \
    if (errors_asked(#name))                                                                                           \
    return (long)name()
#define DO_PLAIN(name)                                                                                                 \
    if (errors_asked(#name)) {                                                                                         \
        name();                                                                                                        \
        return 0;                                                                                                      \
    }

static void nothing(void *arg, void *result)
{
    (void)arg, (void)result;
}

static long call_job(void)
{
    char byte[8];
    CALL_PLAIN(uat_init);
    CALL_PLAIN(uat_finalize);
    CALL_PLAIN(uat_rank);
    CALL_PLAIN(uat_size);
    CALL(uat_resize, -1);
    CALL_PLAIN(uat_workers);
    CALL(uat_run, NULL, NULL, 0, NULL, 0);
    CALL_PLAIN(uat_is_running);
    CALL_PLAIN(uat_in_task);
    CALL_PLAIN(uat_barrier);
    CALL(uat_replicate, NULL, 8);
    CALL(uat_replicate_free, byte);
    CALL(uat_setting, NULL);
    DO_PLAIN(uat_time_ns);
    DO(uat_sim_work, 0);
    CALL(uat_stats, NULL);
    CALL(uat_stats_detail, NULL);
    CALL(uat_stats_total, NULL);
    CALL(uat_stats_detail_total, NULL);
    CALL(uat_checkpoint, -1);
    CALL(uat_checkpoint_register, NULL, NULL);
    CALL_PLAIN(uat_restarted);
    return LONG_MIN;
}

static long call_tasks(const struct errors_handles *h)
{
    uat_task_t child = {0};
    uat_group_t group = {0}, begun;
    uat_group_begin(&begun);
    static char large[1 << 20];
    DO(uat_spawn, &child, nothing, NULL, 0, large, sizeof(large));
    DO(uat_spawn_on, &child, PICK(0, -1), nothing, NULL, 0, NULL, 0);
    DO(uat_join, &child);
    DO(uat_migrate, PICK(0, -1));
    DO(uat_group_begin, &group);
    DO(uat_group_begin_in, &group, h->cancel);
    DO(uat_group_make_cancellable, &group);
    DO(uat_group_cancel, h->cancel);
    CALL(uat_cancelled, h->cancel);
    DO(uat_group_spawn, &group, nothing, NULL, 0);
    DO(uat_group_spawn_on, &begun, PICK(0, -1), nothing, NULL, 0);
    DO(uat_group_wait, &group);
    DO_PLAIN(uat_yield);
    return LONG_MIN;
}

static long call_sync(const struct errors_handles *h)
{
    long value = 0;
    DO(uat_future_create, PICK(8, (size_t)1 << 40));
    DO(uat_future_set, h->future, &value);
    DO(uat_future_get, h->future, &value);
    CALL(uat_future_try_get, h->future, &value);
    CALL(uat_future_get_for, h->future, &value, 0);
    DO(uat_future_destroy, h->future);
    DO_PLAIN(uat_mutex_create);
    DO_PLAIN(uat_mutex_create_biased);
    DO(uat_mutex_named, "");
    DO(uat_mutex_lock, h->mutex);
    CALL(uat_mutex_try_lock, h->mutex);
    CALL(uat_mutex_lock_for, h->mutex, 0);
    DO(uat_mutex_unlock, h->mutex);
    DO(uat_mutex_destroy, h->mutex);
    DO_PLAIN(uat_condition_create);
    DO(uat_condition_wait, h->condition, h->mutex);
    DO(uat_condition_signal, h->condition);
    DO(uat_condition_broadcast, h->condition);
    DO(uat_condition_destroy, h->condition);
    DO_PLAIN(uat_shared_mutex_create);
    DO(uat_shared_mutex_lock, h->shared);
    DO(uat_shared_mutex_lock_shared, h->shared);
    CALL(uat_shared_mutex_try_lock, h->shared);
    CALL(uat_shared_mutex_try_lock_shared, h->shared);
    CALL(uat_shared_mutex_lock_for, h->shared, 0);
    CALL(uat_shared_mutex_lock_shared_for, h->shared, 0);
    DO(uat_shared_mutex_unlock, h->shared);
    DO(uat_shared_mutex_unlock_shared, h->shared);
    DO(uat_shared_mutex_destroy, h->shared);
    return LONG_MIN;
}

static void count(void *arg)
{
    ++*(long *)arg;
}

static long call_counting(const struct errors_handles *h)
{
    long value = 0;
    uat_limit_t limit = {.left = 1};
    uat_critical_t critical = {.mutex = h->mutex};
    DO(uat_semaphore_create, 1);
    DO(uat_semaphore_acquire, h->semaphore);
    CALL(uat_semaphore_try_acquire, h->semaphore);
    CALL(uat_semaphore_acquire_for, h->semaphore, 0);
    DO(uat_semaphore_release, h->semaphore, 1);
    DO(uat_semaphore_destroy, h->semaphore);
    DO(uat_latch_create, 1);
    DO(uat_latch_count_down, h->latch, 1);
    CALL(uat_latch_try_wait, h->latch);
    CALL(uat_latch_wait_for, h->latch, 0);
    DO(uat_latch_wait, h->latch);
    DO(uat_latch_destroy, h->latch);
    DO(uat_task_barrier_create, PICK(1, 0));
    CALL(uat_task_barrier_wait, h->barrier);
    DO(uat_task_barrier_destroy, h->barrier);
    DO(uat_critical_begin, "");
    DO(uat_critical_end, &critical);
    DO_PLAIN(uat_once_create);
    DO(uat_once_call, h->once, count, &value);
    DO(uat_once_destroy, h->once);
    DO(uat_sleep_for, 1);
    DO(uat_limit_begin, 1);
    CALL(uat_limit_wait, &limit);
    CALL(uat_condition_wait_for, h->condition, h->mutex, &limit);
    return LONG_MIN;
}

static long call_channels(const struct errors_handles *h)
{
    long value = 0;
    uat_case_t one = {.channel = h->channel, .value = &value};
    DO(uat_channel_create, 8, PICK(1, (size_t)1 << 60));
    DO(uat_channel_named, "", 8, 1);
    CALL(uat_channel_send, h->channel, &value);
    CALL(uat_channel_receive, h->channel, &value);
    CALL(uat_channel_try_send, h->channel, &value);
    CALL(uat_channel_try_receive, h->channel, &value);
    CALL(uat_channel_send_for, h->channel, &value, 0);
    CALL(uat_channel_receive_for, h->channel, &value, 0);
    DO(uat_channel_close, h->channel);
    DO(uat_channel_destroy, h->channel);
    CALL(uat_select, &one, h->channel.object ? 1 : -1);
    CALL(uat_try_select, &one, h->channel.object ? 1 : 0);
    CALL(uat_select_for, &one, h->channel.object ? 1 : UAT_SELECT_MAX + 1, 0);
    return LONG_MIN;
}

static long call_global(void)
{
    static long aligned[512];
    uat_atomic_t word = {0};
    CALL_PLAIN(uat_global_open);
    CALL(uat_global_alloc, 0, UAT_BLOCKED, 0);
    CALL(uat_global_free, aligned);
    CALL(uat_global_home, aligned);
    CALL(uat_global_near, aligned, 8);
    CALL(uat_global_freeze, aligned);
    CALL(uat_global_thaw, aligned);
    CALL(uat_global_checkout, aligned, 8, UAT_READ);
    DO(uat_global_checkin, aligned, 8, UAT_READ);
    DO_PLAIN(uat_global_checkout_limit);
    DO(uat_global_prefetch, aligned, 8);
    DO(uat_global_get, aligned, aligned + 1, 8);
    DO(uat_global_put, aligned, aligned + 1, 8);
    DO_PLAIN(uat_global_release);
    DO(uat_atomic_fetch_add, &word, 1);
    DO(uat_atomic_cmp_swap, &word, 0, 1);
    DO(uat_atomic_load, &word);
    DO(uat_atomic_swap, &word, 1);
    DO(uat_atomic_store, &word, 1);
    DO(uat_atomic_add, &word, 1);
    DO(uat_atomic_fetch_max, &word, 1);
    DO(uat_atomic_fetch_min, &word, 1);
    DO(uat_atomic_fetch_max_signed, &word, 1);
    DO(uat_atomic_fetch_min_signed, &word, 1);
    DO(uat_atomic_fetch_and, &word, 1);
    DO(uat_atomic_fetch_or, &word, 1);
    return LONG_MIN;
}

static long call_objects(void)
{
    static long here[8];
    uat_global_transfer_t transfer = {0};
    CALL(uat_global_object_alloc, (size_t)1 << 50);
    DO(uat_global_object_free, here);
    CALL(uat_global_temporary_open, (size_t)1 << 60, 0);
    CALL(uat_global_temporary_alloc, 8);
    DO(uat_global_temporary_free, here);
    DO(uat_global_get_strided, here, 8, here + 4, 8, 8, 2);
    DO(uat_global_put_strided, here + 4, 8, here, 8, 8, 2);
    DO(uat_global_get_begin, &transfer, here, here + 4, 8);
    DO(uat_global_put_begin, &transfer, here + 4, here, 8);
    DO(uat_global_transfer_wait, &transfer);
    DO(uat_global_get_strided_begin, &transfer, here, 8, here + 4, 8, 8, 2);
    DO(uat_global_put_strided_begin, &transfer, here + 4, 8, here, 8, 8, 2);
    return LONG_MIN;
}

static void each(int64_t begin, int64_t end, const void *arg)
{
    (void)begin, (void)end, (void)arg;
}

static void sum(int64_t begin, int64_t end, void *partial, const void *arg)
{
    (void)arg;
    *(long *)partial += end - begin;
}

static void combine(void *left, const void *right, const void *arg)
{
    (void)arg;
    *(long *)left += *(const long *)right;
}

static int64_t find(int64_t begin, int64_t end, const void *arg)
{
    (void)begin, (void)end, (void)arg;
    return -1;
}

static void block(void *elements, size_t first, size_t n, const void *arg)
{
    (void)elements, (void)first, (void)n, (void)arg;
}

static int compare(const void *a, const void *b, const void *arg)
{
    (void)arg;
    return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b);
}

static long large_value[(1 << 20) / sizeof(long)]; /* larger than UAT_RESULT_MAX */
static const uat_reduction_t reduction = {sum, combine, large_value, sizeof(long)},
                             large = {sum, combine, large_value, sizeof(large_value)};

static long call_patterns(void)
{
    static int here[8];
    static uat_reducer_t static_reducer = {&static_reducer, &reduction};
    uat_reducer_t reducer = {&reducer, &reduction};
    const uat_call_t calls[2] = {{.fn = nothing}, {.fn = nothing}};
    long result = 0;
    DO(uat_for, 0, 4, -1, each, NULL, 0);
    DO(uat_for_near, 0, 4, here, sizeof(*here), each, NULL, 0);
    DO(uat_reduce, 0, 4, -1, &large, NULL, 0, large_value);
    DO(uat_reduce_near, 0, 4, here, sizeof(*here), &large, NULL, 0, large_value);
    DO(uat_reduce_deterministic, 0, 4, -1, &large, NULL, 0, large_value);
    DO(uat_scan, 0, 4, -1, &large, sum, NULL, 0, large_value);
    DO(uat_scan_near, 0, 4, here, sizeof(*here), &large, sum, NULL, 0, large_value);
    CALL(uat_find, 0, 4, find, NULL, 0);
    DO(uat_invoke, calls, 2);
    DO(uat_for_each_block, here, 8, sizeof(*here), UAT_READ, block, NULL, 0);
    DO(uat_sort, here, 8, sizeof(*here), compare, NULL, 0);
    CALL_PLAIN(uat_work_wanted);
    DO(uat_reducer_begin, &reducer, &reduction);
    CALL(uat_reducer_view, &static_reducer);
    DO(uat_reducer_take, &static_reducer, &result);
    CALL(uat_reducer_is_empty, &static_reducer);
    return LONG_MIN;
}

static void flow_body(void *arg, const uat_flow_place_t *place)
{
    (void)arg, (void)place;
}

static long call_flows(void)
{
    uat_flow_t flow = {0};
    DO(uat_flow_begin, &flow);
    DO(uat_flow_end, &flow);
    DO(uat_flow_wait_datum, &flow, NULL, UAT_FLOW_IN);
    DO(uat_flow_set_window, &flow, 0);
    DO(uat_flow_keep_order, &flow);
    DO(uat_flow_set_home, &flow, NULL);
    DO(uat_flow_spawn, &flow, flow_body, NULL, 0, NULL, UAT_FLOW_ACCESSES + 1);
    return LONG_MIN;
}

static void part(uat_context_t *context, const void *arg, void *result)
{
    int64_t begin, end;
    (void)arg, (void)result;
    while (uat_context_next(context, 1, &begin, &end))
        ;
}

static long call_adaptive(void)
{
    const uat_adaptive_t right = {.fn = part}, wrong = {.fn = part, .arg_size = UAT_ADAPTIVE_ARG + 1};
    char data[UAT_REQUEST_DATA + 1] = {0};
    uat_request_t request = {.size = 0};
    DO(uat_adaptive_run, PICK(&right, &wrong), NULL, 0, 4, data, NULL);
    CALL(uat_request_post, -1, NULL, 0);
    CALL_PLAIN(uat_request_test);
    CALL_PLAIN(uat_request_wait);
    CALL_PLAIN(uat_request_cancel);
    DO_PLAIN(uat_request_run);
    DO(uat_request_set_data, data, sizeof(data));
    CALL(uat_request_read, &request, data, sizeof(data));
    CALL(uat_concurrency_set, 0);
    CALL_PLAIN(uat_concurrency_get);
    return LONG_MIN;
}

long errors_call(const struct errors_handles *handles)
{
    long returned = call_job();
    returned = returned != LONG_MIN ? returned : call_tasks(handles);
    returned = returned != LONG_MIN ? returned : call_sync(handles);
    returned = returned != LONG_MIN ? returned : call_counting(handles);
    returned = returned != LONG_MIN ? returned : call_channels(handles);
    returned = returned != LONG_MIN ? returned : call_global();
    returned = returned != LONG_MIN ? returned : call_objects();
    returned = returned != LONG_MIN ? returned : call_patterns();
    returned = returned != LONG_MIN ? returned : call_flows();
    return returned != LONG_MIN ? returned : call_adaptive();
}

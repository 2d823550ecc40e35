/* SPDX-License-Identifier: MIT */
/*
 * Description: uat_concurrency_set() excludes workers. An excluded worker takes no tasks from other workers, but runs
 * tasks that are sent to it. When the limit is raised, the worker takes tasks again. Concurrent calls leave the same
 * limit in all workers.
 */
#include <stdio.h>

#include "uat.h"
#include "uat/adaptive.h"

enum { TASKS = 400, WORKERS_MAX = 64 };

struct ranks {
    int tasks[WORKERS_MAX]; /* for each rank: the number of tasks or iterations that it has run */
};

UAT_TASK(int, works, int64_t, ns)
{
    uat_sim_work((uint64_t)ns);
    return uat_rank();
}

static void run_tasks(struct ranks *by)
{
    works_task task[TASKS];
    for (int i = 0; i < TASKS; i++)
        works_spawn(&task[i], 5000);
    for (int i = TASKS; i-- > 0;)
        by->tasks[works_join(&task[i])]++;
}

static void count(uat_context_t *c, const void *arg, void *result)
{
    struct ranks by = {0}, more;
    int64_t begin, end;
    (void)arg;
    while (uat_context_next(c, 1, &begin, &end)) {
        uat_sim_work(5000);
        by.tasks[uat_rank()]++;
    }
    while (uat_context_merge(c, &more))
        for (int i = 0; i < WORKERS_MAX; i++)
            by.tasks[i] += more.tasks[i];
    *(struct ranks *)result = by;
}

/* Returns 0 if only workers below n have run anything, and at least half of them have. */
static int wrong(const char *what, const struct ranks *by, int n)
{
    int errors = 0, busy = 0;
    for (int i = 0; i < uat_size(); i++) {
        busy += by->tasks[i] > 0;
        if (i >= n && by->tasks[i] > 0) {
            printf("%s, limit %d: rank %d has run %d\n", what, n, i, by->tasks[i]);
            errors++;
        }
    }
    if (2 * busy < n)
        printf("%s, limit %d: only %d workers have run anything\n", what, n, busy);
    return errors + (2 * busy < n);
}

/* Run both kinds of work with this limit. */
static int check_limit(int n)
{
    const uat_adaptive_t a = {.fn = count, .result_size = sizeof(struct ranks)};
    struct ranks tasks = {0}, parts;
    uat_concurrency_set(n);
    uat_migrate(0);        /* an excluded worker would itself run the tasks that this task spawns on it */
    uat_sim_work(1000000); /* wait until attempts to take work have ended */
    run_tasks(&tasks);
    uat_adaptive_run(&a, NULL, 0, TASKS, NULL, &parts);
    return wrong("tasks", &tasks, n) + wrong("parts", &parts, n);
}

UAT_TASK(int, calls, int, n)
{
    return uat_concurrency_set(n);
}

UAT_TASK(int, asks, int, unused)
{
    (void)unused;
    return uat_concurrency_get();
}

/* All workers set a limit at the same time. After that, all must have the same limit. */
static int check_race(void)
{
    calls_task call[WORKERS_MAX];
    asks_task ask[WORKERS_MAX];
    int errors = 0, first = 0, size = uat_size();
    for (int i = 0; i < size; i++)
        calls_spawn_on(&call[i], i, i + 1);
    for (int i = size; i-- > 0;)
        errors += calls_join(&call[i]) != 0;
    for (int i = 0; i < size; i++)
        asks_spawn_on(&ask[i], i, 0);
    for (int i = size; i-- > 0;) {
        int limit = asks_join(&ask[i]);
        first = first ? first : limit;
        if (limit != first) {
            printf("rank %d has the limit %d, the last rank %d\n", i, limit, first);
            errors++;
        }
    }
    return errors;
}

UAT_TASK(int, limits, int, size)
{
    works_task sent;
    int errors = uat_concurrency_set(0) == 0;
    errors += uat_concurrency_get() != size;
    errors += check_limit(size / 2) + check_limit(1);
    works_spawn_on(&sent, size - 1, 5000);
    if (works_join(&sent) != size - 1) {
        printf("a task that was sent to an excluded worker has run elsewhere\n");
        errors++;
    }
    errors += check_limit(size);
    for (int i = 0; i < 5; i++)
        errors += check_race();
    return errors;
}

int main(void)
{
    int errors = 1;
    if (uat_init() < 0 || uat_size() > WORKERS_MAX || limits_run(&errors, uat_size()) < 0)
        return 1;
    return uat_finalize() < 0 || errors > 0;
}

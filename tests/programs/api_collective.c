/* SPDX-License-Identifier: MIT */
/* Description: several runs, replicated data, statistics, barriers, and collective calls that are refused. */
#include "tests/programs/api.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RUNS = 30, TABLE = 100000, RESULT_MAX = 1024 };

struct page {
    unsigned char bytes[RESULT_MAX];
};

UAT_TASK(int, one, int, n)
{
    api_work();
    return n != 0;
}

/* Returns 2^depth: one task per leaf. */
UAT_TASK(int, leaves, int, depth)
{
    leaves_task child;
    int right;

    if (depth == 0) {
        one_task leaf;

        one_spawn(&leaf, 1);
        return one_join(&leaf);
    }
    leaves_spawn(&child, depth - 1);
    right = leaves(depth - 1);
    return leaves_join(&child) + right;
}

static void fill_page(void *arg, void *result)
{
    struct page *page = result;
    int value = *(int *)arg;
    leaves_task t;

    leaves_spawn(&t, 8);
    if (leaves_join(&t) != 256)
        value = -1;
    memset(page->bytes, value, sizeof(page->bytes));
}

static int page_errors(const struct page *page, int value)
{
    int errors = 0;

    for (size_t i = 0; i < sizeof(page->bytes); i++)
        errors += page->bytes[i] != value;
    return WRONG(errors == 0);
}

static void fill_bytes(void *arg, void *result)
{
    memset(result, 7, *(size_t *)arg);
}

/* Rank 0's size counts. A rank with more room gets no more bytes, and a rank without room gets none. A longer result
 * of an earlier run leaves nothing. */
static int results_of_some_sizes(void)
{
    static const size_t sizes[] = {8, 13, 0, 40, 1, 24};
    int errors = 0;

    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        unsigned char bytes[64] = {0};
        size_t size = sizes[i], room = uat_rank() == 0 ? size : uat_rank() % 2 ? sizeof(bytes) : 0, filled = 0;

        errors += WRONG(uat_run(fill_bytes, &size, sizeof(size), room > 0 ? bytes : NULL, room) == 0);
        while (filled < sizeof(bytes) && bytes[filled] == 7)
            filled++;
        errors += WRONG(filled == (room > 0 ? size : 0));
        errors += WRONG(filled == sizeof(bytes) || bytes[filled] == 0);
    }
    return errors;
}

int api_results_everywhere(void)
{
    int errors = 0;

    for (int i = 1; i <= RUNS; i++) {
        struct page page = {{0}};

        /* Only rank 0's root and arguments are used. */
        if (uat_rank() == 0)
            errors += WRONG(uat_run(fill_page, &i, sizeof(i), &page, sizeof(page)) == 0);
        else
            errors += WRONG(uat_run(NULL, NULL, 0, &page, sizeof(page)) == 0);
        errors += page_errors(&page, i);
    }
    return errors + results_of_some_sizes();
}

UAT_TASK(int, run_inside, int, unused)
{
    int result = 0;

    return one_run(&result, 1);
}

int api_refusals(void)
{
    unsigned char large[RESULT_MAX + 1] = {0};
    int argument = 1, status = 0, errors = 0;

    errors += WRONG(uat_run(fill_page, &argument, sizeof(argument), large, sizeof(large)) == -EMSGSIZE);
    errors += WRONG(run_inside_run(&status, 0) == 0);
    errors += WRONG(status == -EINVAL);
    errors += WRONG(uat_stats(NULL) == -EINVAL);
    errors += WRONG(uat_stats_detail(NULL) == -EINVAL);
    errors += WRONG(uat_setting("no such setting") == NULL);
    errors += WRONG(uat_setting("transport") != NULL && uat_setting("deque") != NULL);
    /* A refused call must change nothing. */
    errors += WRONG(one_run(&status, 1) == 0);
    errors += WRONG(status == 1);
    return errors;
}

/* The sum of a part of the table, divided into halves. Tasks may pass a pointer to replicated data on to children. */
UAT_TASK(uint64_t, sum, const uint32_t *, table, int, begin, int, end)
{
    sum_task left;
    uint64_t right, total = 0;
    int middle = begin + (end - begin) / 2;

    if (end - begin <= 500) {
        for (int i = begin; i < end; i++)
            total += table[i];
        return total;
    }
    sum_spawn(&left, table, begin, middle);
    right = sum(table, middle, end);
    return sum_join(&left) + right;
}

/* Whether the address is in a mapping of the host's copy. All copies of one host are one memory object. */
static int is_shared(const void *address)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[512];
    int found = 0;

    while (maps && fgets(line, sizeof(line), maps)) {
        unsigned long from, to;

        if (sscanf(line, "%lx-%lx", &from, &to) == 2 && from <= (uintptr_t)address && (uintptr_t)address < to)
            found = strstr(line, "r--s") && strstr(line, "uat-replica");
    }
    if (maps)
        fclose(maps);
    return found;
}

/* The memory of a freed replica is reused; the other replicas stay. */
static int free_replicas(void)
{
    static const char text[] = "one copy for each host";
    char *first = uat_replicate(text, sizeof(text)), *second = uat_replicate(text, sizeof(text)), *third;
    int errors = WRONG(first && second && first != second);

    errors += WRONG(is_shared(first) && is_shared(second));
    errors += WRONG(uat_replicate_free(first) == 0);
    errors += WRONG(uat_replicate_free(first) == -EINVAL && uat_replicate_free(second + 1) == -EINVAL);
    third = uat_replicate(text + 4, sizeof(text) - 4);
    errors += WRONG(third == first && strcmp(third, text + 4) == 0 && strcmp(second, text) == 0);
    errors += WRONG(uat_replicate_free(uat_rank() == 0 ? third : second) == (uat_size() > 1 ? -EINVAL : 0));
    errors += WRONG(uat_size() == 1 || uat_replicate_free(third) == 0);
    errors += WRONG(uat_replicate_free(second) == 0 && uat_replicate_free(NULL) == 0);
    return errors;
}

int api_replicated(void)
{
    uint32_t *source = malloc(TABLE * sizeof(*source));
    int errors = 0;

    if (source == NULL)
        return WRONG(source != NULL);
    for (uint32_t round = 1; round <= 2; round++) {
        const uint32_t *table;
        uint64_t total = 0;

        /* The other ranks' bytes differ, but only rank 0's bytes may be copied. */
        for (uint32_t i = 0; i < TABLE; i++)
            source[i] = uat_rank() == 0 ? i * round : 0;
        table = uat_replicate(source, TABLE * sizeof(*source));
        errors += WRONG(table != NULL && table != source);
        if (table == NULL)
            break;
        errors += WRONG(table[1] == round && table[TABLE - 1] == (TABLE - 1) * round);
        /* Rank 0's address is passed with the root. The other ranks pass NULL, because their arguments are ignored. */
        errors += WRONG(sum_run(&total, uat_rank() == 0 ? table : NULL, 0, TABLE) == 0);
        errors += WRONG(total == (uint64_t)round * (TABLE / 2) * (TABLE - 1));
    }
    free(source);
    return errors + free_replicas();
}

int api_statistics(void)
{
    uat_stats_t before, after, mine;
    uat_stats_detail_t all, more;
    int result = 0, errors = 0;

    errors += WRONG(uat_stats_total(&before) == 0);
    errors += WRONG(leaves_run(&result, 10) == 0);
    errors += WRONG(uat_stats_total(&after) == 0);
    errors += WRONG(uat_stats(&mine) == 0 && uat_stats_detail(&all) == 0);
    errors += WRONG(mine.tasks == all.tasks && mine.steal_attempts == all.steal_attempts);
    errors += WRONG(mine.steals == all.steals && mine.steal_bytes == all.steal_bytes);
    errors += WRONG(mine.evacuations == all.evacuations && mine.evacuated_bytes == all.evacuated_bytes);
    errors += WRONG(mine.stack_bytes_max == all.stack_bytes_max && mine.round_trips == all.round_trips);
    errors += WRONG(uat_stats_detail_total(&more) == 0);
    errors += WRONG(more.tasks == after.tasks && more.joins_second >= all.joins_second);
    errors += WRONG(result == 1024);
    /* The tasks are the root, one for the left half of each inner node, and one below each leaf. */
    errors += WRONG(after.tasks - before.tasks == 1 + 1023 + 1024);
    errors += WRONG(mine.tasks <= after.tasks && mine.steals <= after.steals);
    errors += WRONG(after.steals <= after.steal_attempts && after.stack_bytes_max >= mine.stack_bytes_max);
    errors += WRONG(uat_size() > 1 || after.steals == 0);
    return errors;
}

/* Each rank creates a file before the barrier. After the barrier all ranks' files must exist. */
int api_barrier(const char *folder)
{
    int errors = 0;

    for (int round = 0; round < 20; round++) {
        char name[4096];
        FILE *file;

        snprintf(name, sizeof(name), "%s/%d.%d", folder, round, uat_rank());
        file = fopen(name, "w");
        errors += WRONG(file != NULL && fclose(file) == 0);
        if (round % uat_size() == uat_rank())
            usleep(10000);
        errors += WRONG(uat_barrier() == 0);
        for (int rank = 0; rank < uat_size(); rank++) {
            snprintf(name, sizeof(name), "%s/%d.%d", folder, round, rank);
            errors += WRONG(access(name, F_OK) == 0);
        }
    }
    return errors;
}

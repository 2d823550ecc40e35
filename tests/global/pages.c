/* SPDX-License-Identifier: MIT */
/*
 * Description: the allocation of an array allocates the pages of each worker's chunks, on the worker's memory node. The
 * worker's first writes to these chunks take no page faults. Nor do its writes to the other chunks of its host, with
 * the argument "all". With "own" or "none" they do. With "none" and over shared memory, the pages of its own chunks are
 * allocated at their first use. With the argument "huge" the chunks are in pages of 2 MiB.
 */
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "uat.h"
#include "uat/global.h"

enum { CHUNK = 6 << 20, PAGE = 4096, PAGES = CHUNK / PAGE };

/* Counts the pages of this worker's chunk that are missing, and the pages that are on another node. move_pages()
 * without a target moves nothing. */
static int ask(char *chunk, int *missing, int *elsewhere)
{
    static void *page[PAGES];
    static int status[PAGES];
    unsigned node;
    if (syscall(SYS_getcpu, NULL, &node, NULL))
        return -1;
    for (int i = 0; i < PAGES; i++)
        page[i] = chunk + (size_t)i * PAGE;
    if (syscall(SYS_move_pages, 0, (long)PAGES, page, NULL, status, 0))
        return -1;
    for (int i = 0; i < PAGES; i++) {
        *missing += status[i] < 0;
        *elsewhere += status[i] >= 0 && (unsigned)status[i] != node;
    }
    printf("rank %d runs on node %u: %d of %d pages missing, %d on another node\n", uat_rank(), node, *missing, PAGES,
           *elsewhere);
    return 0;
}

/* The size, in KiB, of the pages that back this address. */
static long page_size(const void *p)
{
    char line[512];
    size_t from, to;
    long kib = 0;
    int here = 0;
    FILE *maps = fopen("/proc/self/smaps", "r");
    while (maps && kib == 0 && fgets(line, sizeof(line), maps))
        if (sscanf(line, "%zx-%zx ", &from, &to) == 2)
            here = from <= (size_t)p && (size_t)p < to;
        else if (here)
            sscanf(line, "KernelPageSize: %ld", &kib);
    if (maps)
        fclose(maps);
    return kib;
}

/* Write to each page of a chunk. Returns the number of page faults. */
static long faults_of(char *chunk, int value)
{
    struct rusage before, after;
    getrusage(RUSAGE_SELF, &before);
    memset(chunk, value, CHUNK);
    getrusage(RUSAGE_SELF, &after);
    return after.ru_minflt - before.ru_minflt;
}

/* Were about as many faults taken as expected: one for each page, or none? */
static int is_wrong(const char *what, long faults, int expected)
{
    if (expected ? faults >= PAGES / 2 : faults < PAGES / 8)
        return 0;
    fprintf(stderr, "rank %d: %ld page faults in %d pages of %s\n", uat_rank(), faults, PAGES, what);
    return 1;
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    int missing = 0, elsewhere = 0, wrong = 0, huge = strcmp(mode, "huge") == 0;
    if (uat_init())
        return 1;
    char *array = uat_global_alloc((size_t)CHUNK * (size_t)uat_size(), UAT_BLOCKED, 0);
    if (!array)
        return 1;
    int next = (uat_rank() + 1) % uat_size();
    char *own = array + (size_t)CHUNK * (size_t)uat_rank(), *other = array + (size_t)CHUNK * (size_t)next;
    int locked = strcmp(uat_setting("transport"), "ibv") == 0, late = !locked && strcmp(mode, "none") == 0;
    if (!late && ask(own, &missing, &elsewhere))
        wrong = 1;
    if (huge && page_size(own) != 2048) {
        fprintf(stderr, "rank %d: pages of %ld KiB\n", uat_rank(), page_size(own));
        wrong = 1;
    }
    long faults = faults_of(own, uat_rank() + 1);
    wrong |= !huge && is_wrong("its own chunk", faults, late);
    if (uat_barrier())
        return 1;
    if (*mode && !huge && uat_size() > 1 && uat_global_near(other, CHUNK) == CHUNK)
        wrong |= is_wrong("another worker's chunk", faults_of(other, next + 1), strcmp(mode, "all") != 0);
    if (uat_barrier())
        return 1;
    for (int rank = 0; rank < uat_size(); rank++)
        for (size_t at = 0; at < CHUNK; at += 65536) {
            char byte = 0;
            uat_global_get(&byte, array + (size_t)CHUNK * (size_t)rank + at, 1);
            wrong |= byte != rank + 1;
        }
    return uat_finalize() || wrong || missing || elsewhere;
}

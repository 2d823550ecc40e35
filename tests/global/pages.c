/* SPDX-License-Identifier: MIT */
/*
 * Description: if an adapter accesses an array, each worker has touched its own chunks before any byte of them is used.
 * The chunks are on the worker's memory node. With the argument "huge" the chunks are in pages of 2 MiB. Exit 77: on
 * this transport pages are allocated on first use.
 */
#include <stdio.h>
#include <string.h>
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

int main(int argc, char **argv)
{
    int missing = 0, elsewhere = 0, wrong = 0;
    if (uat_init())
        return 1;
    char *array = uat_global_alloc((size_t)CHUNK * (size_t)uat_size(), UAT_BLOCKED, 0);
    if (!array)
        return 1;
    char *own = array + (size_t)CHUNK * (size_t)uat_rank();
    int locked = strcmp(uat_setting("transport"), "ibv") == 0;
    if (locked && ask(own, &missing, &elsewhere))
        wrong = 1;
    if (argc > 1 && strcmp(argv[1], "huge") == 0 && page_size(own) != 2048) {
        fprintf(stderr, "rank %d: pages of %ld KiB\n", uat_rank(), page_size(own));
        wrong = 1;
    }
    memset(own, uat_rank() + 1, CHUNK);
    if (uat_barrier())
        return 1;
    for (int rank = 0; rank < uat_size(); rank++)
        for (size_t at = 0; at < CHUNK; at += 65536) {
            char byte = 0;
            uat_global_get(&byte, array + (size_t)CHUNK * (size_t)rank + at, 1);
            wrong |= byte != rank + 1;
        }
    if (uat_finalize() || wrong || missing || elsewhere)
        return 1;
    return locked || argc > 1 ? 0 : 77;
}

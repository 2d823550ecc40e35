/* SPDX-License-Identifier: MIT */
/* Description: without UAT_GLOBAL_SIZE the memory for objects grows far beyond 64 MiB for each worker, costs next to
 * nothing before it is used, is reused, and is left out of core files as far as it was not used.
 * usage: grows OBJECTS ROOM: objects of 25 MiB for each worker, and 1, or 0 where each worker has only 64 MiB */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "uat.h"
#include "uat/global.h"
#include "uat/object.h"

enum { OBJECTS_MOST = 12, STEP = 64 << 20 };
#define BYTES ((size_t)25 << 20) /* of an object */

static int wanted; /* number of objects */

/* The number after `key` in a file of /proc/self; -1 if there is none. */
static long number(const char *name, const char *key)
{
    char line[256];
    long value = -1;
    FILE *file = fopen(name, "r");
    while (file && value < 0 && fgets(line, sizeof(line), file))
        if (strncmp(line, key, strlen(key)) == 0)
            value = strtol(line + strlen(key), NULL, 10);
    if (file)
        fclose(file);
    return value;
}

/* Is this address in a mapping that core files leave out? */
static bool is_not_dumped(uintptr_t at)
{
    char line[512];
    unsigned long from, to;
    bool here = false, is = false;
    FILE *maps = fopen("/proc/self/smaps", "r");
    while (maps && fgets(line, sizeof(line), maps))
        if (sscanf(line, "%lx-%lx ", &from, &to) == 2)
            here = from <= at && at < to;
        else if (here && strncmp(line, "VmFlags:", 8) == 0)
            is = strstr(line, " dd") != NULL;
    if (maps)
        fclose(maps);
    return is;
}

struct objects {
    char *at[OBJECTS_MOST];
    int count; /* number of objects that there was room for */
};

/* Allocate objects and mark their ends. */
UAT_TASK(struct objects, allocate, int, mark)
{
    struct objects o = {.count = 0};
    while (o.count < wanted && (o.at[o.count] = uat_global_object_alloc(BYTES))) {
        o.at[o.count][0] = o.at[o.count][BYTES - 1] = (char)(mark + o.count);
        o.count++;
    }
    return o;
}

/* The number of objects that are wrong, on the worker that has them. */
UAT_TASK(int, check, struct objects, o, int, mark)
{
    int wrong = !is_not_dumped((uintptr_t)o.at[wanted - 1] + 2 * BYTES + STEP);
    for (int i = 0; i < wanted; i++)
        wrong += o.at[i][0] != (char)(mark + i) || o.at[i][BYTES - 1] != (char)(mark + i) ||
                 is_not_dumped((uintptr_t)o.at[i]) || is_not_dumped((uintptr_t)o.at[i] + BYTES - 1);
    return wrong;
}

UAT_TASK(int, give_back, struct objects, o)
{
    for (int i = 0; i < wanted; i++)
        uat_global_object_free(o.at[i]);
    return wanted;
}

/* Allocate on a worker, check there, and free on the next worker. Sets *highest to the highest address. Returns the
 * number of faults, or minus the number of objects if there was too little room. */
static int use(int rank, char **highest)
{
    allocate_task a;
    allocate_spawn_on(&a, rank, rank);
    struct objects o = allocate_join(&a);
    if (o.count < wanted)
        return -o.count;
    check_task c;
    check_spawn_on(&c, rank, o, rank);
    int wrong = check_join(&c);
    give_back_task g;
    give_back_spawn_on(&g, (rank + 1) % uat_size(), o);
    wrong += give_back_join(&g) != wanted;
    for (int i = 0; i < wanted; i++)
        *highest = o.at[i] > *highest ? o.at[i] : *highest;
    return wrong;
}

UAT_TASK(int, twice, int, rank)
{
    char *first = NULL, *second = NULL;
    int wrong = use(rank, &first);
    return wrong ? wrong : use(rank, &second) + (second != first);
}

int main(int argc, char **argv)
{
    int wrong = 0;
    wanted = argc == 3 ? atoi(argv[1]) : 0;
    if (wanted < 3 || wanted > OBJECTS_MOST || uat_init() < 0)
        return 2;
    bool grows = atoi(argv[2]);
    long before = number("/proc/self/status", "VmRSS:");
    if (uat_global_open())
        return 1;
    long opened = number("/proc/self/status", "VmRSS:") - before;
    for (int rank = 0; rank < uat_size() && wrong == 0; rank++)
        if (twice_run(&wrong, rank))
            return 1;
    void *array = uat_global_alloc(1 << 20, UAT_BLOCKED, 0); /* the parts' addresses are no promise of memory */
    wrong += !array;
    uat_global_free(array);
    bool right = grows ? wrong == 0 && before > 0 && opened < 8 << 10 : wrong == -2;
    if (!right)
        fprintf(stderr, "grows: %d wrong, %ld KiB taken at the start\n", wrong, opened);
    return uat_finalize() < 0 || !right;
}

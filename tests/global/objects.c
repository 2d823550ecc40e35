/* SPDX-License-Identifier: MIT */
/*
 * Description: tasks allocate objects. Each object is freed by its owner or by another worker. Nodes of a tree that is
 * built in parallel have the right contents, wherever they are. Atomics lose no addition. All freed objects can be
 * allocated again.
 *
 * usage: objects RUNS
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "uat.h"
#include "uat/global.h"
#include "uat/object.h"

enum { DEPTH = 7, PAYLOAD_MAX = 300 };

struct node {
    struct node *child[2];
    uint64_t seed;
    uint32_t bytes;
    unsigned char payload[PAYLOAD_MAX]; /* only `bytes` of them are used */
};

struct job {
    struct node *node;
    uint64_t seed;
    int depth;
    uat_atomic_t *count;
};

static size_t size_of(uint32_t bytes)
{
    return offsetof(struct node, payload) + bytes;
}

static uint64_t step(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    return x ^ x >> 27;
}

static void build(void *arg, void *result)
{
    struct job j = *(struct job *)arg;
    uint32_t bytes = (uint32_t)(j.seed % PAYLOAD_MAX);
    struct node *n = uat_global_object_alloc(size_of(bytes)), *child[2] = {NULL, NULL};
    if (!n)
        abort();
    for (int i = 0; i < 2 && j.depth > 0; i += 2) {
        struct job left = {NULL, step(j.seed + 1), j.depth - 1, j.count},
                   right = {NULL, step(j.seed + 2), j.depth - 1, j.count};
        uat_task_t t;
        uat_spawn(&t, build, &left, sizeof(left), (void *)&child[0], sizeof(child[0]));
        build(&right, (void *)&child[1]);
        uat_join(&t);
    }
    struct node *q = uat_global_checkout(n, size_of(bytes), UAT_WRITE); /* the node may have become far */
    q->child[0] = child[0];
    q->child[1] = child[1];
    q->seed = j.seed;
    q->bytes = bytes;
    memset(q->payload, (int)(j.seed & 0xff), bytes);
    uat_global_checkin(n, size_of(bytes), UAT_WRITE);
    uat_atomic_add(j.count, 1);
    uat_atomic_fetch_add(&j.count[1], 2);
    memcpy(result, &n, sizeof(n));
}

/* Check a tree and free it; *result: its number of nodes. */
static void fell(void *arg, void *result)
{
    struct job j = *(struct job *)arg;
    struct node head;
    uint64_t count = 1, seen[2] = {0, 0};
    uat_global_get(&head, j.node, offsetof(struct node, payload));
    if (head.seed != j.seed || head.bytes != j.seed % PAYLOAD_MAX) {
        fprintf(stderr, "objects: a node is wrong\n");
        abort();
    }
    const struct node *q = uat_global_checkout(j.node, size_of(head.bytes), UAT_READ);
    for (uint32_t i = 0; i < head.bytes; i++)
        if (q->payload[i] != (j.seed & 0xff))
            abort();
    uat_global_checkin(j.node, size_of(head.bytes), UAT_READ);
    uat_global_object_free(j.node);
    for (int i = 0; i < 2 && j.depth > 0; i += 2) {
        struct job left = {head.child[0], step(j.seed + 1), j.depth - 1, NULL},
                   right = {head.child[1], step(j.seed + 2), j.depth - 1, NULL};
        uat_task_t t;
        uat_spawn(&t, fell, &left, sizeof(left), &seen[0], sizeof(seen[0]));
        fell(&right, &seen[1]);
        uat_join(&t);
    }
    count += seen[0] + seen[1];
    memcpy(result, &count, sizeof(count));
}

int main(int argc, char **argv)
{
    int runs = argc > 1 ? atoi(argv[1]) : 10;
    const uint64_t nodes = (2u << DEPTH) - 1;
    if (uat_init())
        return 1;
    uat_atomic_t *count = uat_global_alloc(2 * sizeof(*count), UAT_BLOCKED, 0);
    for (int r = 1; count && r <= runs; r++) {
        struct job j = {NULL, step((uint64_t)r), DEPTH, count};
        uint64_t felled = 0;
        if (uat_run(build, &j, sizeof(j), (void *)&j.node, sizeof(j.node)) ||
            uat_run(fell, &j, sizeof(j), &felled, sizeof(felled)))
            return 1;
        uint64_t added = uat_atomic_load(&count[0]), twice = uat_atomic_load(&count[1]);
        if (felled != nodes || added != nodes * (uint64_t)r || twice != 2 * added) {
            fprintf(stderr, "objects: rank %d, run %d: %lu nodes, counted %lu and %lu\n", uat_rank(), r,
                    (unsigned long)felled, (unsigned long)added, (unsigned long)twice);
            return 1;
        }
        if (uat_barrier())
            return 1;
    }
    return !count || uat_finalize() != 0;
}

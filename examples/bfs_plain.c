/* SPDX-License-Identifier: MIT */
/* What bfs_search.c does, as a program for one core would do it. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "examples/bfs_search.h"

enum { FEW = 14 /* a level with fewer than one edge in so many that are left is done top-down */ };

static bool has(const uint64_t *map, uint32_t v)
{
    return map[v / 64] >> v % 64 & 1;
}

static void add(uint64_t *map, uint32_t v)
{
    map[v / 64] |= UINT64_C(1) << v % 64;
}

int bfs_plain_make(struct bfs_plain *s, const struct graph *g)
{
    size_t n = (size_t)g->vertices, words = (size_t)bfs_words(g);

    *s = (struct bfs_plain){.vertices = g->vertices};
    s->offset = malloc((n + 1) * sizeof(*s->offset));
    s->parent = malloc(n * sizeof(*s->parent));
    s->last = calloc(words, 8);
    s->next = calloc(words, 8);
    s->seen = calloc(words, 8);
    if (!s->offset || !s->parent || !s->last || !s->next || !s->seen)
        return -ENOMEM;
    uat_global_get(s->offset, g->offset, (n + 1) * sizeof(*s->offset));
    size_t bytes = (size_t)s->offset[n] * sizeof(*s->neighbour);
    s->neighbour = malloc(bytes + 1);
    if (!s->neighbour)
        return -ENOMEM;
    uat_global_get(s->neighbour, g->neighbour, bytes);
    return 0;
}

void bfs_plain_free(struct bfs_plain *s)
{
    free(s->seen);
    free(s->next);
    free(s->last);
    free(s->parent);
    free(s->neighbour);
    free(s->offset);
}

static void reach(struct bfs_plain *s, uint32_t v, uint32_t from, int64_t *vertices, int64_t *edges)
{
    s->parent[v] = from;
    add(s->seen, v);
    add(s->next, v);
    *vertices += 1;
    *edges += s->offset[v + 1] - s->offset[v];
}

static void top_down(struct bfs_plain *s, int64_t *vertices, int64_t *edges)
{
    for (uint32_t v = 0; v < s->vertices; v++) {
        if (s->last[v / 64] == 0)
            v |= 63;
        else if (has(s->last, v))
            for (int64_t i = s->offset[v]; i < s->offset[v + 1]; i++)
                if (!has(s->seen, s->neighbour[i]))
                    reach(s, s->neighbour[i], v, vertices, edges);
    }
}

static void bottom_up(struct bfs_plain *s, int64_t *vertices, int64_t *edges)
{
    for (uint32_t v = 0; v < s->vertices; v++) {
        if (s->seen[v / 64] == UINT64_MAX) {
            v |= 63;
            continue;
        }
        if (has(s->seen, v))
            continue;
        for (int64_t i = s->offset[v]; i < s->offset[v + 1]; i++) {
            if (has(s->last, s->neighbour[i])) {
                reach(s, v, s->neighbour[i], vertices, edges);
                break;
            }
        }
    }
}

void bfs_plain_search(struct bfs_plain *s, uint32_t root)
{
    size_t bytes = (size_t)(s->vertices + 63) / 64 * 8;
    int64_t vertices = 1, edges = 0, left = s->offset[s->vertices];

    memset(s->parent, 0xff, (size_t)s->vertices * sizeof(*s->parent)); /* KRONECKER_NONE */
    memset(s->last, 0, bytes);
    memset(s->seen, 0, bytes);
    for (uint32_t v = 0; v < s->vertices; v++)
        if (s->offset[v] == s->offset[v + 1])
            add(s->seen, v);
    s->parent[root] = root;
    add(s->seen, root);
    add(s->last, root);
    while (vertices) {
        bool few = edges < left / FEW;
        vertices = edges = 0;
        memset(s->next, 0, bytes);
        (few ? top_down : bottom_up)(s, &vertices, &edges);
        left -= edges;
        uint64_t *made = s->next;
        s->next = s->last;
        s->last = made;
    }
}

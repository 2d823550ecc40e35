/* SPDX-License-Identifier: MIT */
/*
 * Level by level, in two ways (Beamer, Asanovic and Patterson, SC'12). Bottom-up: each vertex outside of the tree looks
 * for a neighbour in the last level; a loop over vertices, in which each writes only its own words, so it needs no
 * atomics. Top-down: the neighbours of the last level; only for levels with few edges. Each task adopts the vertices of
 * its own part of the bitmaps, and reads all edges of the level for it.
 */
#include "examples/bfs_search.h"

#include <stdbool.h>
#include <string.h>

#include "uat/pattern.h"

enum {
    PIECE = 256,   /* neighbours that are checked out at once */
    WORDS = 64,    /* words of a bitmap, and what belongs to their vertices */
    FEW = 14,      /* fewer than one edge in so many that are left, for each worker, are few */
    SHARED = 4096, /* few edges, but enough for several tasks; some 50 us */
    PARTS = 8      /* at most so many tasks */
};

/* Vertices found, and the number of their edges. */
struct found {
    int64_t vertices, edges;
};

int64_t bfs_words(const struct graph *g)
{
    return (g->vertices + 63) / 64;
}

static bool has(const uint64_t *map, uint32_t v)
{
    return map[v / 64] >> v % 64 & 1;
}

/* The first neighbour of a row that is in the map; KRONECKER_NONE if none is. */
static uint32_t neighbour_in(const uint64_t *map, const uint32_t *row, int64_t first, int64_t end)
{
    for (int64_t at = first, count; at < end; at += count) {
        count = end - at < PIECE ? end - at : PIECE;
        const uint32_t *v = uat_global_checkout(row + at, (size_t)count * sizeof(*v), UAT_READ);
        uint32_t hit = KRONECKER_NONE;
        for (int64_t i = 0; i < count && hit == KRONECKER_NONE; i++)
            hit = has(map, v[i]) ? v[i] : KRONECKER_NONE;
        uat_global_checkin(row + at, (size_t)count * sizeof(*v), UAT_READ);
        if (hit != KRONECKER_NONE)
            return hit;
    }
    return KRONECKER_NONE;
}

/* What a task has checked out for vertices from `first` on, which is a multiple of 64. */
struct rows {
    int64_t first, count;
    const int64_t *offset; /* one more than vertices */
    uint32_t *parent;
};

static struct rows open_rows(const struct bfs *s, int64_t begin, int64_t end, enum uat_access parent)
{
    struct rows r = {.first = 64 * begin};

    r.count = (64 * end < s->g.vertices ? 64 * end : s->g.vertices) - r.first;
    r.offset = uat_global_checkout(s->g.offset + r.first, (size_t)(r.count + 1) * sizeof(*r.offset), UAT_READ);
    r.parent = uat_global_checkout(s->parent + r.first, (size_t)r.count * sizeof(*r.parent), parent);
    return r;
}

static void close_rows(const struct bfs *s, const struct rows *r, enum uat_access parent)
{
    uat_global_checkin(s->parent + r->first, (size_t)r->count * sizeof(*r->parent), parent);
    uat_global_checkin(s->g.offset + r->first, (size_t)(r->count + 1) * sizeof(*r->offset), UAT_READ);
}

/* One word of vertices, from r->first + at on: those not seen that have a neighbour in the last level. Returns them as
 * bits. */
static uint64_t word_bottom_up(const struct bfs *s, const struct rows *r, int64_t at, uint64_t seen,
                               const uint64_t *last, struct found *found)
{
    uint64_t now = 0;

    for (uint64_t left = ~seen; left; left &= left - 1) {
        int64_t v = at + __builtin_ctzll(left), first = r->offset[v], end = r->offset[v + 1];
        uint32_t hit = neighbour_in(last, s->g.neighbour, first, end);
        if (hit == KRONECKER_NONE)
            continue;
        r->parent[v] = hit;
        now |= left & -left;
        found->vertices++;
        found->edges += end - first;
    }
    return now;
}

/*
 * Loops over words begin with the part of the worker that starts them: its own arrays are near, and it has worked on
 * the same words in the last level. This turns iterations [*begin, *end) into words: shifted by s->first, with the
 * first word behind the last. Returns n: the range also has words [0, n), behind [*begin, *end).
 */
static int64_t words_of(const struct bfs *s, int64_t *begin, int64_t *end)
{
    int64_t words = bfs_words(&s->g), beyond = 0;

    *begin += s->first;
    *end += s->first;
    if (*begin >= words) {
        *begin -= words;
        *end -= words;
    }
    if (*end > words) {
        beyond = *end - words;
        *end = words;
    }
    return beyond;
}

/* Words [begin, end), some at a time: a task on another host than the vertices copies what it checks out. */
static void words_bottom_up(const struct bfs *s, int64_t begin, int64_t end, struct found *found)
{
    size_t all = (size_t)bfs_words(&s->g) * 8;
    const uint64_t *last = uat_global_checkout(s->last, all, UAT_READ);

    for (int64_t from = begin, to; from < end; from = to) {
        to = end - from < WORDS ? end : from + WORDS;
        size_t bytes = (size_t)(to - from) * 8;
        struct rows r = open_rows(s, from, to, UAT_READ_WRITE);
        uint64_t *next = uat_global_checkout(s->next + from, bytes, UAT_WRITE);
        uint64_t *seen = uat_global_checkout(s->seen + from, bytes, UAT_READ_WRITE);
        for (int64_t w = 0; w < to - from; w++) {
            next[w] = word_bottom_up(s, &r, 64 * w, seen[w], last, found);
            seen[w] |= next[w];
        }
        uat_global_checkin(s->seen + from, bytes, UAT_READ_WRITE);
        uat_global_checkin(s->next + from, bytes, UAT_WRITE);
        close_rows(s, &r, UAT_READ_WRITE);
    }
    uat_global_checkin(s->last, all, UAT_READ);
}

static void bottom_up(int64_t begin, int64_t end, void *partial, const void *arg)
{
    const struct bfs *s = arg;
    int64_t beyond = words_of(s, &begin, &end);

    words_bottom_up(s, begin, end, partial);
    if (beyond > 0)
        words_bottom_up(s, 0, beyond, partial);
}

/* The words [first, end) of the bitmaps, whose vertices one task adopts. */
struct part {
    int64_t first, end;
    uint64_t *next, *seen; /* word `first` */
};

/* Vertex w, relative to the part's first one, becomes a child of v unless it is seen. */
static void adopt(const struct bfs *s, const struct part *p, uint32_t w, uint32_t v, struct found *found)
{
    if (has(p->seen, w))
        return;
    p->seen[w / 64] |= UINT64_C(1) << w % 64;
    p->next[w / 64] |= UINT64_C(1) << w % 64;
    uint32_t *parent = s->parent + 64 * p->first + w;
    *(uint32_t *)uat_global_checkout(parent, sizeof(v), UAT_WRITE) = v;
    uat_global_checkin(parent, sizeof(v), UAT_WRITE);
    const int64_t *home = s->g.offset + 64 * p->first + w, *own = uat_global_checkout(home, 2 * sizeof(*own), UAT_READ);
    found->vertices++;
    found->edges += own[1] - own[0];
    uat_global_checkin(home, 2 * sizeof(*own), UAT_READ);
}

/* The neighbours of v in the part become its children. */
static void adopt_neighbours(const struct bfs *s, const struct part *p, uint32_t v, struct found *found)
{
    uint32_t first = (uint32_t)(64 * p->first), vertices = (uint32_t)(64 * (p->end - p->first)), mine[PIECE];
    int64_t range[2];

    uat_global_get(range, s->g.offset + v, sizeof(range));
    for (int64_t at = range[0], count; at < range[1]; at += count) {
        int n = 0;
        count = range[1] - at < PIECE ? range[1] - at : PIECE;
        const uint32_t *row = uat_global_checkout(s->g.neighbour + at, (size_t)count * sizeof(*row), UAT_READ);
        for (int64_t i = 0; i < count; i++) { /* without a branch: all tasks read all edges of the level */
            mine[n] = row[i] - first;
            n += row[i] - first < vertices;
        }
        uat_global_checkin(s->g.neighbour + at, (size_t)count * sizeof(*row), UAT_READ);
        for (int i = 0; i < n; i++)
            adopt(s, p, mine[i], v, found);
    }
}

static void adopt_part(const struct bfs *s, int64_t first, int64_t end, struct found *found)
{
    size_t all = (size_t)bfs_words(&s->g) * 8, bytes = (size_t)(end - first) * 8;
    const uint64_t *last = uat_global_checkout(s->last, all, UAT_READ);
    struct part p = {first, end, uat_global_checkout(s->next + first, bytes, UAT_WRITE),
                     uat_global_checkout(s->seen + first, bytes, UAT_READ_WRITE)};

    memset(p.next, 0, bytes);
    for (int64_t w = 0; w < bfs_words(&s->g); w++)
        for (uint64_t left = last[w]; left; left &= left - 1)
            adopt_neighbours(s, &p, (uint32_t)(64 * w + __builtin_ctzll(left)), found);
    uat_global_checkin(s->seen + first, bytes, UAT_READ_WRITE);
    uat_global_checkin(s->next + first, bytes, UAT_WRITE);
    uat_global_checkin(s->last, all, UAT_READ);
}

/* A level, how many tasks share it, and whose part is the first. */
struct level {
    struct bfs s;
    int64_t parts, first;
};

static void top_down(int64_t begin, int64_t end, void *partial, const void *arg)
{
    const struct level *l = arg;
    int64_t words = bfs_words(&l->s.g);

    for (int64_t i = begin; i < end; i++) {
        int64_t k = (i + l->first) % l->parts;
        adopt_part(&l->s, words * k / l->parts, words * (k + 1) / l->parts, partial);
    }
}

/* One word of `seen` before a search: vertices without edges, and what is no vertex. */
static uint64_t without_edges(const int64_t *offset, int64_t count)
{
    uint64_t word = count < 64 ? ~UINT64_C(0) << count : 0;

    for (int64_t v = 0; v < count; v++)
        word |= (uint64_t)(offset[v] == offset[v + 1]) << v;
    return word;
}

/* Before a search: no vertex has a parent, none is seen but those without edges. */
static void clear_words(const struct bfs *s, int64_t begin, int64_t end)
{
    for (int64_t from = begin, to; from < end; from = to) {
        to = end - from < WORDS ? end : from + WORDS;
        size_t bytes = (size_t)(to - from) * 8;
        struct rows r = open_rows(s, from, to, UAT_WRITE);
        uint64_t *seen = uat_global_checkout(s->seen + from, bytes, UAT_WRITE);
        for (int64_t v = 0; v < r.count; v += 64)
            seen[v / 64] = without_edges(r.offset + v, r.count - v < 64 ? r.count - v : 64);
        memset(r.parent, 0xff, (size_t)r.count * sizeof(*r.parent)); /* KRONECKER_NONE */
        memset(uat_global_checkout(s->last + from, bytes, UAT_WRITE), 0, bytes);
        uat_global_checkin(s->last + from, bytes, UAT_WRITE);
        uat_global_checkin(s->seen + from, bytes, UAT_WRITE);
        close_rows(s, &r, UAT_WRITE);
    }
}

static void clear(int64_t begin, int64_t end, const void *arg)
{
    const struct bfs *s = arg;
    int64_t beyond = words_of(s, &begin, &end);

    clear_words(s, begin, end);
    clear_words(s, 0, beyond);
}

static void plant(const struct bfs *s, uint32_t root)
{
    uint64_t bit = UINT64_C(1) << root % 64, seen;

    uat_global_get(&seen, s->seen + root / 64, 8);
    seen |= bit;
    uat_global_put(s->seen + root / 64, &seen, 8);
    uat_global_put(s->last + root / 64, &bit, 8);
    uat_global_put(s->parent + root, &root, sizeof(root));
}

static void add_found(void *left, const void *right, const void *arg)
{
    struct found *a = left;
    const struct found *b = right;

    (void)arg;
    a->vertices += b->vertices;
    a->edges += b->edges;
}

static const struct found none;

/* In as many parts as there are workers, but not so many that reading all edges in each takes the time. */
static struct found search_top_down(const struct bfs *s, int64_t edges)
{
    const uat_reduction_t reduction = {top_down, add_found, &none, sizeof(none)};
    int64_t most = bfs_words(&s->g) < PARTS ? bfs_words(&s->g) : PARTS, workers = uat_size();
    struct level level = {*s, edges < SHARED ? 1 : workers < most ? workers : most, uat_rank()};
    struct found found;

    uat_reduce(0, level.parts, &reduction, &level, sizeof(level), &found);
    return found;
}

static struct found search_bottom_up(const struct bfs *s)
{
    const uat_reduction_t reduction = {bottom_up, add_found, &none, sizeof(none)};
    struct found found;

    uat_reduce(0, bfs_words(&s->g), &reduction, s, sizeof(*s), &found);
    return found;
}

/* The first word of this worker's part. */
static int64_t first_word(const struct graph *g)
{
    return bfs_words(g) * uat_rank() / uat_size();
}

UAT_TASK_VOID(search, struct bfs, s, uint32_t, root)
{
    struct found found = {1, 0};
    int64_t left; /* edges of vertices that are not in the tree, and of the root */

    s.first = first_word(&s.g);
    uat_for(0, bfs_words(&s.g), clear, &s, sizeof(s));
    plant(&s, root);
    uat_global_get(&left, s.g.offset + s.g.vertices, sizeof(left));
    while (found.vertices) {
        s.first = first_word(&s.g); /* the task may have migrated */
        if (found.edges < left / FEW / uat_size())
            found = search_top_down(&s, found.edges);
        else
            found = search_bottom_up(&s);
        left -= found.edges;
        uint64_t *made = s.next;
        s.next = s.last;
        s.last = made;
    }
}

int bfs_search(const struct bfs *s, uint32_t root)
{
    return search_run(*s, root);
}

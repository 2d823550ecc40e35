/* SPDX-License-Identifier: MIT */
/*
 * uat_sort_at_homes(): sorted parts exchange elements once (Shi and Schaeffer, "Parallel sorting by regular sampling",
 * 1992), with exact splitters (Varman, Scheufler, Iyer and Ricard, "Merging multiple lists on hierarchical-memory
 * multiprocessors", 1991), so that each part keeps its size, whatever the elements are:
 *
 *   1. Each part is sorted where it is.
 *   2. Each part finds which elements of all parts belong to it by bisection. It fetches them, and merges them into its
 *      part of the twin. Equal elements are in the order of the parts, so they may be divided between parts, and the
 *      sort is stable if step 1 is.
 *   3. The twin is copied back.
 *
 * Until step 3 the array has all elements. So if a comparison throws or contradicts itself, nothing is lost: two
 * neighbours compare the splitters that they have found for the edge between them, and step 3 runs only if all are
 * equal and in order.
 */
#include <stdlib.h>
#include <string.h>

#include "include/uat/global.h"
#include "include/uat/transfer.h"
#include "pattern/failed.h"
#include "pattern/homes.h"
#include "pattern/partition.h"
#include "pattern/runs.h"

/* With P parts, a worker's bisections read about PROBED * P elements: 225 * P were measured with 16 parts, 320 * P with
 * 4. A part must not have fewer elements than that. */
enum { PROBED = 256 };

/* The argument of the loops. The user's argument follows it. */
struct job {
    struct uat_parts parts;
    struct uat_twin from, to; /* where the sorted parts are, and where their elements go */
    uat_sort_kernel_t kernel;
    uat_sort_pack_t pack; /* or NULLs: the parts are sorted in place */
    _Alignas(16) char arg[];
};

/* What some parts say, in their order. `first` and `last` name the splitters of their outer edges. */
struct verdict {
    int any, right;
    uint64_t first, last;
};

static void add_verdict(void *left, const void *right, const void *arg)
{
    struct verdict *a = left;
    const struct verdict *b = right;
    (void)arg;
    if (!b->any)
        return;
    *a = (struct verdict){1, b->right && (!a->any || (a->right && a->last == b->first)), a->any ? a->first : b->first,
                          b->last};
}

static size_t length_of(const struct job *j, int r)
{
    return uat_parts_edge(&j->parts, r + 1) - uat_parts_edge(&j->parts, r);
}

/* Step 1 for part r, in place or from the pack to j->from. Returns whether there was memory. */
static bool sort_part(const struct job *j, int r)
{
    size_t count = length_of(j, r);
    if (!j->pack.load) {
        char *elements = uat_part_enter(&j->parts, r);
        if (!elements)
            return false;
        bool sorted = uat_sort_here(&j->kernel, elements, count, j->arg);
        uat_part_leave(&j->parts, r, elements);
        return sorted;
    }
    char *elements = aligned_alloc(64, (count * j->kernel.size + 63) / 64 * 64);
    if (!elements)
        return false;
    j->pack.load(elements, uat_parts_edge(&j->parts, r), count, j->arg);
    bool sorted = !uat_failed() && j->kernel.sort(elements, count, j->arg);
    if (sorted && !uat_failed())
        uat_twin_put(&j->from, &j->parts, uat_parts_edge(&j->parts, r), elements, count);
    free(elements);
    return sorted;
}

static void sort_parts(int64_t begin, int64_t end, void *partial, const void *arg)
{
    const struct job *j = arg;
    for (int r = (int)begin; r < (int)end && !uat_failed(); r++) {
        struct verdict v = {1, length_of(j, r) == 0 || sort_part(j, r), 0, 0};
        add_verdict(partial, &v, NULL);
    }
}

/* Memory of a part in step 2. */
struct memory {
    size_t *first, *last; /* splitters of the part's edges: the elements of each part that belong before the edge */
    size_t *high, *low_place, *high_place, *tree;
    uat_global_transfer_t *transfers;
    char *probes, *pivot; /* an element of each part; one element */
    char *elements;       /* of the part */
};

/* Take memory. Returns the block to free, or NULL. */
static void *take_memory(struct memory *m, const struct job *j, size_t count)
{
    enum { LISTS = 6 };
    size_t parts = (size_t)j->parts.parts, size = j->kernel.size,
           words = (LISTS * parts * sizeof(size_t) + parts * sizeof(uat_global_transfer_t) + 63) / 64 * 64;
    size_t room = (size + 63) / 64 * 64, probes = (parts * size + 63) / 64 * 64;
    char *block = aligned_alloc(64, words + probes + room + (count * size + 63) / 64 * 64);
    if (!block)
        return NULL;
    size_t **lists[LISTS] = {&m->first, &m->last, &m->high, &m->low_place, &m->high_place, &m->tree};
    for (size_t i = 0; i < LISTS; i++)
        *lists[i] = (size_t *)(void *)block + i * parts;
    m->transfers = (uat_global_transfer_t *)(void *)((size_t *)(void *)block + LISTS * parts);
    m->probes = block + words;
    m->pivot = m->probes + probes;
    m->elements = m->pivot + room;
    return block;
}

static void begin_get(const struct job *j, uat_global_transfer_t *transfer, void *to, int r, size_t i)
{
    size_t one = 1;
    uat_global_get_begin(transfer, to, uat_twin_at(&j->from, &j->parts, r, i, &one), j->kernel.size);
}

/*
 * For each part, find between low and m->high how many elements come before the pivot, element `place` of part p.
 * Equal elements of earlier parts come first. The parts are searched at the same time, and the results are in
 * m->low_place.
 */
static void find_pivot(const struct job *j, const struct memory *m, const size_t *low, int p, size_t place)
{
    const int parts = j->parts.parts;
    const size_t size = j->kernel.size;
    bool any = true;
    begin_get(j, m->transfers, m->pivot, p, place);
    uat_global_transfer_wait(m->transfers);
    for (int r = 0; r < parts; r++) {
        m->low_place[r] = r == p ? place : low[r];
        m->high_place[r] = r == p ? place : m->high[r];
    }
    while (any) {
        any = false;
        for (int r = 0; r < parts; r++)
            if (m->low_place[r] < m->high_place[r])
                begin_get(j, &m->transfers[r], m->probes + (size_t)r * size, r,
                          (m->low_place[r] + m->high_place[r]) / 2);
        for (int r = 0; r < parts; r++) {
            if (m->low_place[r] >= m->high_place[r])
                continue;
            const char *probe = m->probes + (size_t)r * size;
            size_t middle = (m->low_place[r] + m->high_place[r]) / 2;
            uat_global_transfer_wait(&m->transfers[r]);
            if (r < p ? !j->kernel.less(m->pivot, probe, j->arg) : j->kernel.less(probe, m->pivot, j->arg))
                m->low_place[r] = middle + 1;
            else
                m->high_place[r] = middle;
            any = true;
        }
    }
}

/* Choose the next pivot, and return its part: one of the `left` elements that are neither before nor after the splitter
 * yet. A hash chooses it, so that both neighbours choose the same one, and no order of the elements is bad for all. */
static int choose_pivot(const struct memory *m, const size_t *low, size_t left, size_t *place)
{
    uint64_t hash = left * UINT64_C(0x9e3779b97f4a7c15);
    size_t skip = (hash ^ hash >> 32) % left;
    int p = 0;
    for (; skip >= m->high[p] - low[p]; p++)
        skip -= m->high[p] - low[p];
    *place = low[p] + skip;
    return p;
}

/* Set low[r] to the number of elements of each part that belong to the first k elements of the sorted array. Their sum
 * is k, whatever the comparison says: it always lies between the sums of low and m->high. */
static void find_splitter(const struct job *j, const struct memory *m, size_t *low, size_t k)
{
    const int parts = j->parts.parts;
    for (int r = 0; r < parts; r++) {
        low[r] = 0;
        m->high[r] = length_of(j, r);
    }
    while (!uat_failed()) {
        size_t before = 0, left = 0, place;
        for (int r = 0; r < parts; r++)
            left += m->high[r] - low[r];
        if (left == 0)
            return;
        int p = choose_pivot(m, low, left, &place);
        find_pivot(j, m, low, p, place);
        for (int r = 0; r < parts; r++)
            before += m->low_place[r];
        memcpy(before < k ? low : m->high, m->low_place, (size_t)parts * sizeof(*low));
        if (before < k)
            low[p] = place + 1;
    }
}

/* Does the next element of run a, which is not empty, come before that of run b? m->first and m->last delimit runs. */
static bool precedes(const struct job *j, const struct memory *m, size_t a, size_t b)
{
    const size_t size = j->kernel.size;
    if (m->first[a] == m->last[a] || m->first[b] == m->last[b])
        return m->first[a] < m->last[a];
    const char *x = m->elements + m->first[a] * size, *y = m->elements + m->first[b] * size;
    return a < b ? !j->kernel.less(y, x, j->arg) : j->kernel.less(x, y, j->arg);
}

/* Play the matches of a loser tree (Knuth 5.4.1) below a node, and return the winner. Run r is node parts + r. */
static size_t play(const struct job *j, const struct memory *m, size_t node)
{
    size_t parts = (size_t)j->parts.parts;
    if (node >= parts)
        return node - parts;
    size_t a = play(j, m, 2 * node), b = play(j, m, 2 * node + 1);
    bool first = precedes(j, m, a, b);
    m->tree[node] = first ? b : a;
    return first ? a : b;
}

/* Fetch the elements of part d, one run from each part, and merge them into the twin. */
static void merge_part(const struct job *j, const struct memory *m, int d)
{
    const size_t parts = (size_t)j->parts.parts, size = j->kernel.size, count = length_of(j, d);
    for (size_t r = 0, at = 0; r < parts; r++) {
        m->low_place[r] = uat_parts_edge(&j->parts, (int)r) + m->first[r];
        m->last[r] = at + m->last[r] - m->first[r];
        m->first[r] = at;
        at = m->last[r];
    }
    for (size_t i = 0; i < parts; i++) { /* from another part first on each worker */
        size_t r = ((size_t)d + i) % parts;
        uat_twin_get(&j->from, &j->parts, m->elements + m->first[r] * size, m->low_place[r], m->last[r] - m->first[r]);
    }
    size_t winner = play(j, m, 1);
    for (size_t done = 0, n; done < count && !uat_failed(); done += n) {
        size_t window = uat_range_window(size);
        n = count - done < window ? count - done : window;
        char *home = uat_twin_at(&j->to, &j->parts, d, done, &n), *out = uat_global_checkout(home, n * size, UAT_WRITE);
        for (size_t i = 0; i < n; i++) {
            memcpy(out + i * size, m->elements + m->first[winner]++ * size, size);
            for (size_t node = (parts + winner) / 2, other; node > 0; node /= 2) {
                other = m->tree[node];
                if (precedes(j, m, other, winner)) {
                    m->tree[node] = winner;
                    winner = other;
                }
            }
        }
        uat_global_checkin(home, n * size, UAT_WRITE);
    }
}

/* A name of a splitter: FNV-1a of its words. */
static uint64_t name_of(const size_t *splitter, int parts)
{
    uint64_t name = UINT64_C(0xcbf29ce484222325);
    for (int r = 0; r < parts; r++)
        name = (name ^ splitter[r]) * UINT64_C(0x100000001b3);
    return name;
}

/* Step 2 for part d. */
static struct verdict take_part(const struct job *j, int d)
{
    struct memory m;
    struct verdict v = {.any = 1};
    void *block = take_memory(&m, j, length_of(j, d));
    if (!block)
        return v;
    find_splitter(j, &m, m.first, uat_parts_edge(&j->parts, d));
    find_splitter(j, &m, m.last, uat_parts_edge(&j->parts, d + 1));
    v.right = !uat_failed();
    v.first = name_of(m.first, j->parts.parts);
    v.last = name_of(m.last, j->parts.parts);
    for (int r = 0; r < j->parts.parts; r++)
        v.right = v.right && m.first[r] <= m.last[r];
    if (v.right)
        merge_part(j, &m, d);
    free(block);
    return v;
}

static void take_parts(int64_t begin, int64_t end, void *partial, const void *arg)
{
    const struct job *j = arg;
    for (int d = (int)begin; d < (int)end && !uat_failed(); d++) {
        struct verdict v = take_part(j, d);
        add_verdict(partial, &v, NULL);
    }
}

/* Step 3 for elements of a pack. */
static void store_parts(int64_t begin, int64_t end, const void *arg)
{
    const struct job *j = arg;
    size_t size = j->kernel.size;
    for (int r = (int)begin; r < (int)end; r++)
        for (size_t done = 0, count = length_of(j, r), n; done < count; done += n) {
            size_t window = uat_range_window(size);
            n = count - done < window ? count - done : window;
            char *home = uat_twin_at(&j->to, &j->parts, r, done, &n);
            j->pack.store(uat_global_checkout(home, n * size, UAT_READ), uat_parts_edge(&j->parts, r) + done, n,
                          j->arg);
            uat_global_checkin(home, n * size, UAT_READ);
        }
}

/* Run a loop over the parts. Returns whether all parts say that they are right. */
static bool run_parts(const struct job *j, size_t bytes, uat_reduce_fn *body)
{
    static const struct verdict none;
    const uat_reduction_t reduction = {body, add_verdict, &none, sizeof(none)};
    struct verdict all;
    uat_reduce(0, j->parts.parts, 1, &reduction, j, bytes, &all);
    return !uat_failed() && all.right;
}

int uat_sort_at_homes(const uat_sort_kernel_t *kernel, const uat_sort_pack_t *pack, void *array, size_t size,
                      size_t count, void *scratch, const void *arg, size_t arg_size)
{
    const size_t bytes = sizeof(struct job) + arg_size;
    _Alignas(64) char block[bytes];
    struct job *j = (struct job *)block;
    *j = (struct job){.kernel = *kernel};
    if (!uat_parts_make(&j->parts, array, size, count, false) ||
        count / (size_t)j->parts.parts < PROBED * (size_t)j->parts.parts ||
        !uat_twin_make(&j->to, &j->parts, kernel->size, scratch))
        return 0;
    j->from = (struct uat_twin){.base = array, .size = size};
    if (pack && !uat_twin_make(&j->from, &j->parts, kernel->size, NULL)) {
        uat_twin_free(&j->to, scratch);
        return 0;
    }
    if (pack)
        j->pack = *pack;
    if (arg_size > 0)
        memcpy(j->arg, arg, arg_size);
    bool right = run_parts(j, bytes, sort_parts) && run_parts(j, bytes, take_parts);
    if (right && pack)
        uat_for(0, j->parts.parts, 1, store_parts, j, bytes);
    else if (right)
        uat_twin_copy(&j->to, &j->parts);
    uat_twin_free(&j->from, pack ? NULL : array);
    uat_twin_free(&j->to, scratch);
    return right || uat_failed();
}

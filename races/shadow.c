/* SPDX-License-Identifier: MIT */
#include "races/shadow.h"

#include <string.h>

#include "include/uat/global.h"
#include "races/others.h"
#include "races/order.h"
#include "races/report.h"

enum { PAGE = 4096, WORDS = PAGE / 4, RECENT = 4096 /* a power of 2 */ };
enum { BLOCK = 8 /* in cell.flags: malloc() gave the byte to a strand of a run */ };

/* The accesses of one to four bytes. At any time either a write and a read are the last ones, or `others` has those
 * earlier ones that may still race with a later access. */
struct cell {
    struct uat_races_entry write, read; /* strand 0: none */
    uint32_t others;
    uint8_t mask; /* which bytes of the word */
    uint8_t flags;
};
struct word {
    struct cell cell;
    struct cell *split; /* four cells, once two accesses have shared only a part of the word's bytes */
};
enum kind { KIND_UNKNOWN, KIND_GLOBAL, KIND_OWN /* of this process */ };
struct page {
    uintptr_t number;
    enum kind kind;
    struct word word[WORDS];
};

static struct page **table; /* a hash table */
static size_t size = 1 << 16, used;
static struct page *recent[RECENT];

void uat_races_shadow_open(void)
{
    table = uat_races_pool(size * sizeof(*table));
}

static struct page **slot_of(uintptr_t number)
{
    size_t h = (number * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (size - 1);
    while (table[h] && table[h]->number != number)
        h = (h + 1) & (size - 1);
    return &table[h];
}

static void grow(void)
{
    struct page **old = table;
    size_t before = size;
    size *= 2;
    table = uat_races_pool(size * sizeof(*table));
    for (size_t i = 0; i < before; i++)
        if (old[i])
            *slot_of(old[i]->number) = old[i];
}

static struct page *page_of(uintptr_t a, bool make)
{
    uintptr_t number = a / PAGE;
    struct page **near = &recent[number % RECENT];
    if (__builtin_expect(*near != NULL && (*near)->number == number, 1))
        return *near;
    struct page **slot = slot_of(number);
    if (!*slot && make) {
        if (++used * 2 > size) {
            grow();
            slot = slot_of(number);
        }
        *slot = uat_races_pool(sizeof(**slot));
        (*slot)->number = number;
    }
    if (*slot)
        *near = *slot;
    return *slot;
}

bool uat_races_is_shadowed(uintptr_t a)
{
    return page_of(a, false) != NULL;
}

/* A value in private memory goes to the running strand from the strand that wrote it in a run. */
static void report_private(const struct cell *c, uintptr_t a, bool write, uintptr_t site)
{
    bool after = uat_races_running == &uat_races_outside, block = c->flags & BLOCK;
    const char *title = after   ? "PRIVATE: memory of one process, written in a task, is used after the run"
                        : block ? "PRIVATE: heap memory is used in two parts of the run, which may be on two workers"
                                : "PRIVATE: a variable of one process carries a value between two parts of the run, "
                                  "which may be on two workers";
    const char *advice =
        after || !block ? "each worker has its own copy: pass values as arguments and results, or use global "
                          "memory or a reducer"
                        : "free it before the next spawn, join or wait, and allocate it again; or use global memory "
                          "(uat_global_object_alloc())";
    uat_races_report_pair(title, a, block ? "allocated or written by" : "written by", &c->write,
                          write ? "written or freed by" : "read by", site, advice);
}

/* What makes a race of one earlier access and this one? */
static void check_pair(const struct uat_races_entry *e, const struct page *p, uintptr_t a, unsigned access,
                       uintptr_t site)
{
    static const char *const words[] = {"read by", "written by", "read atomically by", "written atomically by"};
    if (!uat_races_is_race(e, access))
        return;
    uat_races_report_pair(
        p->kind == KIND_GLOBAL ? "RACE on global memory" : "RACE on memory that each worker has for itself", a,
        words[e->access], e, words[access], site,
        "order the two: join the first task before, or use a mutex, a future, an atomic or a reducer");
}

static void remember(struct cell *c, struct uat_races_entry *place, unsigned access, uint32_t me, uintptr_t site)
{
    struct uat_races_entry now = {me, uat_races_short(site), access};
    if (place->strand && !uat_races_is_covered(place, &now))
        uat_races_others_add(&c->others, place);
    *place = now;
}

static void check_cell(struct cell *c, const struct page *p, uintptr_t a, unsigned access, uintptr_t site)
{
    uint32_t me = uat_races_strand_of(uat_races_running);
    bool write = access & UAT_RACES_WRITE, global = p->kind == KIND_GLOBAL;
    if (c->write.strand && c->write.strand != me) {
        const struct uat_races_strand *x = &uat_races_strands[c->write.strand];
        bool moved = x->task != uat_races_running || x->part != uat_races_running->part;
        if (!global && moved && x->task != &uat_races_outside && (!write || (c->flags & BLOCK)))
            report_private(c, a, write, site);
        else if (global || !write) /* two writes of private memory without a read between: scratch memory */
            check_pair(&c->write, p, a, access, site);
    }
    if (write && c->read.strand && c->read.strand != me)
        check_pair(&c->read, p, a, access, site);
    for (const struct uat_races_entry *e = NULL; (e = uat_races_others_next(c->others, e, write)) != NULL;)
        check_pair(e, p, a, access, site);
    if (!write) {
        if (global || c->write.strand != me)
            remember(c, &c->read, access, me, site);
        return;
    }
    struct uat_races_entry now = {me, uat_races_short(site), access};
    uat_races_others_drop(&c->others, &now);
    if (c->read.strand && uat_races_is_covered(&c->read, &now))
        c->read.strand = 0;
    if (global)
        remember(c, &c->write, access, me, site);
    else
        c->write = now; /* the last write gives a value, so earlier writes do not matter */
}

/* Has the running strand made such an access before, so that nothing new can be found? */
static inline bool is_repeated(const struct cell *c, unsigned access)
{
    uint32_t me = uat_races_running->strand;
    if (!me)
        return false;
    if (c->write.strand == me && c->write.access == UAT_RACES_WRITE && !c->others && !(access & UAT_RACES_ATOMIC))
        return !(access & UAT_RACES_WRITE) || !c->read.strand;
    return c->read.strand == me && access == UAT_RACES_READ && c->read.access == UAT_RACES_READ;
}

static void split(struct word *w)
{
    w->split = uat_races_pool(4 * sizeof(struct cell));
    for (int i = 0; i < 4; i++)
        if (w->cell.mask >> i & 1) {
            w->split[i] = w->cell;
            w->split[i].others = uat_races_others_copy(w->cell.others);
            w->split[i].mask = (uint8_t)(1 << i);
        }
}

/* Access the bytes [a, next) of one word. */
static inline void access_word(const struct page *p, uintptr_t a, uintptr_t next, unsigned access, uintptr_t site)
{
    struct word *w = (struct word *)&p->word[a / 4 % WORDS];
    uint8_t mask = (uint8_t)(((1 << (next - a)) - 1) << (a & 3));
    struct cell *c = &w->cell;
    if (!w->split && (c->mask == mask || c->mask == 0)) {
        c->mask = mask;
        if (!is_repeated(c, access))
            check_cell(c, p, a, access, site);
        return;
    }
    if (!w->split)
        split(w);
    for (; a < next; a++)
        if (!is_repeated(&w->split[a & 3], access))
            check_cell(&w->split[a & 3], p, a, access, site);
}

void uat_races_access(uintptr_t a, size_t n, unsigned access, uintptr_t site)
{
    for (uintptr_t end = a + n; a < end;) {
        struct page *p = page_of(a, true);
        if (p->kind == KIND_UNKNOWN)
            p->kind = uat_global_home((void *)a) >= 0 ? KIND_GLOBAL : KIND_OWN;
        uintptr_t stop = (a | (PAGE - 1)) + 1;
        stop = stop > end ? end : stop;
        while (a < stop) {
            uintptr_t next = (a | 3) + 1;
            next = next > stop ? stop : next;
            access_word(p, a, next, access, site);
            a = next;
        }
    }
}

void uat_races_clear(uintptr_t a, size_t n)
{
    for (uintptr_t end = a + n; a < end; a++) {
        struct page *p = page_of(a, false);
        if (!p) {
            a |= PAGE - 1;
            continue;
        }
        struct word *w = &p->word[a / 4 % WORDS];
        if (a % 4 == 0 && end - a >= 4) {
            memset(w, 0, sizeof(*w));
            a += 3;
            continue;
        }
        if (!w->split && !w->cell.mask) /* nothing has accessed it */
            continue;
        if (!w->split)
            split(w);
        memset(&w->split[a & 3], 0, sizeof(struct cell));
    }
}

void uat_races_allocated(uintptr_t a, size_t n, uintptr_t site)
{
    uat_races_clear(a, n);
    uat_races_access(a, n, UAT_RACES_WRITE, site);
    for (uintptr_t end = a + n; a < end; a = (a | 3) + 1) {
        struct word *w = &page_of(a, true)->word[a / 4 % WORDS];
        w->cell.flags |= BLOCK;
        for (int i = 0; w->split && i < 4; i++)
            w->split[i].flags |= BLOCK;
    }
}

/* SPDX-License-Identifier: MIT */
#include "races/report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include "include/uat.h"
#include "include/uat/detail/failure.h"
#include "include/uat/global.h"
#include "include/uat/reducer.h"
#include "runtime/torture/settings.h"

enum { KEYS = 4096, CHAIN = 12 /* spawns that are shown */ };

static int count;
static uint64_t keys[KEYS];
static struct {
    uintptr_t low, high;
} * ignored;
static int ignored_count, ignored_room;

int uat_races_reports(void)
{
    return count;
}

void uat_races_ignore_bytes(uintptr_t a, size_t n)
{
    for (int i = 0; i < ignored_count; i++)
        if (ignored[i].low == a) {
            ignored[i].high = a + n > ignored[i].high ? a + n : ignored[i].high;
            return;
        }
    if (ignored_count == ignored_room) {
        void *before = ignored;
        ignored_room = ignored_room ? 2 * ignored_room : 64;
        ignored = uat_races_pool((size_t)ignored_room * sizeof(*ignored));
        if (before)
            memcpy(ignored, before, (size_t)ignored_count * sizeof(*ignored));
    }
    ignored[ignored_count].low = a;
    ignored[ignored_count++].high = a + n;
}

/* Does the address belong to the words that the inline functions of uat's headers use, to errno, which libstdc++ saves
 * before a call, or to ignored bytes? */
static bool is_ignored(uintptr_t a)
{
    if (a - (uintptr_t)&errno < sizeof(errno) || a - (uintptr_t)&uat_near < sizeof(uat_near) ||
        a - (uintptr_t)&uat_far < sizeof(uat_far) || a - (uintptr_t)&uat_failing < sizeof(uat_failing) ||
        a - (uintptr_t)uat_view_slots < sizeof(uat_view_slots))
        return true;
    for (int i = ignored_count; i-- > 0;)
        if (a >= ignored[i].low && a < ignored[i].high)
            return true;
    return false;
}

/* Note the key. Returns true if it is new, and if there was room. */
static bool is_new(uint64_t key)
{
    size_t h = key % KEYS;
    for (int i = 0; i < KEYS; i++, h = (h + 1) % KEYS) {
        if (keys[h] == key)
            return false;
        if (!keys[h]) {
            keys[h] = key;
            return true;
        }
    }
    return false;
}

static uint64_t hash(const char *text)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return h | 1;
}

/* The lines of a place, and of the spawns that led to it. Returns their number. */
static int sites_of(const struct uat_races_place *p, uint32_t site[CHAIN + 1])
{
    int n = 0;
    site[n++] = p->site;
    for (const struct uat_races_task *t = p->task; t && t != &uat_races_outside && n <= CHAIN; t = t->parent)
        site[n++] = uat_races_short(t->site);
    return n;
}

static void print_place(const struct uat_races_place *p)
{
    uint32_t site[CHAIN + 1];
    int n = sites_of(p, site);
    fprintf(stderr, "    %s %s\n", p->what, uat_races_line(site[0]));
    if (p->task == &uat_races_outside)
        fprintf(stderr, "        outside of a run\n");
    for (int i = 1, same = 1; i < n; i += same, same = 1) {
        const char *line = uat_races_line(site[i]);
        while (i + same < n && strcmp(uat_races_line(site[i + same]), line) == 0)
            same++;
        if (uat_races_line_is_inside(site[i]) && i > 1)
            continue;
        fprintf(stderr, "        %s %s", i == 1 ? "in a task spawned by" : "spawned by", line);
        fprintf(stderr, same > 1 ? ", %d times\n" : "\n", same);
    }
    int more = p->task ? (int)p->task->depth - CHAIN : 0;
    if (more > 0)
        fprintf(stderr, "        %d more\n", more);
}

struct report {
    const char *title, *advice;
    uintptr_t a;
    const struct uat_races_place *second, *first;
};
static const struct report *reported;

static void print_report(void)
{
    const struct report *r = reported;
    uint32_t site[2 * (CHAIN + 1)];
    int n = sites_of(r->second, site);
    n += sites_of(r->first, site + n);
    uat_races_lines_find(site, n);
    /* the pair of lines in either order; all uses of the blocks of one line are one fault */
    uint64_t h1 = hash(uat_races_line(r->first->site)), h2 = hash(uat_races_line(r->second->site));
    if (strncmp(r->first->what, "allocated", strlen("allocated")) == 0)
        h2 = 1;
    bool new_lines = is_new(((h1 + h2) ^ (h1 * h2)) | 1), new_word = is_new(~(r->a >> 3));
    if (!new_lines || !new_word || ++count > UAT_RACES_SHOWN)
        return;
    fprintf(stderr, "uat-races: %s, at %p\n", r->title, (void *)r->a);
    print_place(r->second);
    print_place(r->first);
    if (r->advice)
        fprintf(stderr, "    %s\n", r->advice);
    fflush(stderr);
    if (uat_torture_settings.races == UAT_RACES_STOP)
        _exit(UAT_RACES_STATUS);
}

/* The report needs more stack than a generator may have. */
void uat_races_report(const char *title, uintptr_t a, const struct uat_races_place *second,
                      const struct uat_races_place *first, const char *advice)
{
    static _Alignas(16) char stack[64 << 10];
    static ucontext_t here, there;
    const struct report r = {title, advice, a, second, first};
    if (is_ignored(a) || !is_new(((uint64_t)second->site << 32 | first->site) | UINT64_C(1) << 63))
        return;
    reported = &r;
    getcontext(&there);
    there.uc_stack.ss_sp = stack;
    there.uc_stack.ss_size = sizeof(stack);
    there.uc_link = &here;
    makecontext(&there, print_report, 0);
    swapcontext(&here, &there);
}

void uat_races_report_pair(const char *title, uintptr_t a, const char *before, const struct uat_races_entry *e,
                           const char *now, uintptr_t site, const char *advice)
{
    const struct uat_races_place first = {before, e->site, uat_races_strands[e->strand].task};
    const struct uat_races_place second = {now, uat_races_short(site), uat_races_running};
    uat_races_report(title, a, &second, &first, advice);
}

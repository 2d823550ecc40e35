/* SPDX-License-Identifier: MIT */
#include "profile/strand.h"

#include <string.h>

double uat_strand_burden = 10000;

void uat_strand_begin(struct uat_strand *s, uint64_t name, const struct uat_profile_span *span, double burdened)
{
    memset(s, 0, sizeof(*s));
    s->name = name;
    s->begin_ns = span->ns;
    s->begin_burdened = burdened;
    s->totals.tasks = 1;
    s->totals.measured = 1;
    s->totals.burdened = burdened;
    s->totals.span = *span;
}

/* Add to the name's part of the path. If all parts are taken, the smallest one is dropped for a larger one. */
static void add_part(struct uat_profile_span *span, uint64_t name, double ns)
{
    int at = 0;
    for (int i = 0; i < UAT_PROFILE_PATHS; i++) {
        if (span->part[i].name == name) {
            span->part[i].ns += ns;
            return;
        }
        if (span->part[i].ns < span->part[at].ns)
            at = i;
    }
    if (span->part[at].ns < ns) {
        span->part[at].name = name;
        span->part[at].ns = ns;
    }
}

void uat_strand_run(struct uat_strand *s, double ns, uint64_t to)
{
    struct uat_profile_span *span = &s->totals.span;
    s->own += ns;
    s->totals.work += ns;
    s->totals.burdened += ns;
    span->ns += ns;
    add_part(span, s->name, ns);
    if (ns > span->longest.ns)
        span->longest = (struct uat_profile_stretch){.ns = ns, .name = s->name, .from = s->from, .to = to};
}

void uat_strand_spawned(struct uat_strand *s, struct uat_profile_child *child)
{
    child->outstanding = s->outstanding++;
    child->measured = 1;
    s->totals.burdened += uat_strand_burden;
}

static double longer(double a, double b)
{
    return a > b ? a : b;
}

static double shorter(double a, double b)
{
    return a < b ? a : b;
}

/* The time in which one worker runs a child and its descendants. */
static double serial_time(const struct uat_profile_totals *child)
{
    return child->work + child->calls;
}

static void take_span(struct uat_strand *s, const struct uat_profile_span *span)
{
    if (span->ns > s->totals.span.ns)
        s->totals.span = *span;
}

void uat_strand_join(struct uat_strand *s, const struct uat_profile_child *child)
{
    const struct uat_profile_totals *t = &child->totals;
    if (--s->outstanding != child->outstanding)
        s->unordered = true;
    if (!t->measured)
        return;
    double parallel = longer(s->totals.burdened, t->burdened + uat_strand_burden);
    double serial = s->totals.burdened - uat_strand_burden + serial_time(t);
    s->totals.burdened = s->unordered ? parallel : shorter(parallel, serial);
    s->totals.work += t->work;
    s->totals.tasks += t->tasks;
    s->totals.calls += t->calls;
    take_span(s, &t->span);
}

void uat_strand_spawned_in_group(struct uat_strand *s, struct uat_profile_group *group)
{
    group->spawned++;
    s->totals.burdened += uat_strand_burden;
}

void uat_strand_join_group(struct uat_strand *s, struct uat_profile_group *group, const struct uat_profile_totals *sum)
{
    double parallel = longer(s->totals.burdened, sum->burdened + uat_strand_burden);
    double serial = s->totals.burdened - (double)group->spawned * uat_strand_burden + serial_time(sum);
    s->totals.burdened = shorter(parallel, serial);
    s->totals.work += sum->work;
    s->totals.tasks += sum->tasks;
    s->totals.calls += sum->calls;
    take_span(s, &sum->span);
    group->spawned = 0;
}

void uat_strand_called(struct uat_strand *s, double ns)
{
    s->totals.calls += ns;
    s->totals.burdened += ns;
}

void uat_strand_after(struct uat_strand *s, const struct uat_profile_span *span, double burdened)
{
    s->totals.burdened = longer(s->totals.burdened, burdened + uat_strand_burden);
    take_span(s, span);
}

void uat_totals_combine(struct uat_profile_totals *left, const struct uat_profile_totals *right)
{
    left->work += right->work;
    left->tasks += right->tasks;
    left->calls += right->calls;
    left->measured |= right->measured;
    left->burdened = longer(left->burdened, right->burdened);
    if (right->span.ns > left->span.ns)
        left->span = right->span;
}

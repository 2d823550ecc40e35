/* SPDX-License-Identifier: MIT */
#include "perf/steal.h"

#include <errno.h>
#include <json-c/json.h>

/* What a thief goes through; UAT_PHASE_AWAIT and UAT_PHASE_GIVE are the victim's. */
static bool is_shown(const struct steal_series *series, int phase)
{
    return phase != UAT_PHASE_AWAIT && phase != UAT_PHASE_GIVE && series->phase[phase].count > 0;
}

/* The message protocol has none. */
static bool has_claims(const struct steal_series *series)
{
    return series->phase[UAT_PHASE_CLAIM].count > 0;
}

/* What remains of the median claim without a bare atomic of the same kind: slot and stack that came with it. */
static double beyond_atomic(const struct steal_series *series)
{
    enum steal_bare atomic = series->phase[UAT_PHASE_LOCK].count > 0 ? STEAL_FETCH_ADD : STEAL_CMP_SWAP;

    return uat_samples_quantile(&series->phase[UAT_PHASE_CLAIM], 0.5) -
           uat_samples_quantile(&series->bare[atomic], 0.5);
}

static double per_read(const struct steal_series *series, const struct uat_samples *samples)
{
    double read = uat_samples_quantile(&series->bare[STEAL_READ], 0.5);

    return read > 0 ? uat_samples_quantile(samples, 0.5) / read : 0.0;
}

/* What UAT_IB_POST=alone would make of a claim. With that setting both are posted alike. */
static double alone_per_chain(const struct steal_series *series)
{
    double chain = uat_samples_quantile(&series->bare[STEAL_CLAIM], 0.5);

    return chain > 0 ? uat_samples_quantile(&series->bare[STEAL_CLAIM_ALONE], 0.5) / chain : 0.0;
}

static void sort(struct steal_series *series)
{
    for (int i = 0; i < UAT_PHASES; i++)
        uat_samples_sort(&series->phase[i]);
    for (int i = 0; i < STEAL_BARES; i++)
        uat_samples_sort(&series->bare[i]);
    uat_samples_sort(&series->steal);
    uat_samples_sort(&series->resume);
    uat_samples_sort(&series->suspend);
    uat_samples_sort(&series->timer);
    uat_samples_sort(&series->trips);
    uat_samples_sort(&series->bytes);
}

static const char *const kinds[UAT_OP_KINDS] = {
    [UAT_OP_READ] = "read", [UAT_OP_WRITE] = "write", [UAT_OP_FETCH_ADD] = "fetch_add", [UAT_OP_CMP_SWAP] = "cmp_swap"};

static double per_steal(const struct steal_series *s, uint64_t count)
{
    return s->steal.count ? (double)count / (double)s->steal.count : 0.0;
}

static void print_kinds(const struct steal_series *s, const char *what, const uint64_t *counts, FILE *out)
{
    fprintf(out, "  %-18s", what);
    for (int i = 0; i < UAT_OP_KINDS; i++)
        fprintf(out, " %.2f %s%s", per_steal(s, counts[i]), kinds[i], i + 1 < UAT_OP_KINDS ? "," : " for each steal\n");
}

static void print(const struct steal_series *s, double tsc_hz, uint64_t stack_bytes, FILE *out)
{
    fprintf(out, "  %-12s %llu bytes\n", "stack", (unsigned long long)stack_bytes);
    uat_samples_print_head("phase", out);
    for (int i = 0; i < UAT_PHASES; i++)
        if (is_shown(s, i))
            uat_samples_print(&s->phase[i], tsc_hz, out);
    uat_samples_print(&s->steal, tsc_hz, out);
    uat_samples_print(&s->resume, tsc_hz, out);
    uat_samples_print(&s->suspend, tsc_hz, out);
    uat_samples_print_head("bare, 8 bytes", out);
    for (int i = 0; i < STEAL_BARES; i++)
        uat_samples_print(&s->bare[i], tsc_hz, out);
    uat_samples_print(&s->timer, tsc_hz, out);
    fprintf(out, "  %-18s %.0f in the median, %.0f at most\n", "round trips", uat_samples_quantile(&s->trips, 0.5),
            uat_samples_quantile(&s->trips, 1.0));
    fprintf(out, "  %-18s %.0f read in the median, %.0f at most\n", "bytes", uat_samples_quantile(&s->bytes, 0.5),
            uat_samples_quantile(&s->bytes, 1.0));
    print_kinds(s, "operations", s->ops, out);
    print_kinds(s, "requests", s->requests, out);
    fprintf(out, "  %-18s %.2f for each steal; requests and doorbells are those of a network adapter\n", "doorbells",
            per_steal(s, s->doorbells));
    if (has_claims(s))
        fprintf(out, "  %-18s %.1f ns of the claim, beyond a bare atomic\n", "slot and stack",
                beyond_atomic(s) / tsc_hz * 1e9);
    fprintf(out, "  %-18s %.2f (medians)\n", "steal / read", per_read(s, &s->steal));
    fprintf(out, "  %-18s %.2f (medians): READs in one chain, as many as a claim has requests\n", "read_chain / read",
            per_read(s, &s->bare[STEAL_READS]));
    fprintf(
        out,
        "  %-18s %.2f (medians): a claim whose atomic is posted alone; over verbs set UAT_IB_POST=alone if below 1\n",
        "claim_alone / chain", alone_per_chain(s));
}

static void add_real(json_object *object, const char *key, double value, int *status)
{
    uat_bench_add(object, key, json_object_new_double(value), status);
}

static json_object *add_group(json_object *object, const char *key, int *status)
{
    json_object *group = json_object_new_object();

    uat_bench_add(object, key, group, status);
    return group;
}

static void add_quantities(json_object *object, const struct uat_samples *samples, int *status)
{
    json_object *group = add_group(object, samples->name, status);

    if (!group)
        return;
    add_real(group, "min", uat_samples_quantile(samples, 0.0), status);
    add_real(group, "median", uat_samples_quantile(samples, 0.5), status);
    add_real(group, "p99", uat_samples_quantile(samples, 0.99), status);
    add_real(group, "max", uat_samples_quantile(samples, 1.0), status);
}

static void add_kinds(json_object *object, const char *key, const struct steal_series *s, const uint64_t *counts,
                      int *status)
{
    json_object *group = add_group(object, key, status);

    for (int i = 0; group && i < UAT_OP_KINDS; i++)
        add_real(group, kinds[i], per_steal(s, counts[i]), status);
}

static void fill(json_object *object, const struct steal_series *s, double tsc_hz, uint64_t stack_bytes, int *status)
{
    json_object *phases, *bare;

    uat_bench_add(object, "stack_bytes", json_object_new_uint64(stack_bytes), status);
    add_real(object, "tsc_hz", tsc_hz, status);
    phases = add_group(object, "phases", status);
    for (int i = 0; phases && i < UAT_PHASES; i++)
        if (is_shown(s, i))
            uat_samples_json(&s->phase[i], tsc_hz, phases, status);
    uat_samples_json(&s->steal, tsc_hz, object, status);
    uat_samples_json(&s->resume, tsc_hz, object, status);
    uat_samples_json(&s->suspend, tsc_hz, object, status);
    uat_samples_json(&s->timer, tsc_hz, object, status);
    bare = add_group(object, "bare", status);
    for (int i = 0; bare && i < STEAL_BARES; i++)
        uat_samples_json(&s->bare[i], tsc_hz, bare, status);
    add_quantities(object, &s->trips, status);
    add_quantities(object, &s->bytes, status);
    add_kinds(object, "operations_per_steal", s, s->ops, status);
    add_kinds(object, "requests_per_steal", s, s->requests, status);
    add_real(object, "doorbells_per_steal", per_steal(s, s->doorbells), status);
    if (has_claims(s))
        add_real(object, "claim_beyond_atomic_ns", beyond_atomic(s) / tsc_hz * 1e9, status);
    add_real(object, "steal_per_read", per_read(s, &s->steal), status);
    add_real(object, "read_chain_per_read", per_read(s, &s->bare[STEAL_READS]), status);
    add_real(object, "claim_alone_per_chain", alone_per_chain(s), status);
}

int steal_report(const struct uat_bench *bench, const struct uat_bench_settings *settings, struct steal_series *series,
                 uint64_t stack_bytes)
{
    double tsc_hz = uat_samples_tsc_hz();
    json_object *object;

    sort(series);
    if (!settings->json) {
        uat_bench_print_settings(bench, settings, stdout);
        print(series, tsc_hz, stack_bytes, stdout);
        return 0;
    }
    object = json_object_new_object();
    int status = object ? 0 : -ENOMEM;
    if (object) {
        uat_bench_add_settings(object, bench, settings, &status);
        fill(object, series, tsc_hz, stack_bytes, &status);
    }
    return uat_bench_print_object(object, status, stdout);
}

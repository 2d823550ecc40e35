/* SPDX-License-Identifier: MIT */
#include "perf/steal.h"

#include "perf/report.h"

/* Is this a phase of the thief that occurred? UAT_PHASE_AWAIT and UAT_PHASE_GIVE are phases of the victim. */
static bool is_shown(const struct steal_series *series, int phase)
{
    return phase != UAT_PHASE_AWAIT && phase != UAT_PHASE_GIVE && series->phase[phase].count > 0;
}

/* Does the protocol have claims? The message protocol has none. */
static bool has_claims(const struct steal_series *series)
{
    return series->phase[UAT_PHASE_CLAIM].count > 0;
}

/* The median time of a claim, minus the median time of a bare atomic of the same kind. The difference is the cost of
 * the claim's READs of the slot and the stack. */
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

/* The ratio of the medians of two bare series; 0 if unknown. */
static double ratio_of(const struct steal_series *series, enum steal_bare over, enum steal_bare under)
{
    double base = uat_samples_quantile(&series->bare[under], 0.5);

    return base > 0 ? uat_samples_quantile(&series->bare[over], 0.5) / base : 0.0;
}

static const char *const kinds[UAT_OP_KINDS] = {
    [UAT_OP_READ] = "read", [UAT_OP_WRITE] = "write", [UAT_OP_FETCH_ADD] = "fetch_add", [UAT_OP_CMP_SWAP] = "cmp_swap"};

static double per_steal(const struct steal_series *s, uint64_t count)
{
    return s->steal.count ? (double)count / (double)s->steal.count : 0.0;
}

/* Report the operations, requests or doorbells per steal. */
static void report_kinds(const struct steal_series *s, const char *key, const char *label, const uint64_t *counts)
{
    double each[UAT_OP_KINDS];

    uat_report_object(key);
    for (int i = 0; i < UAT_OP_KINDS; i++)
        uat_report_real(kinds[i], each[i] = per_steal(s, counts[i]));
    uat_report_close();
    uat_report_line(label, "%.2f read, %.2f write, %.2f fetch_add, %.2f cmp_swap for each steal", each[UAT_OP_READ],
                    each[UAT_OP_WRITE], each[UAT_OP_FETCH_ADD], each[UAT_OP_CMP_SWAP]);
}

static void report_quantities(const struct uat_samples *samples, const char *label, const char *of)
{
    static const char *const keys[] = {"min", "median", "p99", "max"};
    static const double shares[] = {0.0, 0.5, 0.99, 1.0};

    uat_report_object(samples->name);
    for (int i = 0; i < 4; i++)
        uat_report_real(keys[i], uat_samples_quantile(samples, shares[i]));
    uat_report_close();
    uat_report_line(label, "%.0f%s in the median, %.0f at most", uat_samples_quantile(samples, 0.5), of,
                    uat_samples_quantile(samples, 1.0));
}

static void report_durations(const struct steal_series *s, double tsc_hz)
{
    const struct uat_samples *const whole[] = {&s->steal, &s->resume, &s->suspend};

    uat_samples_head("phase");
    uat_report_object("phases");
    for (int i = 0; i < UAT_PHASES; i++)
        if (is_shown(s, i))
            uat_samples_report(&s->phase[i], tsc_hz);
    uat_report_close();
    for (int i = 0; i < 3; i++)
        uat_samples_report(whole[i], tsc_hz);
    uat_samples_head("bare, 8 bytes");
    uat_report_object("bare");
    for (int i = 0; i < STEAL_BARES; i++)
        uat_samples_report(&s->bare[i], tsc_hz);
    uat_report_close();
    uat_samples_report(&s->timer, tsc_hz);
}

static void report_traffic(const struct steal_series *s)
{
    double doorbells = per_steal(s, s->doorbells);

    report_quantities(&s->trips, "round trips", "");
    report_quantities(&s->bytes, "bytes", " read");
    report_kinds(s, "operations_per_steal", "operations", s->ops);
    report_kinds(s, "requests_per_steal", "requests", s->requests);
    uat_report_real("doorbells_per_steal", doorbells);
    uat_report_line("doorbells", "%.2f for each steal; requests and doorbells are those of a network adapter",
                    doorbells);
}

/* Report a ratio of medians. */
static void report_ratio(const char *key, const char *label, double ratio, const char *meaning)
{
    uat_report_real(key, ratio);
    uat_report_line(label, "%.2f (medians)%s", ratio, meaning);
}

void steal_report(const struct uat_bench *bench, const struct uat_bench_settings *settings, struct steal_series *s,
                  uint64_t stack_bytes)
{
    double tsc_hz = uat_samples_tsc_hz();

    for (int i = 0; i < STEAL_SERIES; i++)
        uat_samples_sort(&s->all[i]);
    uat_report_begin(bench, settings);
    uat_report_count("stack_bytes", stack_bytes);
    uat_report_real("tsc_hz", tsc_hz);
    uat_report_line("stack", "%llu bytes", (unsigned long long)stack_bytes);
    report_durations(s, tsc_hz);
    report_traffic(s);
    if (has_claims(s)) {
        uat_report_real("claim_beyond_atomic_ns", beyond_atomic(s) / tsc_hz * 1e9);
        uat_report_line("slot and stack", "%.1f ns of the claim, beyond a bare atomic",
                        beyond_atomic(s) / tsc_hz * 1e9);
    }
    report_ratio("steal_per_read", "steal / read", per_read(s, &s->steal), "");
    report_ratio("read_chain_per_read", "read_chain / read", per_read(s, &s->bare[STEAL_READS]),
                 ": READs in one chain, as many as a claim has requests");
    report_ratio("write_add_per_fetch_add", "write_add / fetch_add", ratio_of(s, STEAL_WRITE_ADD, STEAL_FETCH_ADD),
                 ": { WRITE; FETCH_ADD }; near 2 if the target holds the atomic back until the WRITE is in memory");
    report_ratio("claim_chain_per_cmp_swap", "claim_chain / cmp_swap", ratio_of(s, STEAL_CLAIM, STEAL_CMP_SWAP),
                 ": near 2 if the READs of a claim wait for its atomic's answer");
    /* With UAT_CONNECT=post=alone the two series are posted in the same way. */
    report_ratio("claim_alone_per_chain", "claim_alone / chain", ratio_of(s, STEAL_CLAIM_ALONE, STEAL_CLAIM),
                 ": a claim whose atomic is posted alone; over verbs set UAT_CONNECT=post=alone if below 1");
    uat_report_end();
}

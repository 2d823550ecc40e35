/* SPDX-License-Identifier: MIT */
/*
 * Start and end of a profile. At the end tasks visit each worker and bring its rows to rank 0, which writes the sums to
 * a file in JSON. uat-profile (perf/) reads this file.
 */
#include "profile/profile.h"
#include "profile/saved.h"

#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <link.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/output.h"
#include "include/uat/checkpoint.h"
#include "profile/clock.h"
#include "profile/names.h"
#include "runtime/trace/settings.h"
#include "runtime/trace/trace.h"

int __real_uat_init(void);
int __real_uat_finalize(void);
int __wrap_uat_init(void);
int __wrap_uat_finalize(void);
int __real_uat_run(uat_fn *root, const void *arg, size_t n, void *result, size_t size);
void __real_uat_spawn(uat_task_t *t, uat_fn *fn, const void *arg, size_t n, void *result, size_t size);
void __real_uat_spawn_on(uat_task_t *t, int rank, uat_fn *fn, const void *arg, size_t n, void *result, size_t size);

bool uat_profile_is_virtual(void)
{
    return strcmp(uat_setting("time"), "virtual") == 0;
}

const char *uat_profile_file(void)
{
    return uat_trace_settings.profile[0] ? uat_trace_settings.profile : NULL;
}

/* Before main(), so that uat_init() knows that the program can be profiled. */
__attribute__((constructor)) static void link_profile(void)
{
    uat_profile_linked = true;
}

int __wrap_uat_init(void)
{
    uat_profile_clock_open();
    int rc = __real_uat_init();
    if (rc == 0) {
        uat_strand_burden = (double)uat_trace_settings.burden;
        /* also without a profile: always the same call */
        rc = uat_checkpoint_register(uat_saved_write, uat_saved_take);
    }
    return rc;
}

/* ---- the workers' rows ---- */

enum { ROWS = 4 /* rows in one answer; an answer must fit into UAT_RESULT_MAX */ };
struct answer {
    uint64_t rank, at; /* the worker, and where to look for its next row */
    uint64_t next;     /* where to go on; UAT_NAMES_MAX: there are no more rows */
    uint64_t count;
    struct uat_profile_counts counts;
    struct uat_name row[ROWS];
};
_Static_assert(sizeof(struct answer) <= 1024, "the default of UAT_RESULT_MAX");

/* The sums of all workers, on rank 0. Its own rows must not change while they are being added up, so the sums have a
 * table of their own. */
static struct uat_profile_counts all;
static struct uat_name sums[UAT_NAMES_MAX];
static size_t sum_count;
static double *own; /* the time of tasks on each worker, for the balance of the load */

static void add_counts(const struct uat_profile_counts *c)
{
    all.unmeasured += c->unmeasured;
    all.unfollowed += c->unfollowed;
    all.on_cpu_ns += c->on_cpu_ns;
    all.queued_ns += c->queued_ns;
    if (c->elapsed_ns > all.elapsed_ns)
        all.elapsed_ns = c->elapsed_ns;
    if (c->spawn_ns > all.spawn_ns) /* only the workers that started a root have measured it */
        all.spawn_ns = c->spawn_ns;
}

static void add_row(const struct uat_name *row)
{
    size_t i = 0;
    while (i < sum_count && sums[i].key != row->key)
        i++;
    if (i == sum_count && sum_count == UAT_NAMES_MAX)
        i = 0;
    else if (i == sum_count)
        sums[sum_count++] = (struct uat_name){.key = row->key, .fn = row->fn, .site = row->site};
    uat_name_add(&sums[i], row);
}

/* On the worker that is asked. */
static void bring(void *arg, void *result)
{
    struct answer *a = result;
    memcpy(a, arg, offsetof(struct answer, next));
    a->counts = uat_profile_counts;
    a->count = 0;
    for (a->next = a->at; a->next < UAT_NAMES_MAX && a->count < ROWS; a->next++)
        if (uat_names[a->next].key)
            a->row[a->count++] = uat_names[a->next];
}

/* On rank 0. */
static void take(void *arg, void *result)
{
    const struct answer *a = arg;
    (void)result;
    if (a->at == 0)
        add_counts(&a->counts);
    for (uint64_t i = 0; i < a->count; i++) {
        add_row(&a->row[i]);
        own[a->rank] += a->row[i].own;
    }
}

static void spawn_and_join(int rank, uat_fn *fn, const void *arg, size_t n, void *result, size_t size)
{
    uat_task_t t;
    __real_uat_spawn_on(&t, rank, fn, arg, n, result, size);
    if (t.record)
        uat_join_wait(&t);
}

/* Bring the rows of the workers [low, high) to rank 0. The workers are visited at the same time: a run for each would
 * take a time that grows with the square of their number. */
struct ranks {
    uint64_t low, high;
};

static void visit(void *arg, void *result)
{
    struct ranks r;
    memcpy(&r, arg, sizeof(r));
    (void)result;
    if (r.high - r.low > 1) {
        uat_task_t t;
        struct ranks half = {r.low + (r.high - r.low) / 2, r.high};
        r.high = half.low;
        __real_uat_spawn(&t, visit, &half, sizeof(half), NULL, 0);
        visit(&r, NULL);
        if (t.record)
            uat_join_wait(&t);
        return;
    }
    struct answer a = {.rank = r.low};
    for (; a.at < UAT_NAMES_MAX; a.at = a.next) {
        spawn_and_join((int)r.low, bring, &a, offsetof(struct answer, next), &a, sizeof(a));
        spawn_and_join(0, take, &a, sizeof(a), NULL, 0);
    }
}

static int gather(void)
{
    const struct ranks workers = {0, (uint64_t)uat_size()};
    own = calloc(workers.high, sizeof(*own));
    if (!own) {
        uat_error("no memory for the profile");
        return -ENOMEM;
    }
    return __real_uat_run(visit, &workers, sizeof(workers), NULL, 0);
}

/* ---- the file ---- */

static void write_text(FILE *f, const char *text)
{
    fputc('"', f);
    for (const char *c = text; *c; c++)
        if (*c == '"' || *c == '\\')
            fprintf(f, "\\%c", *c);
        else if ((unsigned char)*c < ' ')
            fprintf(f, "\\u%04x", (unsigned)*c);
        else
            fputc(*c, f);
    fputc('"', f);
}

/* The program and its shared libraries: where uat-profile finds the lines of code addresses. */
static int write_module(struct dl_phdr_info *info, size_t size, void *out)
{
    char self[UAT_OUTPUT_NAME] = "";
    const char *name = info->dlpi_name;
    uint64_t low = UINT64_MAX, high = 0;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD && (info->dlpi_phdr[i].p_flags & PF_X)) {
            uint64_t at = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
            low = at < low ? at : low;
            high = at + info->dlpi_phdr[i].p_memsz > high ? at + info->dlpi_phdr[i].p_memsz : high;
        }
    if (!name[0] && readlink("/proc/self/exe", self, sizeof(self) - 1) > 0)
        name = self;
    if (!name[0] || name[0] != '/')
        return 0;
    fprintf(out, "%s    {\"file\": ", ftell(out) ? ",\n" : "");
    write_text(out, name);
    fprintf(out, ", \"base\": %" PRIu64 ", \"low\": %" PRIu64 ", \"high\": %" PRIu64 "}", (uint64_t)info->dlpi_addr,
            low, high);
    return 0;
}

static void write_modules(FILE *f)
{
    char *text = NULL;
    size_t size = 0;
    FILE *list = open_memstream(&text, &size);
    if (list) {
        dl_iterate_phdr(write_module, list);
        fclose(list);
        fprintf(f, "  \"modules\": [\n%s\n  ],\n", text);
        free(text);
    }
}

static void write_stretch(FILE *f, const struct uat_profile_stretch *s)
{
    fprintf(f, "{\"ns\": %.0f, \"key\": \"%" PRIx64 "\", \"from\": %" PRIu64 ", \"to\": %" PRIu64 "}", s->ns, s->name,
            s->from, s->to);
}

static void write_span(FILE *f, const struct uat_profile_span *span)
{
    fprintf(f, "  \"span_ns\": %.0f,\n  \"path\": [", span->ns);
    const char *comma = "";
    for (int i = 0; i < UAT_PROFILE_PATHS; i++)
        if (span->part[i].ns > 0) {
            fprintf(f, "%s{\"key\": \"%" PRIx64 "\", \"ns\": %.0f}", comma, span->part[i].name, span->part[i].ns);
            comma = ", ";
        }
    fprintf(f, "],\n  \"longest\": ");
    write_stretch(f, &span->longest);
    fprintf(f, ",\n");
}

static void write_row(FILE *f, const struct uat_name *r)
{
    fprintf(
        f,
        "    {\"key\": \"%" PRIx64 "\", \"fn\": %" PRIu64 ", \"site\": %" PRIu64 ", \"count\": %.0f, \"own_ns\": %.0f, "
        "\"work_ns\": %.0f, \"span_ns\": %.0f, \"burdened_ns\": %.0f,\n     \"waits\": %.0f, \"wait_ns\": %.0f, "
        "\"far_calls\": %.0f, \"far_ns\": %.0f, \"near_bytes\": %.0f, \"cached_bytes\": %.0f, \"far_bytes\": %.0f,\n"
        "     \"longest\": ",
        r->key, r->fn, r->site, r->count, r->own, r->work, r->span, r->burdened, r->waits, r->wait_ns, r->far_calls,
        r->far_ns, r->near_bytes, r->cached_bytes, r->far_bytes);
    write_stretch(f, &r->longest);
    fprintf(f, "}");
}

static void write_all(FILE *f, const uat_stats_t *s)
{
    const struct uat_profile_totals *t = &uat_profile_outside.totals;
    double own_min = own[0], own_max = own[0];
    for (int rank = 1; rank < uat_size(); rank++) {
        own_min = own[rank] < own_min ? own[rank] : own_min;
        own_max = own[rank] > own_max ? own[rank] : own_max;
    }
    fprintf(f, "{\n  \"uat_profile\": 1,\n  \"workers\": %d,\n  \"restarts\": %d,\n  \"time\": ", uat_size(),
            uat_restarted());
    write_text(f, uat_setting("time"));
    fprintf(f, ",\n  \"transport\": ");
    write_text(f, uat_setting("transport"));
    fprintf(f,
            ",\n  \"elapsed_ns\": %.0f,\n  \"work_ns\": %.0f,\n  \"tasks\": %.0f,\n  \"burdened_ns\": %.0f,\n"
            "  \"burden_ns\": %.0f,\n  \"spawn_ns\": %.0f,\n  \"calls_ns\": %.0f,\n  \"on_cpu_ns\": "
            "%.0f,\n  \"queued_ns\": %.0f,\n"
            "  \"unmeasured\": %.0f,\n  \"unfollowed\": %.0f,\n  \"least_own_ns\": %.0f,\n  \"most_own_ns\": %.0f,\n",
            all.elapsed_ns, t->work, t->tasks, t->burdened, uat_strand_burden, all.spawn_ns, t->calls, all.on_cpu_ns,
            all.queued_ns, all.unmeasured, all.unfollowed, own_min, own_max);
    fprintf(f,
            "  \"steals\": %" PRIu64 ",\n  \"attempts\": %" PRIu64 ",\n  \"steal_bytes\": %" PRIu64
            ",\n  \"far_bytes_fetched\": %" PRIu64 ",\n  \"far_bytes_written\": %" PRIu64 ",\n",
            s->steals, s->steal_attempts, s->steal_bytes, s->global_bytes_fetched, s->global_bytes_written);
    write_span(f, &t->span);
    write_modules(f);
    fprintf(f, "  \"names\": [\n");
    for (size_t i = 0; i < sum_count; i++) {
        fprintf(f, "%s", i ? ",\n" : "");
        write_row(f, &sums[i]);
    }
    fprintf(f, "\n  ]\n}\n");
}

int uat_profile_write(void)
{
    uat_stats_t stats;
    struct uat_output output;
    int rc = uat_stats_total(&stats);
    if (!rc)
        rc = gather();
    if (rc || uat_rank() > 0) {
        free(own);
        return rc;
    }
    const char *file = uat_profile_file();
    rc = uat_output_open(&output, file);
    if (!rc) {
        write_all(output.file, &stats);
        rc = uat_output_close(&output);
    }
    free(own);
    if (rc)
        uat_error("the profile %s cannot be written: %s", file, uat_output_error(rc));
    else
        fprintf(stderr, "uat: the profile is in %s; uat-profile %s shows it\n", file, file);
    return rc;
}

int __wrap_uat_finalize(void)
{
    int rc = uat_profile_file() ? uat_profile_write() : 0, end = __real_uat_finalize();
    return end ? end : rc;
}

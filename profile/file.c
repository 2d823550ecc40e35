/* SPDX-License-Identifier: MIT */
/*
 * Start and end of a profile. At the end a task of rank 0 visits each worker and brings its rows, and rank 0 writes the
 * sums to a file in JSON. uat-profile (perf/) reads this file.
 */
#include "profile/profile.h"

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
#include "runtime/trace/settings.h"
#include "runtime/trace/trace.h"

int __real_uat_init(void);
int __real_uat_finalize(void);
int __wrap_uat_init(void);
int __wrap_uat_finalize(void);
int __real_uat_run(uat_fn *root, const void *arg, size_t n, void *result, size_t size);
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
    if (rc == 0)
        uat_strand_burden = (double)uat_trace_settings.burden;
    return rc;
}

/* ---- the workers' rows ---- */

enum { ROWS = 4 /* rows in one answer; an answer must fit into UAT_RESULT_MAX */ };
struct answer {
    uint64_t next; /* where to look for the next row; UAT_NAMES_MAX: there are none */
    uint64_t count;
    struct uat_name row[ROWS];
};
_Static_assert(sizeof(struct answer) <= 1024, "the default of UAT_RESULT_MAX");

static void bring_rows(void *arg, void *result)
{
    uint64_t at;
    struct answer *a = result;
    memcpy(&at, arg, sizeof(at));
    memset(a, 0, sizeof(*a));
    for (; at < UAT_NAMES_MAX && a->count < ROWS; at++)
        if (uat_names[at].key)
            a->row[a->count++] = uat_names[at];
    a->next = at;
}

static void bring_counts(void *arg, void *result)
{
    (void)arg;
    memcpy(result, &uat_profile_counts, sizeof(uat_profile_counts));
}

/* One row, and the counts, of each worker: for the balance of the load. */
static struct uat_profile_counts all;
static double own_min, own_max; /* of the workers' times of tasks */

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

/* Rank 0's own rows must not change while they are being added up: the sums have a table of their own. */
static struct uat_name sums[UAT_NAMES_MAX];
static size_t sum_count;

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

/* The root runs on any worker, and each visit may move it. So it only visits; the rows are added up by rank 0, which
 * gets them as the root's result. */
struct question {
    uint64_t at, rank;
};

static void ask(void *arg, void *result)
{
    struct question q;
    struct answer a;
    uat_task_t t;
    memcpy(&q, arg, sizeof(q));
    if (q.at == UAT_NAMES_MAX) {
        memset(&a, 0, sizeof(a));
        __real_uat_spawn_on(&t, (int)q.rank, bring_counts, NULL, 0, &a, sizeof(struct uat_profile_counts));
    } else {
        __real_uat_spawn_on(&t, (int)q.rank, bring_rows, &q.at, sizeof(q.at), &a, sizeof(a));
    }
    if (t.record)
        uat_join_wait(&t);
    memcpy(result, &a, sizeof(a));
}

static int gather(void)
{
    struct answer a;
    for (uint64_t rank = 0; rank < (uint64_t)uat_size(); rank++) {
        double own = 0;
        for (struct question q = {0, rank}; q.at < UAT_NAMES_MAX; q.at = a.next) {
            int rc = __real_uat_run(ask, &q, sizeof(q), &a, sizeof(a));
            if (rc)
                return rc;
            for (uint64_t i = 0; uat_rank() == 0 && i < a.count; i++)
                add_row(&a.row[i]);
            for (uint64_t i = 0; i < a.count; i++)
                own += a.row[i].own;
        }
        own_min = rank == 0 || own < own_min ? own : own_min;
        own_max = own > own_max ? own : own_max;
        struct question q = {UAT_NAMES_MAX, rank};
        int rc = __real_uat_run(ask, &q, sizeof(q), &a, sizeof(a));
        if (rc)
            return rc;
        add_counts((const struct uat_profile_counts *)&a);
    }
    return 0;
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
    fprintf(f, "{\n  \"uat_profile\": 1,\n  \"workers\": %d,\n  \"restarts\": %d,\n  \"time\": ", uat_size(),
            uat_restarted());
    write_text(f, uat_setting("time"));
    fprintf(f, ",\n  \"transport\": ");
    write_text(f, uat_setting("transport"));
    fprintf(f,
            ",\n  \"elapsed_ns\": %.0f,\n  \"work_ns\": %.0f,\n  \"tasks\": %.0f,\n  \"burdened_ns\": %.0f,\n"
            "  \"burden_ns\": %.0f,\n  \"spawn_ns\": %.0f,\n  \"on_cpu_ns\": %.0f,\n  \"queued_ns\": %.0f,\n"
            "  \"unmeasured\": %.0f,\n  \"unfollowed\": %.0f,\n  \"least_own_ns\": %.0f,\n  \"most_own_ns\": %.0f,\n",
            all.elapsed_ns, t->work, t->tasks, t->burdened, uat_strand_burden, all.spawn_ns, all.on_cpu_ns,
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
    if (rc || uat_rank() > 0)
        return rc;
    const char *file = uat_profile_file();
    rc = uat_output_open(&output, file);
    if (!rc) {
        write_all(output.file, &stats);
        rc = uat_output_close(&output);
    }
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

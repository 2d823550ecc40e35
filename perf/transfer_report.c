/* SPDX-License-Identifier: MIT */
/* The report of uat-transfer: one table for each operation, or JSON. */
#include <errno.h>
#include <json-c/json.h>
#include <string.h>

#include "perf/transfer.h"

static void print_table(const struct transfer_row *rows, int count)
{
    const char *before = "";

    for (const struct transfer_row *r = rows; r < rows + count; r++) {
        if (strcmp(before, r->name) != 0)
            printf("  %-16s %-5s %9s %7s %12s %12s %12s %10s\n", r->name, "where", "bytes", "window", "ns", "cycles",
                   "least", "MiB/s");
        before = r->name;
        printf("  %-16s %-5s %9zu %7d %12.1f %12.1f %12.1f", "", r->far ? "far" : "near", r->bytes, r->window,
               r->nanoseconds, r->cycles, r->least);
        r->mib_per_second > 0 ? printf(" %10.1f\n", r->mib_per_second) : printf(" %10s\n", "-");
    }
}

static json_object *row_object(const struct transfer_row *r, int *status)
{
    json_object *one = json_object_new_object();

    if (!one) {
        *status = -ENOMEM;
        return NULL;
    }
    uat_bench_add(one, "operation", json_object_new_string(r->name), status);
    uat_bench_add(one, "where", json_object_new_string(r->far ? "far" : "near"), status);
    uat_bench_add(one, "bytes", json_object_new_int64((int64_t)r->bytes), status);
    uat_bench_add(one, "window", json_object_new_int(r->window), status);
    uat_bench_add(one, "ns", json_object_new_double(r->nanoseconds), status);
    uat_bench_add(one, "cycles", json_object_new_double(r->cycles), status);
    uat_bench_add(one, "cycles_least", json_object_new_double(r->least), status);
    uat_bench_add(one, "mib_per_second", json_object_new_double(r->mib_per_second), status);
    return one;
}

static int print_json(const struct uat_bench *bench, const struct uat_bench_settings *settings,
                      const struct transfer_row *rows, int count)
{
    json_object *object = json_object_new_object(), *list = json_object_new_array();
    int status = object && list ? 0 : -ENOMEM;

    for (const struct transfer_row *r = rows; r < rows + count && !status; r++) {
        json_object *one = row_object(r, &status);
        if (status || json_object_array_add(list, one) < 0) {
            json_object_put(one);
            status = -ENOMEM;
        }
    }
    if (!status) {
        uat_bench_add_settings(object, bench, settings, &status);
        uat_bench_add(object, "rows", list, &status);
        list = NULL;
    }
    json_object_put(list);
    return uat_bench_print_object(object, status, stdout);
}

int transfer_report(const struct uat_bench *bench, const struct uat_bench_settings *settings,
                    const struct transfer_row *rows, int count)
{
    if (settings->json)
        return print_json(bench, settings, rows, count);
    uat_bench_print_settings(bench, settings, stdout);
    print_table(rows, count);
    return 0;
}

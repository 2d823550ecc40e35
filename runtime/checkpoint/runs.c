/* SPDX-License-Identifier: MIT */
#include "runtime/checkpoint/runs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct {
    struct uat_run_record **run;
    size_t count, room;
} runs;

/* Append an empty record with room for `size` bytes to the list. Returns NULL if there is no memory. */
static struct uat_run_record *append(size_t size)
{
    if (runs.count == runs.room) {
        size_t room = 2 * runs.room + 16;
        struct uat_run_record **larger = realloc(runs.run, room * sizeof(*larger));
        if (!larger)
            return NULL;
        runs.run = larger;
        runs.room = room;
    }
    struct uat_run_record *record = calloc(1, sizeof(*record) + size);
    if (record)
        runs.run[runs.count++] = record;
    return record;
}

int uat_runs_add(const void *bytes, size_t size, bool failed)
{
    struct uat_run_record *record = append(size);
    if (!record)
        return -ENOMEM;
    record->failed = failed;
    record->size = size;
    if (size > 0)
        memcpy(record->bytes, bytes, size);
    return 0;
}

int uat_runs_add_packed(const void *bytes, size_t size)
{
    struct uat_run_record **last = &runs.run[runs.count - 1];
    struct uat_run_record *larger = realloc(*last, sizeof(*larger) + (*last)->size + size);
    if (!larger)
        return -ENOMEM;
    memcpy(larger->bytes + larger->size, bytes, size);
    larger->packed = size;
    *last = larger;
    return 0;
}

size_t uat_runs_count(void)
{
    return runs.count;
}

const struct uat_run_record *uat_runs_get(size_t i)
{
    return runs.run[i];
}

void uat_runs_save(struct uat_sections_out *out)
{
    for (size_t i = 0; i < runs.count; i++) {
        const struct uat_run_record *run = runs.run[i];
        uat_sections_add(out, UAT_SECTION_RUN, i, run, sizeof(*run) + run->size + run->packed);
    }
}

bool uat_runs_restore(const struct uat_section *section)
{
    if (section->whole < sizeof(struct uat_run_record) || section->address != runs.count)
        return false;
    struct uat_run_record *record = append(section->whole - sizeof(*record));
    if (!record)
        return false;
    memcpy(record, uat_section_bytes(section), section->bytes);
    size_t room = section->whole - sizeof(*record);
    return record->size <= room && record->packed == room - record->size;
}

void uat_runs_cut(size_t count)
{
    while (runs.count > count)
        free(runs.run[--runs.count]);
    if (count > 0)
        return;
    free(runs.run);
    memset(&runs, 0, sizeof(runs));
}

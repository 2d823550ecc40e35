/* SPDX-License-Identifier: MIT */
#include "runtime/global/table.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "runtime/global/state.h"
#include "runtime/job/fatal.h"

static struct {
    bool keeps;
    struct uat_table_entry *entry;
    size_t count, room;
    size_t restored; /* number of entries that are a checkpoint's */
    size_t made;     /* number of calls that this job has made; entries from number `made` on are a checkpoint's */
} table;

void uat_table_open(void)
{
    table.keeps = true;
}

bool uat_table_is_kept(void)
{
    return table.keeps;
}

void uat_table_close(void)
{
    free(table.entry);
    memset(&table, 0, sizeof(table));
}

const struct uat_table_entry *uat_table_entries(size_t *count)
{
    *count = table.made;
    return table.entry;
}

static void append(const struct uat_table_entry *entry)
{
    if (table.count == table.room) {
        size_t room = 2 * table.room + 16;
        struct uat_table_entry *larger = realloc(table.entry, room * sizeof(*larger));
        if (!larger)
            uat_fatal("no memory for the table of %zu arrays, which a checkpoint needs", table.count);
        table.entry = larger;
        table.room = room;
    }
    table.entry[table.count++] = *entry;
}

static bool is_sound(const struct uat_table_entry *e)
{
    uint64_t offset = e->start - UAT_GLOBAL_BASE, granule = offset >> UAT_GRANULE_SHIFT;
    if (e->start == 0)
        return true;
    return granule < UAT_GRANULES && e->granules > 0 && e->granules <= UAT_GRANULES - granule &&
           e->shift < UAT_SHIFTS && e->chunk > 0 && e->chunk % UAT_BLOCK == 0 && e->chunk <= UINT64_C(1) << 47 &&
           e->start == UAT_GLOBAL_BASE + (granule << UAT_GRANULE_SHIFT) + uat_place_shift(e->shift);
}

bool uat_table_restore(const struct uat_table_entry *entries, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!is_sound(&entries[i]))
            return false;
        append(&entries[i]);
    }
    table.restored = count;
    return table.made == 0 && table.count == count;
}

void uat_table_reset(void)
{
    table.made = 0;
    table.count = table.restored;
    if (table.count > 0)
        return;
    free(table.entry);
    table.entry = NULL;
    table.room = 0;
}

size_t uat_table_missing(void)
{
    return table.count - table.made;
}

static bool same_call(const struct uat_table_entry *a, const struct uat_table_entry *b)
{
    return a->bytes == b->bytes && a->block == b->block && a->distribution == b->distribution;
}

int uat_table_next(const struct uat_table_entry *asked, const struct uat_table_entry **entry)
{
    const struct uat_table_entry *e = table.made < table.count ? &table.entry[table.made] : NULL;
    *entry = e;
    if (!e || same_call(e, asked))
        return 0;
    if (uat_self.rank == 0)
        uat_error("checkpoint: call %zu for global memory asks for %" PRIu64 " bytes, distribution %" PRIu32
                  ", block %" PRIu64 ", but in the interrupted job for %" PRIu64 ", %" PRIu32 ", %" PRIu64
                  "; main() must make the same calls with any number of workers",
                  table.made, asked->bytes, asked->distribution, asked->block, e->bytes, e->distribution, e->block);
    return -EINVAL;
}

void uat_table_note(const struct uat_table_entry *made)
{
    if (!table.keeps)
        return;
    if (table.made == table.count)
        append(made);
    table.entry[table.made++] = *made;
}

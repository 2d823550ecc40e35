/* SPDX-License-Identifier: MIT */
#include "runtime/checkpoint/arrays.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "include/uat/global.h"
#include "runtime/checkpoint/pieces.h"
#include "runtime/global/content.h"
#include "runtime/global/global.h"
#include "runtime/global/table.h"
#include "runtime/job/collective.h"
#include "runtime/job/self.h"

_Static_assert((int)UAT_CONTENT_PIECE <= (int)UAT_PIECE, "a reader has room for each piece");

/* The number of files with contents in the checkpoint that this job continues from. 0: the checkpoint has no global
 * memory. */
static uint64_t files;

static bool is_open(void)
{
    return uat_objects_freed_word() != NULL;
}

/* Write a piece, and let the kernel begin to write it to the disk. */
static int write_piece(void *arg, const void *at, size_t bytes)
{
    struct uat_sections_out *out = arg;
    uat_sections_add(out, UAT_SECTION_PIECE, (uintptr_t)at, at, bytes);
    sync_file_range(fileno(out->output.file), 0, 0, SYNC_FILE_RANGE_WRITE);
    return ferror(out->output.file); /* closing the file reports the error */
}

int uat_arrays_write(const struct uat_sections_head *head)
{
    char name[UAT_SECTIONS_NAME];
    struct uat_sections_out out;
    if (!is_open())
        return 0;
    int rc = uat_sections_create(&out, uat_pieces_name(name, sizeof(name), head->number, head->rank), head);
    if (rc)
        return rc;
    rc = uat_content_each(write_piece, &out);
    int closed = uat_sections_close(&out);
    return closed ? closed : rc;
}

void uat_arrays_save_table(struct uat_sections_out *out)
{
    size_t count;
    const struct uat_table_entry *entries = uat_table_entries(&count);
    if (is_open())
        uat_sections_add(out, UAT_SECTION_ARRAYS, (uint64_t)uat_self.size, entries, count * sizeof(*entries));
}

bool uat_arrays_take_table(const struct uat_section *section)
{
    size_t count = section->whole / sizeof(struct uat_table_entry);
    if (files || section->address == 0 || section->address > INT32_MAX ||
        section->whole % sizeof(struct uat_table_entry) != 0)
        return false;
    struct uat_table_entry *entries = calloc(count + 1, sizeof(*entries));
    if (!entries)
        return false;
    memcpy(entries, uat_section_bytes(section), section->bytes);
    files = section->address;
    bool sound = uat_table_restore(entries, count);
    free(entries);
    return sound;
}

static void *near_place(uint64_t at, size_t bytes)
{
    void *p = (void *)(uintptr_t)at;
    return uat_global_near(p, bytes) == bytes ? p : NULL;
}

/* Restore this worker's share of the contents. Workers r, r + files, r + 2 * files and so on read the same file. */
static int restore_own(struct uat_sections_head head)
{
    const uint64_t size = (uint64_t)uat_self.size, own = (uint64_t)uat_self.rank,
                   of = (size - 1 - own % files) / files + 1;
    const struct uat_pieces_to to = {uat_content_has, near_place, uat_content_put, malloc(UAT_PIECE)};
    int rc = to.buffer ? 0 : -ENOMEM;
    if (!to.buffer)
        uat_error("checkpoint: no memory to read the contents of global memory");
    for (head.rank = own % files; head.rank < files && !rc; head.rank += size) {
        int64_t read = uat_pieces_read(&head, own / files, of, &to);
        rc = read < 0 ? (int)read : 0;
    }
    free(to.buffer);
    uat_global_before_stop(); /* waits until all restored bytes are at their homes */
    return rc;
}

int uat_arrays_check(void)
{
    if (files == 0 || uat_table_missing() == 0)
        return 0;
    if (uat_self.rank == 0)
        uat_error("checkpoint: main() has not made %zu calls for global memory that it made before this run in the "
                  "job that was interrupted; it must make the same calls again",
                  uat_table_missing());
    return -EINVAL;
}

int uat_arrays_restore(const struct uat_sections_head *head, int rc)
{
    if (files == 0)
        return rc;
    if (!rc)
        rc = uat_content_clear((int)head->workers);
    int worst = uat_collective_agree(rc); /* no worker may clear what another worker has put back */
    return worst ? rc : restore_own(*head);
}

void uat_arrays_open(void)
{
    uat_table_open();
}

void uat_arrays_close(void)
{
    files = 0;
    uat_table_close();
}

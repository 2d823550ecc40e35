/* SPDX-License-Identifier: MIT */
#include "runtime/checkpoint/checkpoint.h"

#include <errno.h>
#include <stdlib.h>

#include "base/log.h"
#include "include/uat/checkpoint.h"
#include "runtime/job/self.h"
#include "runtime/torture/statics.h"
#include "runtime/task/worker.h"

static struct {
    uat_checkpoint_save_fn *save;
    uat_checkpoint_restore_fn *restore;
} calls[UAT_CHECKPOINT_REGISTER_MAX];
static size_t count;

struct blob {
    struct blob *next;
    int rank;
    size_t call, size;
    _Alignas(16) char bytes[];
};
static struct blob *blobs; /* a list; the blob that was taken last comes first */

int uat_checkpoint_register(uat_checkpoint_save_fn *save, uat_checkpoint_restore_fn *restore)
{
    if (!save || !restore || !uat_self.transport || uat_worker.running) {
        uat_error("uat_checkpoint_register() needs two functions, and is called by main() between uat_init() and "
                  "uat_finalize(), outside of runs");
        return -EINVAL;
    }
    if (count == UAT_CHECKPOINT_REGISTER_MAX) {
        uat_error("uat_checkpoint_register() was called more than %d times", UAT_CHECKPOINT_REGISTER_MAX);
        return -ENOSPC;
    }
    calls[count].save = save;
    calls[count++].restore = restore;
    return 0;
}

void uat_blobs_save(struct uat_sections_out *out, int rank)
{
    if (rank != uat_self.rank) /* a ghost's have been given to this worker's functions */
        return;
    uat_statics_protect(false); /* the program's functions may write to them */
    for (size_t i = 0; i < count; i++) {
        const void *bytes = NULL;
        size_t size = calls[i].save(&bytes);
        if (size > 0)
            uat_sections_add(out, UAT_SECTION_BLOB, i, bytes, size);
    }
    uat_statics_protect(true);
}

bool uat_blobs_take(int rank, const struct uat_section *section)
{
    if (section->address >= count)
        uat_error(
            "checkpoint: rank %d has saved something by uat_checkpoint_register(), which main() has not called again",
            rank);
    struct blob *blob = section->address < count ? malloc(sizeof(*blob) + section->whole) : NULL;
    if (!blob)
        return false;
    *blob = (struct blob){.next = blobs, .rank = rank, .call = section->address, .size = section->whole};
    uat_section_put(section, blob->bytes);
    blobs = blob;
    return true;
}

void uat_blobs_give(void)
{
    uat_statics_protect(false);
    while (blobs) {
        struct blob *blob = blobs;
        calls[blob->call].restore(blob->rank, blob->bytes, blob->size);
        blobs = blob->next;
        free(blob);
    }
    uat_statics_protect(true);
}

bool uat_blobs_any(void)
{
    return count > 0;
}

void uat_blobs_free(void)
{
    for (struct blob *blob = blobs; blob; blob = blobs) {
        blobs = blob->next;
        free(blob);
    }
    count = 0;
}

/* SPDX-License-Identifier: MIT */
/* Global memory's descriptor: see runtime/segment/room.h. */
#include "runtime/segment/room.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/global/content.h"
#include "runtime/global/array.h"
#include "runtime/segment/sections.h"

/* Save the bookkeeping of the part of `rank` for objects. runtime/checkpoint/ saves the contents of global memory,
 * because all workers share this work. */
static void save(struct uat_sections_out *out, int rank)
{
    uint64_t *words;
    size_t bytes = uat_global_is_open() ? uat_objects_save(rank, &words) : 0;
    if (bytes)
        uat_sections_add(out, UAT_SECTION_OBJECTS, (uint64_t)rank, words, bytes);
}

static bool restore(int rank, const struct uat_section *section)
{
    (void)rank;
    if (!uat_global_is_open() || section->address > INT32_MAX)
        return false;
    uint64_t *words = calloc(1, section->whole + 1);
    if (!words)
        return false;
    memcpy(words, uat_section_bytes(section), section->bytes);
    bool sound = uat_objects_restore((int)section->address, words, section->whole);
    free(words);
    return sound;
}

const struct uat_room uat_global_room = {.name = "global",
                                         .reserve = uat_global_reserve,
                                         .open = uat_global_prepare,
                                         .close = uat_global_close,
                                         .reset = uat_global_reset,
                                         .stays = true, /* arrays: their contents are restored */
                                         .count = uat_global_count,
                                         .save = save,
                                         .restore = restore,
                                         .explain = uat_global_explain,
                                         .sections = 1 << UAT_SECTION_OBJECTS};

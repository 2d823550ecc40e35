/* SPDX-License-Identifier: MIT */
#include "launcher/info/info.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/checkpoint/folder.h"
#include "runtime/checkpoint/manifest.h"
#include "runtime/checkpoint/pieces.h"
#include "runtime/segment/sections.h"
#include "runtime/checkpoint/settings.h"

static bool is_any(uint64_t at, uint64_t bytes)
{
    (void)at, (void)bytes;
    return true;
}

static void *no_place(uint64_t at, size_t bytes)
{
    (void)at, (void)bytes;
    return NULL;
}

static void drop(uint64_t at, const void *from, size_t bytes)
{
    (void)at, (void)from, (void)bytes;
}

/* Check the files with the contents of global memory. job: the file that states the number of these files. */
static bool check_memory(struct uat_sections_in *job, int64_t *bytes)
{
    static char buffer[UAT_PIECE];
    const struct uat_pieces_to nowhere = {is_any, no_place, drop, buffer};
    struct uat_sections_head head = job->head;
    const struct uat_section *section;
    uint64_t files = 0;
    bool sound = true;
    while ((section = uat_sections_next(job)))
        files = section->kind == UAT_SECTION_ARRAYS ? section->address : files;
    for (head.rank = 0; head.rank < files && sound; head.rank++) {
        int64_t size = uat_pieces_read(&head, 0, 1, &nowhere);
        sound = size >= 0;
        *bytes += sound ? size : 0;
    }
    return sound;
}

/* Read and check the files of all ranks and the job's common files. Returns whether all files are undamaged. */
static bool check_files(const struct uat_manifest *manifest, int64_t *bytes)
{
    bool sound = true;
    *bytes = 0;
    for (int rank = UAT_MANIFEST_JOB; rank < manifest->workers; rank++) {
        struct uat_sections_in in;
        if (uat_manifest_file(manifest, &in, rank)) {
            sound = false;
            continue;
        }
        *bytes += (int64_t)in.size;
        if (rank == UAT_MANIFEST_JOB)
            sound &= check_memory(&in, bytes);
        uat_sections_free(&in);
    }
    return sound;
}

/* Describe checkpoint `number` in o; "state" is incomplete, damaged or complete. Returns whether the checkpoint is
 * complete. */
static bool add_checkpoint(json_object *o, uint64_t number)
{
    struct uat_manifest manifest;
    int64_t bytes;
    info_add_number(o, "number", (int64_t)number);
    if (!uat_folder_has(number)) {
        info_add_text(o, "state", "incomplete");
        return false;
    }
    if (uat_manifest_read(&manifest, number)) {
        info_add_text(o, "state", "damaged");
        return false;
    }
    bool sound = check_files(&manifest, &bytes);
    info_add_text(o, "state", sound ? "complete" : "damaged");
    info_add_text(o, "time", manifest.time);
    info_add_text(o, "version", manifest.version);
    info_add_number(o, "workers", manifest.workers);
    info_add_number(o, "bytes", bytes);
    info_add_number(o, "runs_over", (int64_t)manifest.run);
    info_add_number(o, "restarts", (int64_t)manifest.restarts);
    info_add_text(o, "command", manifest.command);
    free(manifest.colours);
    return sound;
}

static void print_checkpoint(json_object *o, bool newest)
{
    json_object_iter i;
    json_object_object_foreachC(o, i)
    {
        const char *text = json_object_get_string(i.val);
        if (!strcmp(i.key, "number"))
            printf("checkpoint %s", text);
        else if (!strcmp(i.key, "state"))
            printf(": %s%s\n", text, newest ? ", the newest" : "");
        else
            printf("    %-10s %s\n", i.key, text);
    }
}

int info_checkpoints(const char *folder, bool as_json)
{
    struct uat_checkpoint_settings *settings = &uat_checkpoint_settings;
    json_object *root = json_object_new_object(), *list = json_object_new_array();
    char holder[300];
    uint64_t latest = 0, *numbers;
    bool usable = false;
    if (strlen(folder) >= sizeof(settings->folder)) {
        fprintf(stderr, "uat_info: --checkpoint: the name has more than %zu characters\n",
                sizeof(settings->folder) - 1);
        return 1;
    }
    strcpy(settings->folder, folder);
    if (uat_folder_check() || uat_folder_latest(&latest))
        return 1;
    size_t count = uat_folder_list(&numbers);
    info_add_text(root, "folder", folder);
    if (*uat_folder_holder(holder, sizeof(holder)))
        info_add_text(root, "used_by", holder);
    if (*holder && !as_json)
        printf("used by a job, whose rank 0 is %s\n", holder);
    info_add_number(root, "latest", (int64_t)latest);
    json_object_object_add(root, "checkpoints", list);
    for (size_t i = 0; i < count; i++) {
        json_object *o = json_object_new_object();
        usable |= add_checkpoint(o, numbers[i]) && numbers[i] == latest;
        json_object_array_add(list, o);
        if (!as_json)
            print_checkpoint(o, numbers[i] == latest);
    }
    free(numbers);
    if (as_json)
        puts(json_object_to_json_string_ext(root, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE));
    if (latest == 0)
        fprintf(stderr, "uat_info: %s has no complete checkpoint\n", folder);
    else if (!usable)
        fprintf(stderr, "uat_info: checkpoint %" PRIu64 ", the newest in %s, cannot be used\n", latest, folder);
    json_object_put(root);
    return !usable;
}

/* SPDX-License-Identifier: MIT */
#include "runtime/checkpoint/manifest.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/crc32c.h"
#include "base/log.h"
#include "base/output.h"
#include "include/uat.h"
#include "runtime/checkpoint/folder.h"
#include "runtime/checkpoint/settings.h"
#include "transport/colour.h"

enum { WORKERS_MAX = 1 << 20, SIZE_MAX_READ = 64 << 20 };

void uat_manifest_command(struct uat_manifest *manifest)
{
    FILE *file = fopen("/proc/self/cmdline", "re");
    size_t at = 0;
    bool in_name = true; /* not hashed: another path may name the same program */
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (int c; file && (c = getc(file)) != EOF;) {
        if (!in_name)
            hash = (hash ^ (uint64_t)c) * UINT64_C(0x100000001b3);
        in_name &= c != 0;
        if (at + 1 < sizeof(manifest->command))
            manifest->command[at++] = (char)(c == 0 ? ' ' : c < ' ' || c > '~' ? '?' : c);
    }
    if (file)
        fclose(file);
    while (at > 0 && manifest->command[at - 1] == ' ')
        at--;
    manifest->command[at] = 0;
    manifest->arguments = hash;
}

int uat_manifest_compare_command(const struct uat_manifest *manifest)
{
    struct uat_manifest own;
    uat_manifest_command(&own);
    if (own.arguments == manifest->arguments)
        return 0;
    uat_error("checkpoint: %" PRIu64 " in %s was written by another command line: %s; give the same arguments, or set "
              "UAT_CHECKPOINT to another folder",
              manifest->number, uat_checkpoint_settings.folder, manifest->command);
    return -EINVAL;
}

static char *text_of(const struct uat_manifest *m, size_t *size)
{
    char *text = NULL, when[32] = "";
    FILE *out = open_memstream(&text, size);
    if (!out)
        return NULL;
    time_t now = time(NULL);
    struct tm utc;
    strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    fprintf(out,
            "uat-checkpoint %d\nversion %s\ntime %s\nid %016" PRIx64 "\nnumber %" PRIu64 "\nrun %" PRIu64
            "\nrestarts %" PRIu64 "\narguments %016" PRIx64 "\nworkers %d\nused %" PRIu64 " %" PRIu64 "\ncolours",
            UAT_MANIFEST_FORMAT, UAT_VERSION, when, m->id, m->number, m->run, m->restarts, m->arguments, m->workers,
            m->used.records, m->used.heap);
    for (int i = 0; i < m->workers; i++)
        fprintf(out, " %d", m->colours[i]);
    fprintf(out, "\ncommand %s\n", m->command);
    if (fclose(out)) {
        free(text);
        return NULL;
    }
    return text;
}

int uat_manifest_write(const struct uat_manifest *manifest, const char *name)
{
    struct uat_output output;
    size_t size = 0;
    char *text = text_of(manifest, &size);
    int rc = text ? uat_output_open(&output, name) : -ENOMEM;
    if (!rc) {
        fwrite(text, 1, size, output.file);
        fprintf(output.file, "crc %08x\n", uat_crc32c(0, text, size));
        rc = uat_output_close_synced(&output);
    }
    free(text);
    if (rc)
        uat_error("checkpoint: %s cannot be written: %s", name, uat_output_error(rc));
    return rc;
}

static int refuse(const char *name, const char *why)
{
    uat_error("checkpoint: %s cannot be used: %s", name, why);
    return -EBADMSG;
}

/* Returns the text of the file without its CRC line, terminated by 0. If the file is damaged or not readable, sets
 * *error and returns NULL. */
static char *read_text(const char *name, int *error)
{
    int fd = open(name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    struct stat st;
    if (fd < 0 || fstat(fd, &st)) {
        *error = -errno;
        uat_error("checkpoint: %s cannot be read: %s", name, strerror(errno));
        if (fd >= 0)
            close(fd);
        return NULL;
    }
    char *text = NULL;
    ssize_t n = -1;
    if (!S_ISREG(st.st_mode) || st.st_uid != geteuid() || st.st_size > SIZE_MAX_READ)
        *error = refuse(name, "it is no regular file of this user");
    else if ((text = calloc(1, (size_t)st.st_size + 1)))
        n = read(fd, text, (size_t)st.st_size);
    close(fd);
    unsigned crc;
    char *last = n > 0 ? strstr(text, "\ncrc ") : NULL;
    if (last && sscanf(last, "\ncrc %8x\n", &crc) == 1 && strlen(last) == strlen("\ncrc 01234567\n") &&
        uat_crc32c(0, text, (size_t)(last + 1 - text)) == crc) {
        last[1] = 0;
        return text;
    }
    if (!*error)
        *error = refuse(name, "it is damaged or was cut");
    free(text);
    return NULL;
}

static bool parse_colours(struct uat_manifest *m, const char *text)
{
    m->colours = calloc((size_t)m->workers, 1);
    for (int i = 0; m->colours && i < m->workers; i++) {
        char *end;
        unsigned long colour = strtoul(text, &end, 10);
        if (end == text || colour >= UAT_COLOURS)
            return false;
        m->colours[i] = (uint8_t)colour;
        text = end;
    }
    return m->colours && *text == '\n';
}

int uat_manifest_read(struct uat_manifest *m, uint64_t number)
{
    char name[UAT_SECTIONS_NAME];
    int error = 0, format = 0, at = 0;
    *m = (struct uat_manifest){.colours = NULL};
    char *text = read_text(uat_folder_name(name, sizeof(name), number, "manifest"), &error);
    if (!text)
        return error;
    int found = sscanf(text,
                       "uat-checkpoint %d version %31s time %31s id %" SCNx64 " number %" SCNu64 " run %" SCNu64
                       " restarts %" SCNu64 " arguments %" SCNx64 " workers %d used %" SCNu64 " %" SCNu64 " colours%n",
                       &format, m->version, m->time, &m->id, &m->number, &m->run, &m->restarts, &m->arguments,
                       &m->workers, &m->used.records, &m->used.heap, &at);
    const char *command = strstr(text, "\ncommand ");
    if (found >= 1 && format != UAT_MANIFEST_FORMAT)
        error = refuse(name, "its format is that of another version of uat");
    else if (found != 11 || at == 0 || !command || m->workers < 1 || m->workers > WORKERS_MAX ||
             !parse_colours(m, text + at))
        error = refuse(name, "a line is missing or damaged");
    else
        snprintf(m->command, sizeof(m->command), "%.*s", (int)strcspn(command + 9, "\n"), command + 9);
    free(text);
    if (!error && m->number != number) {
        uat_error("checkpoint: %s is that of checkpoint %" PRIu64, name, m->number);
        error = -EBADMSG;
    }
    if (error) {
        free(m->colours);
        m->colours = NULL;
    }
    return error;
}

int uat_manifest_file(const struct uat_manifest *m, struct uat_sections_in *in, int rank)
{
    char name[UAT_SECTIONS_NAME], file[32] = "job";
    if (rank >= 0)
        snprintf(file, sizeof(file), "rank-%d", rank);
    int rc = uat_sections_read(in, uat_folder_name(name, sizeof(name), m->number, file));
    if (rc)
        return rc;
    if (in->head.id == m->id && in->head.number == m->number && in->head.workers == (uint64_t)m->workers &&
        in->head.rank == (rank >= 0 ? (uint64_t)rank : 0))
        return 0;
    rc = uat_sections_refuse(in, "it belongs to another checkpoint, or to another rank");
    uat_sections_free(in);
    return rc;
}

/* SPDX-License-Identifier: MIT */
#include "runtime/segment/sections.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/crc32c.h"
#include "base/log.h"

static size_t padded(size_t bytes)
{
    return (bytes + 7) & ~(size_t)7;
}

uint32_t uat_section_crc(const struct uat_section *section, const void *bytes)
{
    struct uat_section words = *section;
    words.crc = 0;
    return uat_crc32c(uat_crc32c(0, &words, sizeof(words)), bytes, section->bytes);
}

static int report(const char *name, const char *what, int rc)
{
    if (rc)
        uat_error("checkpoint: %s cannot be %s: %s", name, what, uat_output_error(rc));
    return rc;
}

int uat_sections_create(struct uat_sections_out *out, const char *name, const struct uat_sections_head *head)
{
    out->sections = 0;
    int rc = report(name, "created", uat_output_open(&out->output, name));
    if (!rc)
        uat_sections_add(out, UAT_SECTION_HEAD, 0, head, sizeof(*head));
    return rc;
}

/* The size without the zeroes at the end. */
static size_t without_zeroes(const void *bytes, size_t size)
{
    const char *p = bytes;
    while (size > 0 && p[size - 1] == 0)
        size--;
    return size;
}

void uat_sections_add(struct uat_sections_out *out, enum uat_section_kind kind, uint64_t address, const void *bytes,
                      size_t size)
{
    static const char zeroes[8];
    struct uat_section section = {.kind = kind, .address = address, .whole = size};
    section.bytes = without_zeroes(bytes, size);
    section.crc = uat_section_crc(&section, bytes);
    fwrite(&section, sizeof(section), 1, out->output.file);
    fwrite(bytes, 1, section.bytes, out->output.file);
    fwrite(zeroes, 1, padded(section.bytes) - section.bytes, out->output.file);
    out->sections++;
}

int uat_sections_close(struct uat_sections_out *out)
{
    char name[UAT_OUTPUT_NAME];
    snprintf(name, sizeof(name), "%s", out->output.name);
    uat_sections_add(out, UAT_SECTION_END, out->sections, "", 0);
    return report(name, "written", uat_output_close_synced(&out->output));
}

int uat_sections_refuse(const struct uat_sections_in *in, const char *why)
{
    uat_error("checkpoint: %s cannot be used: %s", in->name, why);
    return -EBADMSG;
}

int uat_sections_unread(const struct uat_sections_in *in, int rc)
{
    uat_error("checkpoint: %s cannot be read: %s", in->name, strerror(-rc));
    return rc;
}

int uat_sections_open(struct uat_sections_in *in, const char *name)
{
    struct stat st;
    *in = (struct uat_sections_in){.data = NULL};
    snprintf(in->name, sizeof(in->name), "%s", name);
    int fd = open(name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK), rc = 0;
    if (fd < 0 || fstat(fd, &st))
        rc = uat_sections_unread(in, -errno);
    else if (!S_ISREG(st.st_mode))
        rc = uat_sections_refuse(in, "it is no regular file");
    else if (st.st_uid != geteuid())
        rc = uat_sections_refuse(in, "it belongs to another user");
    else
        in->size = (size_t)st.st_size;
    if (rc && fd >= 0)
        close(fd);
    return rc ? rc : fd;
}

static int read_all(struct uat_sections_in *in, int fd)
{
    size_t at = 0;
    in->data = malloc(in->size + 1);
    if (!in->data)
        return uat_sections_unread(in, -ENOMEM);
    while (at < in->size) {
        ssize_t n = read(fd, in->data + at, in->size - at);
        if (n < 0 && errno != EINTR)
            return uat_sections_unread(in, -errno);
        if (n == 0)
            break;
        at += n > 0 ? (size_t)n : 0;
    }
    in->size = at;
    return 0;
}

/* The section at `at`, if it is whole and its CRC is right; else NULL. */
static const struct uat_section *section_at(const struct uat_sections_in *in, size_t at)
{
    const struct uat_section *s = (const struct uat_section *)(void *)(in->data + at);
    if (in->size - at < sizeof(*s))
        return NULL;
    size_t room = in->size - at - sizeof(*s);
    if (s->bytes > room || padded(s->bytes) > room || s->bytes > s->whole)
        return NULL;
    return uat_section_crc(s, uat_section_bytes(s)) == s->crc ? s : NULL;
}

/* Check all sections, and set in->head. */
static int check_all(struct uat_sections_in *in)
{
    const struct uat_section *s = section_at(in, 0);
    if (!s || s->kind != UAT_SECTION_HEAD || s->whole != sizeof(in->head))
        return uat_sections_refuse(in, in->size == 0 ? "it is empty" : "its head is damaged");
    memcpy(&in->head, uat_section_bytes(s), s->bytes);
    if (in->head.magic != UAT_SECTIONS_MAGIC)
        return uat_sections_refuse(in, "it has another format");
    for (uint64_t count = 0;; count++) {
        if (in->at == in->size)
            return uat_sections_refuse(in, "its end is missing; it was cut, or never completed");
        s = section_at(in, in->at);
        if (!s)
            return uat_sections_refuse(in, "it is damaged or was cut");
        in->at += uat_section_size(s);
        if (s->kind != UAT_SECTION_END)
            continue;
        return s->address == count && in->at == in->size ? 0 : uat_sections_refuse(in, "its end is damaged");
    }
}

int uat_sections_read(struct uat_sections_in *in, const char *name)
{
    int fd = uat_sections_open(in, name);
    if (fd < 0)
        return fd;
    int rc = read_all(in, fd);
    close(fd);
    if (!rc)
        rc = check_all(in);
    if (rc) {
        uat_sections_free(in);
        return rc;
    }
    in->at = 0;
    uat_sections_next(in);
    return 0;
}

void uat_sections_free(struct uat_sections_in *in)
{
    free(in->data);
    in->data = NULL;
}

const struct uat_section *uat_sections_next(struct uat_sections_in *in)
{
    const struct uat_section *s = (const struct uat_section *)(void *)(in->data + in->at);
    if (s->kind == UAT_SECTION_END)
        return NULL;
    in->at += uat_section_size(s);
    return s;
}

void uat_section_put(const struct uat_section *section, char *to)
{
    memcpy(to, uat_section_bytes(section), section->bytes);
    memset(to + section->bytes, 0, section->whole - section->bytes);
}

/* SPDX-License-Identifier: MIT */
#include "runtime/checkpoint/pieces.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "runtime/checkpoint/folder.h"

struct reader {
    struct uat_sections_in in;
    int fd;
    uint64_t at;
    const struct uat_pieces_to *to;
};

const char *uat_pieces_name(char *name, size_t size, uint64_t number, uint64_t rank)
{
    char file[32];
    snprintf(file, sizeof(file), "memory-%" PRIu64, rank);
    return uat_folder_name(name, size, number, file);
}

static int read_at(const struct reader *r, void *to, size_t bytes, uint64_t at)
{
    for (size_t done = 0; done < bytes;) {
        ssize_t n = pread(r->fd, (char *)to + done, bytes - done, (off_t)(at + done));
        if (n < 0 && errno != EINTR)
            return uat_sections_unread(&r->in, -errno);
        if (n == 0)
            return uat_sections_refuse(&r->in, "it was cut");
        done += n > 0 ? (size_t)n : 0;
    }
    return 0;
}

/* Read the next section's words. */
static int read_words(struct reader *r, struct uat_section *s)
{
    if (r->at == r->in.size)
        return uat_sections_refuse(&r->in, "its end is missing; it was cut, or never completed");
    if (r->in.size - r->at < sizeof(*s))
        return uat_sections_refuse(&r->in, "it was cut");
    int rc = read_at(r, s, sizeof(*s), r->at);
    if (!rc && (s->bytes > s->whole || s->whole > UAT_PIECE || uat_section_size(s) > r->in.size - r->at))
        rc = uat_sections_refuse(&r->in, "it is damaged or was cut");
    return rc;
}

/* Read a section's bytes to `to`. */
static int read_bytes(const struct reader *r, const struct uat_section *s, void *to)
{
    int rc = read_at(r, to, s->bytes, r->at + sizeof(*s));
    return rc || uat_section_crc(s, to) == s->crc ? rc : uat_sections_refuse(&r->in, "it is damaged");
}

static int take_piece(struct reader *r, const struct uat_section *s)
{
    if (!r->to->has(s->address, s->whole))
        return uat_sections_refuse(&r->in, "it names an address or a size that this job does not have");
    void *place = r->to->near(s->address, s->bytes);
    int rc = read_bytes(r, s, place ? place : r->to->buffer);
    if (!rc && !place)
        r->to->put(s->address, r->to->buffer, s->bytes);
    return rc;
}

static int check_head(struct reader *r, const struct uat_sections_head *expected)
{
    struct uat_section s;
    struct uat_sections_head head = {0};
    int rc = read_words(r, &s);
    if (!rc && (s.kind != UAT_SECTION_HEAD || s.whole != sizeof(head)))
        rc = uat_sections_refuse(&r->in, "its head is damaged");
    if (!rc)
        rc = read_bytes(r, &s, r->to->buffer);
    if (rc)
        return rc;
    memcpy(&head, r->to->buffer, s.bytes);
    r->at += uat_section_size(&s);
    if (memcmp(&head, expected, sizeof(head)) != 0)
        rc = uat_sections_refuse(&r->in, "it belongs to another checkpoint, or to another rank");
    return rc;
}

/* Take the pieces whose numbers modulo `of` are `own`. Check only the words of the other pieces. */
static int take_pieces(struct reader *r, uint64_t own, uint64_t of)
{
    for (uint64_t count = 1;; count++) {
        struct uat_section s;
        int rc = read_words(r, &s);
        if (!rc && s.kind == UAT_SECTION_END) {
            if (s.address != count || uat_section_crc(&s, "") != s.crc || r->at + sizeof(s) != r->in.size)
                rc = uat_sections_refuse(&r->in, "its end is damaged");
            return rc;
        }
        if (!rc && s.kind != UAT_SECTION_PIECE)
            rc = uat_sections_refuse(&r->in, "a section is unknown or damaged");
        if (!rc && count % of == own)
            rc = take_piece(r, &s);
        if (rc)
            return rc;
        r->at += uat_section_size(&s);
    }
}

int64_t uat_pieces_read(const struct uat_sections_head *head, uint64_t own, uint64_t of, const struct uat_pieces_to *to)
{
    char name[UAT_SECTIONS_NAME];
    struct reader r = {.to = to};
    r.fd = uat_sections_open(&r.in, uat_pieces_name(name, sizeof(name), head->number, head->rank));
    if (r.fd < 0)
        return r.fd;
    posix_fadvise(r.fd, 0, 0, POSIX_FADV_SEQUENTIAL);
    int rc = check_head(&r, head);
    if (!rc)
        rc = take_pieces(&r, own, of);
    close(r.fd);
    return rc ? rc : (int64_t)r.in.size;
}

/* SPDX-License-Identifier: MIT */
/*
 * A file of a checkpoint: a sequence of sections. The first one is the head, the last one is the end. Each section has
 * a CRC over its words and its bytes. The end counts the sections, so that a truncated file is detected. All words are
 * little-endian, as in the processors.
 */
#ifndef UAT_SECTIONS_H
#define UAT_SECTIONS_H

#include <stddef.h>
#include <stdint.h>

#include "base/output.h"

#define UAT_SECTIONS_MAGIC UINT64_C(0x31746e6f6b746175) /* "uatkont1" */

enum uat_section_kind {
    UAT_SECTION_HEAD,     /* struct uat_sections_head */
    UAT_SECTION_IDENTITY, /* rank 0's struct uat_identity */
    UAT_SECTION_RUN,      /* a run that is over: struct uat_run_record, and its result */
    UAT_SECTION_CHAIN,    /* entries of the chain; address: handle of the child that the chain's task waits for in
                           * place */
    UAT_SECTION_STACK,    /* the bytes from sp to the base of the oldest entry */
    UAT_SECTION_RECORD,   /* a join record */
    UAT_SECTION_BLOCK,    /* a block of the evacuation heap */
    UAT_SECTION_COUNTS,   /* the number of tasks, and uat_stats_detail_t */
    UAT_SECTION_ARRAYS,   /* the table of arrays; address: the number of files with their contents */
    UAT_SECTION_PIECE,    /* a piece of global memory */
    UAT_SECTION_OBJECTS,  /* the bookkeeping of a part for objects; address: the part's number */
    UAT_SECTION_WAITS,    /* number of waiting tasks of each kind; the job's number is the sum over all files */
    UAT_SECTION_READY,    /* struct uat_ready_task[]: ready tasks; address 1: only this rank may resume them */
    UAT_SECTION_SLEEP,    /* struct uat_sleeper[]: sleeping tasks, and the time that each has left */
    UAT_SECTION_FLOW,     /* names of ready entries of flows */
    UAT_SECTION_BLOB,     /* what the functions of uat_checkpoint_register() saved; address: number of the call */
    UAT_SECTION_END       /* the number of sections before this one */
};

/* The words in front of a section's bytes. The bytes are padded to a multiple of 8. */
struct uat_section {
    uint32_t kind, crc; /* crc: over these words, with 0 in place of crc, and over the bytes */
    uint64_t address;   /* where the bytes belong, or a number */
    uint64_t bytes;
    uint64_t whole; /* size of the object at `address`: the section's bytes, then zeroes */
};

struct uat_sections_head {
    uint64_t magic;
    uint64_t id;     /* random; the same in all files of a checkpoint */
    uint64_t number; /* of the checkpoint */
    uint64_t rank, workers;
};

enum { UAT_SECTIONS_NAME = 640 /* bytes of a file's name */ };

/* A file that is being written. */
struct uat_sections_out {
    struct uat_output output;
    uint64_t sections;
};

/* Begin the file. Unless a comment says otherwise, the functions of this header that return an int return 0, or a
 * negative errno that has been reported with the file's name. */
int uat_sections_create(struct uat_sections_out *out, const char *name, const struct uat_sections_head *head);

/* Append a section. Zeroes at its end are left out. uat_sections_close() reports errors. */
void uat_sections_add(struct uat_sections_out *out, enum uat_section_kind kind, uint64_t address, const void *bytes,
                      size_t size);

/* Append the end section, and bring the file to the disk. */
int uat_sections_close(struct uat_sections_out *out);

/* A file that was read. */
struct uat_sections_in {
    char *data;
    size_t size, at;
    struct uat_sections_head head;
    char name[UAT_SECTIONS_NAME];
};

/* Open a file for reading, and set name and size. The file must be a regular file of this user, and no link. Returns a
 * descriptor or a negative errno that has been reported. */
int uat_sections_open(struct uat_sections_in *in, const char *name);

/* Read a whole file and check every section. */
int uat_sections_read(struct uat_sections_in *in, const char *name);
void uat_sections_free(struct uat_sections_in *in);

/* Returns the next section, or NULL at the end. The first call returns the section after the head. */
const struct uat_section *uat_sections_next(struct uat_sections_in *in);
static inline const void *uat_section_bytes(const struct uat_section *section)
{
    return section + 1;
}

/* The CRC that the section must have if these are its bytes. */
uint32_t uat_section_crc(const struct uat_section *section, const void *bytes);

/* The size of a section in the file, padding included. */
static inline uint64_t uat_section_size(const struct uat_section *section)
{
    return sizeof(*section) + ((section->bytes + 7) & ~UINT64_C(7));
}

/* Report that the file cannot be read. Returns rc, a negative errno. */
int uat_sections_unread(const struct uat_sections_in *in, int rc);

/* Copy the section's bytes to `to`, and zeroes after them. */
void uat_section_put(const struct uat_section *section, char *to);

/* Report that the file cannot be used, and why. Returns -EBADMSG. */
int uat_sections_refuse(const struct uat_sections_in *in, const char *why);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Properties that must be equal in all workers, because stacks move between them. Each worker takes a record of them
 * and compares it with the record that rank 0 publishes. The other ranks publish only the head of their records.
 */
#ifndef UAT_IDENTITY_H
#define UAT_IDENTITY_H

#include <stddef.h>
#include <stdint.h>

#include "base/settings.h"
#include "runtime/job/binding.h"

enum { UAT_OBJECTS_MAX = 96 };

/* One loaded object: program or shared library. */
struct uat_loaded_object {
    uint64_t name;  /* hash of its file name, without the folder */
    uint64_t build; /* hash of its build id, or of its program headers if it has none */
    uint64_t address;
};

struct uat_identity {
    uint64_t magic;    /* layout of this record */
    char transport[8]; /* name of the chosen transport */
    char host[64];
    uint64_t pid_space;         /* the PID namespace of pid; 0: unknown */
    int32_t pid;                /* not compared; a neighbour watches whether this process has been stopped */
    int32_t colour;             /* not compared; shifts the words that adapters change, see transport/colour.h */
    struct uat_binding binding; /* not compared; the workers of a machine learn from it whether they share cores */
    /* Rank 0 alone publishes what follows, because libpmix keeps a copy of each record in each worker. */
    char cpu[16];                             /* UAT_CPU_NAME */
    uint64_t abi;                             /* hash of the offsets and sizes of what moves with a stack */
    uint64_t layout;                          /* hash of the segment's layout: uat_segment.layout */
    uint64_t setting[UAT_SETTINGS_EQUAL_MAX]; /* the settings marked UAT_EQUAL, in the order of the tables */
    uint64_t thread_pointer;                  /* where thread-local variables are */
    uint64_t canary;                          /* all workers use rank 0's canary, where canaries may change */
    uint64_t checkpoint;                      /* id of the checkpoint that the job continues from; 0: none */
    uint32_t aslr_off, objects;
    struct uat_loaded_object object[UAT_OBJECTS_MAX];
};
/* The bytes that every worker publishes, and the bytes that rank 0 publishes in addition to its objects. */
enum {
    UAT_IDENTITY_HEAD = offsetof(struct uat_identity, cpu),
    UAT_IDENTITY_OF_0 = offsetof(struct uat_identity, object)
};

/* Bytes of the record that this rank publishes. */
size_t uat_identity_published(const struct uat_identity *identity, int rank);

/* Fill in this worker's record, after uat_segment_lay_out(). Transport, host and binding are not known yet and stay
 * empty. The record names the objects that are loaded now, so call this function at program start, before plugins are
 * loaded. */
void uat_identity_take(struct uat_identity *identity, const struct uat_settings *settings);

/* List the libraries that this worker has loaded since it took its record, with their addresses: "a.so at 0x1000, b.so
 * at 0x2000". The list ends with the last one that fits into size bytes. A signal handler may call this, because the
 * loader's lock is recursive. */
void uat_identity_later(char *text, size_t size);

/* Compare our record with rank 0's, which is size bytes at data. Returns 0. If the records differ, prints one line that
 * names the difference and what to do, and returns -EINVAL. whose: the owner of the record, for the line; NULL: rank 0
 * on its host. */
int uat_identity_compare(const struct uat_identity *own, const void *data, size_t size,
                         const struct uat_settings *settings, const char *whose);

#endif

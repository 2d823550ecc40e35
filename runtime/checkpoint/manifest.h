/* SPDX-License-Identifier: MIT */
/* The manifest of a checkpoint: a text with one fact per line. Its last line is its CRC. */
#ifndef UAT_MANIFEST_H
#define UAT_MANIFEST_H

#include <stdint.h>

#include "runtime/segment/sections.h"
#include "runtime/segment/ghost.h"

enum { UAT_MANIFEST_FORMAT = 1, UAT_MANIFEST_COMMAND = 400 /* bytes of the command line that are kept as text */ };

struct uat_manifest {
    uint64_t id;        /* as in struct uat_sections_head */
    uint64_t number;    /* number of the checkpoint */
    uint64_t run;       /* number of runs that were over when the interrupted run began */
    uint64_t restarts;  /* the number of times that the job had been restarted */
    uint64_t arguments; /* hash of the arguments of the command line */
    int workers;
    struct uat_used used; /* the most that any rank uses */
    uint8_t *colours;     /* colour of each worker: how far its words that adapters change are shifted */
    char command[UAT_MANIFEST_COMMAND];
    char time[32], version[32]; /* time of writing in UTC, version of uat; set by uat_manifest_read() */
};

/* Set arguments and command from this process's command line. The hash leaves out the program's name. */
void uat_manifest_command(struct uat_manifest *manifest);

/* Compare the command line in a manifest with this process's. Returns 0, or -EINVAL after reporting the difference. */
int uat_manifest_compare_command(const struct uat_manifest *manifest);

/* Write the manifest to the file, and the file to the disk. Returns 0, or a negative errno that has been reported. */
int uat_manifest_write(const struct uat_manifest *manifest, const char *name);

/* Read the manifest of checkpoint `number`. The caller frees colours. Returns 0, or a negative errno that has been
 * reported. */
int uat_manifest_read(struct uat_manifest *manifest, uint64_t number);

/* Read and check the file of a rank of this checkpoint. If rank is UAT_MANIFEST_JOB, the file is `job`. The caller
 * frees *in. Returns 0, or a negative errno that has been reported. */
enum { UAT_MANIFEST_JOB = -1 };
int uat_manifest_file(const struct uat_manifest *manifest, struct uat_sections_in *in, int rank);

#endif

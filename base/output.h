/* SPDX-License-Identifier: MIT */
/*
 * Output to a file that the user has named. The file is written completely or not at all. Library and launcher write
 * all such files by these functions. The output goes to a temporary file in the same folder. Its name cannot be
 * guessed. When the output is complete, the temporary file is renamed and replaces any existing file. Devices and pipes
 * are written in place.
 *
 * The last part of the name must not be a symbolic link, and an existing file must belong to this user. Otherwise
 * another user with write access to the folder could redirect the output, by putting a link or a file there first.
 */
#ifndef UAT_OUTPUT_H
#define UAT_OUTPUT_H

#include <stdio.h>

enum { UAT_OUTPUT_NAME = 4096 /* bytes of a name, including its terminating 0 */ };

struct uat_output {
    FILE *file; /* the stream to write to; NULL: not open */
    char name[UAT_OUTPUT_NAME];
    char part[UAT_OUTPUT_NAME + 32]; /* name of the temporary file; empty for a device or a pipe */
};

/* Would uat_output_open() succeed now? Creates no file. Returns 0 or a negative errno: -ELOOP for a link, -EPERM for
 * another user's file, -EISDIR, -EINVAL for a socket or a disk. */
int uat_output_check(const char *name);

/* Open the file for writing. Returns 0 or a negative errno, as above, or -ENXIO if no process reads the pipe. */
int uat_output_open(struct uat_output *output, const char *name);

/* Sync the output to the disk, then call uat_output_close(). After an error, an existing file with this name is
 * unchanged. */
int uat_output_close_synced(struct uat_output *output);

/* Close the file and give it its name. Returns 0 or the negative errno of the first failed write. After an error, an
 * existing file with this name is unchanged. */
int uat_output_close(struct uat_output *output);

/* Discard the output. An existing file with this name is unchanged. May be called at any time after
 * uat_output_open(). */
void uat_output_discard(struct uat_output *output);

/* Open the file in place, and create it if it is missing. Lock the file against other processes until it is closed. The
 * lock is a record lock: a forked child does not inherit it, and network file systems support it. Returns the
 * descriptor or a negative errno: -EBUSY if another process has the lock, or an error of uat_output_open(). */
int uat_output_lock(const char *name);

/* Describes an error of these functions by a phrase for messages. */
const char *uat_output_error(int error);

#endif

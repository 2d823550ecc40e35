/* SPDX-License-Identifier: MIT */
/*
 * A file that a user names and that is written whole or not at all. Library and launcher write all such files through
 * these functions. The file is written in its own folder under a temporary name that cannot be guessed, and renamed
 * when complete. An existing file stays until then. Devices and pipes are written in place.
 *
 * The last part of the name must not be a link, and an existing file must belong to this user. Otherwise, in a folder
 * that others may write to, they could redirect the output by a link or a file of theirs.
 */
#ifndef UAT_OUTPUT_H
#define UAT_OUTPUT_H

#include <stdio.h>

enum { UAT_OUTPUT_NAME = 4096 /* bytes of a name, with its terminating 0 */ };

struct uat_output {
    FILE *file; /* write to this; NULL: not open */
    char name[UAT_OUTPUT_NAME];
    char part[UAT_OUTPUT_NAME + 32]; /* the temporary name, renamed at the end; empty for a device or a pipe */
};

/* Check whether uat_output_open() would succeed now, without creating anything. Returns 0 or a negative errno: -ELOOP
 * for a link, -EPERM for another user's file, -EISDIR, -EINVAL for a socket or a disk. */
int uat_output_check(const char *name);

/* Open the file for writing. Returns 0 or a negative errno, as above, or -ENXIO if no process reads the pipe. */
int uat_output_open(struct uat_output *output, const char *name);

/* Sync what was written so far to the disk. Returns 0 or a negative errno. */
int uat_output_sync(struct uat_output *output);

/* uat_output_sync(), then uat_output_close(). After an error nothing has changed. */
int uat_output_close_synced(struct uat_output *output);

/* Close the file. Returns 0 if the file is in place. Otherwise nothing has changed, and the result is the negative
 * errno of the first write that failed. */
int uat_output_close(struct uat_output *output);

/* Give up the file: nothing has changed. May be called at any time after uat_output_open(). */
void uat_output_discard(struct uat_output *output);

/* Open the file in place, creating it if it is missing, and lock it against other processes until it is closed: a
 * record lock, which a forked child does not have, and which network file systems have, too. Returns the descriptor or
 * a negative errno: -EBUSY if another process has the lock; of files that cannot be opened, as above. */
int uat_output_lock(const char *name);

/* A phrase for a message that says what such an error means. */
const char *uat_output_error(int error);

#endif

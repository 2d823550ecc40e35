/* SPDX-License-Identifier: MIT */
/*
 * A file that a user names and that is written whole or not at all: all that library and launcher write goes through
 * here. It is written under a name beside its own that cannot be guessed, and renamed when it is complete; an existing
 * file stays until then. Devices and pipes are written as they are.
 *
 * The last part of the name is never a link, and what is there already belongs to this user: in a folder that others
 * may write to, a link or a file of theirs in its place would lead the words elsewhere.
 */
#ifndef UAT_OUTPUT_H
#define UAT_OUTPUT_H

#include <stdio.h>

enum { UAT_OUTPUT_NAME = 4096 /* bytes of a name, its end included */ };

struct uat_output {
    FILE *file; /* to be written to; NULL: there is none */
    char name[UAT_OUTPUT_NAME];
    char part[UAT_OUTPUT_NAME + 32]; /* what is renamed in the end; empty for a device or a pipe */
};

/* Whether uat_output_open() would succeed now. Makes nothing. 0 or a negative errno: -ELOOP a link, -EPERM of another
 * user, -EISDIR, -EINVAL a socket or a disk. */
int uat_output_check(const char *name);

/* Begin. 0 or a negative errno, as above, or -ENXIO: nobody reads the pipe. */
int uat_output_open(struct uat_output *output, const char *name);

/* End: 0, and the file is there; or the negative errno of the first write that failed, and nothing has changed. */
int uat_output_close(struct uat_output *output);

/* Give up: nothing has changed. May be called at any time after uat_output_open(). */
void uat_output_discard(struct uat_output *output);

/* What such an error means, for a message. */
const char *uat_output_error(int error);

#endif

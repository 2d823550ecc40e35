/* SPDX-License-Identifier: MIT */
#include "launcher/launcher.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPEN_FOLDERS = 8 }; /* descriptors that nftw() may use */

static char folder[] = "/dev/shm/uatrun.XXXXXX";
static bool made;

const char *uat_scratch_make(void)
{
    if (!mkdtemp(folder)) { /* its mode is 0700 */
        uat_say("--resizable: cannot make a folder in /dev/shm: %s (UAT_CHECKPOINT=FOLDER names another place)",
                strerror(errno));
        return NULL;
    }
    made = true;
    return folder;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *position)
{
    (void)st;
    (void)type;
    (void)position;
    return remove(path);
}

bool uat_scratch_remove(void)
{
    bool was_made = made;
    if (made && nftw(folder, remove_one, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS | FTW_MOUNT) && errno != ENOENT)
        uat_say("cannot remove %s: %s", folder, strerror(errno));
    made = false;
    return was_made;
}

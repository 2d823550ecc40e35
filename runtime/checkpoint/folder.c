/* SPDX-License-Identifier: MIT */
#include "runtime/checkpoint/folder.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/output.h"
#include "runtime/segment/sections.h"
#include "runtime/checkpoint/settings.h"

#define LATEST "latest"

static int lock_fd = -1; /* descriptor of FOLDER/lock while this process has the lock; otherwise -1 */

static int report(const char *name, const char *what)
{
    int error = errno;
    uat_error("checkpoint: %s cannot be %s: %s", name, what, strerror(error));
    return -error;
}

const char *uat_folder_name(char *name, size_t size, uint64_t number, const char *file)
{
    const char *folder = uat_checkpoint_settings.folder, *slash = file ? "/" : "";
    file = file ? file : "";
    if (number == 0)
        snprintf(name, size, "%s%s%s", folder, slash, file);
    else
        snprintf(name, size, "%s/%" PRIu64 "%s%s", folder, number, slash, file);
    return name;
}

int uat_folder_check(void)
{
    const char *folder = uat_checkpoint_settings.folder;
    struct stat st;
    if (lstat(folder, &st))
        return report(folder, "read");
    if (!S_ISDIR(st.st_mode) || st.st_uid != geteuid()) {
        uat_error("checkpoint: %s must be a folder of this user, and no link", folder);
        return -EPERM;
    }
    return 0;
}

int uat_folder_open(void)
{
    const char *folder = uat_checkpoint_settings.folder;
    if (mkdir(folder, 0700) && errno != EEXIST)
        return report(folder, "created");
    return uat_folder_check();
}

const char *uat_folder_holder(char *text, size_t size)
{
    struct flock lock = {.l_type = F_WRLCK};
    char name[UAT_SECTIONS_NAME];
    int fd = open(uat_folder_name(name, sizeof(name), 0, "lock"), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    bool held = fd >= 0 && fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
    ssize_t n = held ? read(fd, text, size - 1) : 0;
    text[n > 0 ? n : 0] = 0;
    text[strcspn(text, "\n")] = 0;
    if (held && !*text)
        snprintf(text, size, "process %d", (int)lock.l_pid);
    if (fd >= 0)
        close(fd);
    return text;
}

/* Write to the lock file which process holds the lock. Messages of other jobs name this process. */
static void sign_lock(void)
{
    char host[256] = "", text[300];
    gethostname(host, sizeof(host) - 1);
    int n = snprintf(text, sizeof(text), "process %d on %s\n", (int)getpid(), host);
    if (ftruncate(lock_fd, 0) || write(lock_fd, text, (size_t)n) != n)
        uat_info("checkpoint: the lock of %s names no job: %s", uat_checkpoint_settings.folder, strerror(errno));
}

int uat_folder_lock(void)
{
    const char *folder = uat_checkpoint_settings.folder;
    char name[UAT_SECTIONS_NAME], holder[300];
    lock_fd = uat_output_lock(uat_folder_name(name, sizeof(name), 0, "lock"));
    if (lock_fd >= 0) {
        sign_lock();
        return 0;
    }
    if (lock_fd != -EBUSY) {
        uat_warn("checkpoint: %s cannot be locked: %s; no other job may use it meanwhile", name,
                 uat_output_error(lock_fd));
        return 0;
    }
    uat_error("checkpoint: %s is used by another job, whose rank 0 is %s; each job needs a folder of its own", folder,
              uat_folder_holder(holder, sizeof(holder)));
    return -EBUSY;
}

void uat_folder_unlock(void)
{
    if (lock_fd >= 0)
        close(lock_fd);
    lock_fd = -1;
}

int uat_folder_latest(uint64_t *number)
{
    char name[UAT_SECTIONS_NAME], text[32] = "";
    *number = 0;
    uat_folder_name(name, sizeof(name), 0, LATEST);
    int fd = open(name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT ? 0 : report(name, "opened");
    struct stat st;
    bool ours = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid();
    ssize_t n = ours ? read(fd, text, sizeof(text) - 1) : 0;
    close(fd);
    char *end = text;
    *number = n > 0 ? strtoull(text, &end, 10) : 0;
    if (*number > 0 && *number <= UINT32_MAX && strcmp(end, "\n") == 0)
        return 0;
    uat_error("checkpoint: %s is damaged; write the number of a checkpoint into it, or set UAT_CHECKPOINT=...,number=",
              name);
    return -EBADMSG;
}

int uat_folder_has(uint64_t number)
{
    char name[UAT_SECTIONS_NAME];
    return access(uat_folder_name(name, sizeof(name), number, "manifest"), R_OK) == 0;
}

size_t uat_folder_list(uint64_t **numbers)
{
    size_t count = 0, room = 0;
    DIR *folder = opendir(uat_checkpoint_settings.folder);
    *numbers = NULL;
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        char *end;
        uint64_t number = isdigit((unsigned char)entry->d_name[0]) ? strtoull(entry->d_name, &end, 10) : 0;
        if (number == 0 || number > UINT32_MAX || *end)
            continue;
        if (count == room) {
            uint64_t *larger = realloc(*numbers, (room = 2 * room + 16) * sizeof(*larger));
            if (!larger)
                break;
            *numbers = larger;
        }
        size_t at = count++;
        for (; at > 0 && (*numbers)[at - 1] < number; at--)
            (*numbers)[at] = (*numbers)[at - 1];
        (*numbers)[at] = number;
    }
    if (folder)
        closedir(folder);
    return count;
}

uint64_t uat_folder_highest(void)
{
    uint64_t *numbers;
    uint64_t highest = uat_folder_list(&numbers) > 0 ? numbers[0] : 0;
    free(numbers);
    return highest;
}

int uat_folder_begin(uint64_t number)
{
    char name[UAT_SECTIONS_NAME];
    uat_folder_name(name, sizeof(name), number, NULL);
    return mkdir(name, 0700) ? report(name, "created") : 0;
}

static int sync_folder(uint64_t number)
{
    char name[UAT_SECTIONS_NAME];
    int fd = open(uat_folder_name(name, sizeof(name), number, NULL), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool fails = fd < 0 || (fsync(fd) && errno != EINVAL); /* some file systems cannot sync a folder */
    int rc = fails ? report(name, "synced") : 0;
    if (fd >= 0)
        close(fd);
    return rc;
}

int uat_folder_complete(uint64_t number)
{
    char name[UAT_SECTIONS_NAME];
    struct uat_output output;
    int rc = sync_folder(number);
    if (!rc)
        rc = sync_folder(0); /* FOLDER, which names the new subfolder */
    if (rc)
        return rc;
    rc = uat_output_open(&output, uat_folder_name(name, sizeof(name), 0, LATEST));
    if (!rc) {
        fprintf(output.file, "%" PRIu64 "\n", number);
        rc = uat_output_close_synced(&output);
    }
    if (!rc) {
        sync_folder(0); /* reports its own failure; the checkpoint is kept, because `latest` names it by now */
        return 0;
    }
    uat_error("checkpoint: %s cannot be written: %s", name, uat_output_error(rc));
    return rc;
}

/* Remove the temporary files of jobs that were killed while they replaced `latest`. */
static void remove_parts(void)
{
    DIR *folder = opendir(uat_checkpoint_settings.folder);
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        if (strncmp(entry->d_name, LATEST ".", sizeof(LATEST)) == 0)
            unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder)
        closedir(folder);
}

void uat_folder_remove(uint64_t number)
{
    char name[UAT_SECTIONS_NAME];
    /* remove the manifest first: without it, the checkpoint counts as incomplete */
    unlink(uat_folder_name(name, sizeof(name), number, "manifest"));
    DIR *folder = opendir(uat_folder_name(name, sizeof(name), number, NULL));
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder)
        closedir(folder);
    rmdir(name);
}

void uat_folder_clean(int keep)
{
    uint64_t *numbers;
    size_t count = uat_folder_list(&numbers);
    int complete = 0;
    for (size_t i = 0; i < count; i++)
        if (!uat_folder_has(numbers[i]) || ++complete > keep)
            uat_folder_remove(numbers[i]);
    free(numbers);
    remove_parts();
}

/* SPDX-License-Identifier: MIT */
#include "base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/secret.h"

static bool is_stream(const struct stat *st)
{
    return S_ISCHR(st->st_mode) || S_ISFIFO(st->st_mode);
}

/* Returns 0 if the existing file may be written or replaced, otherwise a negative errno. */
static int judge(const struct stat *st)
{
    if (S_ISLNK(st->st_mode))
        return -ELOOP;
    if (S_ISDIR(st->st_mode))
        return -EISDIR;
    if (!S_ISREG(st->st_mode) && !is_stream(st))
        return -EINVAL;
    /* A device need not belong to this user: its mode decides who may write to it. */
    return S_ISCHR(st->st_mode) || st->st_uid == geteuid() ? 0 : -EPERM;
}

/* If a file with this name exists, check it. Sets *stream: must the file be written in place? Returns 0 or a negative
 * errno. */
static int look(const char *name, bool *stream)
{
    struct stat st;
    *stream = false;
    if (strlen(name) >= UAT_OUTPUT_NAME)
        return -ENAMETOOLONG;
    if (lstat(name, &st))
        return errno == ENOENT ? 0 : -errno;
    *stream = is_stream(&st);
    int rc = judge(&st);
    return !rc && eaccess(name, W_OK) ? -errno : rc;
}

int uat_output_check(const char *name)
{
    char folder[UAT_OUTPUT_NAME];
    bool stream;
    int rc = look(name, &stream);
    if (rc || stream)
        return rc;
    snprintf(folder, sizeof(folder), "%s", name);
    char *slash = strrchr(folder, '/');
    if (slash)
        slash[slash == folder] = '\0';
    return eaccess(slash ? folder : ".", W_OK | X_OK) ? -errno : 0;
}

/* Open a device or a pipe. The call does not block, even if the pipe has no reader. */
static int open_stream(const char *name)
{
    struct stat st;
    int fd = open(name, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK), flags;
    if (fd < 0)
        return -errno;
    /* Check again, because the file may have been replaced since look(). */
    int rc = fstat(fd, &st) ? -errno : is_stream(&st) ? judge(&st) : -EAGAIN;
    if (!rc && ((flags = fcntl(fd, F_GETFL)) < 0 || fcntl(fd, F_SETFL, flags & ~O_NONBLOCK)))
        rc = -errno;
    if (rc)
        close(fd);
    return rc ? rc : fd;
}

int uat_output_open(struct uat_output *output, const char *name)
{
    bool stream;
    uint64_t random;
    *output = (struct uat_output){0};
    int rc = look(name, &stream), fd;
    if (!rc)
        rc = uat_secret_draw(&random, sizeof(random));
    if (rc)
        return rc;
    snprintf(output->name, sizeof(output->name), "%s", name);
    if (stream) {
        fd = open_stream(name);
    } else {
        snprintf(output->part, sizeof(output->part), "%s.%016" PRIx64, name, random);
        fd = open(output->part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY, 0666);
        fd = fd < 0 ? -errno : fd;
    }
    if (fd < 0)
        return fd;
    output->file = fdopen(fd, "w");
    if (output->file)
        return 0;
    close(fd);
    uat_output_discard(output);
    return -ENOMEM;
}

int uat_output_close_synced(struct uat_output *output)
{
    errno = 0;
    if (fflush(output->file) || ferror(output->file) || fsync(fileno(output->file))) {
        int rc = errno ? -errno : -EIO;
        uat_output_discard(output);
        return rc;
    }
    return uat_output_close(output);
}

int uat_output_close(struct uat_output *output)
{
    bool failed = ferror(output->file);
    int error = failed ? EIO : 0;
    if (fclose(output->file) && !failed)
        error = errno;
    output->file = NULL;
    if (!error && output->part[0] && rename(output->part, output->name))
        error = errno;
    if (error)
        uat_output_discard(output);
    return -error;
}

void uat_output_discard(struct uat_output *output)
{
    if (output->file)
        fclose(output->file);
    if (output->part[0])
        unlink(output->part);
    *output = (struct uat_output){0};
}

int uat_output_lock(const char *name)
{
    struct flock lock = {.l_type = F_WRLCK};
    struct stat st;
    int fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK, 0600);
    if (fd < 0)
        return -errno;
    int rc = fstat(fd, &st) ? -errno : S_ISREG(st.st_mode) ? judge(&st) : -EINVAL;
    if (!rc && fcntl(fd, F_SETLK, &lock))
        rc = errno == EACCES || errno == EAGAIN ? -EBUSY : -errno;
    if (rc)
        close(fd);
    return rc ? rc : fd;
}

const char *uat_output_error(int error)
{
    switch (error < 0 ? -error : error) {
    case ELOOP:
        return "it is a symbolic link; name the file itself";
    case EPERM:
        return "it belongs to another user";
    case EINVAL:
        return "it is neither a file, nor a pipe, nor a device like a terminal";
    case ENXIO:
        return "it is a pipe that nobody reads";
    default:
        return strerror(error < 0 ? -error : error);
    }
}

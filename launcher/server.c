/* SPDX-License-Identifier: MIT */
#include "launcher/server.h"

#include "base/memory.h"
#include "base/secret.h"
#include "launcher/arguments.h"
#include "launcher/launcher.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct {
    struct uat_meeting *meeting;
    int fd;
    char variable[sizeof(UAT_MEETING_VARIABLE) + 32 + UAT_MEETING_NAME], rank[sizeof(UAT_MEETING_RANK) + 12];
} server = {.fd = -1};

/* Make the memory, with the lock that ends with this process. Returns 0 or a negative errno. */
static int make(size_t bytes)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    server.meeting = uat_memfd_map("uat-meeting", bytes, &server.fd);
    return server.meeting && fcntl(server.fd, F_SETLK, &lock) == 0 ? 0 : -errno;
}

int uat_server_start(int n)
{
    size_t bytes = sizeof(*server.meeting) + (size_t)n * sizeof(server.meeting->seat[0]);
    struct uat_secret name;
    int rc = uat_secret_draw(&name, sizeof(name));
    if (!rc)
        rc = make(bytes);
    if (rc) {
        uat_say("cannot make the memory in which the workers meet: %s%s", strerror(-rc),
                rc == -EFBIG ? " (ulimit -f bounds it)" : "");
        return rc;
    }
    struct uat_meeting *m = server.meeting;
    m->layout = UAT_MEETING_LAYOUT;
    m->size = (uint32_t)n;
    m->end = bytes;
    snprintf(m->name, sizeof(m->name), "%016" PRIx64 "%016" PRIx64, name.word[0], name.word[1]);
    snprintf(server.variable, sizeof(server.variable), UAT_MEETING_VARIABLE "=%d:%d:%s", (int)getpid(), server.fd,
             m->name);
    return 0;
}

char **uat_server_environment(int rank, char **env)
{
    snprintf(server.rank, sizeof(server.rank), UAT_MEETING_RANK "=%d", rank);
    uat_arguments_set(env, server.variable);
    uat_arguments_set(env, server.rank);
    return env;
}

int uat_server_inherited(void)
{
    return server.fd;
}

enum uat_presence uat_server_presence(int rank)
{
    /* Relaxed: the worker's exchange in meeting_open() and its store in meeting_close() of runtime/job/meeting.c are
     * seen at the latest when waitpid() has returned its end. uat_blame_tell(), await_told() and any_present() read the
     * seats of running workers. There an old value costs at most the line about a lost rank. */
    return (enum uat_presence)__atomic_load_n(&server.meeting->seat[rank].presence, __ATOMIC_RELAXED);
}

bool uat_server_aborted(struct uat_abort *out)
{
    /* Relaxed: the word is the whole message. meeting_abort() stores it before its signal, after which uatrun looks. */
    uint64_t word = server.meeting ? __atomic_load_n(&server.meeting->aborted, __ATOMIC_RELAXED) : 0;
    if (!word)
        return false;
    *out = (struct uat_abort){.rank = (int)(word >> 32) - 1, .status = (int)(uint32_t)word};
    return true;
}

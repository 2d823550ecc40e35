/* SPDX-License-Identifier: MIT */
/*
 * Description: worker 1 publishes forged or outdated attach info of transport_shm. Worker 0 must refuse it with the
 * right error and a line that says why and how to mend it.
 */
#include <errno.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "tests/test.h"
#include "tests/unit/peers.h"
#include "transport/attach_info.h"

struct forgery {
    const char *what;
    void (*forge)(struct peer *me, struct uat_attach_info *info);
    int result;
    const char *text; /* text in the line that worker 0 prints */
};

static void forge_nothing(struct peer *me, struct uat_attach_info *info)
{
}

static void forge_magic(struct peer *me, struct uat_attach_info *info)
{
    (void)me, info->magic++;
}

static void forge_version(struct peer *me, struct uat_attach_info *info)
{
    (void)me, info->version++;
}

static void forge_cut(struct peer *me, struct uat_attach_info *info)
{
    (void)info, me->infos[me->rank].size -= 8;
}

static void forge_longer(struct peer *me, struct uat_attach_info *info)
{
    (void)info, me->infos[me->rank].size += 8;
}

static void forge_empty(struct peer *me, struct uat_attach_info *info)
{
    (void)info, me->infos[me->rank].size = 0;
}

static void forge_larger(struct peer *me, struct uat_attach_info *info)
{
    (void)me, info->segment_size *= 2;
}

static void forge_nonce_outside(struct peer *me, struct uat_attach_info *info)
{
    (void)me, info->nonce_offset = info->segment_size;
}

static void forge_unended_boot(struct peer *me, struct uat_attach_info *info)
{
    (void)me, memset(info->boot, 'x', sizeof(info->boot));
}

static void forge_other_host(struct peer *me, struct uat_attach_info *info)
{
    info->boot[0] ^= 1;
    strcpy(me->infos[me->rank].host, "node7");
}

static void forge_unknown_boot(struct peer *me, struct uat_attach_info *info)
{
    info->boot[0] = '\0';
    strcpy(me->infos[me->rank].host, "node7");
}

static void forge_container(struct peer *me, struct uat_attach_info *info)
{
    (void)me, info->pid_space++;
}

static void forge_user_space(struct peer *me, struct uat_attach_info *info)
{
    (void)me, info->user_space++, info->socket = 0;
}

static void forge_inode(struct peer *me, struct uat_attach_info *info)
{
    (void)me, info->inode++;
}

static void forge_nonce(struct peer *me, struct uat_attach_info *info)
{
    (void)me, info->nonce++;
}

static void forge_pipe(struct peer *me, struct uat_attach_info *info)
{
    int ends[2];
    PEER_CHECK(pipe(ends) == 0);
    info->fd = ends[0];
}

static void forge_closed(struct peer *me, struct uat_attach_info *info)
{
    (void)me, info->fd = 900;
}

static void forge_ended(struct peer *me, struct uat_attach_info *info)
{
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    PEER_CHECK(child > 0 && waitpid(child, NULL, 0) == child);
    info->pid = child;
}

static void forge_truncated(struct peer *me, struct uat_attach_info *info)
{
    PEER_CHECK(ftruncate(me->segment_fd, 1 << 20) == 0);
}

/* A process that does not let others inspect it. become_nobody() sets the users. */
static void forge_secret(struct peer *me, struct uat_attach_info *info)
{
    PEER_CHECK(prctl(PR_SET_DUMPABLE, 0) == 0);
}

static void forge_other_user(struct peer *me, struct uat_attach_info *info)
{
    PEER_CHECK(setresuid(65533, 65533, 65533) == 0);
    info->uid = 65533;
}

static const struct forgery forgeries[] = {
    {"nothing", forge_nothing, 0, NULL},
    {"magic", forge_magic, -EPROTO, "not the attach info of this version"},
    {"version", forge_version, -EPROTO, "not the attach info of this version"},
    {"cut", forge_cut, -EPROTO, "not the attach info of this version"},
    {"longer", forge_longer, -EPROTO, "not the attach info of this version"},
    {"empty", forge_empty, -EPROTO, "not the attach info of this version"},
    {"larger", forge_larger, -EPROTO, "same UAT_* settings"},
    {"nonce outside", forge_nonce_outside, -EPROTO, "same UAT_* settings"},
    {"boot without end", forge_unended_boot, -EPROTO, "not the attach info of this version"},
    {"other host", forge_other_host, -EHOSTUNREACH, "rank 1 is on node7: use UAT_TRANSPORT=ibv"},
    {"unknown boot", forge_unknown_boot, -EHOSTUNREACH, "rank 1 is on node7: use UAT_TRANSPORT=ibv"},
    {"container", forge_container, -EHOSTUNREACH, "in one container"},
    {"user namespace", forge_user_space, -EACCES, "in another user namespace"},
    {"inode", forge_inode, -ESTALE, "not the segment that rank 1 announced"},
    {"nonce", forge_nonce, -ESTALE, "another job"},
    {"pipe", forge_pipe, -ESTALE, "not the segment that rank 1 announced"},
    {"closed", forge_closed, -ESRCH, "it has ended"},
    {"ended", forge_ended, -ESRCH, "it has ended"},
    {"truncated", forge_truncated, -ESTALE, "not the segment that rank 1 announced"},
    {"secret", forge_secret, -EACCES, "set-uid"},
    {"other user", forge_other_user, -EACCES, "start all workers as one user"},
};

/* Root may attach to every process, so the forgeries about permissions need ordinary users. */
static void become_nobody(void)
{
    if (geteuid() == 0)
        PEER_CHECK(setresuid(65534, 65534, 65534) == 0);
    PEER_CHECK(prctl(PR_SET_DUMPABLE, 1) == 0);
}

static void work_refused(struct peer *me, void *arg)
{
    const struct forgery *forgery = arg;
    char lines[1024];
    if (forgery->result == -EACCES && (me->rank == 0 || forgery->forge != forge_other_user))
        become_nobody();
    PEER_CHECK(peer_open(me) == 0 && peer_publish(me) == 0);
    if (me->rank == 1)
        forgery->forge(me, (struct uat_attach_info *)me->infos[1].data);
    if (me->rank == 1) {
        peer_barrier(me);
    } else {
        int capture = peer_capture();
        int rc = peer_connect(me);
        peer_captured(capture, lines, sizeof(lines));
        if (rc != forgery->result)
            fprintf(stderr, "%s: %d: %s\n", forgery->what, rc, lines);
        PEER_CHECK(rc == forgery->result);
        PEER_CHECK(forgery->text ? strstr(lines, forgery->text) != NULL : lines[0] == '\0');
    }
    peer_barrier(me);
}

TEST(refused)
{
    const struct peers_spec spec = {.transport = &uat_transport_shm, .workers = 2, .apart = true};
    for (size_t i = 0; i < sizeof(forgeries) / sizeof(forgeries[0]); i++) {
        if (forgeries[i].forge == forge_other_user && geteuid() != 0)
            continue; /* only root can act as two users */
        if (peers_run(&spec, work_refused, (void *)&forgeries[i]) != 0)
            fail_msg("forgery: %s", forgeries[i].what);
    }
}

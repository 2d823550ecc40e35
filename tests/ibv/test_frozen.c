/* SPDX-License-Identifier: MIT */
/*
 * Description: operations on a worker that is stopped by SIGSTOP complete and take effect, because that worker's CPU
 * takes no part in them. A thief needs only such operations on the victim's deque. If a worker does not respond to
 * librdmacm's connection requests, the requesting worker reports it after UAT_STALL_TIMEOUT, and gives up after
 * UAT_STALL_LIMIT.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>

#include "base/host.h"
#include "tests/test.h"
#include "tests/unit/peers.h"
#include "transport_ibv/ibv.h"

struct board {
    pid_t victim;
};

static char state_of(pid_t pid)
{
    struct uat_process process;
    PEER_CHECK(uat_process_look(pid, &process));
    return process.state;
}

static void work_frozen(struct peer *me, void *arg)
{
    struct board *board = arg;
    uint64_t *word = (uint64_t *)me->data, *landing = word + 512;
    if (me->rank == 1) {
        word[1] = 77;
        board->victim = getpid();
        peer_barrier(me);
        raise(SIGSTOP);
        peer_barrier(me);
        PEER_CHECK(__atomic_load_n(word, __ATOMIC_ACQUIRE) == 100 && word[2] == 5);
        return;
    }
    peer_barrier(me);
    while (state_of(board->victim) != 'T')
        usleep(1000);
    landing[2] = 5;
    for (uint64_t i = 0; i < 100; i++) {
        struct uat_op ops[] = {uat_op_cmp_swap(landing, word, i, i + 1), uat_op_read(landing + 1, word + 1, 8),
                               uat_op_write(landing + 2, word + 2, 8)};
        PEER_CHECK(uat_transport_do(me->transport, 1, ops, 3) == 0);
        PEER_CHECK(landing[0] == i && landing[1] == 77);
    }
    PEER_CHECK(me->transport->class_->flush(me->transport) == 0);
    PEER_CHECK(state_of(board->victim) == 'T'); /* all of this happened while the victim was stopped */
    PEER_CHECK(kill(board->victim, SIGCONT) == 0);
    peer_barrier(me);
}

TEST(frozen)
{
    struct board *board = peers_share(sizeof(*board));
    struct peers_spec spec = {.transport = &uat_transport_ibv, .workers = 2};
    assert_int_equal(peers_run(&spec, work_frozen, board), 0);
    peers_unshare(board, sizeof(*board));
}

static void count_alarm(int number)
{
}

/* Signals arrive more often than rank 1 reads the time. An interrupted wait must also count towards the timeout. */
static void alarm_often(bool on)
{
    struct sigaction action = {.sa_handler = count_alarm}; /* no SA_RESTART */
    struct itimerval often = {{0, on ? 100000 : 0}, {0, on ? 100000 : 0}};
    PEER_CHECK(sigaction(SIGALRM, &action, NULL) == 0 && setitimer(ITIMER_REAL, &often, NULL) == 0);
}

/* Rank 0 should connect to rank 1 but does not. Each worker appears to be on its own host. */
static void work_silent(struct peer *me, void *arg)
{
    PEER_CHECK(peer_open(me) == 0 && peer_show(me) == 0);
    struct uat_ibv_attach_info *info = (struct uat_ibv_attach_info *)(void *)me->infos[me->rank].data;
    snprintf(info->segment.boot, sizeof(info->segment.boot), "host %d", me->rank);
    PEER_CHECK(peer_publish(me) == 0);
    if (me->rank == 1) {
        char lines[2048];
        int capture = peer_capture(), rc;
        alarm_often(true);
        rc = peer_connect(me);
        alarm_often(false);
        peer_captured(capture, lines, sizeof(lines));
        PEER_CHECK(rc == -ETIMEDOUT);
        PEER_CHECK(strstr(lines, "has waited 1 s for 1 connections, among them that of rank 0"));
        PEER_CHECK(strstr(lines, "has waited 2 s for 1 connections, among them that of rank 0"));
        PEER_CHECK(strstr(lines, "UAT_STALL_LIMIT=2 is reached"));
    } else {
        peer_barrier(me); /* the barrier of peer_connect() */
    }
    peer_barrier(me);
}

TEST(silent)
{
    char *env[] = {"UAT_CONNECT=rdmacm", "UAT_STALL_TIMEOUT=1", "UAT_STALL_LIMIT=2", NULL};
    struct peers_spec spec = {.transport = &uat_transport_ibv, .workers = 2, .apart = true, .settings = env};
    assert_int_equal(peers_run(&spec, work_silent, NULL), 0);
}

int main(void)
{
    if (!peers_ready(&uat_transport_ibv))
        return 77;
    return tests_run();
}

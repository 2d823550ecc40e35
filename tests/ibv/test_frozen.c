/* SPDX-License-Identifier: MIT */
/*
 * Description: operations on a worker that is stopped by SIGSTOP complete and take effect: its CPU has no part in them.
 * A thief of its deque needs no more than these.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <signal.h>

#include "base/process.h"
#include "tests/unit/peers.h"

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
    PEER_CHECK(me->transport->class_->quiet(me->transport) == 0);
    PEER_CHECK(state_of(board->victim) == 'T'); /* all of it happened while it was stopped */
    PEER_CHECK(kill(board->victim, SIGCONT) == 0);
    peer_barrier(me);
}

static void test_frozen(void **state)
{
    (void)state;
    struct board *board = peers_share(sizeof(*board));
    struct peers_spec spec = {.transport = &uat_transport_ibv, .workers = 2};
    assert_int_equal(peers_run(&spec, work_frozen, board), 0);
    peers_unshare(board, sizeof(*board));
}

int main(void)
{
    if (!peers_ready(&uat_transport_ibv))
        return 77;
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_frozen)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

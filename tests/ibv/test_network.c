/* SPDX-License-Identifier: MIT */
/*
 * Description: a worker whose only port is not in rank 0's network is refused with a message, unless routers may join
 * the networks. test_choice.c has the other choices among several ports. Needs a guest's addresses: 10.9.0.0/24.
 */
#include <errno.h>
#include <string.h>

#include "tests/test.h"
#include "tests/unit/peers.h"
#include "transport_ibv/group.h"

/* Rank 0 publishes an address in another network. With UAT_IB_PATH=subnet=any this address must be accepted. */
static void work_network(struct peer *me, void *arg)
{
    bool any = *(const bool *)arg;
    char lines[2048];
    PEER_CHECK(peer_open(me) == 0 && peer_show(me) == 0);
    struct uat_ibv_attach_info *info = (struct uat_ibv_attach_info *)(void *)me->infos[me->rank].data;
    if (me->rank == 0)
        info->address[0].gid.raw[13] ^= 0xff; /* the second byte of an IPv4 address */
    int capture = peer_capture(), rc = peer_publish(me);
    peer_captured(capture, lines, sizeof(lines));
    PEER_CHECK(rc == (any ? 0 : -EHOSTUNREACH));
    if (me->rank == 1 && !any) {
        PEER_CHECK(strstr(lines, "no port of rank 1"));
        PEER_CHECK(strstr(lines, "rxe0:1 in 10.246.0.0/24; here are rxe0:1 in 10.9.0.0/24"));
        PEER_CHECK(strstr(lines, "UAT_NET_DEVICES, or set UAT_IB_PATH=subnet=any"));
        PEER_CHECK(strchr(lines, '\n') == strrchr(lines, '\n')); /* exactly one line */
    }
    peer_barrier(me);
}

TEST(network)
{
    for (int i = 0; i < 2; i++) {
        bool any = i;
        char *env[] = {any ? "UAT_IB_PATH=subnet=any" : NULL, NULL};
        struct peers_spec spec = {.transport = &uat_transport_ibv, .workers = 2, .apart = true, .settings = env};
        assert_int_equal(peers_run(&spec, work_network, &any), 0);
    }
}

int main(void)
{
    if (!peers_ready(&uat_transport_ibv))
        return 77;
    return tests_run();
}

/* SPDX-License-Identifier: MIT */
/*
 * Description: for each failure over verbs there is a one-line message with the cure, and a negative errno. The
 * failures are: settings that no device fulfils, forged endpoints, a peer that disappears, memory that is not
 * registered, a link that goes down. With the argument memlock, opening fails because memory cannot be locked. With the
 * argument user, it fails because this user may not open the device.
 */
#include <errno.h>
#include <string.h>

#include "tests/test.h"
#include "tests/unit/peers.h"
#include "transport_ibv/endpoint.h"
#include "transport_ibv/gid.h"
#include "transport_ibv/host.h"

struct refusal {
    const char *setting; /* "NAME=value" */
    int result;
    const char *text; /* must be in the printed line */
};

static void expect_line(const char *lines, const char *text, int count)
{
    int n = 0;
    for (const char *c = lines; *c; c++)
        n += *c == '\n';
    if (!strstr(lines, text) || n != count) {
        fprintf(stderr, "expected %d lines with '%s', got:\n%s", count, text, lines);
        PEER_CHECK(!"the lines are as expected");
    }
}

static void work_open(struct peer *me, void *arg)
{
    const struct refusal *expected = arg;
    char lines[2048];
    int capture = peer_capture(), rc = peer_open(me);
    peer_captured(capture, lines, sizeof(lines));
    if (rc != expected->result)
        fprintf(stderr, "%s: %d, not %d: %s\n", expected->setting, rc, expected->result, lines);
    PEER_CHECK(rc == expected->result);
    expect_line(lines, expected->text, 1);
}

static void expect_refusal(struct refusal expected)
{
    char *env[] = {(char *)expected.setting, NULL};
    struct peers_spec spec = {.transport = &uat_transport_ibv, .workers = 1, .apart = true, .settings = env};
    assert_int_equal(peers_run(&spec, work_open, &expected), 0);
}

static void test_settings(void **state)
{
    expect_refusal((struct refusal){"UAT_NET_DEVICES=none0", -ENODEV, "names no port of this host; it has rxe0:1"});
    expect_refusal((struct refusal){"UAT_NET_DEVICES=rxe0:2", -ENODEV, "names no port of this host; it has rxe0:1"});
    expect_refusal((struct refusal){"UAT_GID_INDEX=255", -EINVAL, "UAT_GID_INDEX=255 "});
    expect_refusal((struct refusal){"UAT_IB_PATH=pkey=0x1234", -EINVAL, "UAT_IB_PATH=pkey=0x1234 is not among"});
}

static void test_memlock(void **state)
{
    expect_refusal((struct refusal){NULL, -ENOMEM, "must lock 4096 KiB of memory, but RLIMIT_MEMLOCK is 64 KiB"});
    expect_refusal((struct refusal){NULL, -ENOMEM, "ulimit -l unlimited"});
    expect_refusal((struct refusal){NULL, -ENOMEM, "LimitMEMLOCK=infinity"});
    expect_refusal((struct refusal){NULL, -ENOMEM, "--ulimit memlock=-1"});
}

static void test_user(void **state)
{
    char why[512];
    expect_refusal((struct refusal){NULL, -ENODEV, "rxe0:1: no permission to open it"});
    assert_int_equal(uat_ibv_probe(false, why, sizeof(why)), 0);
    assert_non_null(strstr(why, "no permission"));
}

/* --- forged endpoints */

struct forgery {
    void (*forge)(struct uat_ibv_endpoint *e, size_t *size);
    int result;
    const char *text;
};

static void forge_nothing(struct uat_ibv_endpoint *e, size_t *size)
{
}
static void forge_magic(struct uat_ibv_endpoint *e, size_t *size)
{
    (void)size, e->magic++;
}
static void forge_version(struct uat_ibv_endpoint *e, size_t *size)
{
    (void)size, e->version++;
}
static void forge_short(struct uat_ibv_endpoint *e, size_t *size)
{
    (void)e, *size = 8;
}
static void forge_cut(struct uat_ibv_endpoint *e, size_t *size)
{
    (void)e, *size -= 4;
}
static void forge_size(struct uat_ibv_endpoint *e, size_t *size)
{
    (void)size, e->size = 0x40000000;
}
static void forge_rank(struct uat_ibv_endpoint *e, size_t *size)
{
    (void)size, e->rank = 0;
}
static void forge_mtu(struct uat_ibv_endpoint *e, size_t *size)
{
    (void)size, e->mtu = 77;
}
static void forge_gid_kind(struct uat_ibv_endpoint *e, size_t *size)
{
    (void)size, e->gid_kind = UAT_IBV_GID_V1;
}
static void forge_link(struct uat_ibv_endpoint *e, size_t *size)
{
    (void)size, e->link_layer = IBV_LINK_LAYER_INFINIBAND;
}

static const struct forgery forgeries[] = {
    {forge_nothing, 0, ""},
    {forge_magic, -EPROTO, "rank 1 (node7) published 136 bytes that are no endpoint"},
    {forge_version, -EPROTO, "another version"},
    {forge_short, -EPROTO, "too short"},
    {forge_cut, -EPROTO, "its length is wrong"},
    {forge_size, -EPROTO, "job size"},
    {forge_rank, -EPROTO, "another rank"},
    {forge_mtu, -EPROTO, "out of range"},
    {forge_gid_kind, -EHOSTUNREACH, "cannot reach each other: one has a GID of kind"},
    {forge_link, -EHOSTUNREACH, "rank 1 (rxe0:1 on node7) cannot reach each other"},
};

static void work_forge(struct peer *me, void *arg)
{
    const struct forgery *forgery = arg;
    PEER_CHECK(peer_open(me) == 0 && peer_publish(me) == 0);
    if (me->rank == 1) {
        struct peer_info *info = &me->infos[1];
        strcpy(info->host, "node7");
        forgery->forge((struct uat_ibv_endpoint *)(void *)info->data, &info->size);
        peer_barrier(me);
        return;
    }
    char lines[2048];
    int capture = peer_capture(), rc = peer_connect(me);
    peer_captured(capture, lines, sizeof(lines));
    PEER_CHECK(rc == forgery->result);
    expect_line(lines, forgery->text, rc ? 1 : 0);
}

static void test_forged(void **state)
{
    struct peers_spec spec = {.transport = &uat_transport_ibv, .workers = 2, .apart = true, .settings = *state};
    for (size_t i = 0; i < sizeof(forgeries) / sizeof(*forgeries); i++)
        assert_int_equal(peers_run(&spec, work_forge, (void *)(uintptr_t)&forgeries[i]), 0);
}

/* --- failures during operation */

static void join_all(struct peer *me)
{
    PEER_CHECK(peer_open(me) == 0 && peer_publish(me) == 0 && peer_connect(me) == 0);
    peer_barrier(me);
}

/* The chain must fail with one message. Every later operation must fail with the same errno, without a message. */
static void expect_failure(struct peer *me, const struct uat_op *ops, int count, int result, const char *const *texts)
{
    char lines[2048];
    int capture = peer_capture(), rc = uat_transport_do(me->transport, 1, ops, count);
    int again = uat_transport_do(me->transport, 1, ops, count), quiet = me->transport->class_->flush(me->transport);
    peer_captured(capture, lines, sizeof(lines));
    PEER_CHECK(rc == result && again == result && quiet == result);
    for (; *texts; texts++)
        expect_line(lines, *texts, 1);
}

static void work_gone(struct peer *me, void *arg)
{
    uint64_t *word = (uint64_t *)me->data;
    strcpy(me->infos[me->rank].host, me->rank ? "node7" : "node3");
    join_all(me);
    if (me->rank == 1) {
        me->transport->class_->close(me->transport);
        me->transport = NULL;
        peer_barrier(me);
        peer_barrier(me); /* keep the process alive, so that only its queue pairs are gone */
        return;
    }
    peer_barrier(me);
    char where[64];
    snprintf(where, sizeof(where), "FETCH_ADD at address %p of rank 1 (node7), operation 1 of 2", (void *)(word + 8));
    static const char *texts[] = {NULL, "transport retry counter exceeded", "rxe0:1", "does not answer", NULL};
    texts[0] = where;
    struct uat_op ops[] = {uat_op_fetch_add(word, word + 8, 1), uat_op_read(word + 1, word + 8, 8)};
    expect_failure(me, ops, 2, -ETIMEDOUT, texts);
    peer_barrier(me);
}

static void test_gone(void **state)
{
    struct peers_spec spec = {.transport = &uat_transport_ibv, .workers = 2, .apart = true, .settings = *state};
    assert_int_equal(peers_run(&spec, work_gone, NULL), 0);
}

/* A peer's adapter answers a wrong key in the same way as memory that is no longer registered. */
static void work_unregistered(struct peer *me, void *arg)
{
    uint64_t *word = (uint64_t *)me->data;
    join_all(me);
    if (me->rank == 0) {
        ((struct uat_ibv *)me->transport)->connections[1].rkey[UAT_IBV_WORDS] ^= 0x5a00;
        struct uat_op ops[] = {uat_op_read(word, word + 8, 8)};
        static const char *const texts[] = {"READ at address", "operation 1 of 1", "remote access error",
                                            "refused the address", NULL};
        expect_failure(me, ops, 1, -EACCES, texts);
    }
    peer_barrier(me);
}

static void test_unregistered(void **state)
{
    struct peers_spec spec = {.transport = &uat_transport_ibv, .workers = 2, .apart = true, .settings = *state};
    assert_int_equal(peers_run(&spec, work_unregistered, NULL), 0);
}

/* Peers may READ stacks, and may not access them by any other operation. Peers may not access the segment's end at
 * all. */
enum { STACKS = 1 << 20, CLOSED = 4096 };

static void work_windows(struct peer *me, void *arg)
{
    static const char *const texts[] = {"remote access error", "refused the address", NULL};
    uint64_t *word = (uint64_t *)me->data, *stack = (uint64_t *)me->segment;
    uint64_t *closed = (uint64_t *)(me->data + me->data_size - CLOSED);
    const struct uat_op forbidden[] = {uat_op_write(word, stack, 8), uat_op_fetch_add(word, stack, 1),
                                       uat_op_cmp_swap(word, stack, 0, 1), uat_op_read(word, closed, 8),
                                       uat_op_write(word, closed, 8)};
    *stack = 77 + (uint64_t)me->rank;
    join_all(me);
    if (me->rank == 0) {
        const struct uat_op allowed[] = {uat_op_write(word, word + 8, 8), uat_op_fetch_add(word, word + 8, 1),
                                         uat_op_read(stack + 1, stack, 8), uat_op_read(closed, stack, 8)};
        PEER_CHECK(uat_transport_do(me->transport, 1, allowed, 4) == 0 && stack[1] == 78 && *closed == 78);
        ((struct uat_ibv *)me->transport)->closed = 0; /* so that this worker posts the request, and the adapter refuses
                                                        * it */
        expect_failure(me, &forbidden[*(const int *)arg], 1, -EACCES, texts);
    }
    peer_barrier(me);
    PEER_CHECK(*stack == 77 + (uint64_t)me->rank && (me->rank == 0 || *closed == 0));
}

static void test_windows(void **state)
{
    for (int i = 0; i < 5; i++) {
        struct peers_spec spec = {.transport = &uat_transport_ibv,
                                  .workers = 2,
                                  .apart = true,
                                  .settings = *state,
                                  .read_only = STACKS,
                                  .closed = CLOSED};
        assert_int_equal(peers_run(&spec, work_windows, &i), 0);
    }
}

/* Three workers share a pool. An operation that leaves its window in the middle segment would reach the next worker's
 * window. So such an operation must be refused before it is posted. */
static void work_pool(struct peer *me, void *arg)
{
    uint64_t *word = (uint64_t *)me->data, *stack = (uint64_t *)me->segment, *top = (uint64_t *)(me->segment + STACKS);
    uint64_t *closed = (uint64_t *)(me->data + me->data_size - CLOSED);
    const struct uat_op outside[] = {uat_op_read(word, closed, 8), uat_op_write(word, closed, 8),
                                     uat_op_read(word, closed - 1, 16), uat_op_read(word, top - 1, 16)};
    *stack = top[-1] = 77 + (uint64_t)me->rank;
    join_all(me);
    for (int i = 0; i < me->size; i++) {
        const struct uat_op inside[] = {uat_op_write(stack, word + 8 + me->rank, 8),
                                        uat_op_fetch_add(word, word + 7, 1), uat_op_read(word + 1, stack, 8),
                                        uat_op_read(word + 2, top - 1, 8)};
        PEER_CHECK(uat_transport_do(me->transport, i, inside, 4) == 0);
        PEER_CHECK(word[1] == 77 + (uint64_t)i && word[2] == word[1]);
    }
    for (size_t i = 0; me->rank == 0 && i < sizeof(outside) / sizeof(*outside); i++) {
        char lines[1024];
        int capture = peer_capture(), rc = uat_transport_do(me->transport, 1, &outside[i], 1);
        peer_captured(capture, lines, sizeof(lines));
        PEER_CHECK(rc == -EFAULT);
        expect_line(lines, "not inside one accessible part of the segment", 1);
    }
    peer_barrier(me);
    PEER_CHECK(__atomic_load_n(word + 7, __ATOMIC_ACQUIRE) == 3 && *closed == 0);
    for (int i = 0; i < me->size; i++)
        PEER_CHECK(word[8 + i] == 77 + (uint64_t)i);
    PEER_CHECK(((struct uat_ibv *)me->transport)->neighbour_count == me->size);
    peer_barrier(me);
    if (me->rank == 0) { /* the key of the stacks allows only READs */
        static const char *const texts[] = {"remote access error", "refused the address", NULL};
        const struct uat_op forbidden = uat_op_write(word, stack, 8);
        expect_failure(me, &forbidden, 1, -EACCES, texts);
    }
    peer_barrier(me);
    PEER_CHECK(*stack == 77 + (uint64_t)me->rank);
}

static void test_pool(void **state)
{
    char *by[] = {"UAT_CONNECT=host,neighbours=adapter", NULL};
    struct peers_spec spec = {.transport = &uat_transport_ibv,
                              .workers = 3,
                              .apart = true,
                              .settings = by,
                              .read_only = STACKS,
                              .closed = CLOSED};
    assert_int_equal(peers_run(&spec, work_pool, NULL), 0);
}

static void set_link(const char *state)
{
    char command[128];
    const char *device = getenv("VM_NETDEV");
    snprintf(command, sizeof(command), "ip link set %s %s", device, state);
    PEER_CHECK(system(command) == 0);
}

static void work_link(struct peer *me, void *arg)
{
    uint64_t *word = (uint64_t *)me->data;
    join_all(me);
    if (me->rank == 0) {
        struct uat_op ops[] = {uat_op_read(word, word + 8, 8)};
        char lines[2048];
        set_link("down");
        int capture = peer_capture(), rc = uat_transport_do(me->transport, 1, ops, 1);
        peer_captured(capture, lines, sizeof(lines));
        set_link("up");
        PEER_CHECK(rc == -EIO || rc == -ETIMEDOUT); /* without a route, Soft-RoCE refuses at once */
        PEER_CHECK(strstr(lines, "failed on rxe0:1 (port down)") && strstr(lines, "`ip link`"));
    }
    peer_barrier(me);
}

static void test_link(void **state)
{
    if (!getenv("VM_NETDEV"))
        skip(); /* do not change the links of a user's machine */
    struct peers_spec spec = {.transport = &uat_transport_ibv, .workers = 2, .apart = true, .settings = *state};
    assert_int_equal(peers_run(&spec, work_link, NULL), 0);
}

/* librdmacm needs an address that has a route. */
static void test_rdmacm(void **state)
{
    char *both[] = {"UAT_CONNECT=rdmacm", "UAT_GID_INDEX=0", NULL}; /* link-local, without an IP address */
    struct peers_spec spec = {.transport = &uat_transport_ibv, .workers = 1, .apart = true, .settings = both};
    struct refusal expected = {both[1], -EINVAL, "UAT_CONNECT=rdmacm needs a RoCE v2 address made of an IP address"};
    assert_int_equal(peers_run(&spec, work_open, &expected), 0);
}

int main(int argc, char **argv)
{
    /* Request a connection to each worker. Otherwise there would be only the connection to the worker itself, and
     * nothing would fail. */
    static char *const workers[] = {"UAT_CONNECT=worker", NULL};
#define WORKERS(test) cmocka_unit_test_prestate(test, (void *)workers)
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_settings),
                                       WORKERS(test_forged),
                                       WORKERS(test_gone),
                                       WORKERS(test_unregistered),
                                       WORKERS(test_windows),
                                       cmocka_unit_test(test_pool),
                                       WORKERS(test_link),
                                       cmocka_unit_test(test_rdmacm)};
    const struct CMUnitTest memlock[] = {cmocka_unit_test(test_memlock)}, user[] = {cmocka_unit_test(test_user)};
    if (argc > 1 && !strcmp(argv[1], "user"))
        return cmocka_run_group_tests(user, NULL, NULL);
    if (!peers_ready(&uat_transport_ibv))
        return 77;
    if (argc > 1 && !strcmp(argv[1], "memlock"))
        return cmocka_run_group_tests(memlock, NULL, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

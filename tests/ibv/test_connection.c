/* SPDX-License-Identifier: MIT */
/*
 * Description: the attributes of connected queue pairs, as the device reports them, have the values of the user's
 * settings. Each side expects the packet sequence number with which the other side starts. Each connection has its own
 * random number. After librdmacm's listener has been closed, operations work over librdmacm's connections.
 */
#include <dirent.h>
#include <string.h>

#include "tests/test.h"
#include "tests/unit/peers.h"
#include "transport_ibv/ibv.h"

enum {
    WORKERS = 4,
    OPENINGS = 2,
    RNR_TIMER = 12, /* 0.64 ms, as the InfiniBand specification codes it */
    PSN_MAX = 0xffffff
};

/* The connection of one worker to another. State RESET (0) means that there is none. */
struct opening {
    struct ibv_qp_attr attr[WORKERS][WORKERS];
};

/* Nothing has been sent yet, so the sequence numbers are still the initial ones. */
static void work_query(struct peer *me, void *arg)
{
    struct opening *opening = arg;
    const struct uat_ibv *ibv = (struct uat_ibv *)me->transport;
    const int mask = IBV_QP_STATE | IBV_QP_AV | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
                     IBV_QP_MIN_RNR_TIMER | IBV_QP_SQ_PSN | IBV_QP_RQ_PSN;
    for (int i = 0; i < ibv->connection_count; i++) {
        const struct uat_ibv_connection *c = &ibv->connections[i];
        struct ibv_qp_init_attr init;
        PEER_CHECK(ibv_query_qp(c->qp, &opening->attr[me->rank][c->rank], mask, &init) == 0);
    }
    peer_barrier(me);
}

struct settings {
    int retries, timeout, traffic_class;
};

static void open_once(char *connect, const struct settings *settings, struct opening *opening)
{
    char retry[64], path[32], *env[] = {connect, retry, path, NULL};
    snprintf(retry, sizeof(retry), "UAT_IB_RETRY=%d,timeout=%d", settings->retries, settings->timeout);
    snprintf(path, sizeof(path), "UAT_IB_PATH=tc=%d", settings->traffic_class);
    struct peers_spec spec = {.transport = &uat_transport_ibv, .workers = WORKERS, .settings = env};
    assert_int_equal(peers_run(&spec, work_query, opening), 0);
}

/* Check the settings, and the constant attributes. librdmacm leaves the RNR timer to the kernel. */
static void expect_settings(const struct opening *opening, const struct settings *settings, bool by_manager)
{
    int found = 0;
    for (int i = 0; i < WORKERS * WORKERS; i++) {
        const struct ibv_qp_attr *attr = &opening->attr[i / WORKERS][i % WORKERS];
        if (attr->qp_state == IBV_QPS_RESET)
            continue;
        found += i / WORKERS != i % WORKERS;
        assert_int_equal(attr->qp_state, IBV_QPS_RTS);
        assert_int_equal(attr->retry_cnt, settings->retries);
        assert_int_equal(attr->timeout, settings->timeout);
        assert_int_equal(attr->ah_attr.grh.traffic_class, settings->traffic_class);
        assert_int_equal(attr->rnr_retry, UAT_IBV_RNR_RETRIES);
        if (!by_manager)
            assert_int_equal(attr->min_rnr_timer, RNR_TIMER);
    }
    assert_true(found >= WORKERS); /* each worker has at least one connection to another worker */
}

/* The numbers are random and have 24 bits. It is very unlikely that all numbers are equal, or that one of the upper
 * eight bits is 0 in all numbers. */
static void expect_numbers(const struct opening *openings)
{
    unsigned bits = 0, differ_here = 0, differ_between = 0, equal = 0;
    for (int i = 0; i < OPENINGS * WORKERS * WORKERS; i++) {
        const struct opening *opening = &openings[i / (WORKERS * WORKERS)];
        int here = i / WORKERS % WORKERS, there = i % WORKERS;
        const struct ibv_qp_attr *own = &opening->attr[here][there], *other = &opening->attr[there][here];
        assert_int_equal(own->qp_state, other->qp_state);
        if (own->qp_state == IBV_QPS_RESET)
            continue;
        assert_int_equal(own->rq_psn, other->sq_psn);
        assert_in_range(own->sq_psn, 0, PSN_MAX);
        bits |= own->sq_psn;
        for (int k = 0; k < there; k++)
            equal += opening->attr[here][k].qp_state != IBV_QPS_RESET && opening->attr[here][k].sq_psn == own->sq_psn;
        differ_here |= own->sq_psn ^ opening->attr[0][0].sq_psn;
        differ_between |= own->sq_psn ^ openings[0].attr[here][there].sq_psn;
    }
    assert_true(bits >> 16);
    assert_true(differ_here);
    assert_true(differ_between);
    assert_true(equal < 2); /* of some 20 connections; even one equal pair is unlikely */
}

static void test_attributes(void **state)
{
    static const struct settings settings[OPENINGS] = {{2, 21, 104}, {5, 15, 32}};
    char *connect = *state;
    struct opening *openings = peers_share(OPENINGS * sizeof(*openings));
    for (int i = 0; i < OPENINGS; i++) {
        open_once(connect, &settings[i], &openings[i]);
        expect_settings(&openings[i], &settings[i], !strcmp(connect, "UAT_CONNECT=rdmacm"));
    }
    expect_numbers(openings);
    peers_unshare(openings, OPENINGS * sizeof(*openings));
}

static int count_entries(const char *path)
{
    int n = 0;
    DIR *folder = opendir(path);
    PEER_CHECK(folder);
    for (const struct dirent *e; (e = readdir(folder));)
        n += e->d_name[0] != '.';
    closedir(folder);
    return n;
}

/* Every worker appears to be on its own host: neighbours would need no connections. */
static void work_rdmacm(struct peer *me, void *arg)
{
    uint64_t *word = (uint64_t *)me->data;
    PEER_CHECK(peer_open(me) == 0 && peer_show(me) == 0);
    struct uat_ibv_attach_info *info = (struct uat_ibv_attach_info *)(void *)me->infos[me->rank].data;
    snprintf(info->segment.boot, sizeof(info->segment.boot), "host %d", me->rank);
    PEER_CHECK(peer_publish(me) == 0 && peer_connect(me) == 0);
    peer_barrier(me);
    struct uat_ibv *ibv = (struct uat_ibv *)me->transport;
    PEER_CHECK(ibv->cm && ibv->cm_port == 0); /* the listener is closed */
    PEER_CHECK(count_entries("/proc/self/task") == 1);
    for (int i = 0; i < me->size; i++) {
        struct uat_op ops[] = {uat_op_fetch_add(word, word + 8, 1), uat_op_read(word + 1, word + 8, 8)};
        PEER_CHECK(uat_transport_do(me->transport, i, ops, 2) == 0);
        PEER_CHECK(word[1] > word[0] && word[1] <= (uint64_t)me->size);
    }
    peer_barrier(me);
    PEER_CHECK(__atomic_load_n(word + 8, __ATOMIC_ACQUIRE) == (uint64_t)me->size);
    struct ibv_qp_attr attr;
    struct ibv_qp_init_attr init;
    PEER_CHECK(ibv_query_qp(uat_ibv_way(ibv, (me->rank + 1) % me->size)->qp, &attr, IBV_QP_STATE | IBV_QP_TIMEOUT,
                            &init) == 0);
    PEER_CHECK(attr.qp_state == IBV_QPS_RTS && attr.timeout == ibv->settings.timeout && attr.timeout >= 18);
    peer_barrier(me);
}

/* With librdmacm the same operations work. After the set-up only the connections are open. */
static void test_rdmacm(void **state)
{
    char *env[] = {*state, NULL};
    struct peers_spec spec = {.transport = &uat_transport_ibv, .workers = 5, .apart = true, .settings = env};
    assert_int_equal(peers_run(&spec, work_rdmacm, NULL), 0);
}

int main(void)
{
    if (!peers_ready(&uat_transport_ibv))
        return 77;
    setenv("PEERS_HOSTS", "2", 1); /* neighbours have no connections to each other */
    const struct CMUnitTest tests[] = {
        {"worker", test_attributes, NULL, NULL, "UAT_CONNECT=worker"},
        {"host", test_attributes, NULL, NULL, "UAT_CONNECT=host"},
        {"rdmacm", test_attributes, NULL, NULL, "UAT_CONNECT=rdmacm"},
        {"rdmacm, operations", test_rdmacm, NULL, NULL, "UAT_CONNECT=rdmacm"},
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

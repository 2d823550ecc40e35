/* SPDX-License-Identifier: MIT */
/*
 * Description: which workers share an adapter, and which workers are connected. Every worker has exactly one path to
 * every other worker, on hosts with equal and with different numbers of workers. The test needs no device.
 */
#include <errno.h>
#include <stdio.h>

#include "tests/test.h"
#include "transport_ibv/group.h"

enum { WORKERS_MAX = 64 };

struct job {
    int size;
    struct uat_ibv_attach_info info[WORKERS_MAX];
    char host[WORKERS_MAX][16];
    struct uat_endpoint shown[WORKERS_MAX];
};

/* Add a worker on this host with this device. */
static void add(struct job *job, int host, const char *device)
{
    int i = job->size++;
    struct uat_ibv_attach_info *info = &job->info[i];
    *info = (struct uat_ibv_attach_info){
        .magic = UAT_IBV_ATTACH_INFO_MAGIC, .version = UAT_IBV_ATTACH_INFO_VERSION, .addresses = 1};
    snprintf(info->address[0].device, sizeof(info->address[0].device), "%s", device);
    snprintf(info->segment.boot, sizeof(info->segment.boot), "boot of %d", host);
    info->segment.pid_space = 4026531836;
    snprintf(job->host[i], sizeof(job->host[i]), "node%d", host);
    job->shown[i] = (struct uat_endpoint){info, uat_ibv_attach_info_size(info), job->host[i]};
}

static struct uat_ibv_groups open_groups(const struct job *job)
{
    struct uat_ibv_groups g;
    assert_int_equal(uat_ibv_groups_open(&g, job->shown, job->size), 0);
    return g;
}

static int connections(const struct uat_ibv_groups *g, int worker)
{
    int n = 0;
    for (int i = 0; i < g->size; i++)
        n += uat_ibv_groups_connect(g, worker, i);
    return n;
}

/* Every worker must have one gateway to each group. Every connection must be mutual and needed. */
static void check_ways(const struct uat_ibv_groups *g)
{
    for (int a = 0; a < g->size; a++) {
        int ways[WORKERS_MAX] = {0};
        for (int b = 0; b < g->size; b++) {
            bool there = uat_ibv_groups_is_gateway(g, a, b), back = uat_ibv_groups_is_gateway(g, b, a);
            ways[g->of[b]] += there;
            assert_int_equal(uat_ibv_groups_connect(g, a, b), there || back);
            assert_int_equal(uat_ibv_groups_connect(g, a, b), uat_ibv_groups_connect(g, b, a));
        }
        assert_true(uat_ibv_groups_is_gateway(g, a, a));
        for (int i = 0; i < g->count; i++)
            assert_int_equal(ways[i], 1);
        int of_group = 0;
        for (int b = 0; b < g->size; b++)
            of_group += g->of[b] == g->of[a] ? connections(g, b) : 0;
        assert_int_equal(uat_ibv_groups_connections(g, a), of_group);
    }
}

TEST(equal_hosts)
{
    for (int hosts = 1; hosts <= 8; hosts++) {
        struct job job = {0};
        for (int i = 0; i < hosts * 8; i++)
            add(&job, i % hosts, "mlx5_0"); /* distribute the ranks among the hosts */
        struct uat_ibv_groups g = open_groups(&job);
        assert_int_equal(g.count, hosts);
        for (int i = 0; i < g.size; i++) {
            assert_int_equal(g.of[i], i % hosts);
            assert_int_equal(g.place[i], i / hosts);
            assert_int_equal(connections(&g, i), hosts); /* at most one per group, because both directions share it */
        }
        check_ways(&g);
        uat_ibv_groups_close(&g);
    }
}

TEST(unequal_hosts)
{
    struct job job = {0};
    for (int i = 0; i < 7; i++)
        add(&job, 0, "mlx5_0");
    for (int i = 0; i < 3; i++)
        add(&job, 1, "mlx5_0");
    add(&job, 2, "mlx5_0");
    struct uat_ibv_groups g = open_groups(&job);
    assert_int_equal(g.count, 3);
    check_ways(&g);
    assert_int_equal(connections(&g, 0), 3);
    assert_int_equal(connections(&g, 7), 1 + 3 + 1);  /* to itself; to places 0, 3, 6 of host 0; to host 2 */
    assert_int_equal(connections(&g, 10), 1 + 7 + 3); /* worker 10 is alone on its host, so all other workers reach its
                                                       * host through worker 10 */
    uat_ibv_groups_close(&g);
}

/* A word belongs to one adapter, so two adapters of a host make two groups. Two pid namespaces also make two groups. A
 * worker that wants to be alone makes its own group. */
TEST(apart)
{
    struct job job = {0};
    for (int i = 0; i < 6; i++)
        add(&job, 0, i % 2 ? "mlx5_1" : "mlx5_0");
    job.info[4].segment.pid_space++;
    job.info[5].alone = 1;
    struct uat_ibv_groups g = open_groups(&job);
    assert_int_equal(g.count, 4);
    assert_true(g.of[0] == g.of[2] && g.of[1] == g.of[3] && g.of[0] != g.of[1]);
    assert_true(g.of[4] != g.of[0] && g.of[5] != g.of[1]);
    assert_true(g.apart[0] == 0 && g.apart[1] == 4); /* workers 0 and 4 differ only in their pid namespace */
    for (int i = 0; i < job.size; i++)               /* all use their adapter, whatever their groups */
        assert_int_equal(uat_ibv_groups_sharing(job.shown, job.size, i), 3);
    check_ways(&g);
    uat_ibv_groups_close(&g);
    for (int i = 0; i < job.size; i++)
        job.info[i].alone = 1;
    g = open_groups(&job);
    assert_int_equal(g.count, job.size);
    assert_int_equal(g.apart[1], 0);
    for (int i = 0; i < job.size; i++) {
        assert_int_equal(connections(&g, i), job.size);
        assert_int_equal(uat_ibv_groups_sharing(job.shown, job.size, i), 3);
    }
    check_ways(&g);
    uat_ibv_groups_close(&g);
}

/* Hosts whose boot id is unknown are distinguished by name. */
TEST(unknown_boot)
{
    struct job job = {0};
    for (int i = 0; i < 4; i++) {
        add(&job, i / 2, "mlx5_0");
        job.info[i].segment.boot[0] = '\0';
    }
    struct uat_ibv_groups g = open_groups(&job);
    assert_int_equal(g.count, 2);
    assert_true(g.of[0] == g.of[1] && g.of[2] == g.of[3]);
    uat_ibv_groups_close(&g);
}

/* Add another address of the worker, in this network of 24 bits. */
static void add_address(struct job *job, int worker, const char *device, uint8_t network)
{
    struct uat_ibv_attach_info *info = &job->info[worker];
    struct uat_ibv_address *a = &info->address[info->addresses++];
    *a = (struct uat_ibv_address){.bits = 24, .gid.raw[2] = network};
    snprintf(a->device, sizeof(a->device), "%s", device);
    job->shown[worker].size = uat_ibv_attach_info_size(info);
}

/* The workers of a host prefer different adapters, but all workers take the adapter that is in rank 0's network. */
TEST(rails)
{
    struct job job = {0};
    for (int i = 0; i < 6; i++) {
        add(&job, i / 3, "");
        job.info[i].addresses = 0;
        add_address(&job, i, i % 2 ? "mlx5_1" : "mlx5_0", i % 2);
        add_address(&job, i, i % 2 ? "mlx5_0" : "mlx5_1", !(i % 2));
    }
    struct uat_ibv_groups g = open_groups(&job);
    assert_int_equal(g.count, 2);
    for (int i = 0; i < 6; i++)
        assert_int_equal(g.of[i], i / 3);
    check_ways(&g);
    uat_ibv_groups_close(&g);
}

TEST(refused)
{
    struct uat_ibv_groups g;
    for (int i = 0; i < 5; i++) {
        struct job job = {0};
        add(&job, 0, "mlx5_0");
        add(&job, 1, "mlx5_0");
        job.info[1].magic += i == 0;
        job.info[1].version += i == 1;
        job.shown[1].size -= i == 2;
        job.info[1].addresses += i == 3;
        job.info[1].addresses -= i == 4;
        assert_int_equal(uat_ibv_groups_open(&g, job.shown, job.size), -EPROTO);
        assert_null(g.of);
    }
}

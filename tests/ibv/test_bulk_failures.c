/* SPDX-License-Identifier: MIT */
/*
 * Description: each failure of bulk data over verbs gives a one-line message with the cure, and a negative errno. The
 * failures are: local memory that is not registered, a region that is withdrawn, a peer that disappears during
 * transfers, a limit of locked memory that is too low.
 */
#include <errno.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "tests/test.h"
#include "tests/unit/bulk_worker.h"
#include "transport_ibv/bulk.h"

static bool has_line(const char *lines, const char *text)
{
    const char *first = strchr(lines, '\n');
    if (strstr(lines, text) && first && !first[1])
        return true;
    fprintf(stderr, "expected one line with '%s', got:\n%s", text, lines);
    return false;
}

static void work_unreachable(struct peer *me, void *arg)
{
    bulk_begin(me, arg);
    if (me->rank == 0) {
        char lines[2048], *local = malloc(64);
        int host = bulk_my.hosts - 1, capture = peer_capture();
        PEER_CHECK(!bulk_my.bulk->class_->reaches(bulk_my.bulk, local, 64));
        PEER_CHECK(bulk_my.bulk->class_->reaches(bulk_my.bulk, bulk_my.arena + BULK_ARENA - 64, 64));
        PEER_CHECK(!bulk_my.bulk->class_->reaches(bulk_my.bulk, bulk_my.arena + BULK_ARENA - 63, 64));
        PEER_CHECK(bulk_my.bulk->class_->reaches(bulk_my.bulk, me->data, 64));
        struct uat_bulk_op op = bulk_operation(UAT_OP_READ, host, 0, 0, local, 64);
        int rc = bulk_my.bulk->class_->post(bulk_my.bulk, host, &op);
        peer_captured(capture, lines, sizeof(lines));
        PEER_CHECK(rc == -EFAULT && has_line(lines, "is not in registered memory"));
        free(local);
    }
    bulk_end(me);
}

/* If a worker exposes no memory, the queue pair to this worker gives no access. Of the four workers on two hosts, two
 * expose memory. */
static void work_access(struct peer *me, void *arg)
{
    bulk_begin(me, arg);
    const struct uat_ibv_bulk *b = uat_ibv_bulk_of(bulk_my.bulk);
    bool serves = bulk_my.leader[bulk_my.host] == me->rank;
    PEER_CHECK(b->pair_count > 0);
    for (int i = 0; i < b->pair_count; i++) {
        struct ibv_qp_attr attr;
        struct ibv_qp_init_attr init;
        PEER_CHECK(ibv_query_qp(b->pairs[i].qp, &attr, IBV_QP_ACCESS_FLAGS, &init) == 0);
        PEER_CHECK((attr.qp_access_flags & UAT_IBV_SERVES) == (serves ? UAT_IBV_SERVES : 0));
    }
    bulk_end(me);
}

/* A region is withdrawn, or its worker disappears, while READs of the region are posted. One message must report the
 * loss, and every later call must fail with the same errno. */
static void lose(struct peer *me, void *arg, bool gone, int result, const char *text)
{
    bulk_begin(me, arg);
    int host = bulk_my.hosts - 1;
    if (me->rank == bulk_my.leader[host]) {
        bulk_my.bulk->class_->conceal(bulk_my.bulk, bulk_my.shared->region[host][1]);
        if (gone)
            bulk_my.bulk->class_->close(bulk_my.bulk);
    }
    peer_barrier(me);
    if (me->rank == 0) {
        char lines[2048];
        int capture = peer_capture(), rc = 0;
        for (int i = 0; i < 300 && !rc; i++) {
            struct uat_bulk_op op = bulk_operation(UAT_OP_READ, host, 1, 64, bulk_my.arena, 1 << 20);
            rc = bulk_my.bulk->class_->post(bulk_my.bulk, host, &op);
        }
        struct uat_bulk_op op = bulk_operation(UAT_OP_READ, 0, 0, 64, bulk_my.arena, 64);
        int wait = uat_bulk_wait(bulk_my.bulk, host, bulk_my.bulk->link[host].posted),
            again = bulk_my.bulk->class_->post(bulk_my.bulk, 0, &op);
        peer_captured(capture, lines, sizeof(lines));
        PEER_CHECK(has_line(lines, text) && strstr(lines, "of the global memory that rank"));
        PEER_CHECK((rc == 0 || rc == result) && wait == result && again == result);
    }
    peer_barrier(me);
    _exit(0);
}

static void work_concealed(struct peer *me, void *arg)
{
    lose(me, arg, false, -EACCES, "refused the address");
}

static void work_gone(struct peer *me, void *arg)
{
    lose(me, arg, true, -ETIMEDOUT, "does not answer");
}

/* From now on this process may lock only this many bytes. */
static void limit_locked(uint64_t bytes)
{
    struct rlimit limit = {bytes, bytes};
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[2];
    PEER_CHECK(syscall(SYS_capget, &head, data) == 0);
    data[0].effective &= ~(1u << CAP_IPC_LOCK);
    data[0].permitted &= ~(1u << CAP_IPC_LOCK);
    PEER_CHECK(syscall(SYS_capset, &head, data) == 0 && setrlimit(RLIMIT_MEMLOCK, &limit) == 0);
}

/* The segments of both workers together take 8 MiB. This worker's segment, of 4 MiB, counts a second time. The arena
 * takes 4 MiB, and each region 3 MiB. So a limit of 15 MiB has no room for the arena, and a limit of 18 MiB has no room
 * for a region. */
static void work_memlock(struct peer *me, void *arg)
{
    const struct bulk_test *test = arg;
    char lines[4096];
    limit_locked(test->memlock);
    int capture = peer_capture(), rc = bulk_open(me, test);
    if (!rc)
        for (int i = 0; i < BULK_REGIONS && !rc; i++) {
            rc = bulk_my.bulk->class_->room(bulk_my.bulk, BULK_REGION, false);
            if (!rc)
                rc = bulk_my.bulk->class_->expose(bulk_my.bulk, -1, bulk_my.shared->region[bulk_my.host][i],
                                                  BULK_REGION, &bulk_my.shared->key[bulk_my.host][i]);
        }
    peer_captured(capture, lines, sizeof(lines));
    PEER_CHECK(rc == -ENOMEM);
    PEER_CHECK(has_line(lines, test->memlock < 16u << 20 ? "the cache of far memory, 4096 KiB, must be locked memory"
                                                         : "the global memory of this host, 3072 KiB, must be locked"));
    PEER_CHECK(strstr(lines, "but RLIMIT_MEMLOCK is ") && strstr(lines, "ulimit -l unlimited"));
    peer_barrier(me);
    _exit(0);
}

TEST(lost)
{
    bulk_run(&uat_transport_ibv, work_unreachable, 2, (struct bulk_test){.hosts = 2});
    bulk_run(&uat_transport_ibv, work_concealed, 2, (struct bulk_test){.hosts = 2});
    bulk_run(&uat_transport_ibv, work_gone, 3, (struct bulk_test){.hosts = 3});
}

TEST(access)
{
    bulk_run(&uat_transport_ibv, work_access, 4, (struct bulk_test){.hosts = 2});
}

TEST(memlock)
{
    bulk_run(&uat_transport_ibv, work_memlock, 2, (struct bulk_test){.hosts = 2, .memlock = 15 << 20});
    bulk_run(&uat_transport_ibv, work_memlock, 2, (struct bulk_test){.hosts = 2, .memlock = 18 << 20});
}

int main(void)
{
    if (!peers_ready(&uat_transport_ibv))
        return 77;
    return tests_run();
}

/* SPDX-License-Identifier: MIT */
/*
 * Description: the settings' parser. It gives defaults, takes every kind of value within its bounds, and reports a bad
 * value.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "deque/settings.h"
#include "runtime/global/settings.h"
#include "runtime/job/settings.h"
#include "runtime/rooms.h"
#include "runtime/sched/settings.h"
#include "runtime/segment/settings.h"
#include "runtime/torture/settings.h"
#include "runtime/trace/settings.h"
#include "tests/test.h"
#include "transport_ibv/settings.h"
#include "transport_sim/settings.h"

static char message[512], text[UAT_SETTING_TEXT_MAX];

/* Parse an environment of one variable. */
static int parse(const char *assignment)
{
    char *env[] = {"PATH=/bin", (char *)assignment, NULL};
    message[0] = '\0';
    return uat_settings_read(uat_settings, env, message, sizeof(message));
}

/* The variable must be refused. The one-line message must start with its name and contain `what`. */
static void assert_refused(const char *assignment, const char *what)
{
    if (parse(assignment) != -EINVAL)
        fail_msg("%s was accepted", assignment);
    if (strncmp(message, assignment, strcspn(assignment, "=") + 1) != 0 || !strstr(message, what))
        fail_msg("%s: message '%s' does not say '%s'", assignment, message, what);
    assert_null(strchr(message, '\n'));
}

/* The variable must be accepted, and its setting must then read as `value`. */
static void assert_taken(const char *assignment, const char *value)
{
    char name[64];
    if (parse(assignment))
        fail_msg("%s was refused: %s", assignment, message);
    snprintf(name, sizeof(name), "%.*s", (int)strcspn(assignment, "="), assignment);
    assert_string_equal(uat_settings_text(uat_settings, name, text), value);
}

TEST(defaults)
{
    assert_int_equal(parse("HOME=/"), 0);
    assert_int_equal(uat_segment_settings.address, 0x7ea000000000);
    assert_int_equal(uat_segment_settings.stack_size, 16 << 20);
    assert_int_equal(uat_segment_settings.heap_size, 16 << 20);
    assert_int_equal(uat_segment_settings.records, 4096);
    assert_int_equal(uat_segment_settings.result_max, 1024);
    assert_int_equal(uat_deque_settings.entries, 65536);
    assert_int_equal(uat_deque_settings.protocol, UAT_DEQUE_CLAIM);
    assert_int_equal(uat_deque_settings.peeks, UAT_PEEKS_AUTO);
    assert_int_equal(uat_job_settings.transport, UAT_TRANSPORT_AUTO);
    assert_int_equal(uat_job_settings.bind, UAT_BIND_AUTO);
    assert_int_equal(uat_job_settings.log, UAT_LOG_WARN);
    assert_int_equal(uat_job_settings.stall_timeout, 5);
    assert_int_equal(uat_job_settings.stall_limit, 120);
    assert_int_equal(uat_sched_settings.seed, 0);
    assert_int_equal(uat_torture_settings.torture, UAT_TORTURE_NONE);
    assert_false(uat_torture_delays());
    assert_int_equal(uat_global_settings.part_size, UAT_PART_AUTO);
    assert_string_equal(uat_ibv_settings.device, "");
    assert_int_equal(uat_ibv_settings.port, 0);
    assert_int_equal(uat_ibv_settings.gid_index, -1);
    assert_int_equal(uat_ibv_settings.service_level, 0);
    assert_int_equal(uat_ibv_settings.traffic_class, -1);
    assert_int_equal(uat_ibv_settings.pkey, -1);
    assert_int_equal(uat_ibv_settings.retries, 6);
    assert_int_equal(uat_ibv_settings.timeout, 0);
    assert_int_equal(uat_ibv_settings.connect, UAT_CONNECT_HOST);
    assert_int_equal(uat_ibv_settings.neighbours, UAT_NEIGHBOURS_CPU);
    assert_int_equal(uat_sim_settings.task, 1000);
    assert_int_equal(uat_sim_settings.stop_rank, -1);
    assert_string_equal(uat_trace_settings.file, "");
}

/* Check the values that test_every_kind() sets. */
static void assert_simulation_set(void)
{
    assert_int_equal(uat_sim_settings.network, UAT_SIM_NETWORK_QDR);
    assert_int_equal(uat_sim_settings.rtt, 1600);
    assert_int_equal(uat_sim_settings.atomic, 200);
    assert_int_equal(uat_sim_settings.gap, 5);
    assert_int_equal(uat_sim_settings.bandwidth, 24000);
    assert_int_equal(uat_sim_settings.node, 64);
    assert_int_equal(uat_sim_settings.task, 2000);
    assert_int_equal(uat_sim_settings.cpu, 50);
    assert_int_equal(uat_sim_settings.quantum, 3000);
    assert_int_equal(uat_ibv_settings.subnet, UAT_SUBNET_ANY);
    assert_int_equal(uat_ibv_settings.post, UAT_POST_ALONE);
    assert_int_equal(uat_sim_settings.seed, 7);
    assert_int_equal(uat_sim_settings.order, UAT_SIM_ORDER_CHAIN);
    assert_int_equal(uat_sim_settings.stores, UAT_SIM_STORES_WEAK);
    assert_int_equal(uat_sim_settings.stop, 84000);
    assert_int_equal(uat_sim_settings.stop_rank, 3);
    assert_int_equal(uat_sim_settings.limit, 2000);
}

TEST(every_kind)
{
    char *env[] = {"UAT_SEGMENT_ADDRESS=0x7e8000000000",
                   "UAT_STACK_SIZE=1M",
                   "UAT_HEAP_SIZE=2097152",
                   "UAT_RECORDS=17",
                   "UAT_DEQUE=message",
                   "UAT_PEEKS=none",
                   "UAT_SEED=18446744073709551615",
                   "UAT_TORTURE=steal",
                   "UAT_NET_DEVICES=mlx5_0:1",
                   "UAT_GID_INDEX=3",
                   "UAT_IB_PATH=sl=15,tc=106,pkey=0x8001,subnet=any",
                   "UAT_IB_RETRY=timeout=22",
                   "UAT_CONNECT=rdmacm,neighbours=adapter,post=alone",
                   "UAT_GLOBAL_HOSTS=3,latency=5us",
                   "UAT_STALL_TIMEOUT=2",
                   "UAT_STALL_LIMIT=2min",
                   "UAT_SIM_NETWORK=qdr,rtt=1600,atomic=200ns,gap=5,bandwidth=24000,node=64",
                   "UAT_SIM_TASK=2us,cpu=50,quantum=3us",
                   "UAT_SIM_SEED=7,order=chain,stores=weak",
                   "UAT_SIM_LIMIT=2s,stop=84us,rank=3",
                   NULL};
    assert_int_equal(uat_settings_read(uat_settings, env, message, sizeof(message)), 0);
    assert_int_equal(uat_segment_settings.address, 0x7e8000000000);
    assert_int_equal(uat_segment_settings.stack_size, 1 << 20);
    assert_int_equal(uat_segment_settings.heap_size, 2 << 20);
    assert_int_equal(uat_segment_settings.records, 17);
    assert_int_equal(uat_deque_settings.protocol, UAT_DEQUE_MESSAGE);
    assert_int_equal(uat_deque_settings.peeks, UAT_PEEKS_NONE);
    assert_true(uat_sched_settings.seed == UINT64_MAX);
    assert_int_equal(uat_torture_settings.torture, UAT_TORTURE_STEAL);
    assert_string_equal(uat_ibv_settings.device, "mlx5_0");
    assert_int_equal(uat_ibv_settings.port, 1);
    assert_int_equal(uat_ibv_settings.gid_index, 3);
    assert_int_equal(uat_ibv_settings.service_level, 15);
    assert_int_equal(uat_ibv_settings.traffic_class, 106);
    assert_int_equal(uat_ibv_settings.pkey, 0x8001);
    assert_int_equal(uat_ibv_settings.retries, 6);
    assert_int_equal(uat_ibv_settings.timeout, 22);
    assert_int_equal(uat_ibv_settings.connect, UAT_CONNECT_RDMACM);
    assert_int_equal(uat_ibv_settings.neighbours, UAT_NEIGHBOURS_ADAPTER);
    assert_int_equal(uat_global_settings.hosts, 3);
    assert_int_equal(uat_global_settings.latency, 5000);
    assert_int_equal(uat_job_settings.stall_timeout, 2);
    assert_int_equal(uat_job_settings.stall_limit, 120);
    assert_simulation_set();
}

TEST(rounding)
{
    assert_taken("UAT_STACK_SIZE=65537", "68k");
    assert_taken("UAT_HEAP_SIZE=64k", "64k");
    assert_taken("UAT_RESULT_MAX=65529", "64k");
    assert_taken("UAT_RECORDS=4097", "4097");
}

TEST(bounds)
{
    assert_refused("UAT_STACK_SIZE=65535", "must be a size from 64k to 2G");
    assert_refused("UAT_STACK_SIZE=4G", "from 64k to 2G"); /* an operation's size has 32 bits */
    assert_refused("UAT_HEAP_SIZE=0", "a size from 64k");
    assert_refused("UAT_RECORDS=0", "a number from 1 to 16777216");
    assert_refused("UAT_RESULT_MAX=1023", "from 1k to 64k");
    assert_refused("UAT_RESULT_MAX=65537", "from 1k to 64k");
    assert_refused("UAT_DEQUE_ENTRIES=15", "from 16");
    assert_refused("UAT_SEGMENT_ADDRESS=0x7ea000001000", "a multiple of 0x200000");
    assert_refused("UAT_SEGMENT_ADDRESS=0", "from 0x200000");
    assert_refused("UAT_SEGMENT_ADDRESS=0x800000000000", "to 0x7fffffe00000");
    assert_refused("UAT_PEEKS=9", "from 1 to 8, auto or none");
    assert_refused("UAT_PEEKS=0", "from 1 to 8, auto or none");
    assert_refused("UAT_GID_INDEX=-1", "from 0 to 255 or auto");
    assert_refused("UAT_GID_INDEX=4294967296", "from 0 to 255 or auto");
    assert_refused("UAT_IB_PATH=16", "sl must be a number from 0 to 15");
    assert_refused("UAT_IB_PATH=tc=256", "tc must be a number from 0 to 255");
    assert_refused("UAT_IB_PATH=pkey=0x10000", "pkey must be a number from 0 to 65535 or first");
    assert_refused("UAT_SEED=-1", "a number");
    assert_refused("UAT_SEED=18446744073709551616", "a number");
    assert_refused("UAT_STALL_LIMIT=1500ms", "a multiple of 1s");
    assert_refused("UAT_STALL_LIMIT=25000min", "from 0 to 86400s");
    assert_taken("UAT_GID_INDEX=auto", "auto");
    assert_taken("UAT_STACK_SIZE=2G", "2G");
    assert_taken("UAT_STALL_LIMIT=2000ms", "2s");
}

TEST(words)
{
    assert_refused("UAT_DEQUE=locks", "must be lock, claim or message");
    assert_refused("UAT_TRANSPORT=SHM", "must be auto, shm, ibv or sim");
    assert_refused("UAT_LOG=2", "must be error, warn or info");
    assert_refused("UAT_CONNECT=tcp", "by must be worker, host or rdmacm");
    assert_refused("UAT_STACK_SIZE=large", "must be a size");
}

TEST(parts)
{
    assert_taken("UAT_TORTURE=none", "none");
    assert_taken("UAT_TORTURE=evacuate", "evacuate");
    assert_taken("UAT_TORTURE=delay=7,steal", "steal,delay=7");
    assert_int_equal(uat_torture_settings.torture_delay, 7);
    assert_true(uat_torture_delays());
    assert_taken("UAT_TORTURE=delay=0", "delay=0");
    assert_true(uat_torture_delays());
    assert_taken("UAT_SIM_NETWORK=node=36", "node=36");
    assert_int_equal(uat_sim_settings.network, UAT_SIM_NETWORK_CX6);
    assert_taken("UAT_SIM_NETWORK=rtt=16us,name=qdr", "qdr,rtt=16us");
    assert_taken("UAT_CONNECT=by=worker", "worker");
    assert_refused("UAT_TORTURE=evacuate,steal", "mode is given twice");
    assert_refused("UAT_TORTURE=steal,delay=1,evacuate", "mode is given twice");
    assert_refused("UAT_SIM_NETWORK=rtt=1,rtt=1", "rtt is given twice");
    assert_refused("UAT_SIM_NETWORK=rt=1us", "has no part rt; did you mean rtt?");
    assert_refused("UAT_SIM_NETWORK==1us", "has no part ; did you mean");
    assert_refused("UAT_SIM_NETWORK=rtt",
                   "name must be cx6, cx6-ideal, cx5, cx7, cx7-ndr, fx10, qdr, tsubame or tsubame-am");
    assert_refused("UAT_SIM_NETWORK=rtt=2s", "rtt must be a time from 0 to 1s");
    const char *bad[] = {"UAT_TORTURE=delay", "UAT_TORTURE=steal,", "UAT_TORTURE=,steal", "UAT_TORTURE=steals",
                         "UAT_TORTURE=steal steal"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_refused(bad[i], "mode must be none, evacuate, steal, order, fence or rollback");
    assert_refused("UAT_TORTURE=delay=", "delay must be a number or none");
    assert_refused("UAT_TORTURE=delay=x", "delay must be a number or none");
}

TEST(devices)
{
    assert_taken("UAT_NET_DEVICES=rxe-0.1_x", "rxe-0.1_x");
    assert_int_equal(uat_ibv_settings.port, 0);
    assert_taken("UAT_NET_DEVICES=mlx5_0:2", "mlx5_0:2");
    assert_taken("UAT_NET_DEVICES=any", "any");
    const char *bad[] = {"UAT_NET_DEVICES=:1",
                         "UAT_NET_DEVICES=mlx5_0:",
                         "UAT_NET_DEVICES=mlx5_0:0",
                         "UAT_NET_DEVICES=mlx5_0:256",
                         "UAT_NET_DEVICES=mlx5_0:1:2",
                         "UAT_NET_DEVICES=a b",
                         "UAT_NET_DEVICES=mlx5_0,port=1",
                         "UAT_NET_DEVICES=a123456789a123456789a123456789a123456789a123456789a123456789a123"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_refused(bad[i], "must be device or device:port");
}

/* The variable must be accepted. The one-line warning must start with its name and contain `what`. */
static void assert_noted(const char *assignment, const char *what)
{
    if (parse(assignment))
        fail_msg("%s was refused: %s", assignment, message);
    if (strncmp(message, assignment, strcspn(assignment, "=") + 1) != 0 || !strstr(message, what))
        fail_msg("%s: message '%s' does not say '%s'", assignment, message, what);
    assert_null(strchr(message, '\n'));
}

static void assert_ignored(const char *assignment)
{
    assert_int_equal(parse(assignment), 0);
    assert_string_equal(message, "");
}

TEST(misspelt)
{
    assert_noted("UAT_STACKSIZE=1M", "did you mean UAT_STACK_SIZE?");
    assert_noted("UAT_TRANSPROT=shm", "did you mean UAT_TRANSPORT?");
    assert_noted("UAT_DEQE=lock", "did you mean UAT_DEQUE?");
    assert_noted("UAT_DEQEU=lock", "did you mean UAT_DEQUE?");
    assert_noted("UAT_RECORD=1", "did you mean UAT_RECORDS?");
    assert_noted("UAT_PEEK=0", "did you mean UAT_PEEKS?");
    assert_noted("UAT_SIM_LIMITS=1", "did you mean UAT_SIM_LIMIT?");
    assert_noted("UAT_stack_size=1M", "did you mean UAT_STACK_SIZE?");
    char *two[] = {"UAT_PEEK=0", "UAT_ROOT=/", "UAT_DEQE=lock", NULL};
    assert_int_equal(uat_settings_read(uat_settings, two, message, sizeof(message)), 0);
    assert_non_null(strstr(message, "UAT_PEEKS? (uatrun --help lists all); UAT_DEQE=lock: no such setting"));
    char *then_bad[] = {"UAT_PEEK=0", "UAT_DEQUE=lick", NULL};
    assert_int_equal(uat_settings_read(uat_settings, then_bad, message, sizeof(message)), -EINVAL);
    assert_ptr_equal(strstr(message, "UAT_DEQUE=lick"), message);
}

TEST(names_of_others)
{
    assert_ignored("UAT_ROOT=/opt/uat");
    assert_ignored("UAT_DIR=/opt/uat/lib/cmake");
    assert_ignored("UAT_HOME=/opt/uat");
    assert_ignored("UAT_VERSION=0.2");
    assert_ignored("UAT_LIBRARY=libuat.so");
    assert_ignored("UAT_=1");
    assert_ignored("uat_deque=x");
    assert_ignored("XUAT_DEQUE=x");
    assert_ignored("UAT_NOT_AN_ASSIGNMENT");
    assert_null(uat_settings_text(uat_settings, "UAT_DEQUES", text));
}

TEST(empty)
{
    assert_taken("UAT_LOG=", "warn");
    assert_taken("UAT_STACK_SIZE=", "16M");
    assert_taken("UAT_TRANSPORT=", "auto");
    assert_taken("UAT_PEEKS=", "auto");
    assert_taken("UAT_NET_DEVICES=", "any");
    assert_taken("UAT_TRACE=", "none");
}

TEST(message_bounds)
{
    assert_refused("UAT_DEQUE=two\nlines\033[31m", "two?lines?[31m");
    char *name = malloc(100001);
    assert_non_null(name);
    memset(name, 'A', 100000);
    name[100000] = '\0';
    memcpy(name, "UAT_", 4);
    name[99000] = '=';
    char *env[] = {name, NULL};
    char small[16] = "";
    assert_int_equal(uat_settings_read(uat_settings, env, message, sizeof(message)), 0);
    assert_string_equal(message, "");
    char *bad[] = {"UAT_DEQUE=nothing", NULL}, *many[] = {"UAT_PEEK=0", "UAT_DEQE=lock", NULL};
    assert_int_equal(uat_settings_read(uat_settings, bad, small, sizeof(small)), -EINVAL);
    assert_int_equal(strlen(small), sizeof(small) - 1);
    assert_int_equal(uat_settings_read(uat_settings, many, small, sizeof(small)), 0);
    assert_int_equal(strlen(small), sizeof(small) - 1);
    memcpy(name, "UAT_TORTURE=delay=", 18); /* a list whose part is longer than any value */
    assert_int_equal(uat_settings_read(uat_settings, env, message, sizeof(message)), -EINVAL);
    assert_non_null(strstr(message, "delay must be"));
    free(name);
}

TEST(path)
{
    enum { MAX = sizeof(uat_trace_settings.file) };
    char name[sizeof("UAT_TRACE=") + MAX];
    strcpy(name, "UAT_TRACE=");
    memset(name + strlen(name), 'x', MAX);
    name[sizeof(name) - 1] = '\0';
    assert_int_equal(parse(name), -EINVAL);
    assert_non_null(strstr(message, "at most 511 characters"));
    name[sizeof("UAT_TRACE=") - 1 + MAX - 1] = '\0';
    assert_int_equal(parse(name), 0);
    assert_string_equal(uat_trace_settings.file, name + strlen("UAT_TRACE="));
    assert_taken("UAT_TRACE=none", "none");
    assert_string_equal(uat_trace_settings.file, "");
}

/* Compare a worker without settings with a worker that has this variable. Returns the number of the setting that
 * differs, and copies its name; -1: none differs. */
static int differing(const char *assignment, char name[UAT_SETTING_TEXT_MAX])
{
    uint64_t before[UAT_SETTINGS_EQUAL_MAX], after;
    int n = 0, found = -1;
    assert_int_equal(parse("HOME=/"), 0);
    while (n < UAT_SETTINGS_EQUAL_MAX && uat_settings_equal(uat_settings, n, &before[n], name))
        n++;
    assert_null(uat_settings_equal(uat_settings, n, &after, name));
    assert_int_equal(parse(assignment), 0);
    for (int i = 0; i < n; i++) {
        char here[UAT_SETTING_TEXT_MAX];
        uat_settings_equal(uat_settings, i, &after, here);
        if (after != before[i]) {
            assert_int_equal(found, -1);
            found = i;
            strcpy(name, here);
        }
    }
    return found;
}

TEST(equal)
{
    static const char *const compared[][2] = {{"UAT_SEGMENT_ADDRESS=0x7e8000000000", "UAT_SEGMENT_ADDRESS"},
                                              {"UAT_STACK_SIZE=1M", "UAT_STACK_SIZE"},
                                              {"UAT_HEAP_SIZE=1M", "UAT_HEAP_SIZE"},
                                              {"UAT_RECORDS=17", "UAT_RECORDS"},
                                              {"UAT_RESULT_MAX=2k", "UAT_RESULT_MAX"},
                                              {"UAT_DEQUE=lock", "UAT_DEQUE"},
                                              {"UAT_TORTURE=steal", "UAT_TORTURE: mode"},
                                              {"UAT_TORTURE=delay=7", "UAT_TORTURE: delay"},
                                              {"UAT_TRACE=/tmp/x", "UAT_TRACE: file"},
                                              {"UAT_TRACE=events=9", "UAT_TRACE: events"}};
    static const char *const apart[] = {"UAT_LOG=info", "UAT_SEED=7", "UAT_PEEKS=3", "UAT_NET_DEVICES=mlx5_1"};
    char name[UAT_SETTING_TEXT_MAX];
    for (size_t i = 0; i < sizeof(compared) / sizeof(compared[0]); i++) {
        assert_true(differing(compared[i][0], name) >= 0);
        assert_string_equal(name, compared[i][1]);
    }
    for (size_t i = 0; i < sizeof(apart) / sizeof(apart[0]); i++)
        assert_int_equal(differing(apart[i], name), -1);
}

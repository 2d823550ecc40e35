/* SPDX-License-Identifier: MIT */
/*
 * Description: the settings' parser: defaults, every kind of value, its bounds, and the line that a bad one gets.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/options.h"
#include "base/text.h"

static struct uat_options out;
static char message[512];

/* Parse an environment of one variable. */
static int parse(const char *assignment)
{
    char *env[] = {"PATH=/bin", (char *)assignment, NULL};
    message[0] = '\0';
    memset(&out, 0x55, sizeof(out));
    return uat_options_parse(&out, env, message, sizeof(message));
}

/* The variable is refused in one line that begins with it and contains `what`; the output is left alone. */
static void assert_refused(const char *assignment, const char *what)
{
    struct uat_options untouched;
    memset(&untouched, 0x55, sizeof(untouched));
    if (parse(assignment) != -EINVAL)
        fail_msg("%s was accepted", assignment);
    if (strncmp(message, assignment, strcspn(assignment, "=") + 1) != 0 || !strstr(message, what))
        fail_msg("%s: message '%s' does not say '%s'", assignment, message, what);
    assert_null(strchr(message, '\n'));
    assert_memory_equal(&out, &untouched, sizeof(out));
}

static void test_defaults(void **state)
{
    (void)state;
    assert_int_equal(parse("HOME=/"), 0);
    assert_int_equal(out.segment_address, 0x7ea000000000);
    assert_int_equal(out.stack_size, 16 << 20);
    assert_int_equal(out.heap_size, 16 << 20);
    assert_int_equal(out.records, 4096);
    assert_int_equal(out.result_max, 1024);
    assert_int_equal(out.deque_entries, 65536);
    assert_int_equal(out.deque, UAT_DEQUE_CLAIM);
    assert_int_equal(out.peek, 1);
    assert_int_equal(out.transport, UAT_TRANSPORT_AUTO);
    assert_int_equal(out.bind, UAT_BIND_AUTO);
    assert_int_equal(out.log, UAT_LOG_WARN);
    assert_int_equal(out.seed, 0);
    assert_string_equal(uat_options_torture(&out), "none");
    assert_string_equal(out.network.device, "");
    assert_int_equal(out.network.gid_index, -1);
    assert_int_equal(out.network.service_level, 0);
    assert_int_equal(out.network.traffic_class, 0);
    assert_int_equal(out.network.pkey, -1);
    assert_int_equal(out.network.connect, UAT_CONNECT_HOST);
    assert_string_equal(out.trace, "");
}

static void test_every_variable(void **state)
{
    (void)state;
    char *env[] = {"UAT_SEGMENT_ADDRESS=0x7e8000000000",
                   "UAT_STACK_SIZE=1M",
                   "UAT_HEAP_SIZE=2097152",
                   "UAT_RECORDS=17",
                   "UAT_RESULT_MAX=1024",
                   "UAT_DEQUE_ENTRIES=32",
                   "UAT_DEQUE=claim",
                   "UAT_PEEK=0",
                   "UAT_TRANSPORT=shm",
                   "UAT_BIND=core",
                   "UAT_LOG=info",
                   "UAT_SEED=18446744073709551615",
                   "UAT_TORTURE=steal",
                   "UAT_NET_DEVICES=mlx5_0:1",
                   "UAT_GID_INDEX=3",
                   "UAT_IB_SL=15",
                   "UAT_IB_TRAFFIC_CLASS=106",
                   "UAT_IB_PKEY=0x8001",
                   "UAT_CONNECT=rdmacm",
                   "UAT_STALL_TIMEOUT=2",
                   "UAT_STALL_LIMIT=7",
                   NULL};
    assert_int_equal(uat_options_parse(&out, env, message, sizeof(message)), 0);
    assert_int_equal(out.segment_address, 0x7e8000000000);
    assert_int_equal(out.stack_size, 1 << 20);
    assert_int_equal(out.heap_size, 2 << 20);
    assert_int_equal(out.records, 17);
    assert_int_equal(out.result_max, 1024);
    assert_int_equal(out.deque_entries, 32);
    assert_int_equal(out.deque, UAT_DEQUE_CLAIM);
    assert_int_equal(out.peek, 0);
    assert_int_equal(out.transport, UAT_TRANSPORT_SHM);
    assert_int_equal(out.bind, UAT_BIND_CORE);
    assert_int_equal(out.log, UAT_LOG_INFO);
    assert_true(out.seed == UINT64_MAX);
    assert_string_equal(uat_options_torture(&out), "steal");
    assert_string_equal(out.network.device, "mlx5_0");
    assert_int_equal(out.network.port, 1);
    assert_int_equal(out.network.gid_index, 3);
    assert_int_equal(out.network.service_level, 15);
    assert_int_equal(out.network.traffic_class, 106);
    assert_int_equal(out.network.pkey, 0x8001);
    assert_int_equal(out.network.connect, UAT_CONNECT_RDMACM);
    assert_int_equal(out.stall_timeout, 2);
    assert_int_equal(out.stall_limit, 7);
    assert_int_equal(out.network.wait_report, 2);
    assert_int_equal(out.network.wait_limit, 7);
}

static void test_sizes(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t value;
    } good[] = {{"0", 0},
                {"1", 1},
                {"4k", 4096},
                {"4K", 4096},
                {"3m", 3 << 20},
                {"3M", 3 << 20},
                {"2g", 2ull << 30},
                {"2G", 2ull << 30},
                {"0x10", 16},
                {"0xfk", 15 << 10},
                {"010", 10},
                {"18446744073709551615", UINT64_MAX},
                {"0xffffffffffffffff", UINT64_MAX},
                {"17179869183G", 17179869183ull << 30}};
    static const char *const bad[] = {"",
                                      " 1",
                                      "1 ",
                                      "-1",
                                      "+1",
                                      "k",
                                      "1kk",
                                      "1kB",
                                      "1T",
                                      "0x",
                                      "0xg",
                                      "1.5M",
                                      "1e6",
                                      "18446744073709551616",
                                      "17179869184G",
                                      "0x10000000000000000",
                                      "one"};
    uint64_t value;
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        if (uat_parse_size(good[i].text, &value) != 0 || value != good[i].value)
            fail_msg("size '%s' was not understood", good[i].text);
    }
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        value = 4711;
        if (uat_parse_size(bad[i], &value) != -EINVAL || value != 4711)
            fail_msg("size '%s' was accepted", bad[i]);
    }
}

static void test_rounding(void **state)
{
    (void)state;
    assert_int_equal(parse("UAT_STACK_SIZE=65537"), 0);
    assert_int_equal(out.stack_size, 65536 + 4096);
    assert_int_equal(parse("UAT_HEAP_SIZE=64k"), 0);
    assert_int_equal(out.heap_size, 65536);
    assert_int_equal(parse("UAT_RESULT_MAX=65529"), 0);
    assert_int_equal(out.result_max, 65536);
    assert_int_equal(parse("UAT_RECORDS=4097"), 0);
    assert_int_equal(out.records, 4097);
}

static void test_bounds(void **state)
{
    (void)state;
    assert_refused("UAT_STACK_SIZE=65535", "from 64k to 2G bytes");
    assert_refused("UAT_STACK_SIZE=4G", "from 64k to 2G bytes"); /* an operation's size has 32 bits */
    assert_refused("UAT_HEAP_SIZE=0", "bytes");
    assert_refused("UAT_RECORDS=0", "from 1 to 16777216");
    assert_refused("UAT_RESULT_MAX=1023", "from 1k to 64k bytes");
    assert_refused("UAT_RESULT_MAX=65537", "from 1k to 64k bytes");
    assert_refused("UAT_DEQUE_ENTRIES=15", "from 16");
    assert_refused("UAT_SEGMENT_ADDRESS=0x7ea000001000", "multiple of 2 MiB");
    assert_refused("UAT_SEGMENT_ADDRESS=0", "multiple of 2 MiB");
    assert_refused("UAT_SEGMENT_ADDRESS=0x800000000000", "multiple of 2 MiB");
    assert_refused("UAT_PEEK=2", "from 0 to 1");
    assert_refused("UAT_PEEK=-1", "from 0 to 1");
    assert_refused("UAT_GID_INDEX=-2", "from -1 to 255");
    assert_refused("UAT_GID_INDEX=4294967296", "from -1 to 255");
    assert_refused("UAT_IB_SL=16", "from 0 to 15");
    assert_refused("UAT_IB_TRAFFIC_CLASS=256", "from 0 to 255");
    assert_refused("UAT_IB_PKEY=0x10000", "from -1 to 65535");
    assert_refused("UAT_SEED=-1", "a number");
    assert_refused("UAT_SEED=18446744073709551616", "a number");
    assert_int_equal(parse("UAT_GID_INDEX=-1"), 0);
    assert_int_equal(parse("UAT_STACK_SIZE=2G"), 0);
}

static void test_words(void **state)
{
    (void)state;
    assert_refused("UAT_DEQUE=locks", "must be lock, claim or message");
    assert_refused("UAT_TRANSPORT=", "must be auto, shm, ibv or sim");
    assert_refused("UAT_TRANSPORT=SHM", "must be auto, shm, ibv or sim");
    assert_refused("UAT_LOG=2", "must be error, warn or info");
    assert_refused("UAT_CONNECT=tcp", "must be worker, host or rdmacm");
    assert_refused("UAT_PEEK=", "must be a number");
    assert_refused("UAT_STACK_SIZE=large", "must be a size");
}

static void test_torture(void **state)
{
    (void)state;
    assert_int_equal(parse("UAT_TORTURE=none"), 0);
    assert_false(out.torture_evacuate || out.torture_steal || out.torture_delay);
    assert_int_equal(parse("UAT_TORTURE=evacuate"), 0);
    assert_true(out.torture_evacuate && !out.torture_steal && !out.torture_delay);
    assert_string_equal(uat_options_torture(&out), "evacuate");
    assert_int_equal(parse("UAT_TORTURE=delay=7,steal"), 0);
    assert_true(!out.torture_evacuate && out.torture_steal && out.torture_delay);
    assert_int_equal(out.torture_seed, 7);
    assert_string_equal(uat_options_torture(&out), "steal,delay=7");
    assert_int_equal(parse("UAT_TORTURE=evacuate,delay=18446744073709551615"), 0);
    assert_string_equal(uat_options_torture(&out), "evacuate,delay=18446744073709551615");
    assert_refused("UAT_TORTURE=evacuate,steal", "exclude each other");
    assert_refused("UAT_TORTURE=steal,delay=1,evacuate", "exclude each other");
    const char *bad[] = {"UAT_TORTURE=",        "UAT_TORTURE=delay",      "UAT_TORTURE=delay=",
                         "UAT_TORTURE=steal,",  "UAT_TORTURE=,steal",     "UAT_TORTURE=steals",
                         "UAT_TORTURE=delay=x", "UAT_TORTURE=none,steal", "UAT_TORTURE=steal steal",
                         "UAT_TORTURE=delay=1k"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_refused(bad[i], "must be none, evacuate, steal or delay=SEED");
}

static void test_devices(void **state)
{
    (void)state;
    assert_int_equal(parse("UAT_NET_DEVICES=rxe-0.1_x"), 0);
    assert_string_equal(out.network.device, "rxe-0.1_x");
    assert_int_equal(out.network.port, 0);
    const char *bad[] = {"UAT_NET_DEVICES=",
                         "UAT_NET_DEVICES=:1",
                         "UAT_NET_DEVICES=mlx5_0:",
                         "UAT_NET_DEVICES=mlx5_0:0",
                         "UAT_NET_DEVICES=mlx5_0:256",
                         "UAT_NET_DEVICES=mlx5_0:1:2",
                         "UAT_NET_DEVICES=a b",
                         "UAT_NET_DEVICES=a123456789a123456789a123456789a123456789a123456789a123456789a123"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_refused(bad[i], "device:port");
}

static void test_unknown(void **state)
{
    (void)state;
    assert_refused("UAT_STACKSIZE=1M", "did you mean UAT_STACK_SIZE?");
    assert_refused("UAT_TRANSPROT=shm", "did you mean UAT_TRANSPORT?");
    assert_refused("UAT_DEQEU=lock", "did you mean UAT_DEQUE?");
    assert_refused("UAT_RECORD=1", "did you mean UAT_RECORDS?");
    assert_refused("UAT_stack_size=1M", "no such setting");
    assert_refused("UAT_=1", "no such setting");
    assert_int_equal(parse("uat_deque=x"), 0);
    assert_int_equal(parse("XUAT_DEQUE=x"), 0);
    assert_int_equal(parse("UAT_NOT_AN_ASSIGNMENT"), 0);
}

static void test_message_bounds(void **state)
{
    (void)state;
    assert_refused("UAT_DEQUE=two\nlines\033[31m", "two?lines?[31m");
    char *name = malloc(100001);
    assert_non_null(name);
    memset(name, 'A', 100000);
    name[100000] = '\0';
    memcpy(name, "UAT_", 4);
    name[99000] = '=';
    char *env[] = {name, NULL};
    char small[16] = "";
    assert_int_equal(uat_options_parse(&out, env, message, sizeof(message)), -EINVAL);
    assert_non_null(strstr(message, "no such setting"));
    assert_int_equal(uat_options_parse(&out, env, small, sizeof(small)), -EINVAL);
    assert_int_equal(strlen(small), sizeof(small) - 1);
    free(name);
}

static void test_path(void **state)
{
    (void)state;
    char name[sizeof("UAT_TRACE=") + UAT_TRACE_NAME_MAX];
    strcpy(name, "UAT_TRACE=");
    memset(name + strlen(name), 'x', UAT_TRACE_NAME_MAX);
    name[sizeof(name) - 1] = '\0';
    assert_int_equal(parse(name), -EINVAL);
    assert_non_null(strstr(message, "at most 511 characters"));
    assert_int_equal(parse("UAT_TRACE="), -EINVAL);
    name[sizeof("UAT_TRACE=") - 1 + UAT_TRACE_NAME_MAX - 1] = '\0';
    assert_int_equal(parse(name), 0);
    assert_string_equal(out.trace, name + strlen("UAT_TRACE="));
}

static void test_table(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    assert_non_null(f);
    uat_options_print(f);
    fclose(f);
    const char *expected[] = {"UAT_SEGMENT_ADDRESS   0x7ea000000000  ",
                              "UAT_STACK_SIZE        16M ",
                              "UAT_RESULT_MAX        1k ",
                              "UAT_RECORDS           4096 ",
                              "UAT_GID_INDEX         -1 ",
                              "auto, shm, ibv or sim",
                              "UAT_TORTURE           none ",
                              "UAT_SEED              0 "};
    for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
        if (!strstr(text, expected[i]))
            fail_msg("the table lacks '%s':\n%s", expected[i], text);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),       cmocka_unit_test(test_every_variable), cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_rounding),       cmocka_unit_test(test_bounds),         cmocka_unit_test(test_words),
        cmocka_unit_test(test_torture),        cmocka_unit_test(test_devices),        cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_message_bounds), cmocka_unit_test(test_path),           cmocka_unit_test(test_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

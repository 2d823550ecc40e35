/* SPDX-License-Identifier: MIT */
/*
 * Description: the assembly. Arguments and results of every size arrive whole. A spawn preserves the registers
 * that a call preserves. A continuation that is copied away and back keeps its registers. Stacks are aligned.
 */
#include <string.h>

#include "asm/registers.h"
#include "include/uat.h"
#include "tests/test.h"

enum { SIZE_MAX_TESTED = 1024, ARG_MAX_TESTED = 5000 };

static int run_root(uat_fn *root)
{
    int ok = 0;
    assert_int_equal(uat_run(root, NULL, 0, &ok, sizeof(ok)), 0);
    return ok;
}

/* Argument: { size_t arg_size, result_size; bytes... }. Result: the complement of the bytes, cut or padded to
 * result_size bytes. */
static void invert(void *arg, void *result)
{
    size_t sizes[2];
    memcpy(sizes, arg, sizeof(sizes));
    const unsigned char *bytes = arg;
    for (size_t i = 0; i < sizes[1]; i++)
        ((unsigned char *)result)[i] = (unsigned char)~bytes[i % sizes[0]];
}

static int check_sizes(size_t arg_size, size_t result_size)
{
    unsigned char arg[ARG_MAX_TESTED], result[SIZE_MAX_TESTED + 16];
    for (size_t i = 0; i < arg_size; i++)
        arg[i] = (unsigned char)(i * 7 + arg_size);
    size_t sizes[2] = {arg_size, result_size};
    memcpy(arg, sizes, sizeof(sizes));
    memset(result, 0x5a, sizeof(result));
    uat_task_t t;
    uat_spawn(&t, invert, arg, arg_size, result, result_size);
    uat_join(&t);
    for (size_t i = 0; i < result_size; i++)
        if (result[i] != (unsigned char)~arg[i % arg_size])
            return 0;
    for (size_t i = result_size; i < sizeof(result); i++)
        if (result[i] != 0x5a) /* nothing is written beyond the result */
            return 0;
    return 1;
}

static void root_sizes(void *arg, void *result)
{
    int ok = 1;
    for (size_t a = 16; a <= 80 && ok; a++)
        for (size_t r = 0; r <= 40 && ok; r++)
            ok = check_sizes(a, r);
    ok = ok && check_sizes(1000, 1024) && check_sizes(1024, 1023) && check_sizes(ARG_MAX_TESTED, 8);
    *(int *)result = ok;
}

TEST(sizes)
{
    assert_true(run_root(root_sizes));
}

static int registers_survive(void)
{
    uat_task_t t;
    uint64_t arg = 41, result = 0;
    uint64_t lost = uat_registers_spawn(&t, uat_registers_task, &arg, sizeof(arg), &result, sizeof(result));
    uat_join(&t);
    return result == 42 && lost == 0;
}

static void root_registers(void *arg, void *result)
{
    *(int *)result = registers_survive();
}

static void alignment(void *arg, void *result)
{
    _Alignas(16) volatile char local[16];
    local[0] = 0;
    /* The compiler may realign the frame, so the frame's alignment proves nothing; the argument's address does. */
    *(uint64_t *)result = (uintptr_t)__builtin_frame_address(0) % 16 == 0 && (uintptr_t)arg % 8 == 0 && local[0] == 0;
}

static void root_alignment(void *arg, void *result)
{
    uint64_t aligned = 0, ok = 1;
    char bytes[64] = {0};
    for (size_t size = 0; size <= sizeof(bytes); size++) {
        uat_task_t t;
        uat_spawn(&t, alignment, bytes, size, &aligned, sizeof(aligned));
        uat_join(&t);
        ok &= aligned;
    }
    *(int *)result = ok != 0;
}

TEST(alignment)
{
    assert_true(run_root(root_alignment));
}

TEST(registers)
{
    assert_true(run_root(root_registers));
}

TEST(runs_again)
{
    for (int i = 0; i < 100; i++)
        assert_true(run_root(root_registers));
}

int main(void)
{
    if (uat_init())
        return 1;
    int failed = tests_run();
    return uat_finalize() || failed;
}

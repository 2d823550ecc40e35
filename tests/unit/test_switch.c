/* SPDX-License-Identifier: MIT */
/*
 * Description: the assembly: arguments and results of every size arrive whole; registers that a call preserves survive
 * a spawn; a continuation that is copied away and back continues with its registers; stacks are aligned.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "include/uat.h"

enum { SIZE_MAX_TESTED = 1024, ARG_MAX_TESTED = 5000 };

static int run_root(uat_fn *root)
{
    int ok = 0;
    assert_int_equal(uat_run(root, NULL, 0, &ok, sizeof(ok)), 0);
    return ok;
}

/* Argument: { size_t arg_size, result_size; bytes... }. Result: the complement of the bytes, cut or padded to
 * result_size. */
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
    (void)arg;
    int ok = 1;
    for (size_t a = 16; a <= 80 && ok; a++)
        for (size_t r = 0; r <= 40 && ok; r++)
            ok = check_sizes(a, r);
    ok = ok && check_sizes(1000, 1024) && check_sizes(1024, 1023) && check_sizes(ARG_MAX_TESTED, 8);
    *(int *)result = ok;
}

static void test_sizes(void **state)
{
    (void)state;
    assert_true(run_root(root_sizes));
}

/* void spawn_with_registers(the arguments of uat_spawn, uint64_t seen[5]): calls uat_spawn with known values in
 * registers that a call preserves, and stores their values afterwards. `seen` itself is found through rbp, which tests
 * rbp. */
void spawn_with_registers(uat_task_t *t, uat_fn *fn, const void *arg, size_t arg_size, void *result, size_t result_size,
                          uint64_t *seen);
__asm__(".text\n"
        "spawn_with_registers:\n"
        "	push %rbp; mov %rsp, %rbp\n"
        "	push %rbx; push %r12; push %r13; push %r14; push %r15; sub $8, %rsp\n"
        "	mov $0x1111, %ebx; mov $0x2222, %r12d; mov $0x3333, %r13d; mov $0x4444, %r14d; mov $0x5555, %r15d\n"
        "	call uat_spawn\n"
        "	mov 16(%rbp), %rax\n"
        "	mov %rbx, (%rax); mov %r12, 8(%rax); mov %r13, 16(%rax); mov %r14, 24(%rax); mov %r15, 32(%rax)\n"
        "	add $8, %rsp; pop %r15; pop %r14; pop %r13; pop %r12; pop %rbx; pop %rbp\n"
        "	ret\n");

/* A task that overwrites all of these registers. */
static void clobber(void *arg, void *result)
{
    __asm__ volatile("mov $-1, %%rbx; mov $-1, %%r12; mov $-1, %%r13; mov $-1, %%r14; mov $-1, %%r15"
                     :
                     :
                     : "rbx", "r12", "r13", "r14", "r15");
    *(uint64_t *)result = *(uint64_t *)arg + 1;
}

static int registers_survive(void)
{
    uat_task_t t;
    uint64_t arg = 41, result = 0, seen[5] = {0};
    spawn_with_registers(&t, clobber, &arg, sizeof(arg), &result, sizeof(result), seen);
    uat_join(&t);
    return result == 42 && seen[0] == 0x1111 && seen[1] == 0x2222 && seen[2] == 0x3333 && seen[3] == 0x4444 &&
           seen[4] == 0x5555;
}

static void root_registers(void *arg, void *result)
{
    (void)arg;
    *(int *)result = registers_survive();
}

static void alignment(void *arg, void *result)
{
    (void)arg;
    _Alignas(16) volatile char local[16];
    local[0] = 0;
    /* The compiler may realign the frame, so its alignment shows nothing; the argument's address does. */
    *(uint64_t *)result = (uintptr_t)__builtin_frame_address(0) % 16 == 0 && (uintptr_t)arg % 8 == 0 && local[0] == 0;
}

static void root_alignment(void *arg, void *result)
{
    (void)arg;
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

static void test_alignment(void **state)
{
    (void)state;
    assert_true(run_root(root_alignment));
}

static void test_registers(void **state)
{
    (void)state;
    assert_true(run_root(root_registers));
}

static void test_runs_again(void **state)
{
    (void)state;
    for (int i = 0; i < 100; i++)
        assert_true(run_root(root_registers));
}

int main(void)
{
    if (uat_init())
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_registers),
        cmocka_unit_test(test_alignment),
        cmocka_unit_test(test_runs_again),
    };
    int failed = cmocka_run_group_tests_name("switch", tests, NULL, NULL);
    return uat_finalize() || failed;
}

/* SPDX-License-Identifier: MIT */
/*
 * Description: memory and signals that the system denies. Each request that uat_init() makes is denied once, in a
 * separate process. Either the start fails with a one-line message, or it succeeds and a run works. A deque that could
 * not be opened keeps no memory, and global memory that could not be opened keeps no file.
 */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "deque/owner.h"
#include "runtime/job/aslr.h"
#include "tests/test.h"
#include "uat.h"
#include "uat/global.h"

enum { REQUESTS_MAX = 1000, REQUESTS_MIN = 10, CAPACITY = 512, OUTPUT_MAX = 4096 };

enum outcome { STARTED = 3, REFUSED, WRONG };

static int requests, denied; /* number of requests; the number of the one that is denied, counted from 1 */
static long mapped;          /* number of existing mappings */

static bool deny(void)
{
    if (++requests != denied)
        return false;
    errno = ENOMEM;
    return true;
}

/* The linker sends the library's own calls here (--wrap). off_t has 64 bits, so mmap() is mmap64(). */
void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__real_mmap64(void *at, size_t size, int protection, int flags, int fd, off_t offset);
int __real_munmap(void *at, size_t size);
int __real_mprotect(void *at, size_t size, int protection);
int __real_memfd_create(const char *name, unsigned flags);
int __real_ftruncate64(int fd, off_t size);
int __real_sigaction(int number, const struct sigaction *action, struct sigaction *previous);
int __real_sigaltstack(const stack_t *stack, stack_t *previous);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void *__wrap_mmap64(void *at, size_t size, int protection, int flags, int fd, off_t offset);
int __wrap_munmap(void *at, size_t size);
int __wrap_mprotect(void *at, size_t size, int protection);
int __wrap_memfd_create(const char *name, unsigned flags);
int __wrap_ftruncate64(int fd, off_t size);
int __wrap_sigaction(int number, const struct sigaction *action, struct sigaction *previous);
int __wrap_sigaltstack(const stack_t *stack, stack_t *previous);

void *__wrap_malloc(size_t size)
{
    return deny() ? NULL : __real_malloc(size);
}
void *__wrap_calloc(size_t n, size_t size)
{
    return deny() ? NULL : __real_calloc(n, size);
}
void *__wrap_realloc(void *p, size_t size)
{
    return deny() ? NULL : __real_realloc(p, size);
}
void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return deny() ? NULL : __real_aligned_alloc(alignment, size);
}
void *__wrap_mmap64(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
    void *p = deny() ? MAP_FAILED : __real_mmap64(at, size, protection, flags, fd, offset);
    mapped += p != MAP_FAILED;
    return p;
}
int __wrap_munmap(void *at, size_t size)
{
    mapped--;
    return __real_munmap(at, size);
}
int __wrap_mprotect(void *at, size_t size, int protection)
{
    return deny() ? -1 : __real_mprotect(at, size, protection);
}
int __wrap_memfd_create(const char *name, unsigned flags)
{
    return deny() ? -1 : __real_memfd_create(name, flags);
}
int __wrap_ftruncate64(int fd, off_t size)
{
    return deny() ? -1 : __real_ftruncate64(fd, size);
}
int __wrap_sigaction(int number, const struct sigaction *action, struct sigaction *previous)
{
    return deny() ? -1 : __real_sigaction(number, action, previous);
}
int __wrap_sigaltstack(const stack_t *stack, stack_t *previous)
{
    return deny() ? -1 : __real_sigaltstack(stack, previous);
}

UAT_TASK(int, leaves, int, depth)
{
    leaves_task child;
    if (depth == 0)
        return 1;
    leaves_spawn(&child, depth - 1);
    int right = leaves(depth - 1);
    return leaves_join(&child) + right;
}

/* Start with one request denied. Runs in a separate process. *made gets the number of requests made. */
static enum outcome start(int which, int *made)
{
    int result = 0;
    requests = 0;
    denied = which;
    int rc = uat_init();
    *made = requests;
    denied = 0;
    if (rc)
        return rc < 0 ? REFUSED : WRONG;
    return leaves_run(&result, 8) || result != 256 || uat_finalize() ? WRONG : STARTED;
}

/* The outcome of start(), and what it prints to stderr. */
static enum outcome try_start(int which, char *output, int *made)
{
    int errors[2], counts[2], status;
    assert_int_equal(pipe(errors), 0);
    assert_int_equal(pipe(counts), 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        dup2(errors[1], STDERR_FILENO);
        close(errors[1]);
        enum outcome outcome = start(which, made);
        if (write(counts[1], made, sizeof(*made)) != sizeof(*made))
            outcome = WRONG;
        _exit(outcome);
    }
    close(errors[1]);
    close(counts[1]);
    size_t size = 0;
    for (ssize_t n; (n = read(errors[0], output + size, OUTPUT_MAX - 1 - size)) > 0;)
        size += (size_t)n;
    output[size] = '\0';
    *made = 0;
    bool counted = read(counts[0], made, sizeof(*made)) == sizeof(*made);
    close(errors[0]);
    close(counts[0]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return counted && WIFEXITED(status) ? (enum outcome)WEXITSTATUS(status) : WRONG;
}

static int lines_of(const char *output)
{
    int lines = 0;
    for (; *output; output++)
        lines += *output == '\n';
    return lines;
}

TEST(each_request_of_the_start)
{
    char output[OUTPUT_MAX];
    int made = REQUESTS_MAX, refused = 0;
    for (int which = 1; which <= made && which < REQUESTS_MAX; which++) {
        int now;
        enum outcome outcome = try_start(which, output, &now);
        if (outcome == WRONG || (outcome == REFUSED && lines_of(output) != 1))
            fail_msg("request %d denied: outcome %d, %d lines: %s", which, outcome, lines_of(output), output);
        refused += outcome == REFUSED;
        if (now < which)
            made = now; /* every request has been denied once */
    }
    print_message("%d requests, %d of them needed\n", made, refused);
    assert_true(made < REQUESTS_MAX && refused >= REQUESTS_MIN);
}

static bool part(void *context, uintptr_t sp)
{
    return false;
}

TEST(deque_keeps_nothing)
{
    static struct uat_ring ring;
    static struct uat_deque deque;
    const struct uat_deque_user user = {.part = part};
    bool opened = false;
    for (int which = 1; which < REQUESTS_MAX && !opened; which++) {
        long before = mapped;
        requests = 0;
        denied = which;
        int rc = uat_deque_open(&deque, &ring, CAPACITY, &user);
        denied = 0;
        opened = rc == 0;
        if (opened)
            uat_deque_close(&deque);
        else
            assert_int_equal(rc, -ENOMEM);
        assert_int_equal(mapped, before);
    }
    assert_true(opened);
}

static int count_files(void)
{
    DIR *files = opendir("/proc/self/fd");
    int count = 0;
    while (files && readdir(files))
        count++;
    return files ? closedir(files), count : -1;
}

/* Open global memory with one request denied, in a separate process. Returns false if that was the first request beyond
 * those that the opening makes. */
static bool open_global(int which)
{
    int status;
    pid_t pid = fork();
    if (pid == 0) {
        if (uat_init())
            _exit(WRONG);
        int files = count_files();
        requests = 0;
        denied = which;
        int rc = uat_global_open(), made = requests;
        denied = 0;
        _exit(rc && count_files() != files ? WRONG : made < which ? STARTED : REFUSED);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) != WRONG);
    return WEXITSTATUS(status) == REFUSED;
}

TEST(global_memory_keeps_no_file)
{
    int which = 1;
    while (which < REQUESTS_MAX && open_global(which))
        which++;
    assert_true(which > REQUESTS_MIN && which < REQUESTS_MAX);
}

/* A push without an open deque writes a dummy entry and takes the slow path. */
TEST(closed_deque_wants_to_be_seen)
{
    static struct uat_deque never = UAT_DEQUE_CLOSED;
    static struct uat_ring ring;
    static struct uat_deque deque;
    const struct uat_deque_user user = {.part = part};
    assert_int_equal(uat_deque_open(&deque, &ring, CAPACITY, &user), 0);
    uat_deque_close(&deque);
    assert_memory_equal(&deque, &never, sizeof(never));
    assert_non_null(never.top);
    assert_true(*never.look != never.push_claims && *never.look != never.pop_claims);
}

int main(void)
{
    uat_aslr_off(); /* may execute this program a second time */
    return tests_run();
}

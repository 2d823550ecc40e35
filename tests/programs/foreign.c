/* SPDX-License-Identifier: MIT */
/*
 * Description: a program in another language, which has no header of the library: it declares the functions by
 * itself, and keeps handles as bytes. Children, a group, global memory and an atomic give the right values.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef void function(void *arg, void *result);
typedef struct {
    uint64_t words[3];
} task_handle;
typedef struct {
    uint64_t words[10];
} group_handle;
enum { BLOCKED = 0, READ_WRITE = 3, CHILDREN = 100, DEPTH = 20, FIB = 6765 };

int uat_init(void), uat_finalize(void), uat_rank(void);
int uat_run(function *root, const void *arg, size_t arg_size, void *result, size_t result_size);
void uat_spawn(task_handle *t, function *fn, const void *arg, size_t arg_size, void *result, size_t result_size);
void uat_join(task_handle *t);
void uat_group_begin(group_handle *group), uat_group_wait(group_handle *group);
void uat_group_spawn(group_handle *group, function *fn, const void *arg, size_t arg_size);
void *uat_global_alloc(size_t bytes, int layout, size_t block);
void *uat_global_checkout(const void *p, size_t bytes, int access);
void uat_global_checkin(const void *p, size_t bytes, int access);
void uat_global_put(void *global, const void *local, size_t bytes);
void uat_global_get(void *local, const void *global, size_t bytes);
uint64_t uat_atomic_fetch_add(void *word, uint64_t addend), uat_atomic_load(const void *word);

static void fib(void *arg, void *result)
{
    long n = *(long *)arg, a, b, less = n - 1;
    task_handle t;
    if (n < 2) {
        *(long *)result = n;
        return;
    }
    uat_spawn(&t, fib, &less, sizeof(less), &a, sizeof(a));
    long least = n - 2;
    fib(&least, &b);
    uat_join(&t);
    *(long *)result = a + b;
}

static void count(void *arg, void *result)
{
    (void)result;
    uat_atomic_fetch_add(*(void **)arg, 1);
}

/* arg: the address of two words in global memory. Result: whether all values were right. */
static void root(void *arg, void *result)
{
    uint64_t *words = *(uint64_t **)arg, seven = 7;
    long n = DEPTH, value;
    group_handle group;
    fib(&n, &value);
    uat_group_begin(&group);
    for (int i = 0; i < CHILDREN; i++)
        uat_group_spawn(&group, count, arg, sizeof(arg));
    uat_group_wait(&group);
    uat_global_put(words + 1, &seven, sizeof(seven));
    uint64_t *own = uat_global_checkout(words + 1, sizeof(*own), READ_WRITE);
    *own *= 6;
    uat_global_checkin(words + 1, sizeof(*own), READ_WRITE);
    uat_global_get(&seven, words + 1, sizeof(seven));
    *(long *)result = value == FIB && uat_atomic_load(words) == CHILDREN && seven == 42;
}

int main(void)
{
    long right = 0;
    if (uat_init() < 0)
        return 1;
    void *words = uat_global_alloc(2 * sizeof(uint64_t), BLOCKED, 0);
    if (!words || uat_run(root, &words, sizeof(words), &right, sizeof(right)) < 0)
        return 1;
    if (!right)
        printf("rank %d: a value is wrong\n", uat_rank());
    return uat_finalize() < 0 || !right;
}

/* SPDX-License-Identifier: MIT */
/*
 * The functions that compilers call under -fsanitize=thread, of gcc (gcc/sanitizer.def) and LLVM (ThreadSanitizer.cpp).
 * A program that is linked without -fsanitize=thread has no other definition of them. Atomics of the program on its own
 * memory order nothing: they only do not race with each other.
 */
#include <stddef.h>
#include <stdint.h>

#include "races/shadow.h"
#include "races/stack.h"
#include "races/start.h"

#define AT(p, n, access) uat_races_memory((uintptr_t)(p), n, access, UAT_RACES_SITE())

void __tsan_init(void);
void __tsan_init(void)
{
}
void __tsan_func_entry(void *pc);
void __tsan_func_entry(void *pc)
{
    (void)pc;
}
void __tsan_func_exit(void);
void __tsan_func_exit(void)
{
}

#define ACCESS(name, params, n, ...)                                                                                   \
    void __tsan_##name params;                                                                                         \
    void __tsan_##name params                                                                                          \
    {                                                                                                                  \
        __VA_ARGS__;                                                                                                   \
    }
#define READS(name, n)        ACCESS(name##n, (void *p), n, AT(p, n, UAT_RACES_READ))
#define WRITES(name, n)       ACCESS(name##n, (void *p), n, AT(p, n, UAT_RACES_WRITE))
#define READS_WRITES(name, n) ACCESS(name##n, (void *p), n, AT(p, n, UAT_RACES_READ), AT(p, n, UAT_RACES_WRITE))
#define SIZE(n)                                                                                                        \
    READS(read, n)                                                                                                     \
    READS(unaligned_read, n)                                                                                           \
    READS(volatile_read, n)                                                                                            \
    READS(unaligned_volatile_read, n)                                                                                  \
    WRITES(write, n)                                                                                                   \
    WRITES(unaligned_write, n)                                                                                         \
    WRITES(volatile_write, n)                                                                                          \
    WRITES(unaligned_volatile_write, n)                                                                                \
    READS_WRITES(read_write, n)                                                                                        \
    READS_WRITES(unaligned_read_write, n)
SIZE(1)
SIZE(2)
SIZE(4)
SIZE(8)
SIZE(16)
ACCESS(read_range, (void *p, size_t n), n, AT(p, n, UAT_RACES_READ))
ACCESS(write_range, (void *p, size_t n), n, AT(p, n, UAT_RACES_WRITE))
ACCESS(vptr_update, (void **p, void *v), 8, (void)v, AT(p, 8, UAT_RACES_WRITE))
ACCESS(vptr_read, (void **p), 8, AT(p, 8, UAT_RACES_READ))

#define ATOMIC(type, name, params, kind, before, after)                                                                \
    type __tsan_atomic##name params;                                                                                   \
    type __tsan_atomic##name params                                                                                    \
    {                                                                                                                  \
        (void)o;                                                                                                       \
        AT(p, sizeof(*p), UAT_RACES_ATOMIC | (kind));                                                                  \
        before;                                                                                                        \
        after;                                                                                                         \
    }
#define LOAD(t, n)                                                                                                     \
    ATOMIC(t, n##_load, (const volatile t *p, int o), UAT_RACES_READ, , return __atomic_load_n(p, __ATOMIC_SEQ_CST))
#define STORE(t, n)                                                                                                    \
    ATOMIC(void, n##_store, (volatile t * p, t v, int o), UAT_RACES_WRITE, , __atomic_store_n(p, v, __ATOMIC_SEQ_CST))
#define WRITES_ATOMICALLY AT(p, sizeof(*p), UAT_RACES_ATOMIC | UAT_RACES_WRITE)
#define CHANGE(t, n, op, function)                                                                                     \
    ATOMIC(t, n##_##op, (volatile t * p, t v, int o), UAT_RACES_READ, WRITES_ATOMICALLY,                               \
           return function(p, v, __ATOMIC_SEQ_CST))
#define COMPARE(t, n, name, weak)                                                                                      \
    ATOMIC(int, n##_compare_exchange_##name, (volatile t * p, t * c, t v, int o, int f), UAT_RACES_READ,               \
           ((void)f, WRITES_ATOMICALLY),                                                                               \
           return __atomic_compare_exchange_n(p, c, v, weak, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
#define COMPARE_VALUE(t, n)                                                                                            \
    ATOMIC(t, n##_compare_exchange_val, (volatile t * p, t c, t v, int o, int f), UAT_RACES_READ,                      \
           ((void)f, WRITES_ATOMICALLY, __atomic_compare_exchange_n(p, &c, v, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)), \
           return c)
#define BITS(n, t)                                                                                                     \
    LOAD(t, n)                                                                                                         \
    STORE(t, n)                                                                                                        \
    CHANGE(t, n, exchange, __atomic_exchange_n)                                                                        \
    CHANGE(t, n, fetch_add, __atomic_fetch_add)                                                                        \
    CHANGE(t, n, fetch_sub, __atomic_fetch_sub)                                                                        \
    CHANGE(t, n, fetch_and, __atomic_fetch_and)                                                                        \
    CHANGE(t, n, fetch_or, __atomic_fetch_or)                                                                          \
    CHANGE(t, n, fetch_xor, __atomic_fetch_xor)                                                                        \
    CHANGE(t, n, fetch_nand, __atomic_fetch_nand)                                                                      \
    COMPARE(t, n, strong, 0)                                                                                           \
    COMPARE(t, n, weak, 1)                                                                                             \
    COMPARE_VALUE(t, n)
/* Each is as strong as it can be, so it is at least as strong as the program wants; there is one worker. */
BITS(8, uint8_t)
BITS(16, uint16_t)
BITS(32, uint32_t)
BITS(64, uint64_t)

void __tsan_atomic_thread_fence(int o);
void __tsan_atomic_thread_fence(int o)
{
    (void)o;
    __atomic_thread_fence(__ATOMIC_SEQ_CST); /* as the program asked: its own two sides */
}
void __tsan_atomic_signal_fence(int o);
void __tsan_atomic_signal_fence(int o)
{
    (void)o;
}

/* Copies: compilers call these functions instead of accessing each byte. clang calls those with __tsan_. */
void *__real_memcpy(void *to, const void *from, size_t n);
void *__real_memmove(void *to, const void *from, size_t n);
void *__real_memset(void *to, int c, size_t n);
#define COPY(name, real)                                                                                               \
    void *name(void *to, const void *from, size_t n);                                                                  \
    void *name(void *to, const void *from, size_t n)                                                                   \
    {                                                                                                                  \
        AT(from, n, UAT_RACES_READ);                                                                                   \
        AT(to, n, UAT_RACES_WRITE);                                                                                    \
        return real(to, from, n);                                                                                      \
    }
#define SET(name)                                                                                                      \
    void *name(void *to, int c, size_t n);                                                                             \
    void *name(void *to, int c, size_t n)                                                                              \
    {                                                                                                                  \
        AT(to, n, UAT_RACES_WRITE);                                                                                    \
        return __real_memset(to, c, n);                                                                                \
    }
COPY(__wrap_memcpy, __real_memcpy)
COPY(__wrap_memmove, __real_memmove)
COPY(__tsan_memcpy, __real_memcpy)
COPY(__tsan_memmove, __real_memmove)
SET(__wrap_memset)
SET(__tsan_memset)

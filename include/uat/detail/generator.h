/* SPDX-License-Identifier: MIT */
/* Generators: their state, the switch, and the expansion of UAT_GENERATOR. Included by uat/generator.h. */
#ifndef UAT_DETAIL_GENERATOR_H
#define UAT_DETAIL_GENERATOR_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "uat/detail/inline.h"
#include "uat/detail/races.h"
#include "uat/detail/registers.h"

#ifdef __cplusplus
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast" /* the bodies are C; gcc never warns inside extern "C" */
#pragma GCC diagnostic ignored "-Wzero-as-null-pointer-constant"
extern "C" {
#endif

/* The lowest word of the stack; checked at each switch back to the user. */
#define UAT_GENERATOR_GUARD UINT64_C(0x9e3779b97f4a7c15)

/* The state from which one side resumes. The assembly uses the offsets of the fields. */
struct uat_generator_side {
    void *sp, *bp, *pc;
};

/* The part that all generators have in common. It is above the stack. The fields belong to the runtime. */
struct uat_generator {
    struct uat_generator_side inside;         /* where the body resumes */
    struct uat_generator_side outside;        /* where its user resumes */
    uint64_t *guard;                          /* the lowest word of the stack */
    void (*body)(struct uat_generator *self); /* calls the generator's function with its arguments */
    const char *name;                         /* name of that function, for messages */
    uint64_t size;                            /* bytes of the stack */
};

#pragma GCC visibility push(default)
/* The entry of a body, and the code that runs after the body returns. It is never called: the first switch to a
 * generator jumps to it. */
void uat_generator_enter(void);

/* Called when the guard word was overwritten: end the job with a message that gives the stack's size and the remedy. */
void uat_generator_overflow(struct uat_generator *g) __attribute__((noreturn, cold));

/* Nesting depth of the generators that are running; counted with -DUAT_DEBUG only. */
extern int uat_generator_depth;

/* With -DUAT_DEBUG: end the job if this is called inside a generator. what: "uat_spawn()", for the message. */
void uat_generator_refuse(const char *what);
#pragma GCC visibility pop

#ifdef __SANITIZE_ADDRESS__
#define UAT_GENERATOR_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define UAT_GENERATOR_ASAN 1
#endif
#endif
#ifdef UAT_GENERATOR_ASAN
void __asan_unpoison_memory_region(const volatile void *, size_t);
#endif

#if defined(__CET__) && (__CET__ & 1)
#define UAT_GENERATOR_LANDING "endbr64\n"
#elif defined(__ARM_FEATURE_BTI_DEFAULT)
#define UAT_GENERATOR_LANDING "hint #36\n" /* BTI j */
#else
#define UAT_GENERATOR_LANDING ""
#endif
#ifdef __ARM_FEATURE_SVE
#define UAT_GENERATOR_LOST_PREDICATES                                                                                  \
    , "p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8", "p9", "p10", "p11", "p12", "p13", "p14", "p15"
#else
#define UAT_GENERATOR_LOST_PREDICATES
#endif

/*
 * Save this side in `**from`, resume `**to` and pass `*value` to it. Returns when the other side resumes **from. Then
 * *value is the value that the other side passed, and *from and *to are the arguments of its switch. *from is NULL if
 * the other side has ended.
 *
 * The assembly saves the frame pointer, because a compiler that uses the frame pointer does not accept it as clobbered.
 * The switch pushes nothing, so the compiler's data below the stack pointer (the red zone) are kept.
 */
UAT_INLINE __attribute__((always_inline)) void uat_generator_switch(struct uat_generator_side **from,
                                                                    struct uat_generator_side **to, uint64_t *value)
{
#ifdef __aarch64__
    register uint64_t x0 __asm__("x0") = *value;
    register struct uat_generator_side *x1 __asm__("x1") = *from;
    register struct uat_generator_side *x2 __asm__("x2") = *to;
    __asm__ volatile("adr x9, 1f\n\t"
                     "mov x10, sp\n\t"
                     "stp x10, x29, [x1]\n\t"
                     "str x9, [x1, #16]\n\t"
                     "ldp x10, x29, [x2]\n\t"
                     "ldr x16, [x2, #16]\n\t"
                     "mov sp, x10\n\t"
                     "br x16\n" /* a branch by x16 may also land on a function's `bti c` */
                     "1:\n\t" UAT_GENERATOR_LANDING
                     : "+r"(x0), "+r"(x1), "+r"(x2)
                     :
                     : "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16", "x17",
                       "x18", "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28", "x30", "cc",
                       "memory", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13",
                       "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27",
                       "v28", "v29", "v30", "v31" UAT_GENERATOR_LOST_PREDICATES);
    *value = x0;
    *from = x1;
    *to = x2;
#else
    struct uat_generator_side *rdx = *from, *rdi = *to;
    uint64_t rax = *value;
    __asm__ volatile("leaq 1f(%%rip), %%rcx\n\t"
                     "movq %%rsp, (%%rdx)\n\t"
                     "movq %%rbp, 8(%%rdx)\n\t"
                     "movq %%rcx, 16(%%rdx)\n\t"
                     "movq (%%rdi), %%rsp\n\t"
                     "movq 8(%%rdi), %%rbp\n\t"
                     "jmpq *16(%%rdi)\n"
                     "1:\n\t" UAT_GENERATOR_LANDING
                     : "+a"(rax), "+d"(rdx), "+D"(rdi)
                     :
                     : "rbx", "rcx", "rsi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "cc", "memory",
                       UAT_LOST_VECTORS);
    *value = rax;
    *from = rdx;
    *to = rdi;
#endif
}

/* Prepare a generator for its first value. `stack` has size bytes, is aligned to 16, and must stay in place while the
 * generator is used. The caller owns it. */
UAT_INLINE void uat_generator_begin(struct uat_generator *g, void *stack, size_t size, const char *name,
                                    void (*body)(struct uat_generator *))
{
#ifdef UAT_GENERATOR_ASAN
    __asan_unpoison_memory_region(stack, size); /* a generator that ended early may have left its frames on this
                                                 * stack */
#endif
    g->inside.sp = (char *)stack + size;
    g->inside.bp = NULL; /* chains of frame pointers end here */
    g->inside.pc = (void *)(uintptr_t)uat_generator_enter;
    g->guard = (uint64_t *)stack;
    *g->guard = UAT_GENERATOR_GUARD;
    g->body = body;
    g->name = name;
    g->size = size;
}

/* Run the generator up to its next value. *word is then the value, if the value has up to 8 bytes, or else the value's
 * address. Returns 0 at the generator's end. */
UAT_INLINE __attribute__((always_inline)) int uat_generator_next_word(struct uat_generator *g, uint64_t *word)
{
#ifdef UAT_DEBUG
    uat_generator_depth++;
#endif
    struct uat_generator_side *from = &g->outside, *to = &g->inside;
    uat_generator_switch(&from, &to, word);
#ifdef UAT_DEBUG
    uat_generator_depth--;
#endif
    return from != NULL;
}

/*
 * Inside the body: give a value of size bytes to the user. Returns when the user wants the next value. guard: g->guard.
 * The result is g, from a register that the user's side has set. Loading g from the stack would add two loads to the
 * dependency chain from one switch to the next.
 */
UAT_INLINE __attribute__((always_inline)) struct uat_generator *
uat_generator_give(struct uat_generator *g, const uint64_t *guard, const void *value, size_t size)
{
    struct uat_generator_side *from = &g->inside, *to = &g->outside;
    uint64_t word = 0;
    if (size <= sizeof(word))
        memcpy(&word, value, size & 15);
    else
        word = UAT_CAST(uintptr_t, value);
    if (__builtin_expect(*guard != UAT_GENERATOR_GUARD, 0))
        uat_generator_overflow(g);
    uat_generator_switch(&from, &to, &word);
    return (struct uat_generator *)(void *)to; /* `inside` comes first */
}

/* Take a value out of the word that uat_generator_next_word() returned. */
UAT_INLINE __attribute__((always_inline)) int uat_generator_take(struct uat_generator *g, void *value, size_t size)
{
    uint64_t word = 0;
    if (!uat_generator_next_word(g, &word))
        return 0;
    if (size <= sizeof(word))
        memcpy(value, &word, size & 15); /* the mask avoids a warning of compilers that ignore the test */
    else
        memcpy(value, UAT_CAST(const void *, word), size);
    return 1;
}

/* End a generator early. Its body runs no further, and resources that the body has acquired are not released. The
 * generator may then be begun again. The call is unnecessary after the last value, and for a generator that is no
 * longer used. */
UAT_INLINE void uat_generator_finish(struct uat_generator *g)
{
#ifdef UAT_GENERATOR_ASAN
    __asan_unpoison_memory_region(g->guard, g->size);
#endif
    g->inside.sp = NULL;
    g->inside.pc = NULL; /* after this, a uat_generator_next() without a new begin faults at address 0 */
}

#ifdef __cplusplus
}
#pragma GCC diagnostic pop
#endif

#define UAT_GENERATOR_SIZED(bytes, type, name, ...)                                                                    \
    UAT_GENERATOR_SIZED_DECLARE(bytes, type, name, __VA_ARGS__)                                                        \
    UAT_GENERATOR_BODY(name, __VA_ARGS__)

#define UAT_GENERATOR_SIZED_DECLARE(bytes, type, name, ...)                                                            \
    struct name##_uat_gargs {                                                                                          \
        UAT_MEMBERS(__VA_ARGS__)                                                                                       \
    };                                                                                                                 \
    typedef struct name##_uat_generator {                                                                              \
        __attribute__((aligned(16))) char uat_stack[(bytes) + UAT_RACES_STACK];                                        \
        struct uat_generator uat;                                                                                      \
        struct name##_uat_gargs uat_args;                                                                              \
        const type *uat_value; /* for its type alone */                                                                \
    } name##_generator;                                                                                                \
    typedef char name##_uat_stack_is_sound[(bytes) % 16 == 0 && (bytes) >= 256 ? 1 : -1];                              \
    static void name(name##_generator *uat_self, UAT_PARAMS(__VA_ARGS__));                                             \
    static void name##_uat_body(struct uat_generator *uat_g)                                                           \
    {                                                                                                                  \
        name##_generator *uat_self =                                                                                   \
            UAT_CAST(name##_generator *,                                                                               \
                     UAT_CAST(void *, UAT_CAST(char *, uat_g) - __builtin_offsetof(name##_generator, uat)));           \
        struct name##_uat_gargs *uat_a = &uat_self->uat_args;                                                          \
        name(uat_self, UAT_FIELDS(uat_a, __VA_ARGS__));                                                                \
    }                                                                                                                  \
    UAT_UNUSED static inline void name##_begin(name##_generator *uat_g, UAT_PARAMS(__VA_ARGS__))                       \
    {                                                                                                                  \
        struct name##_uat_gargs uat_a = {UAT_NAMES(__VA_ARGS__)};                                                      \
        uat_g->uat_args = uat_a;                                                                                       \
        uat_generator_begin(&uat_g->uat, uat_g->uat_stack, sizeof(uat_g->uat_stack), #name, name##_uat_body);          \
    }                                                                                                                  \
    UAT_UNUSED static inline __attribute__((always_inline)) int name##_next(name##_generator *uat_g, type *uat_v)      \
    {                                                                                                                  \
        return uat_generator_take(&uat_g->uat, uat_v, sizeof(*uat_v));                                                 \
    }                                                                                                                  \
    UAT_UNUSED static inline void name##_end(name##_generator *uat_g)                                                  \
    {                                                                                                                  \
        uat_generator_finish(&uat_g->uat);                                                                             \
    }

#define UAT_GENERATOR_BODY(name, ...) static void name(UAT_UNUSED name##_generator *uat_self, UAT_PARAMS(__VA_ARGS__))

/* The comparison makes the compiler warn if value points to a type other than the generator's. */
#define uat_generator_next(g, value)                                                                                   \
    uat_generator_take(&(g)->uat, (value), sizeof(*(value)) + 0 * sizeof((value) == (g)->uat_value))
#define uat_generator_end(g) uat_generator_finish(&(g)->uat)
#define UAT_GENERATOR_SELF(core)                                                                                       \
    uat_self = UAT_CAST(__typeof__(uat_self),                                                                          \
                        UAT_CAST(void *, UAT_CAST(char *, core) - __builtin_offsetof(__typeof__(*uat_self), uat)))
#define uat_generator_yield(value)                                                                                     \
    do {                                                                                                               \
        __typeof__(*uat_self->uat_value) uat_v = (value);                                                              \
        UAT_GENERATOR_SELF(uat_generator_give(&uat_self->uat,                                                          \
                                              UAT_CAST(const uint64_t *, UAT_CAST(void *, uat_self->uat_stack)),       \
                                              &uat_v, sizeof(uat_v)));                                                 \
    } while (0)

#ifdef UAT_DEBUG
#define uat_spawn(...)       (uat_generator_refuse("uat_spawn()"), uat_spawn(__VA_ARGS__))
#define uat_spawn_typed(...) (uat_generator_refuse("uat_spawn()"), uat_spawn_typed(__VA_ARGS__))
#define uat_join(t)          (uat_generator_refuse("uat_join()"), uat_join(t))
#endif

#endif

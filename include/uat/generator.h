/* SPDX-License-Identifier: MIT */
/*
 * Generators: coroutines whose stack is an array in the frame of the task that uses them. When the task is stolen, its
 * generators move with it. Pointers into them stay valid, because a stolen stack keeps its addresses.
 *
 *	UAT_GENERATOR(long, count, long, from, long, to)
 *	{
 *		for (long i = from; i < to; i++)
 *			uat_generator_yield(i);
 *	}
 *
 *	count_generator g;
 *	long i;
 *
 *	count_begin(&g, 0, 10);
 *	while (uat_generator_next(&g, &i))
 *		printf("%ld\n", i);
 *
 * The switch is inline assembly that declares all registers as clobbered. So the compiler saves only the live
 * registers. This is the calling convention of Dolan, Muralidharan, Gregg: "Compiler Support for Lightweight Context
 * Switching", ACM TACO 9(4), 2013, in plain C.
 *
 * Rules:
 *   - A generator may use generators, and may call any function for which its stack has room. It must not spawn, join,
 *     wait or call uat_run(). In a program compiled with -DUAT_DEBUG, a spawn or join inside a generator ends the job
 *     with a message.
 *   - Between two calls of uat_generator_next() the task may spawn and join, and may be stolen.
 *   - A generator must not be copied or moved by assignment, because its stack has pointers into itself.
 *   - Signal handlers must run on a separate stack (SA_ONSTACK).
 *   - The switch does not save or restore the floating-point rounding modes.
 *
 * For C++ there is uat/generator.hpp, whose generators work with range-based `for`.
 */
#ifndef UAT_GENERATOR_H
#define UAT_GENERATOR_H

#include "../uat.h"

#if !defined(__x86_64__) && !defined(__aarch64__)
#error "uat/generator.h: the switch is written for x86-64 and aarch64"
#endif

/* Bytes of a generator's stack unless UAT_GENERATOR_SIZED says otherwise. A steal of the task moves the whole stack. */
#define UAT_GENERATOR_STACK 4096

/*
 * UAT_GENERATOR(type, name, type1, arg1, ...) { body } defines a generator, which has one to eight parameters and gives
 * values of `type`. The body gives values by uat_generator_yield(value). The macro also defines
 *     name_generator                                 the generator, including its stack
 *     void name_begin(name_generator *, arg1, ...)   copies the arguments; does not run the body yet
 *     int  name_next(name_generator *, type *)       the next value: 1, or 0 if the body has returned
 *     void name_end(name_generator *)                ends it early
 * A function that the body calls can give values, too. Such a function needs a parameter `name_generator *uat_self`, to
 * which the body passes its own `uat_self`. UAT_GENERATOR_SIZED(bytes, type, name, ...) is the same with a stack of
 * `bytes` bytes, a multiple of 16.
 *
 * These functions work with each generator:
 *     int  uat_generator_next(name_generator *, type *)   as name_next(); after the first 0, always 0
 *     void uat_generator_end(name_generator *)            as name_end(): the body runs no further, and resources are
 *                                                         not released; the generator may be begun again
 *     void uat_generator_yield(type)                      inside the body
 */
/*
 * Two generators that use each other need a declaration first. UAT_GENERATOR_DECLARE(type, name, type1, arg1, ...) or
 * UAT_GENERATOR_SIZED_DECLARE(bytes, ...) declares everything above, and UAT_GENERATOR_BODY(name, type1, arg1, ...) {
 * body } later defines the body. A generator contains its stack, so two generators cannot be in each other's stacks:
 * the user puts one of them elsewhere.
 */
#define UAT_GENERATOR_DECLARE(type, name, ...) UAT_GENERATOR_SIZED_DECLARE(UAT_GENERATOR_STACK, type, name, __VA_ARGS__)
#define UAT_GENERATOR(type, name, ...)         UAT_GENERATOR_SIZED(UAT_GENERATOR_STACK, type, name, __VA_ARGS__)

#include "detail/generator.h"

#endif

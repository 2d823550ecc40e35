/* SPDX-License-Identifier: MIT */
/* The errors of generators. Generators need only this file and the assembly. */
#include "include/uat/generator.h"

#include <string.h>

#include "runtime/job/fatal.h"
#include "runtime/job/fault.h"

/* generator.S and the inline switch rely on these offsets. */
_Static_assert(offsetof(struct uat_generator, inside) == 0, "generator.S");
_Static_assert(offsetof(struct uat_generator_side, pc) == 16, "generator.S");
_Static_assert(offsetof(struct uat_generator, outside) == 24, "generator.S");
_Static_assert(offsetof(struct uat_generator, guard) == 48, "generator.S");
_Static_assert(offsetof(struct uat_generator, body) == 56, "generator.S");

int uat_generator_depth;

/* Called by generator.S only. */
_Noreturn void uat_generator_report(const struct uat_generator *g);

void uat_generator_report(const struct uat_generator *g)
{
    struct sigaction action;
    int signal = uat_fault_next_handler(0, &action);
    if (signal)
        uat_fatal(
            "generator %s has overflowed its stack of %llu bytes, perhaps by the handler of signal %d (%s), which "
            "lacks SA_ONSTACK: add this flag, or define the generator with a larger stack: "
            "UAT_GENERATOR_SIZED(%llu, ...)",
            g->name, (unsigned long long)g->size, signal, strsignal(signal), (unsigned long long)(2 * g->size));
    uat_fatal("generator %s has overflowed its stack of %llu bytes; define it with a larger one: "
              "UAT_GENERATOR_SIZED(%llu, ...)",
              g->name, (unsigned long long)g->size, (unsigned long long)(2 * g->size));
}

void uat_generator_refuse(const char *what)
{
    if (uat_generator_depth > 0)
        uat_fatal("%s was called inside a generator, whose stack cannot be moved; call it in the task that uses the "
                  "generator",
                  what);
}

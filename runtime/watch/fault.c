/* SPDX-License-Identifier: MIT */
#include "runtime/watch/fault.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "runtime/memory/segment.h"

enum { STACK_SIZE = 64 << 10 };

static const int signals[] = {SIGSEGV, SIGBUS};
static struct sigaction previous[2];
static stack_t previous_stack;
static void *signal_stack;
static const struct uat_deque *watched_deque;
static size_t watched_entries;

static void explain(int number, uintptr_t address)
{
    const struct uat_segment *s = &uat_segment;
    uintptr_t guard = (uintptr_t)s->guard;
    if (number == SIGSEGV && guard && address >= guard && address < guard + UAT_GUARD_SIZE)
        uat_error(
            "the task stacks have overflowed UAT_STACK_SIZE=%zuk; set it to %zuk or more (the same for all workers)",
            uat_segment_region_size() >> 10, uat_segment_region_size() >> 9);
    else if (number == SIGSEGV && uat_deque_is_overflow(watched_deque, address))
        uat_error("more than %zu spawns are nested on one worker, UAT_DEQUE_ENTRIES=%zu; set it to %zu or more",
                  watched_deque->capacity, watched_entries, 2 * watched_deque->capacity);
    else if (number == SIGBUS && address >= (uintptr_t)s->start && address < (uintptr_t)s->start + s->size)
        uat_error("no memory left for the segment of %zu MiB; lower UAT_STACK_SIZE and UAT_HEAP_SIZE, or start fewer "
                  "workers on "
                  "this host",
                  s->size >> 20);
}

static void handle(int number, siginfo_t *info, void *context)
{
    (void)context;
    bool sent = info->si_code <= 0; /* by kill(2): there is no address, and no instruction that faults again */
    if (!sent)
        explain(number, (uintptr_t)info->si_addr);
    /* Back to what was there before; the instruction faults again when we return. */
    sigaction(number, &previous[number == SIGBUS], NULL);
    if (sent)
        raise(number);
}

static int report(const char *what, int error)
{
    uat_error("faults cannot be explained: %s: %s", what, strerror(error));
    return -error;
}

int uat_fault_open(const struct uat_deque *deque, size_t entries)
{
    watched_deque = deque;
    watched_entries = entries;
    signal_stack = malloc(STACK_SIZE);
    if (!signal_stack)
        return report("a signal stack", ENOMEM);
    stack_t stack = {.ss_sp = signal_stack, .ss_size = STACK_SIZE};
    struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    if (sigaltstack(&stack, &previous_stack))
        return report("sigaltstack", errno);
    for (int i = 0; i < 2; i++)
        if (sigaction(signals[i], &action, &previous[i]))
            return report("sigaction", errno);
    return 0;
}

void uat_fault_close(void)
{
    if (!signal_stack)
        return;
    for (int i = 0; i < 2; i++)
        sigaction(signals[i], &previous[i], NULL);
    if (previous_stack.ss_sp == NULL)
        previous_stack.ss_flags = SS_DISABLE;
    sigaltstack(&previous_stack, NULL);
    free(signal_stack);
    signal_stack = NULL;
}

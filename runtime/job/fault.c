/* SPDX-License-Identifier: MIT */
#include "runtime/job/fault.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

#include "base/cpu.h"
#include "base/cpu_context.h"
#include "base/log.h"
#include "base/streams.h"
#include "runtime/job/alike.h"
#include "runtime/job/identity.h"
#include "runtime/job/self.h"
#include "runtime/segment/segment.h"
#include "runtime/segment/settings.h"

enum {
    STACK_SIZE = 256 << 10,
    STACK_GUARD = 64 << 10,
    STEP_BELOW = 64 << 10,   /* bytes below the stack pointer that a frame may touch first */
    LOW_ADDRESSES = 64 << 10 /* where nothing is mapped: vm.mmap_min_addr */
};
#define STEP_MAX (UINT64_C(64) << 30) /* a stack pointer farther than this many bytes from the stacks is not a task's */

static const int signals[] = {SIGSEGV, SIGBUS, SIGABRT};
enum { SIGNALS = sizeof(signals) / sizeof(signals[0]) };
static struct sigaction previous[SIGNALS];
static stack_t previous_stack;
static char *signal_stack; /* with a guard below, because handlers of the program run on it, too */
static const struct uat_deque *watched_deque;
static size_t watched_entries;
static void (*asked)(const struct uat_fault *fault);
static bool (*resume)(const struct uat_fault *fault, ucontext_t *context);
static bool (*describe)(uintptr_t address, char *text, size_t size);

void uat_fault_describe(bool (*describe_address)(uintptr_t address, char *text, size_t size))
{
    describe = describe_address;
}

void uat_fault_report_overflow(uintptr_t address)
{
    size_t size = uat_segment_region_size(), bytes = uat_segment.high - address, needed = 2 * size;
    if (watched_deque && watched_deque->placing) {
        watched_deque->placing->report_overflow();
        return;
    }
    while (needed < bytes)
        needed *= 2;
    if (needed > UAT_STACK_SIZE_MAX)
        uat_error(
            "the task stacks have overflowed UAT_STACK_SIZE=%zuk: they would need %zu bytes, and %zuk is the most; "
            "keep large arrays out of the tasks' frames",
            size >> 10, bytes, (size_t)UAT_STACK_SIZE_MAX >> 10);
    else
        uat_error(
            "the task stacks have overflowed UAT_STACK_SIZE=%zuk; set it to %zuk or more (the same for all workers)",
            size >> 10, needed >> 10);
}

/* Is the stack pointer below the stacks, because a frame has skipped the whole guard? */
static bool has_stepped_over(const struct uat_segment *s, uintptr_t address, uintptr_t sp)
{
    return sp < s->low && s->low - sp <= STEP_MAX && address < s->low && address >= sp - STEP_BELOW;
}

/* Is the stack pointer's value no valid address? The caller asks this for SIGBUS, too: some processors raise SIGBUS if
 * such a stack pointer is also misaligned. */
static bool is_nowhere(uintptr_t sp)
{
    return sp >> UAT_CPU_ADDRESS_BITS != 0;
}

void uat_fault_ask(void (*explain)(const struct uat_fault *fault))
{
    asked = explain;
}

void uat_fault_resume_by(bool (*resume_at)(const struct uat_fault *fault, ucontext_t *context))
{
    resume = resume_at;
}

/* Has the processor tried to execute an instruction at this address, where a process of a larger job has no code? Low
 * addresses are those of null pointers. */
static bool is_lost_code(uintptr_t address, uintptr_t pc)
{
    return pc == address && pc >= LOW_ADDRESSES && uat_self.size > 1;
}

/* The libraries that may have the function are those which identity.c could not compare. PMIx and drivers load some of
 * their own, so the line cannot say which one it is. */
static void report_lost_code(uintptr_t address)
{
    char later[512];
    uat_identity_later(later, sizeof(later));
    uat_error("the program has called a function at 0x%zx, where this worker has no code; a library that is loaded "
              "after uat_init() may have other addresses in other workers: load libraries before uat_init(), which "
              "compares their addresses (loaded later here: %s)",
              (size_t)address, later[0] ? later : "none");
}

static void explain(int number, uintptr_t address, uintptr_t sp, uintptr_t pc)
{
    const struct uat_segment *s = &uat_segment;
    uintptr_t guard = (uintptr_t)s->guard;
    char text[320];
    if (number == SIGSEGV && guard && address >= guard && address < guard + s->guard_size)
        uat_fault_report_overflow(address);
    else if (number == SIGSEGV && guard && has_stepped_over(s, address, sp))
        uat_fault_report_overflow(sp);
    else if (is_nowhere(sp))
        uat_error("the stack pointer is 0x%zx: what setjmp() saves is valid in one process only, so after a spawn or a "
                  "join, which may move the task, longjmp() cannot use it",
                  (size_t)sp);
    else if (number == SIGSEGV && uat_deque_is_overflow(watched_deque, address))
        uat_error("more than %zu spawns are nested on one worker, UAT_DEQUE_ENTRIES=%zu; set it to %zu or more",
                  watched_deque->capacity, watched_entries, 2 * watched_deque->capacity);
    else if (number == SIGBUS && address >= (uintptr_t)s->start && address < (uintptr_t)s->start + s->size)
        uat_error("no memory left for the segment of %zu MiB; lower UAT_STACK_SIZE and UAT_HEAP_SIZE, or start fewer "
                  "workers on "
                  "this host",
                  s->size >> 20);
    else if (describe && describe(address, text, sizeof(text)))
        uat_error("%s", text);
    else if (number == SIGSEGV && is_lost_code(address, pc))
        report_lost_code(address);
}

static struct sigaction *previous_of(int number)
{
    int i = 0;
    while (signals[i] != number)
        i++;
    return &previous[i];
}

/* Will the fault end the process? A handler of the program may continue elsewhere. */
static bool ends_process(int number)
{
    const struct sigaction *before = previous_of(number);
    return !(before->sa_flags & SA_SIGINFO) && before->sa_handler == SIG_DFL;
}

static void handle(int number, siginfo_t *info, void *context)
{
    uintptr_t sp = uat_cpu_context_sp(context);
    bool sent = info->si_code <= 0; /* by kill(2) or the like: no address, and no instruction will fault again */
    struct uat_fault fault = {(uintptr_t)info->si_addr, uat_cpu_context_pc(context), uat_cpu_context_registers(context),
                              UAT_CPU_CONTEXT_REGISTERS};
    if (!sent && number == SIGSEGV && resume && resume(&fault, context))
        return;
    uat_alike_close(); /* a handler must not wait for other workers */
    if (!sent)
        explain(number, fault.address, sp, fault.pc);
    if (!sent && asked && !is_lost_code(fault.address, fault.pc))
        asked(&fault);
    if ((!sent || number == SIGABRT) && ends_process(number))
        uat_flush(); /* abort(), as of a failed assert(), sends the signal to its own thread */
    /* Restore the previous handler; the instruction faults again when we return. */
    sigaction(number, previous_of(number), NULL);
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
    char *stack_and_guard =
        mmap(NULL, STACK_GUARD + STACK_SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stack_and_guard == MAP_FAILED || mprotect(stack_and_guard + STACK_GUARD, STACK_SIZE, PROT_READ | PROT_WRITE))
        return report("a signal stack", errno);
    signal_stack = stack_and_guard;
    stack_t stack = {.ss_sp = signal_stack + STACK_GUARD, .ss_size = STACK_SIZE};
    struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    if (sigaltstack(&stack, &previous_stack))
        return report("sigaltstack", errno);
    for (int i = 0; i < SIGNALS; i++)
        if (sigaction(signals[i], &action, &previous[i]))
            return report("sigaction", errno);
    return 0;
}

int uat_fault_next_handler(int signal, struct sigaction *action)
{
    while (++signal < NSIG)
        if (sigaction(signal, NULL, action) == 0 && !(action->sa_flags & SA_ONSTACK) &&
            ((action->sa_flags & SA_SIGINFO) || (action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN)))
            return signal;
    return 0;
}

void uat_fault_move_handlers(void)
{
    static bool moved;
    struct sigaction action;
    for (int signal = 0; !moved && (signal = uat_fault_next_handler(signal, &action)) > 0;) {
        action.sa_flags |= SA_ONSTACK;
        sigaction(signal, &action, NULL);
    }
    moved = true;
}

void uat_fault_close(void)
{
    if (!signal_stack)
        return;
    for (int i = 0; i < SIGNALS; i++)
        sigaction(signals[i], &previous[i], NULL);
    if (previous_stack.ss_sp == NULL)
        previous_stack.ss_flags = SS_DISABLE;
    sigaltstack(&previous_stack, NULL);
    munmap(signal_stack, STACK_GUARD + STACK_SIZE);
    signal_stack = NULL;
}

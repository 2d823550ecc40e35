/* SPDX-License-Identifier: MIT */
#include "runtime/torture/statics.h"

#include <errno.h>
#include <fnmatch.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cpu_context.h"
#include "base/log.h"
#include "runtime/job/fatal.h"
#include "runtime/job/fault.h"
#include "runtime/job/symbol.h"
#include "runtime/torture/settings.h"

enum { PARTS_MAX = 4, PERMITTED_MAX = 16 };

struct range {
    uintptr_t low, high;
};
static struct range parts[PARTS_MAX]; /* the pages that have the program's variables */
static int count;
static bool protecting;
static pid_t thread; /* the worker's */
static uintptr_t page;
static struct range stepping;                 /* pages that are writable for one instruction; low == high: none */
static struct range permitted[PERMITTED_MAX]; /* found lately, because reading the symbols takes longer */
static unsigned permissions;
static struct sigaction before; /* the program's handler of SIGTRAP */

static bool is_in(struct range r, uintptr_t address)
{
    return address - r.low < r.high - r.low;
}

static bool is_of_program(uintptr_t address)
{
    for (int i = 0; i < count; i++)
        if (is_in(parts[i], address))
            return true;
    return false;
}

static void set(struct range r, int access)
{
    if (mprotect((void *)r.low, r.high - r.low, access))
        uat_fatal("UAT_TORTURE=statics=protected: mprotect of the program's variables: %s", strerror(errno));
}

/* Is the variable in the list of the part `allow`? */
static bool is_allowed(const char *name)
{
    const char *item = uat_torture_settings.allow;
    while (*item && *name) {
        char pattern[sizeof(uat_torture_settings.allow)];
        size_t length = strcspn(item, ":");
        memcpy(pattern, item, length);
        pattern[length] = '\0';
        if (fnmatch(pattern, name, 0) == 0)
            return true;
        item += length + (item[length] == ':');
    }
    return false;
}

/* Let the instruction write to this range. */
static void permit(struct range r, uintptr_t address, ucontext_t *context)
{
    uintptr_t low = (r.low + page - 1) & -page, high = r.high & -page;
    if (low < high && is_in((struct range){low, high}, address)) {
        set((struct range){low, high}, PROT_READ | PROT_WRITE); /* no other variable has these pages */
        return;
    }
    low = address & -page;
    set((struct range){low, low + page}, PROT_READ | PROT_WRITE);
    if (!uat_cpu_context_step(context, true))
        return;
    if (stepping.low == stepping.high) /* else the instruction writes to two pages */
        stepping = (struct range){low, low + page};
    stepping.low = low < stepping.low ? low : stepping.low;
    stepping.high = low + page > stepping.high ? low + page : stepping.high;
}

/* Is this a write to the program's pages? A call of a variable is not. */
static bool is_write(const struct uat_fault *fault)
{
    return is_of_program(fault->address) && fault->pc != fault->address;
}

/* Find out what the worker's thread writes to. Returns false if it is a forbidden variable. */
static bool may_write(uintptr_t address, struct range *r)
{
    struct uat_symbol s;
    for (int i = 0; i < PERMITTED_MAX; i++)
        if (is_in(permitted[i], address)) {
            *r = permitted[i];
            return true;
        }
    if (!uat_symbol_find(address, &s) || !s.section[0] || (s.variable && !is_allowed(s.name)))
        return false;
    *r = permitted[permissions++ % PERMITTED_MAX] = (struct range){s.start, s.start + s.size};
    return true;
}

static bool resume(const struct uat_fault *fault, ucontext_t *context)
{
    int error = errno; /* of the code that was interrupted */
    struct range r = {fault->address & -page, (fault->address & -page) + page};
    if (!is_write(fault))
        return false;
    if (gettid() != thread) { /* no task. The run may have ended meanwhile. */
        set(r, PROT_READ | PROT_WRITE);
    } else {
        if (!protecting || !may_write(fault->address, &r))
            return false;
        permit(r, fault->address, context);
    }
    errno = error;
    return true;
}

/* The handler of SIGTRAP: the instruction that was permitted has been executed. */
static void stepped(int number, siginfo_t *info, void *context)
{
    if (info->si_code == TRAP_TRACE) {
        uat_cpu_context_step(context, false);
        if (protecting && stepping.low < stepping.high)
            set(stepping, PROT_READ);
        stepping.low = stepping.high;
        return;
    }
    sigaction(number, &before, NULL); /* a breakpoint of the program */
    raise(number);
}

bool uat_statics_explain(const struct uat_fault *fault)
{
    struct uat_symbol s;
    char place[320], name[160] = "a variable";
    if (!protecting || !is_write(fault) || !uat_symbol_find(fault->address, &s))
        return false;
    if (s.name[0])
        snprintf(name, sizeof(name), "`%s`", s.name);
    uat_error(
        "a task has written to %s (%s%s%s of %s), %s: each process has its own copy of a static variable, so other "
        "tasks may not see the value; write it before uat_run(), or use a reducer, an atomic in global memory, or "
        "uat_replicate(). The part allow of UAT_TORTURE permits a variable",
        name, s.source, s.source[0] ? ", " : "", s.section, s.object,
        uat_symbol_place(fault->pc, place, sizeof(place)));
    return true;
}

void uat_statics_protect(bool on)
{
    if (count == 0 || protecting == on)
        return;
    struct sigaction action = {.sa_sigaction = stepped, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    sigaction(SIGTRAP, on ? &action : &before, on ? &before : NULL);
    thread = gettid();
    protecting = on;
    for (int i = 0; i < count; i++)
        set(parts[i], on ? PROT_READ : PROT_READ | PROT_WRITE);
}

static void let_write(void)
{
    uat_statics_protect(false);
}

/* Find the pages of the program, which is the first object: its writable segments, except what the loader has already
 * protected. Sets *data, a uintptr_t, to the address of the last byte. */
static int find_parts(struct dl_phdr_info *info, size_t size, void *data)
{
    struct range constant = {0, 0};
    (void)size;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < info->dlpi_phnum && count < PARTS_MAX; i++) {
            const ElfW(Phdr) *p = &info->dlpi_phdr[i];
            uintptr_t start = info->dlpi_addr + p->p_vaddr, end = start + p->p_memsz;
            struct range r = {start & -page, (end + page - 1) & -page};
            if (pass == 0 && p->p_type == PT_GNU_RELRO)
                constant = (struct range){r.low, end & -page};
            if (pass == 0 || p->p_type != PT_LOAD || !(p->p_flags & PF_W))
                continue;
            if (is_in(r, constant.low) && constant.low < constant.high)
                r.low = constant.high;
            *(uintptr_t *)data = end - 1;
            if (r.low < r.high)
                parts[count++] = r;
        }
    return 1;
}

void uat_statics_open(void)
{
    struct uat_symbol s;
    uintptr_t last = 0;
    if (!uat_torture_settings.statics)
        return;
    page = (uintptr_t)sysconf(_SC_PAGESIZE);
    dl_iterate_phdr(find_parts, &last);
    if (is_of_program((uintptr_t)parts))
        uat_fatal(
            "UAT_TORTURE=statics=protected: the program contains uat's own variables, which must be written; link "
            "it with the shared library");
    if (!uat_symbol_find(last, &s) || !s.section[0])
        uat_fatal("UAT_TORTURE=statics=protected: the program's file has no section headers, which say where its "
                  "variables are; link it again, and do not remove them");
    if (atexit(let_write)) /* a task may call exit(), and then the program's destructors write */
        uat_fatal("UAT_TORTURE=statics=protected: atexit() fails");
    uat_fault_resume_by(resume);
}

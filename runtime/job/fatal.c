/* SPDX-License-Identifier: MIT */
#include "runtime/job/fatal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/kernel.h"
#include "base/log.h"
#include "base/streams.h"
#include "runtime/job/bootstrap.h"
#include "runtime/job/lost.h"
#include "runtime/job/self.h"

static bool alone;

void uat_fatal_detach(void)
{
    alone = true;
}

void uat_fatal_reported(void)
{
    const struct uat_transport *transport = uat_self.transport;
    if (transport && transport->lost_host)
        uat_lost_tell(transport->lost, transport->lost_host);
    if (!alone) { /* a forked child would write its parent's buffers again */
        uat_flush();
        uat_bootstrap_abort(1);
    }
    _exit(1);
}
__attribute__((cold)) _Noreturn UAT_KERNEL(uat_fatal_reported);

void uat_fatal(const char *format, ...)
{
    char text[800];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    uat_error("%s", text);
    uat_fatal_reported();
}
__attribute__((cold)) _Noreturn UAT_KERNEL(uat_fatal);

static pid_t exit_watched; /* the process that must not exit; 0: none. A forked child is another process. */
static bool exit_explained;

static void refuse_exit(int status, void *unused)
{
    (void)unused;
    if (exit_watched != getpid())
        return;
    exit_watched = 0;
    fflush(NULL); /* exit() itself would flush only after this handler */
    if (!exit_explained || status == 0)
        uat_error(
            "the program has called exit(%d) before uat_finalize(), and the other workers cannot end without this one",
            status);
    status = status ? status : 1;
    uat_bootstrap_abort(status);
    _exit(status);
}

void uat_fatal_note_reported(void)
{
    exit_explained = true;
}

void uat_fatal_at_exit(bool on)
{
    static bool registered;
    if (!registered)
        registered = on_exit(refuse_exit, NULL) == 0;
    exit_watched = on ? getpid() : 0;
}

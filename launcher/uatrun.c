/* SPDX-License-Identifier: MIT */
/* uatrun: run a uat program with several workers on this machine. */
#include "base/streams.h"
#include "launcher/arguments.h"
#include "launcher/control.h"
#include "launcher/launcher.h"
#include "launcher/signals.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>

/* Check that the output of --help, --version, --resize or --ctl was written completely. */
static int finish_output(int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    if (errno != EPIPE) /* uatrun --help | head is no error */
        uat_say("cannot write standard output: %s", strerror(errno));
    return UAT_STATUS_FAILED;
}

int main(int argc, char **argv)
{
    struct uat_arguments arguments;
    int status;
    uat_streams_open();
    if (getauxval(AT_SECURE)) {
        uat_say("uatrun must not have the rights of another user or group, or capabilities: it starts programs of the "
                "caller; take the bits "
                "away (chmod u-s,g-s; setcap -r)");
        return UAT_STATUS_FAILED;
    }
    uat_signals_take(); /* take the signals before all else, so that every signal is reported */
    if (uat_arguments_parse(&arguments, argc, argv, &status)) {
        if (arguments.wish.kind == UAT_WISH_NONE)
            return uat_guard_run(&arguments);
        uat_signals_restore();
        status = uat_control_ask(&arguments.wish, arguments.timeout);
    }
    return finish_output(status);
}

/* SPDX-License-Identifier: MIT */
#include "launcher/launcher.h"

#include <stdio.h>
#include <string.h>

#include "runtime/rooms.h"

bool uat_help_print(const char *form, int workers_max, int status_timeout)
{
    if (form && strcmp(form, "md") == 0) {
        uat_settings_print_markdown(uat_settings, stdout);
        return true;
    }
    if (form && strcmp(form, "man") == 0) {
        uat_settings_print_man(uat_settings, stdout);
        return true;
    }
    if (form) {
        uat_say("--help=%s: must be md or man, for the list of settings as docs/settings.md or uat_settings(7)", form);
        return false;
    }
    printf(
        "Usage: uatrun [-n N] [options] program [arguments]\n"
        "       uatrun --resize M PID\n"
        "       uatrun --ctl PID resize M | status\n"
        "Run a uat program with N workers on this machine, or change the number of workers of such a job.\n"
        "\n"
        "  -n, -np, --np N        workers, 1 to %d (default: one per core that this process may use)\n"
        "      --bind core        each worker stays on a core of its own (default if the workers fill the cores)\n"
        "      --bind none        workers run wherever the kernel puts them\n"
        "      --env NAME=VALUE   set a variable for the workers; may be given several times\n"
        "      --label            put the worker's rank in front of each line that it prints\n"
        "      --again N          after the loss of a worker, go on from the newest checkpoint, at most N times\n"
        "      --resizable        the job can change its size: checkpoints go to memory, unless UAT_CHECKPOINT is set\n"
        "      --resize M PID     let the job of the uatrun with this process number go on with M workers\n"
        "      --ctl PID resize M let the first M workers of that job take part, and the others sleep; --ctl PID "
        "status:\n"
        "                         how many take part\n"
        "      --profile[=FILE]   write a profile of a program that was built for it, to PROGRAM.profile.json if no\n"
        "                         FILE is given; uat-profile shows it\n"
        "      --timeout SECONDS  end the job after this time, with status %d\n"
        "      --doctor           run the self-test of the program's runtime instead, with 2 workers unless -n is "
        "given\n"
        "  -h, --help             print this and exit\n"
        "      --help=md, =man    print the list of settings as a document and exit\n"
        "      --version          print the version and exit\n"
        "\n"
        "Worker 0 reads uatrun's standard input, the others none. Signals are passed on to all workers.\n"
        "If a worker fails, the others are ended and uatrun returns its status, 128 + S if signal S ended it.\n"
        "\n"
        "Settings of the runtime, environment variables with their defaults:\n",
        workers_max, status_timeout);
    uat_settings_print_help(uat_settings, stdout);
    return true;
}

/* SPDX-License-Identifier: MIT */
/* uatrun: run a uat program with several workers on this machine. */
#include "launcher/arguments.h"
#include "launcher/guard.h"
#include "launcher/signals.h"

int main(int argc, char **argv)
{
    struct uat_arguments arguments;
    int status;
    uat_signals_take(); /* first, so that every signal is reported */
    return uat_arguments_parse(&arguments, argc, argv, &status) ? uat_guard_run(&arguments) : status;
}

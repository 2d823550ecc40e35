/* SPDX-License-Identifier: MIT */
/* Description: uatrun makes a job of a command line (words separated by newlines), or ends with a status from 0 to
 * 127. */
#include <getopt.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "launcher/arguments.h"

enum { WORDS_MAX = 40 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *argv[WORDS_MAX + 2] = {"uatrun"}, *text = malloc(size + 1);
    struct uat_arguments arguments;
    int argc = 1, status = -1;

    memcpy(text, data, size);
    text[size] = '\0';
    for (char *rest = text, *word; argc <= WORDS_MAX && (word = strsep(&rest, "\n")) != NULL;)
        argv[argc++] = word;
    optind = 0; /* restart getopt() */
    if (uat_arguments_parse(&arguments, argc, argv, &status)) {
        const struct uat_wish *wish = &arguments.wish;
        if (wish->kind) {
            if (wish->pid < 1 || wish->workers > UAT_WORKERS_MAX ||
                (wish->kind != UAT_WISH_STATUS && wish->workers < 1))
                abort();
        } else if (arguments.workers < 1 || arguments.workers > UAT_WORKERS_MAX || !arguments.program ||
                   !arguments.argv[0])
            abort();
        free(arguments.program);
    } else if (status < 0 || status > 127) {
        abort();
    }
    free(arguments.env);
    free(text);
    return 0;
}

/* SPDX-License-Identifier: MIT */
/* Description: any environment, its variables separated by newlines, is either taken or refused with one line. */
#include <stdlib.h>
#include <string.h>

#include "base/config.h"
#include "base/options.h"

enum { VARIABLES_MAX = 64 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *env[VARIABLES_MAX + 1] = {NULL}, error[200] = "", *text = malloc(size + 1);
    struct uat_options options = {.stack_size = 0};
    int n = 0;

    memcpy(text, data, size);
    text[size] = '\0';
    for (char *rest = text, *line; n < VARIABLES_MAX && (line = strsep(&rest, "\n")) != NULL;)
        env[n++] = line;
    if (uat_options_parse(&options, env, error, sizeof(error)) == 0) {
        if (options.stack_size < UAT_STACK_SIZE_MIN || options.stack_size > UAT_STACK_SIZE_MAX ||
            options.segment_address % UAT_SEGMENT_ADDRESS_ALIGNMENT || options.result_max % UAT_RESULT_MAX_MULTIPLE ||
            options.records < UAT_RECORDS_MIN || !memchr(options.network.device, '\0', sizeof(options.network.device)))
            abort();
        uat_options_torture(&options);
    } else if (error[0] == '\0' || strchr(error, '\n') || options.stack_size != 0) {
        abort(); /* refused without a line, or with something set all the same */
    }
    free(text);
    return 0;
}

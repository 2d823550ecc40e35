/* SPDX-License-Identifier: MIT */
/* Description: the runtime reads valid settings from an environment (variables separated by newlines), or refuses it
 * with a one-line message. */
#include <stdlib.h>
#include <string.h>

#include "runtime/rooms.h"
#include "runtime/segment/settings.h"
#include "transport_ibv/settings.h"

enum { VARIABLES_MAX = 64 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *env[VARIABLES_MAX + 1] = {NULL}, error[200] = "", *text = malloc(size + 1), value[UAT_SETTING_TEXT_MAX];
    const struct uat_segment_settings *s = &uat_segment_settings;
    int n = 0;

    memcpy(text, data, size);
    text[size] = '\0';
    for (char *rest = text, *line; n < VARIABLES_MAX && (line = strsep(&rest, "\n")) != NULL;)
        env[n++] = line;
    if (uat_settings_read(uat_settings, env, error, sizeof(error)) == 0) {
        if (s->stack_size < 64 << 10 || s->stack_size > UAT_STACK_SIZE_MAX || s->address % (2 << 20) ||
            s->result_max % 8 || s->records < 1 ||
            !memchr(uat_ibv_settings.device, '\0', sizeof(uat_ibv_settings.device)))
            abort();
        for (const struct uat_settings *all = uat_settings; all->title; all++)
            for (const struct uat_setting *row = all->rows; row->name; row++)
                if (!uat_settings_text(uat_settings, row->name, value))
                    abort();
    } else if (error[0] == '\0' || strchr(error, '\n')) {
        abort(); /* refused, but not with a one-line message */
    }
    free(text);
    return 0;
}

/* SPDX-License-Identifier: MIT */
#include "base/options.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <string.h>

#include "base/config.h"
#include "base/option.h"
#include "base/text.h"

#define PREFIX "UAT_"

enum { VALUE_SHOWN = 80 };

/* Where a message goes, and what it is about. */
struct complaint {
    char *text;
    size_t size;
    const char *name; /* not terminated: a part of "NAME=value" */
    int name_length;
    const char *value;
};

static int complain(const struct complaint *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Write "NAME=value: ..." and return -EINVAL. A control character would break the promise of one line. */
static int complain(const struct complaint *c, const char *format, ...)
{
    char what[256];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof(what), format, args);
    va_end(args);
    snprintf(c->text, c->size, "%.*s=%.*s%s: %s", c->name_length, c->name, VALUE_SHOWN, c->value,
             strlen(c->value) > VALUE_SHOWN ? "..." : "", what);
    for (char *p = c->text; c->size > 0 && *p; p++)
        if (iscntrl((unsigned char)*p))
            *p = '?';
    return -EINVAL;
}

/* A number as a person writes it: hexadecimal addresses, round sizes with a suffix. */
static const char *number_text(const struct uat_option *o, uint64_t value, char *buffer, size_t size)
{
    static const char suffix[] = {'\0', 'k', 'M', 'G'};
    int power = 0;
    if (o->kind == OPTION_ADDRESS) {
        snprintf(buffer, size, "0x%" PRIx64, value);
    } else if (o->kind == OPTION_INT) {
        snprintf(buffer, size, "%" PRId64, (int64_t)value);
    } else {
        while (o->unit[0] && power < 3 && value > 0 && value % 1024 == 0) {
            value /= 1024;
            power++;
        }
        snprintf(buffer, size, "%" PRIu64 "%.1s", value, power > 0 ? &suffix[power] : "");
    }
    return buffer;
}

static int complain_range(const struct complaint *c, const struct uat_option *o)
{
    char low[32], high[32];
    number_text(o, (uint64_t)o->low, low, sizeof(low));
    number_text(o, o->high, high, sizeof(high));
    const char *which = o->kind == OPTION_ADDRESS ? "a multiple of 2 MiB" : o->unit[0] ? "a size" : "a number";
    return complain(c, "must be %s from %s to %s%s%s", which, low, high, o->unit[0] ? " " : "", o->unit);
}

static int set_unsigned(const struct uat_option *o, const struct complaint *c, uint64_t *field)
{
    uint64_t value;
    if (uat_parse_size(c->value, &value) < 0 || value > o->high || value < (uint64_t)o->low)
        return complain_range(c, o);
    uint64_t rest = value % o->multiple;
    if (rest > 0 && o->kind == OPTION_ADDRESS)
        return complain_range(c, o);
    *field = rest > 0 ? value - rest + o->multiple : value;
    return 0;
}

static int set_int(const struct uat_option *o, const struct complaint *c, int *field)
{
    bool negative = c->value[0] == '-';
    uint64_t magnitude;
    const char *end = uat_parse_digits(c->value + negative, &magnitude);
    if (!end || *end || magnitude > INT_MAX)
        return complain_range(c, o);
    int value = negative ? -(int)magnitude : (int)magnitude;
    if (value < o->low || value > (int)o->high)
        return complain_range(c, o);
    *field = value;
    return 0;
}

static int set_choice(const struct uat_option *o, const struct complaint *c, int *field)
{
    char list[64] = "";
    for (int i = 0; o->choices[i]; i++) {
        if (strcmp(o->choices[i], c->value) == 0) {
            *field = i;
            return 0;
        }
        size_t used = strlen(list);
        snprintf(list + used, sizeof(list) - used, "%s%s",
                 i == 0              ? ""
                 : o->choices[i + 1] ? ", "
                                     : " or ",
                 o->choices[i]);
    }
    return complain(c, "must be %s", list);
}

static int set_device(const struct complaint *c, struct uat_network *network)
{
    size_t length = strcspn(c->value, ":");
    uint64_t port = 0;
    bool good = length > 0 && length < UAT_NETWORK_DEVICE_MAX;
    for (size_t i = 0; good && i < length; i++)
        good = isalnum((unsigned char)c->value[i]) || strchr("_-.", c->value[i]);
    if (good && c->value[length] == ':') {
        const char *end = uat_parse_digits(c->value + length + 1, &port);
        good = end && !*end && port >= 1 && port <= UAT_IB_PORT_MAX;
    }
    if (!good)
        return complain(c, "must be a device as ibv_devices lists them, or device:port with a port from 1 to %d",
                        UAT_IB_PORT_MAX);
    memcpy(network->device, c->value, length);
    network->device[length] = '\0';
    network->port = (int)port;
    return 0;
}

static int set_path(const struct complaint *c, char *field)
{
    size_t length = strlen(c->value);
    if (length == 0 || length >= UAT_TRACE_NAME_MAX)
        return complain(c, "must be the name of a file, of at most %d characters", UAT_TRACE_NAME_MAX - 1);
    memcpy(field, c->value, length + 1);
    return 0;
}

/* One mode of the list; its text ends at a comma or at the end. */
static bool set_torture_mode(struct uat_options *out, const char *mode, size_t length)
{
    char word[32];
    if (length >= sizeof(word))
        return false;
    memcpy(word, mode, length);
    word[length] = '\0';
    if (strcmp(word, "evacuate") == 0) {
        out->torture_evacuate = true;
        return true;
    }
    if (strcmp(word, "steal") == 0) {
        out->torture_steal = true;
        return true;
    }
    if (strncmp(word, "delay=", 6) != 0)
        return false;
    const char *end = uat_parse_digits(word + 6, &out->torture_seed);
    out->torture_delay = true;
    return end && !*end;
}

static int set_torture(const struct complaint *c, struct uat_options *out)
{
    out->torture_evacuate = out->torture_steal = out->torture_delay = false;
    out->torture_seed = 0;
    if (strcmp(c->value, "none") == 0)
        return 0;
    for (const char *p = c->value;; p++) {
        size_t length = strcspn(p, ",");
        if (!set_torture_mode(out, p, length))
            return complain(c, "must be none, evacuate, steal or delay=SEED, or two of these with a comma");
        p += length;
        if (out->torture_evacuate && out->torture_steal)
            return complain(c, "evacuate and steal exclude each other: evacuate offers nothing to thieves");
        if (!*p)
            return 0;
    }
}

static int set(struct uat_options *out, const struct uat_option *o, const struct complaint *c)
{
    void *field = (char *)out + o->offset;
    switch (o->kind) {
    case OPTION_UNSIGNED:
    case OPTION_ADDRESS:
        return set_unsigned(o, c, field);
    case OPTION_INT:
        return set_int(o, c, field);
    case OPTION_CHOICE:
        return set_choice(o, c, field);
    case OPTION_DEVICE:
        return set_device(c, field);
    case OPTION_TORTURE:
        return set_torture(c, out);
    case OPTION_PATH:
        return set_path(c, field);
    }
    return -EINVAL;
}

static void set_defaults(struct uat_options *out)
{
    *out = (struct uat_options){0};
    for (int i = 0; i < uat_option_count; i++) {
        const struct uat_option *o = &uat_option_table[i];
        void *field = (char *)out + o->offset;
        if (o->kind == OPTION_UNSIGNED || o->kind == OPTION_ADDRESS)
            *(uint64_t *)field = (uint64_t)o->initial;
        else if (o->kind == OPTION_INT || o->kind == OPTION_CHOICE)
            *(int *)field = (int)o->initial;
    }
}

static const struct uat_option *find(const char *name, int length)
{
    for (int i = 0; i < uat_option_count; i++)
        if (strncmp(uat_option_table[i].name, name, (size_t)length) == 0 && uat_option_table[i].name[length] == '\0')
            return &uat_option_table[i];
    return NULL;
}

static int complain_unknown(const struct complaint *c)
{
    const struct uat_option *nearest = &uat_option_table[0];
    int least = INT_MAX;
    for (int i = 0; i < uat_option_count; i++) {
        int distance = uat_edit_distance(c->name, c->name_length, uat_option_table[i].name);
        if (distance < least) {
            least = distance;
            nearest = &uat_option_table[i];
        }
    }
    return complain(c, "no such setting; did you mean %s? (uatrun --help lists all)", nearest->name);
}

int uat_options_parse(struct uat_options *out, char *const *env, char *error, size_t error_size)
{
    struct uat_options parsed;
    set_defaults(&parsed);
    for (; *env; env++) {
        const char *equals = strchr(*env, '=');
        if (!equals || strncmp(*env, PREFIX, strlen(PREFIX)) != 0)
            continue;
        int length = equals - *env > VALUE_SHOWN ? VALUE_SHOWN : (int)(equals - *env);
        struct complaint c = {error, error_size, *env, length, equals + 1};
        const struct uat_option *o = find(*env, length);
        int rc = o ? set(&parsed, o, &c) : complain_unknown(&c);
        if (rc < 0)
            return rc;
    }
    parsed.network.wait_report = parsed.stall_timeout;
    parsed.network.wait_limit = parsed.stall_limit;
    *out = parsed;
    return 0;
}

const char *uat_options_torture(const struct uat_options *options_in_force)
{
    static char text[64]; /* the settings of a process do not change, so neither does this */
    char delay[32] = "";
    if (options_in_force->torture_delay)
        snprintf(delay, sizeof(delay), "delay=%" PRIu64, options_in_force->torture_seed);
    const char *parts[] = {options_in_force->torture_evacuate ? "evacuate" : "",
                           options_in_force->torture_steal ? "steal" : "", delay};
    text[0] = '\0';
    for (int i = 0; i < 3; i++) {
        size_t used = strlen(text);
        if (parts[i][0])
            snprintf(text + used, sizeof(text) - used, "%s%s", used > 0 ? "," : "", parts[i]);
    }
    return text[0] ? text : "none";
}

void uat_options_print(FILE *out)
{
    char number[32];
    for (int i = 0; i < uat_option_count; i++) {
        const struct uat_option *o = &uat_option_table[i];
        const char *initial = o->kind == OPTION_DEVICE                              ? "any"
                              : o->kind == OPTION_TORTURE || o->kind == OPTION_PATH ? "none"
                              : o->kind == OPTION_CHOICE                            ? o->choices[o->initial]
                                                         : number_text(o, (uint64_t)o->initial, number, sizeof(number));
        fprintf(out, "  %-20s  %-14s  %s", o->name, initial, o->meaning);
        for (int k = 0; o->choices && o->choices[k]; k++)
            fprintf(out, "%s%s", k == 0 ? ": " : o->choices[k + 1] ? ", " : " or ", o->choices[k]);
        fprintf(out, "%s%s\n", o->unit[0] ? ", in " : "", o->unit);
    }
}

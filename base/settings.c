/* SPDX-License-Identifier: MIT */
#include "base/settings.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

#define PREFIX "UAT_"

enum {
    VALUE_SHOWN = 80,
    NEAR_PART = 3 /* a name is near a known one if at most about a third of its letters after PREFIX differ */
};

/* The buffer for an error message, and the variable that the message is about. */
struct complaint {
    char *text;
    size_t size;
    const char *name; /* points into "NAME=value", so it is not terminated by 0 */
    int name_length;
    const char *value;
};

static int complain(const struct complaint *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Write "NAME=value: ..." and return -EINVAL. Replaces control characters, because a message is one line. */
static int complain(const struct complaint *c, const char *format, ...)
{
    char what[512];
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

static bool is_text(const struct uat_setting *s)
{
    return s->type.kind >= UAT_SETTING_NAME && s->type.kind <= UAT_SETTING_LIST;
}

static const struct uat_setting_word *find_in(const struct uat_setting_word *w, const char *text)
{
    for (; w && w->word; w++)
        if (strcmp(w->word, text) == 0)
            return w;
    return NULL;
}

static const struct uat_setting_word *find_word(const struct uat_setting *s, const char *text)
{
    const struct uat_setting_word *listed = find_in(s->type.words, text);
    return listed ? listed : find_in(s->type.unlisted, text);
}

static void store(const struct uat_setting *s, void *values, uint64_t value)
{
    void *field = (char *)values + s->offset;
    if (s->size == sizeof(uint32_t))
        *(uint32_t *)field = (uint32_t)value;
    else
        *(uint64_t *)field = value;
}

/* A field of 4 bytes is an int. It is sign-extended, because a word such as auto may have the value -1. */
static uint64_t load(const struct uat_setting *s, const void *values)
{
    const void *field = (const char *)values + s->offset;
    return s->size == sizeof(int) ? (uint64_t)(int64_t) * (const int *)field : *(const uint64_t *)field;
}

static bool parse_number(const struct uat_setting *s, const char *text, uint64_t *value)
{
    bool time = s->type.kind == UAT_SETTING_TIME, rounded = s->type.kind == UAT_SETTING_SIZE;
    int rc = time ? uat_parse_time(text, s->type.step, value) : uat_parse_size(text, value);
    if (rc || *value < s->type.low || *value > s->type.high)
        return false;
    uint64_t rest = *value % s->type.step;
    if (rounded && rest > 0)
        *value += s->type.step - rest;
    if (time)
        *value /= s->type.step;
    return rounded || rest == 0;
}

static bool set_text(const struct uat_setting *s, const char *text, char *field)
{
    size_t length = strlen(text);
    bool good = length > 0 && length < s->size;
    for (size_t i = 0; good && i < length && s->type.kind == UAT_SETTING_NAME; i++)
        good = isalnum((unsigned char)text[i]) || strchr("_-.", text[i]);
    if (good)
        memcpy(field, text, length + 1);
    return good;
}

/* Set the value of a setting without parts, or of one part. */
static bool set_one(const struct uat_setting *s, const char *text, void *values)
{
    uint64_t value = 0;
    const struct uat_setting_word *word = find_word(s, text);
    if (word && is_text(s))
        ((char *)values)[s->offset] = '\0';
    else if (word)
        store(s, values, word->value);
    else if (is_text(s))
        return set_text(s, text, (char *)values + s->offset);
    else if (s->type.kind == UAT_SETTING_CHOICE || !parse_number(s, text, &value))
        return false;
    else
        store(s, values, value);
    return true;
}

/* The table's row whose name is nearest to the given name. */
static const struct uat_setting *nearest(const struct uat_setting *table, const char *name, int length, int *least)
{
    const struct uat_setting *found = NULL;
    for (const struct uat_setting *s = table; s->name; s++) {
        int distance = uat_edit_distance(name, length, s->name);
        if (distance < *least) {
            *least = distance;
            found = s;
        }
    }
    return found;
}

static int complain_part(const struct complaint *c, const struct uat_setting *whole, const struct uat_setting *part)
{
    char form[UAT_SETTING_TEXT_MAX], allowed[UAT_SETTING_TEXT_MAX];
    const struct uat_setting *parts = whole->type.parts;
    uat_setting_allowed(part, allowed);
    if (whole->type.kind == UAT_SETTING_PARTS)
        return complain(c, "%s must be %s", part->name, allowed);
    snprintf(form, sizeof(form), "%s or %s:%s", parts[0].name, parts[0].name, parts[1].name);
    return complain(c, "must be %.60s; %s must be %s", form, part->name, allowed);
}

/* Find the part that *item sets, and advance *item to the part's value. Returns NULL if it wrote an error message.
 * place: the item's position in the list. */
static const struct uat_setting *part_of(const struct uat_setting *whole, const struct complaint *c, const char **item,
                                         int place)
{
    const struct uat_setting *parts = whole->type.parts;
    int length = (int)strcspn(*item, "="), least = INT_MAX;
    if (whole->type.kind == UAT_SETTING_PAIR)
        return &parts[place];
    if ((*item)[length] != '=')
        return &parts[0];
    const struct uat_setting *s = nearest(parts, *item, length, &least);
    if (least > 0) {
        complain(c, "has no part %.*s; did you mean %s?", length, *item, s->name);
        return NULL;
    }
    *item += length + 1;
    return s;
}

static int set(const struct uat_setting *s, const struct complaint *c, const char *text, void *values);

static int set_parts(const struct uat_setting *whole, const struct complaint *c, const char *text, void *values)
{
    bool pair = whole->type.kind == UAT_SETTING_PAIR;
    uint32_t seen = 0;
    for (const struct uat_setting *s = whole->type.parts; s->name; s++)
        set_one(s, s->initial, values);
    for (int place = 0;; place++) {
        char item[UAT_SETTING_TEXT_MAX];
        const char *value = item;
        size_t length = strcspn(text, pair ? ":" : ",");
        snprintf(item, sizeof(item), "%.*s", (int)(length < sizeof(item) ? length : sizeof(item)), text);
        const struct uat_setting *s = part_of(whole, c, &value, place);
        if (!s)
            return -EINVAL;
        uint32_t bit = UINT32_C(1) << (s - whole->type.parts);
        if (!set_one(s, value, values) || length >= sizeof(item))
            return complain_part(c, whole, s);
        if (seen & bit)
            return complain(c, "%s is given twice", s->name);
        seen |= bit;
        text += length;
        if (!*text++)
            return 0;
        if (pair && place > 0)
            return complain_part(c, whole, s);
    }
}

static int set(const struct uat_setting *s, const struct complaint *c, const char *text, void *values)
{
    char allowed[UAT_SETTING_TEXT_MAX];
    if (s->type.parts)
        return set_parts(s, c, text, values);
    if (set_one(s, text, values))
        return 0;
    return complain(c, "must be %s", uat_setting_allowed(s, allowed));
}

static const struct uat_setting *find(const struct uat_settings *all, const char *name, int length, void **values)
{
    for (; all->title; all++)
        for (const struct uat_setting *s = all->rows; s->name; s++)
            if (strncmp(s->name, name, (size_t)length) == 0 && s->name[length] == '\0') {
                *values = all->values;
                return s;
            }
    return NULL;
}

/* Add a note to c->text if an unknown name looks like a misspelt setting. Other names, such as UAT_ROOT, belong to
 * module files and build tools. */
static void note_unknown(const struct uat_settings *all, struct complaint *c)
{
    char name[VALUE_SHOWN];
    int length = c->name_length < VALUE_SHOWN ? c->name_length : VALUE_SHOWN;
    int least = (c->name_length - (int)strlen(PREFIX) + 1) / NEAR_PART + 1;
    const struct uat_setting *found = NULL;
    for (int i = 0; i < length; i++)
        name[i] = (char)toupper((unsigned char)c->name[i]);
    for (; all->title; all++) {
        const struct uat_setting *here = nearest(all->rows, name, length, &least);
        found = here ? here : found;
    }
    size_t used = strlen(c->text);
    if (!found || used + 2 >= c->size)
        return;
    if (used > 0)
        used += (size_t)snprintf(c->text + used, c->size - used, "; ");
    c->text += used;
    c->size -= used;
    complain(c, "no such setting, ignored; did you mean %s? (uatrun --help lists all)", found->name);
}

int uat_settings_read(const struct uat_settings *all, char *const *env, char *error, size_t error_size)
{
    error[0] = '\0';
    for (const struct uat_settings *a = all; a->title; a++)
        for (const struct uat_setting *s = a->rows; s->name; s++) {
            struct complaint c = {error, error_size, s->name, (int)strlen(s->name), uat_setting_initial(s)};
            int rc = set(s, &c, c.value, a->values);
            if (rc)
                return rc;
        }
    for (; *env; env++) {
        const char *equals = strchr(*env, '=');
        void *values = NULL;
        if (!equals || strncmp(*env, PREFIX, strlen(PREFIX)) != 0)
            continue;
        int length = equals - *env > VALUE_SHOWN ? VALUE_SHOWN : (int)(equals - *env);
        struct complaint c = {error, error_size, *env, length, equals + 1};
        const struct uat_setting *s = find(all, *env, length, &values);
        if (!s)
            note_unknown(all, &c);
        else if (c.value[0] && set(s, &c, c.value, values)) /* an empty value means the default */
            return -EINVAL;
    }
    return 0;
}

static const char *field_text(const struct uat_setting *s, const void *values, char text[UAT_SETTING_TEXT_MAX])
{
    const char *field = (const char *)values + s->offset;
    if (is_text(s))
        snprintf(text, UAT_SETTING_TEXT_MAX, "%s", *field ? field : s->type.words->word);
    else
        uat_setting_value_text(s, load(s, values), text);
    return text;
}

const char *uat_settings_text(const struct uat_settings *all, const char *name, char text[UAT_SETTING_TEXT_MAX])
{
    void *values = NULL;
    const struct uat_setting *s = find(all, name, (int)strlen(name), &values);
    if (!s || !s->type.parts)
        return s ? field_text(s, values, text) : NULL;
    const struct uat_setting *parts = s->type.parts;
    char part[UAT_SETTING_TEXT_MAX];
    size_t used = 0;
    text[0] = '\0';
    for (const struct uat_setting *p = parts; p->name && used < UAT_SETTING_TEXT_MAX; p++)
        if (strcmp(field_text(p, values, part), p->initial) != 0)
            used += (size_t)snprintf(text + used, UAT_SETTING_TEXT_MAX - used, "%s%s%s%s",
                                     used == 0                          ? ""
                                     : s->type.kind == UAT_SETTING_PAIR ? ":"
                                                                        : ",",
                                     p == parts || s->type.kind == UAT_SETTING_PAIR ? "" : p->name,
                                     p == parts || s->type.kind == UAT_SETTING_PAIR ? "" : "=", part);
    return used ? text : field_text(parts, values, text);
}

/* The number to compare for a field. For a text: 1 if the text is not empty. For UAT_EQUAL_IF_SET: 1 if the value is
 * not the first word. Otherwise: the value itself. */
static uint64_t compared(const struct uat_setting *s, const void *values)
{
    if (is_text(s))
        return ((const char *)values)[s->offset] != '\0';
    uint64_t value = load(s, values);
    return s->equal == UAT_EQUAL ? value : value != s->type.words->value;
}

const struct uat_setting *uat_settings_equal(const struct uat_settings *all, int i, uint64_t *value,
                                             char name[UAT_SETTING_TEXT_MAX])
{
    for (; all->title; all++)
        for (const struct uat_setting *s = all->rows; s->name; s++) {
            static const struct uat_setting none = UAT_LAST_SETTING;
            for (const struct uat_setting *p = s->type.parts ? s->type.parts : s; p->name;
                 p = s->type.parts ? p + 1 : &none)
                if (p->equal != UAT_MAY_DIFFER && i-- == 0) {
                    *value = compared(p, all->values);
                    snprintf(name, UAT_SETTING_TEXT_MAX, "%s%s%s%s", "", s->name, p == s ? "" : ": ",
                             p == s ? "" : p->name);
                    return p;
                }
        }
    return NULL;
}

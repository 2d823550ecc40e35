/* SPDX-License-Identifier: MIT */
/*
 * Settings: environment variables UAT_*, read once at start-up. Each component has a header settings.h with a struct
 * and a table. The component reads the struct. The table says which variable sets which field of the struct.
 * runtime/rooms.h lists the components. The parser knows the kinds of values, but not the components. The tables are
 * also the source of --help, docs/settings.md and uat_settings(7).
 */
#ifndef UAT_SETTINGS_H
#define UAT_SETTINGS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum uat_setting_kind {
    UAT_SETTING_NUMBER,  /* decimal, or hexadecimal after 0x; an optional suffix k, M or G */
    UAT_SETTING_SIZE,    /* bytes, with an optional suffix k, M or G; rounded up to a multiple of step */
    UAT_SETTING_ADDRESS, /* must be a multiple of step */
    UAT_SETTING_TIME,    /* with an optional suffix ns, us, ms, s or min; the field counts units of `step` ns */
    UAT_SETTING_CHOICE,  /* one of the words */
    UAT_SETTING_NAME,    /* letters, digits, '_', '-' and '.' */
    UAT_SETTING_PATH,    /* any text */
    UAT_SETTING_LIST,    /* names, separated by colons */
    UAT_SETTING_PARTS,   /* FIRST,NAME=VALUE,...: each part is optional; the first part may omit its name */
    UAT_SETTING_PAIR,    /* FIRST:SECOND; the second part is optional */
};

/* A word that stands for a value of a field. In a name or a path, the word stands for the empty text. */
struct uat_setting_word {
    const char *word; /* NULL ends a list */
    uint64_t value;
};

struct uat_setting_type {
    enum uat_setting_kind kind;
    uint64_t low, high, step;             /* low and high of a size are in bytes; those of a time are in ns */
    const struct uat_setting_word *words; /* words that are also accepted; NULL: none */
    const struct uat_setting *parts;
    const struct uat_setting_word *unlisted; /* words that only a program accepts that links papers/; NULL: none */
};

/* Must all workers have the same value? Stacks that move depend on such values. So the workers compare these values
 * when a job starts. */
enum uat_setting_equal {
    UAT_MAY_DIFFER,
    UAT_EQUAL,
    UAT_EQUAL_IF_SET, /* either all workers have its first word, or no worker has it */
};

/* A row of a table, or one part of a setting. The field has 4 or 8 bytes, or is text. */
struct uat_setting {
    const char *name;    /* NULL ends a table */
    const char *initial; /* the default, as a user would write it; NULL: the parts have their own defaults */
    enum uat_setting_equal equal;
    size_t offset, size; /* offset and size of the field in the component's struct */
    struct uat_setting_type type;
    /* NULL: the lists for users leave the row out, because only programs that link papers/ use it */
    const char *meaning;
};

/* The settings of one component. */
struct uat_settings {
    const char *title; /* NULL ends the list */
    const struct uat_setting *rows;
    void *values; /* the component's struct */
};

/* Shorthands for the tables. */
#define UAT_FIELD(type, member) offsetof(type, member), sizeof(((type *)NULL)->member)
#define UAT_NO_FIELD            0, 0
#define UAT_WORDS(...)          ((const struct uat_setting_word[]){__VA_ARGS__, {NULL, 0}})
#define UAT_TYPE(...)                                                                                                  \
    {                                                                                                                  \
        __VA_ARGS__                                                                                                    \
    }
#define UAT_NUMBER(low, high)         UAT_TYPE(UAT_SETTING_NUMBER, low, high, 1, NULL, NULL, NULL)
#define UAT_NUMBER_OR(low, high, ...) UAT_TYPE(UAT_SETTING_NUMBER, low, high, 1, UAT_WORDS(__VA_ARGS__), NULL, NULL)
#define UAT_SIZE(low, high, step)     UAT_TYPE(UAT_SETTING_SIZE, low, high, step, NULL, NULL, NULL)
#define UAT_SIZE_OR(low, high, step, ...)                                                                              \
    UAT_TYPE(UAT_SETTING_SIZE, low, high, step, UAT_WORDS(__VA_ARGS__), NULL, NULL)
#define UAT_ADDRESS(low, high, step)  UAT_TYPE(UAT_SETTING_ADDRESS, low, high, step, NULL, NULL, NULL)
#define UAT_TIME(low, high, step)     UAT_TYPE(UAT_SETTING_TIME, low, high, step, NULL, NULL, NULL)
#define UAT_CHOICE(...)               UAT_TYPE(UAT_SETTING_CHOICE, 0, 0, 0, UAT_WORDS(__VA_ARGS__), NULL, NULL)
#define UAT_CHOICE_AND(unlisted, ...) UAT_TYPE(UAT_SETTING_CHOICE, 0, 0, 0, UAT_WORDS(__VA_ARGS__), NULL, unlisted)
#define UAT_NAME_OR(none)             UAT_TYPE(UAT_SETTING_NAME, 0, 0, 0, UAT_WORDS({none, 0}), NULL, NULL)
#define UAT_PATH_OR(none)             UAT_TYPE(UAT_SETTING_PATH, 0, 0, 0, UAT_WORDS({none, 0}), NULL, NULL)
#define UAT_LIST_OR(none)             UAT_TYPE(UAT_SETTING_LIST, 0, 0, 0, UAT_WORDS({none, 0}), NULL, NULL)
#define UAT_PARTS(rows)               UAT_TYPE(UAT_SETTING_PARTS, 0, 0, 0, NULL, rows, NULL)
#define UAT_PAIR(rows)                UAT_TYPE(UAT_SETTING_PAIR, 0, 0, 0, NULL, rows, NULL)
#define UAT_LAST_SETTING              UAT_TYPE(.name = NULL)

#define UAT_MILLISECONDS UINT64_C(1000000) /* in ns */
#define UAT_SECONDS      UINT64_C(1000000000)
#define UAT_MINUTES      (60 * UAT_SECONDS)

enum {
    UAT_SETTING_TEXT_MAX = 640, /* bytes of a value as text, including its terminating 0 */
    UAT_SETTINGS_EQUAL_MAX = 24 /* maximum number of settings and parts that are not UAT_MAY_DIFFER */
};

/*
 * Set the values of all components from env, a list of "NAME=value" strings that ends with NULL. A variable that env
 * lacks, or whose value is empty, gets its default. Returns 0, or -EINVAL with one line in `error`. The line names the
 * variable, its value and the allowed values. After an error the values are unspecified.
 *
 * If the result is 0, `error` holds a warning, or is empty. The warning names each unknown variable whose name is near
 * that of a setting. Other unknown variables are ignored.
 */
int uat_settings_read(const struct uat_settings *all, char *const *env, char *error, size_t error_size);

/* The current value of a variable as a user would write it, or NULL if there is no such variable. */
const char *uat_settings_text(const struct uat_settings *all, const char *name, char text[UAT_SETTING_TEXT_MAX]);

/*
 * Enumerate, in a fixed order, the settings that must be equal on all workers. i: the number in this order, from 0.
 * Returns the row or part; after the last one, returns NULL. Sets *value to the number to compare, and writes the names
 * of the variable and of the part to `name`.
 */
const struct uat_setting *uat_settings_equal(const struct uat_settings *all, int i, uint64_t *value,
                                             char name[UAT_SETTING_TEXT_MAX]);

/* Write a setting's value to `text` as a user would write it. The setting must be a number, size, address, time or
 * choice. Returns text. */
const char *uat_setting_value_text(const struct uat_setting *s, uint64_t value, char text[UAT_SETTING_TEXT_MAX]);

/* Write a compared value to `text`, for a message: the value itself, or "set" or "not set". Returns text. */
const char *uat_setting_equal_text(const struct uat_setting *s, uint64_t compared, char text[UAT_SETTING_TEXT_MAX]);

/* Write to `text` which values a setting or part accepts, such as "a size from 64k to 2G". Returns text. */
const char *uat_setting_allowed(const struct uat_setting *s, char text[UAT_SETTING_TEXT_MAX]);

/* The default as a user would write it. */
const char *uat_setting_initial(const struct uat_setting *s);

/* Print all settings with defaults and meanings, for --help, docs/settings.md and uat_settings(7). */
void uat_settings_print_help(const struct uat_settings *all, FILE *out);
void uat_settings_print_markdown(const struct uat_settings *all, FILE *out);
void uat_settings_print_man(const struct uat_settings *all, FILE *out);

/* Text functions for the settings: numbers, sizes, times, edit distance of names. */

enum { UAT_NAME_MAX = 63 /* maximum number of characters in a setting's name */ };

/* Parse a size with an optional suffix k, K, m, M, g or G (powers of 1024). Returns 0, or -EINVAL with *out
 * unchanged. */
int uat_parse_size(const char *text, uint64_t *out);

/* Parse a time into ns. The text may have a suffix ns, us, ms, s or min. A number without a suffix counts units of
 * `unit` ns. Returns 0, or -EINVAL with *out unchanged. */
int uat_parse_time(const char *text, uint64_t unit, uint64_t *out);

/* The Levenshtein distance between the names a and b. `b` has at most UAT_NAME_MAX characters. */
int uat_edit_distance(const char *a, int a_length, const char *b);

#endif

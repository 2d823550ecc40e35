/* SPDX-License-Identifier: MIT */
/* One setting: its name, kind, default, bounds and meaning; and the table of all. For options*.c alone. */
#ifndef UAT_OPTION_H
#define UAT_OPTION_H

#include <stddef.h>
#include <stdint.h>

enum option_kind {
    OPTION_UNSIGNED, /* uint64_t, with a suffix k, M or G if one likes; rounded up to `multiple` */
    OPTION_ADDRESS,  /* uint64_t, refused unless a multiple of `multiple` */
    OPTION_INT,      /* int */
    OPTION_CHOICE,   /* int, the index of a word in `choices` */
    OPTION_DEVICE,   /* struct uat_network: device and port */
    OPTION_TORTURE,  /* the torture_* fields */
    OPTION_PATH,     /* char[UAT_TRACE_NAME_MAX], the name of a file */
};

struct uat_option {
    const char *name;
    enum option_kind kind;
    size_t offset; /* of the field in struct uat_options */
    int64_t initial, low;
    uint64_t high, multiple;
    const char *const *choices; /* NULL at the end */
    const char *unit;           /* "" if it counts or names something that the meaning says */
    const char *meaning;
};

extern const struct uat_option uat_option_table[];
extern const int uat_option_count;

#endif

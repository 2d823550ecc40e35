/* SPDX-License-Identifier: MIT */
#include "base/settings.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

/* Parse digits, decimal or hexadecimal after 0x, into *out. Returns a pointer to the character after the digits, or
 * NULL if there is no number. A leading 0 does not mean octal. */
static const char *parse_digits(const char *text, uint64_t *out)
{
    int base = 10;
    if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
        base = 16;
        text += 2;
    }
    const char *p = text;
    uint64_t value = 0;
    for (; base == 16 ? isxdigit((unsigned char)*p) : isdigit((unsigned char)*p); p++) {
        unsigned digit =
            isdigit((unsigned char)*p) ? (unsigned)(*p - '0') : (unsigned)(tolower((unsigned char)*p) - 'a' + 10);
        if (__builtin_mul_overflow(value, (uint64_t)base, &value) || __builtin_add_overflow(value, digit, &value))
            return NULL;
    }
    if (p == text)
        return NULL;
    *out = value;
    return p;
}

int uat_parse_size(const char *text, uint64_t *out)
{
    uint64_t value;
    const char *p = parse_digits(text, &value);
    if (!p)
        return -EINVAL;
    int shift = 0;
    if (*p) {
        static const char suffixes[] = "kKmMgG";
        const char *suffix = strchr(suffixes, *p);
        if (!suffix || p[1])
            return -EINVAL;
        shift = 10 * (int)((suffix - suffixes) / 2 + 1);
    }
    if (value > UINT64_MAX >> shift)
        return -EINVAL;
    *out = value << shift;
    return 0;
}

int uat_parse_time(const char *text, uint64_t unit, uint64_t *out)
{
    static const struct {
        const char *suffix;
        uint64_t ns;
    } units[] = {{"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}, {"min", UINT64_C(60000000000)}};
    uint64_t value, ns;
    const char *p = parse_digits(text, &value);
    for (size_t i = 0; p && *p && i < sizeof(units) / sizeof(units[0]); i++)
        if (strcmp(p, units[i].suffix) == 0) {
            unit = units[i].ns;
            p = "";
        }
    if (!p || *p || __builtin_mul_overflow(value, unit, &ns))
        return -EINVAL;
    *out = ns;
    return 0;
}

int uat_edit_distance(const char *a, int a_length, const char *b)
{
    int row[UAT_NAME_MAX + 1];
    int b_length = (int)strlen(b);
    for (int j = 0; j <= b_length; j++)
        row[j] = j;
    for (int i = 1; i <= a_length; i++) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= b_length; j++) {
            int best = diagonal + (a[i - 1] != b[j - 1]);
            if (row[j] + 1 < best)
                best = row[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            diagonal = row[j];
            row[j] = best;
        }
    }
    return row[b_length];
}

/* SPDX-License-Identifier: MIT */
/* The table of a program that has one fault per case. `faults CASE` runs a case with its fault, `faults CASE good` its
 * correct twin. Without arguments the program prints the table, which tests/races/table reads. */
#ifndef UAT_TESTS_FAULTS_H
#define UAT_TESTS_FAULTS_H

#include <stdio.h>
#include <string.h>

#include <uat.h>
#include <uat/global.h>

struct fault {
    const char *name;
    void (*run)(void);
    const char *kind;           /* how the report's title begins */
    const char *second, *first; /* the functions of the two places */
};

static int good;   /* set before the runs, and so equal in all tasks */
static long *word; /* 64 words of global memory */

/* The functions that reports name. There are two of each kind, so that a report tells the two places apart. */
#define APART __attribute__((noinline, unused))
static APART void put(long *p, long v)
{
    *(volatile long *)p = v;
}
static APART long look(const long *p)
{
    return *(const volatile long *)p;
}
static APART void other_put(long *p, long v)
{
    *(volatile long *)p = v;
}
static APART long other_look(const long *p)
{
    return *(const volatile long *)p;
}

static inline int faults_main(int argc, char **argv, const struct fault *table, int n)
{
    for (int i = 0; argc < 2 && i < n; i++)
        printf("%s %s %s %s\n", table[i].name, table[i].kind, table[i].second, table[i].first);
    if (argc < 2)
        return 0;
    good = argc > 2;
    if (uat_init() < 0)
        return 1;
    word = (long *)uat_global_alloc(64 * sizeof(long), UAT_BLOCKED, 0);
    for (int i = 0; i < n; i++)
        if (strcmp(argv[1], table[i].name) == 0) {
            table[i].run();
            return uat_finalize() < 0;
        }
    return 2;
}

#endif

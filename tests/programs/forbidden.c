/* SPDX-License-Identifier: MIT */
/*
 * Description: tasks that keep data of one process across a spawn. Torture must detect this and print a line. usage:
 * forbidden malloc|freed|mmap|pointer|index|longjmp|restart|unmapped|none
 */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "uat.h"
#include "uat/checkpoint.h"

enum { DEPTH = 9, SMALL = 20, MEDIUM = 2000, LARGE = 40000, VALUE = 1234567 };

static const char *what;

static int is(const char *name)
{
    return strcmp(what, name) == 0;
}

UAT_TASK(int, nothing, int, n)
{
    for (volatile int i = 0; i < 2000; i = i + 1)
        ;
    return n;
}

/* Fill a piece of malloc() memory before a spawn, and read it after the spawn. Returns whether its last word is
 * right. */
static int keep_piece(size_t words)
{
    nothing_task t;
    volatile int *piece = malloc(words * sizeof(*piece));
    if (!piece)
        return 0;
    for (size_t i = 0; i < words; i++)
        piece[i] = VALUE;
    nothing_spawn(&t, 1);
    int right = piece[words - 1] == VALUE;
    nothing_join(&t);
    return right;
}

/* Read a freed piece after a spawn. It stays free, as later pieces are larger and the piece after it is in use. */
static int keep_freed(void)
{
    static size_t words = MEDIUM;
    nothing_task t;
    words += 8;
    int *piece = malloc(words * sizeof(*piece)), *after = malloc(words * sizeof(*after));
    volatile int *volatile kept = piece;
    if (!piece || !after)
        return 0;
    free(piece);
    nothing_spawn(&t, 1);
    int right = kept[MEDIUM / 2] != VALUE;
    nothing_join(&t);
    return right;
}

static int keep_place(void)
{
    nothing_task t;
    jmp_buf place;
    volatile int jumped = 0;
    if (setjmp(place) == 0) {
        nothing_spawn(&t, 1);
        jumped = 1;
        longjmp(place, 1);
    }
    nothing_join(&t);
    return jumped;
}

struct list {
    struct list *next;
    unsigned index;
};

/* Reads a pointer, or an index, from another task's stack, and uses it. */
UAT_TASK(int, follow, const struct list *, other)
{
    static const volatile int table[1] = {1};
    if (is("pointer"))
        return (int)other->next->index;
    const volatile int *from = table;
    __asm__("" : "+r"(from)); /* otherwise the compiler knows that the only index is 0 */
    return from[other->index];
}

static int hand_out(void)
{
    follow_task t;
    struct list second = {NULL, 1}, first = {&second, 0};
    follow_spawn(&t, &first);
    return follow_join(&t) == 1;
}

/* End the job with a checkpoint. Returns in the restarted job. */
static void restart(void)
{
    nothing_task t;
    int restarts = uat_restarted();
    uat_checkpoint(UAT_CHECKPOINT_END);
    while (uat_restarted() == restarts) {
        nothing_spawn(&t, 1);
        nothing_join(&t);
    }
}

/* Keep a piece that the last rank's malloc() gave over a restart. */
UAT_TASK(int, keep_over_restart, int, words)
{
    uat_migrate(uat_size() - 1);
    volatile int *piece = malloc((size_t)words * sizeof(*piece));
    if (!piece)
        return 0;
    piece[words - 1] = VALUE;
    restart();
    uat_migrate(uat_size() - 1); /* with as many workers, the same rank */
    return piece[words - 1] == VALUE;
}

/* After an even number of restarts, use a piece that this task itself has freed. It was mapped beyond 512 MiB. */
UAT_TASK(int, use_unmapped, int, bytes)
{
    restart();
    restart();
    char *large = malloc((size_t)600 << 20), *piece = malloc((size_t)bytes);
    volatile char *volatile kept = piece; /* compilers refuse an obvious use of freed memory */
    if (!large || !piece)
        return 0;
    memset(piece, 1, (size_t)bytes);
    free(piece);
    bytes = kept[bytes / 2] == 1;
    free(large);
    return bytes;
}

/* Returns the number of tasks of this tree that found no error. */
UAT_TASK(int, tree, int, depth)
{
    tree_task left;
    int right = 1;
    if (depth == 0)
        return 1;
    tree_spawn(&left, depth - 1);
    if (is("malloc"))
        right = keep_piece(SMALL);
    else if (is("freed"))
        right = keep_freed();
    else if (is("mmap"))
        right = keep_piece(LARGE);
    else if (is("longjmp"))
        right = keep_place();
    else if (!is("none"))
        right = hand_out();
    right += tree(depth - 1);
    return tree_join(&left) + right;
}

int main(int argc, char **argv)
{
    int right = 0;
    what = argc > 1 ? argv[1] : "none";
    if (getenv("FORBIDDEN_MORE")) /* MiB that this process has mapped, and the one before the restart had not */
        mmap(NULL, (size_t)atoi(getenv("FORBIDDEN_MORE")) << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (uat_init())
        return 1;
    int rc = is("restart")    ? keep_over_restart_run(&right, MEDIUM)
             : is("unmapped") ? use_unmapped_run(&right, 64 << 20)
                              : tree_run(&right, DEPTH);
    if (rc || uat_finalize())
        return 1;
    if (right != 2 * (1 << DEPTH) - 1)
        printf("forbidden: %d right\n", right);
    return 0; /* a mistake that torture missed ends with status 0, which the test rejects */
}

/* SPDX-License-Identifier: MIT */
/*
 * Description: a join that must wait in place, because the evacuation heap has no room for its stack. Rank 1 joins. The
 * child, on rank 0, repeatedly makes rank 1 print what rank 1 is waiting for. The child ends when two files exist:
 * `go`, and `joins`. The joiner makes `joins` once rank 1 has stolen it. After the join, rank 1 prints its state.
 * run-in-place starts this program. The program needs 2 workers with one record each.
 * usage: in-place FOLDER
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "uat.h"

enum { FRAME = 1 << 20 /* bytes: larger than UAT_HEAP_SIZE */, ROUNDS = 600, ROUND_US = 50000 };

struct arg {
    pid_t joiner;
    char go[256], joins[256];
};

static void child(void *arg, void *result)
{
    const struct arg *a = arg;
    int seen = 0;
    for (int i = 0; i < ROUNDS && !seen; i++) {
        kill(a->joiner, SIGUSR1);
        usleep(ROUND_US);
        seen = access(a->go, F_OK) == 0 && access(a->joins, F_OK) == 0;
    }
    *(int *)result = seen && uat_rank() == 0;
}

static void root(void *arg, void *result)
{
    volatile char frame[FRAME];
    uat_task_t task;
    int seen = 0, file;
    frame[0] = frame[FRAME - 1] = 1;
    __asm__ volatile("" : : "r"(frame) : "memory"); /* otherwise clang keeps only the two bytes that are used */
    uat_spawn(&task, child, arg, sizeof(struct arg), &seen, sizeof(seen));
    int thief = uat_rank();
    if (thief == 1 && (file = creat(((const struct arg *)arg)->joins, 0600)) >= 0)
        close(file);
    uat_join(&task);
    if (thief == 1 && uat_rank() == 1)
        kill(getpid(), SIGUSR1);
    *(int *)result = seen && thief == 1 && frame[0] == frame[FRAME - 1];
}

int main(int argc, char **argv)
{
    struct arg a = {0};
    char name[256];
    int good = 0;
    if (argc != 2 || uat_init())
        return 1;
    snprintf(a.go, sizeof(a.go), "%s/go", argv[1]);
    snprintf(a.joins, sizeof(a.joins), "%s/joins", argv[1]);
    snprintf(name, sizeof(name), "%s/pid", argv[1]);
    FILE *file = NULL;
    if (uat_rank() == 1) {
        if (!(file = fopen(name, "w")) || fprintf(file, "%d\n", (int)getpid()) < 0 || fclose(file))
            return 1;
    }
    if (uat_barrier())
        return 1;
    if (uat_rank() == 0) {
        if (!(file = fopen(name, "r")) || fscanf(file, "%d", &a.joiner) != 1 || fclose(file))
            return 1;
    }
    /* Runs twice. There is only one record, so at the second wait it no longer has the state of a new record. */
    int again;
    if (uat_run(root, &a, sizeof(a), &good, sizeof(good)))
        return 1;
    strcat(a.joins, "-again");
    if (uat_run(root, &a, sizeof(a), &again, sizeof(again)))
        return 1;
    return uat_finalize() || !good || !again;
}

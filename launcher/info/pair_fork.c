/* SPDX-License-Identifier: MIT */
/* A pair of this process and its child, which meet in memory that both have mapped. */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "launcher/info/pair.h"

enum { EXCHANGES = 4 };

struct shared {
    uint32_t arrived[2];    /* number of meetings that each process has reached */
    uint32_t brought[2][2]; /* [meeting % 2][rank]: two slots, because one process may be one meeting ahead of the
                             * other */
    pid_t child;
    char host[64];
    int exchanges[2];
    char blob[EXCHANGES][2][UAT_ENDPOINT_MAX];
    size_t size[EXCHANGES][2];
};

/* Has the child ended? This function does not reap the child. *number: the signal that ended the child, or 0. */
static bool child_gone(pid_t child, int *number)
{
    siginfo_t info = {.si_pid = 0};
    if (waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT) || info.si_pid != child)
        return false;
    *number = info.si_code == CLD_EXITED ? 0 : info.si_status;
    return true;
}

/* Has the other process ended? Only the parent checks, because the child dies with its parent. *number: as in
 * child_gone(). */
static bool is_alone(const struct pair *pair, int *number)
{
    const struct shared *s = pair->of_way;
    return pair->rank == 0 && child_gone(s->child, number);
}

/* Exit because the other process has ended. A child that exited by itself has reported the reason. */
static _Noreturn void end_alone(int number)
{
    if (number)
        uat_error("the other process of the litmus tests was ended by signal %d (%s)", number, strsignal(number));
    exit(1);
}

static void look(struct pair *pair)
{
    int number;
    if (is_alone(pair, &number))
        end_alone(number);
}

static uint32_t meet(struct pair *pair, uint32_t word)
{
    struct shared *s = pair->of_way;
    uint32_t *brought = s->brought[pair->meetings % 2];
    brought[pair->rank] = word;
    /* Release: publishes what this process did before the meeting. Pairs with the load in the other process's loop. */
    uint32_t mine = __atomic_add_fetch(&s->arrived[pair->rank], 1, __ATOMIC_RELEASE);
    for (;;) {
        int number;
        bool alone = is_alone(pair, &number); /* read before `arrived`: a process may meet and then end */
        if ((int32_t)(__atomic_load_n(&s->arrived[1 - pair->rank], __ATOMIC_ACQUIRE) - mine) >= 0)
            break;
        if (alone)
            end_alone(number);
        sched_yield();
    }
    return brought[1 - pair->rank];
}

static int exchange(struct pair *pair, const void *blob, size_t size, struct uat_endpoint out[2])
{
    struct shared *s = pair->of_way;
    int number = s->exchanges[pair->rank]++;
    memcpy(s->blob[number][pair->rank], blob, size);
    s->size[number][pair->rank] = size;
    pair_meet(pair, 0);
    for (int i = 0; i < 2; i++)
        out[i] = (struct uat_endpoint){s->blob[number][i], s->size[number][i], s->host};
    return 0;
}

/* Nothing to do: the parent notices that its child has ended, and the child dies with its parent. */
static void give_up(void)
{
}

int pair_fork(struct pair *pair, pair_fn *fn, void *arg)
{
    static const struct pair_way way = {exchange, meet, look, give_up};
    struct shared *s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (s == MAP_FAILED)
        return -ENOMEM;
    gethostname(s->host, sizeof(s->host) - 1);
    pair->way = &way;
    pair->of_way = s;
    pair->hosts[0] = pair->hosts[1] = s->host;
    pid_t parent = getpid(), child = fork();
    if (child < 0)
        return -errno;
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent)
            _exit(1);
        pair->rank = 1;
        _exit(pair_side(pair, fn, arg) ? 1 : 0);
    }
    s->child = child;
    int status = 0, rc = pair_side(pair, fn, arg);
    if (rc)
        kill(child, SIGKILL);
    waitpid(child, &status, 0);
    munmap(s, sizeof(*s));
    return rc ? rc : status ? -ECHILD : 0;
}

/* SPDX-License-Identifier: MIT */
#include "launcher/info/pair.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/relax.h"

struct pair_shared {
    unsigned arrived[2]; /* meetings each has come to */
    pid_t child;
    char host[64];
    size_t size[2];
    char endpoint[2][UAT_ENDPOINT_MAX];
};

void *pair_share(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

/* Has the child ended? It is not reaped here. */
static bool child_gone(pid_t child)
{
    siginfo_t info = {.si_pid = 0};
    return waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == child;
}

void pair_meet(struct pair *pair)
{
    struct pair_shared *s = pair->shared;
    /* Releases what was done before the meeting to the other one, whose load in its loop acquires it. */
    unsigned mine = __atomic_add_fetch(&s->arrived[pair->rank], 1, __ATOMIC_RELEASE);
    while ((int)(__atomic_load_n(&s->arrived[1 - pair->rank], __ATOMIC_ACQUIRE) - mine) < 0) {
        if (pair->rank == 0 && child_gone(s->child))
            exit(1); /* it has reported the reason */
        sched_yield();
    }
}

void pair_do(struct pair *pair, int rank, const struct uat_op *ops, int count)
{
    if (uat_transport_do(pair->transport, rank, ops, count))
        _exit(1);
}

static int join(struct pair *pair, const struct uat_options *options, void *segment)
{
    struct pair_shared *s = pair->shared;
    struct uat_transport_config config = {
        .rank = pair->rank,
        .size = 2,
        .host = s->host,
        .segment = segment,
        .segment_size = PAIR_SEGMENT,
        .segment_fd = -1,
        .scratch = segment,
        .network = &options->network,
    };
    uat_relax_oversubscribed = true; /* the two of a pair may share a core */
    int rc = uat_transport_ibv.open(&config, &pair->transport);
    if (!rc)
        rc = uat_transport_ibv.card(pair->transport, s->endpoint[pair->rank], &s->size[pair->rank]);
    if (rc)
        return rc;
    pair_meet(pair);
    struct uat_endpoint cards[] = {{s->endpoint[0], s->size[0], s->host}, {s->endpoint[1], s->size[1], s->host}};
    rc = uat_transport_ibv.attach(pair->transport, cards);
    if (rc)
        return rc;
    pair_meet(pair);
    rc = uat_transport_ibv.endpoint(pair->transport, s->endpoint[pair->rank], &s->size[pair->rank]);
    if (rc)
        return rc;
    pair_meet(pair);
    struct uat_endpoint peers[] = {{s->endpoint[0], s->size[0], s->host}, {s->endpoint[1], s->size[1], s->host}};
    rc = uat_transport_ibv.connect(pair->transport, peers);
    if (!rc)
        pair_meet(pair);
    return rc;
}

static int run_side(struct pair *pair, const struct uat_options *options, void *segment,
                    void (*fn)(struct pair *pair, void *board), void *board)
{
    int rc = join(pair, options, segment);
    if (!rc) {
        fn(pair, board);
        rc = uat_transport_ibv.quiet(pair->transport);
        pair_meet(pair); /* neither leaves while the other one's operations are under way */
    }
    if (pair->transport)
        uat_transport_ibv.close(pair->transport);
    return rc;
}

int pair_run(const struct uat_options *options, void (*fn)(struct pair *pair, void *board), void *board)
{
    struct pair_shared *shared = pair_share(sizeof(*shared));
    /* Private memory: after the fork each has its own, at the same address. */
    void *segment = mmap(NULL, PAIR_SEGMENT, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (!shared || segment == MAP_FAILED)
        return -ENOMEM;
    gethostname(shared->host, sizeof(shared->host) - 1);
    struct pair pair = {.words = (uint64_t *)((char *)segment + UAT_TRANSPORT_SCRATCH), .shared = shared};
    pid_t parent = getpid(), child = fork();
    if (child < 0)
        return -errno;
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent)
            _exit(1);
        pair.rank = 1;
        _exit(run_side(&pair, options, segment, fn, board) ? 1 : 0);
    }
    shared->child = child;
    int status = 0, rc = run_side(&pair, options, segment, fn, board);
    if (rc)
        kill(child, SIGKILL);
    waitpid(child, &status, 0);
    munmap(segment, PAIR_SEGMENT);
    munmap(shared, sizeof(*shared));
    return rc ? rc : status ? -ECHILD : 0;
}

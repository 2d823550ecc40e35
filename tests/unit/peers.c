/* SPDX-License-Identifier: MIT */
#include "tests/unit/peers.h"

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#include "base/log.h"
#include "base/relax.h"
#include "runtime/job/settings.h"
#include "runtime/rooms.h"
#include "transport_ibv/group.h"
#include "transport_ibv/host.h"

bool peers_plain = false, peers_shuffled = true;

static int saved_stderr = -1; /* while stderr is caught */

#define SEGMENT_ADDRESS ((void *)0x200000000000) /* free in ordinary and in sanitized programs */

struct peers_shared {
    int arrived, round; /* words of peer_barrier */
    struct peer_info infos[PEERS_MAX];
};

bool peers_ready(const struct uat_transport_class *transport)
{
    char why[512];
    if (transport != &uat_transport_ibv || uat_ibv_probe(false, why, sizeof(why)))
        return true;
    fprintf(stderr, "skipped: %s\n", why);
    return false;
}

void *peers_share(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        perror("peers_share");
        abort();
    }
    return memory;
}

void peers_unshare(void *memory, size_t size)
{
    munmap(memory, size);
}

void peer_fail(const char *file, int line, const char *condition)
{
    if (saved_stderr >= 0)
        dup2(saved_stderr, STDERR_FILENO);
    fprintf(stderr, "%s:%d: worker %d: not true: %s\n", file, line, (int)getpid(), condition);
    _exit(1);
}

void peer_barrier(struct peer *me)
{
    struct peers_shared *s = me->shared;
    struct uat_relax relax = {0};
    int round = __atomic_load_n(&s->round, __ATOMIC_ACQUIRE);
    /* Everything done before the barrier must be visible after it. Each arrival is a release; the arrival of the last
     * worker acquires them all. The last worker releases the new round, and the waiting workers acquire it. */
    if (__atomic_add_fetch(&s->arrived, 1, __ATOMIC_ACQ_REL) == me->size) {
        __atomic_store_n(&s->arrived, 0, __ATOMIC_RELAXED);
        __atomic_store_n(&s->round, round + 1, __ATOMIC_RELEASE);
        return;
    }
    while (__atomic_load_n(&s->round, __ATOMIC_ACQUIRE) == round)
        uat_relax(&relax);
}

int peer_capture(void)
{
    int capture = memfd_create("stderr", MFD_CLOEXEC);
    fflush(stderr);
    saved_stderr = dup(STDERR_FILENO);
    if (capture < 0 || saved_stderr < 0 || dup2(capture, STDERR_FILENO) < 0)
        peer_fail(__FILE__, __LINE__, "stderr can be caught");
    return capture;
}

void peer_captured(int capture, char *out, size_t size)
{
    fflush(stderr);
    dup2(saved_stderr, STDERR_FILENO);
    close(saved_stderr);
    saved_stderr = -1;
    ssize_t n = pread(capture, out, size - 1, 0);
    out[n > 0 ? n : 0] = '\0';
    close(capture);
}

static void map_segment(struct peer *me)
{
    size_t size = me->spec->segment_size ? me->spec->segment_size : PEERS_SEGMENT_SIZE;
    me->segment_fd = memfd_create("uat-test", MFD_CLOEXEC);
    PEER_CHECK(me->segment_fd >= 0);
    PEER_CHECK(ftruncate(me->segment_fd, (off_t)size) == 0);
    me->segment =
        mmap(SEGMENT_ADDRESS, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE, me->segment_fd, 0);
    PEER_CHECK(me->segment == SEGMENT_ADDRESS);
    me->data = me->segment + me->spec->read_only + UAT_TRANSPORT_SCRATCH;
    me->data_size = size - me->spec->read_only - UAT_TRANSPORT_SCRATCH;
}

int peer_open(struct peer *me)
{
    struct uat_transport_config config = {
        .rank = me->rank,
        .size = me->size,
        .host = me->infos[me->rank].host,
        .segment = me->segment,
        .segment_size = me->spec->read_only + UAT_TRANSPORT_SCRATCH + me->data_size,
        .segment_fd = me->segment_fd,
        .read_only = me->spec->read_only,
        .closed = me->spec->closed,
        .scratch = me->data - UAT_TRANSPORT_SCRATCH,
        .shuffle = me->spec->shuffle,
        .seed = me->spec->seed,
        .wait_report = uat_job_settings.stall_timeout,
        .wait_limit = uat_job_settings.stall_limit,
    };
    uat_relax_oversubscribed = true; /* the workers of this test share the machine with other tests */
    return me->spec->transport->open(&config, &me->transport);
}

static void list_infos(struct peer *me, struct uat_endpoint endpoints[PEERS_MAX])
{
    for (int i = 0; i < me->size; i++)
        endpoints[i] = (struct uat_endpoint){me->infos[i].data, me->infos[i].size, me->infos[i].host};
}

/* Pretend that the workers run on PEERS_HOSTS hosts. The transport over verbs then sees the workers divided among these
 * hosts. */
static void pretend_host(struct peer *me, struct uat_ibv_attach_info *info)
{
    const char *hosts = getenv("PEERS_HOSTS");
    if (hosts && !info->alone)
        snprintf(info->segment.boot, sizeof(info->segment.boot), "host %d", me->rank % atoi(hosts));
}

int peer_show(struct peer *me)
{
    struct peer_info *info = &me->infos[me->rank];
    me->shown = true;
    if (!me->transport->class_->attach_info)
        return 0;
    int rc = me->transport->class_->attach_info(me->transport, info->data, &info->size);
    pretend_host(me, (struct uat_ibv_attach_info *)(void *)info->data);
    return rc;
}

static int attach(struct peer *me)
{
    struct uat_endpoint endpoints[PEERS_MAX];
    int rc = me->shown ? 0 : peer_show(me);
    if (rc || !me->transport->class_->attach_info)
        return rc;
    peer_barrier(me);
    list_infos(me, endpoints);
    rc = me->transport->class_->attach(me->transport, endpoints);
    peer_barrier(me);
    return rc;
}

int peer_publish(struct peer *me)
{
    struct peer_info *info = &me->infos[me->rank];
    int rc = attach(me);
    if (rc)
        return rc;
    return me->transport->class_->endpoint(me->transport, info->data, &info->size);
}

int peer_connect(struct peer *me)
{
    peer_barrier(me);
    return peer_connect_now(me);
}

int peer_connect_now(struct peer *me)
{
    struct uat_endpoint endpoints[PEERS_MAX];
    list_infos(me, endpoints);
    return me->transport->class_->connect(me->transport, endpoints);
}

static _Noreturn void worker(struct peer *me, pid_t parent, peer_fn *fn, void *arg)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    struct peer_info *info = &me->infos[me->rank];
    gethostname(info->host, sizeof(info->host) - 1);
    uat_log_identity(me->rank, info->host);
    map_segment(me);
    if (!me->spec->apart) {
        PEER_CHECK(peer_open(me) == 0);
        PEER_CHECK(peer_publish(me) == 0);
        PEER_CHECK(peer_connect(me) == 0);
        peer_barrier(me);
    }
    fn(me, arg);
    if (!me->spec->apart) {
        PEER_CHECK(me->transport->class_->flush(me->transport) == 0);
        peer_barrier(me); /* no worker may unmap its segment while a peer's chain is in flight */
    }
    if (me->transport)
        me->transport->class_->close(me->transport);
    fflush(NULL);
    _exit(0);
}

static int status_of(int status)
{
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Wait for all workers. Kill the rest at the first failure or after `seconds`. */
static int reap(pid_t *pids, int workers, int seconds)
{
    struct timespec start, now, nap = {.tv_nsec = 1000000};
    int result = 0, left = workers;
    clock_gettime(CLOCK_MONOTONIC, &start);
    while (left > 0) {
        for (int i = 0; i < workers; i++) {
            int status;
            if (pids[i] == 0 || waitpid(pids[i], &status, WNOHANG) != pids[i])
                continue;
            pids[i] = 0;
            left--;
            if (!result)
                result = status_of(status);
        }
        clock_gettime(CLOCK_MONOTONIC, &now);
        if (!result && left > 0 && now.tv_sec - start.tv_sec > seconds) {
            fprintf(stderr, "%d of %d workers still run after %d s\n", left, workers, seconds);
            result = PEERS_TIMED_OUT;
        }
        for (int i = 0; result && i < workers; i++)
            if (pids[i])
                kill(pids[i], SIGKILL);
        if (left > 0)
            nanosleep(&nap, NULL);
    }
    return result;
}

/* Apply the spec's settings. A spec without settings gets the connections that the environment names, or the default
 * connections. */
static int take_settings(const struct peers_spec *spec)
{
    const char *by = getenv("PEERS_CONNECT"), *neighbours = getenv("PEERS_NEIGHBOURS");
    char connect[64], *defaults[] = {connect, NULL}, error[256];
    snprintf(connect, sizeof(connect), "UAT_CONNECT=by=%s,neighbours=%s", by ? by : "host",
             neighbours ? neighbours : "cpu");
    int rc = uat_settings_read(uat_settings, spec->settings ? spec->settings : defaults, error, sizeof(error));
    if (rc)
        fprintf(stderr, "%s\n", error);
    return rc;
}

int peers_run(const struct peers_spec *spec, peer_fn *fn, void *arg)
{
    pid_t pids[PEERS_MAX], parent = getpid();
    if (spec->workers < 1 || spec->workers > PEERS_MAX)
        return EINVAL;
    if (take_settings(spec))
        return EINVAL;
    struct peers_shared *shared = peers_share(sizeof(*shared));
    fflush(NULL); /* otherwise each worker would print the buffered text again */
    for (int i = 0; i < spec->workers; i++) {
        pids[i] = fork();
        if (pids[i] < 0) {
            int error = errno;
            perror("fork");
            reap(pids, i, 0);
            peers_unshare(shared, sizeof(*shared));
            return error;
        }
        if (pids[i] == 0) {
            struct peer me = {.rank = i, .size = spec->workers, .infos = shared->infos, .spec = spec, .shared = shared};
            worker(&me, parent, fn, arg);
        }
    }
    int result = reap(pids, spec->workers, spec->seconds ? spec->seconds : PEERS_SECONDS);
    peers_unshare(shared, sizeof(*shared));
    return result;
}

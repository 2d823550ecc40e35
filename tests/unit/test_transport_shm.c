/* SPDX-License-Identifier: MIT */
/*
 * Description: properties that only transport_shm has. Its torture really permutes. The transport leaves no files, even
 * after SIGKILL. The test also covers the harness of these tests, which must detect workers that fail or hang.
 */
#include <dirent.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>

#include "tests/test.h"
#include "tests/unit/peers.h"

static const struct peers_spec joined = {.transport = &uat_transport_shm, .workers = 4, .seed = 11};

static uint64_t load(const uint64_t *word)
{
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

/* --- the torture really permutes */

enum { SAMPLES = 64, ATTEMPTS = 200000 };

struct order_seen {
    uint64_t within, between; /* number of samples out of order: between words of one READ, and between neighbouring
                               * READs */
    uint64_t stop;
};

/* Worker 1 increments all words in ascending order. If a READ samples the lower of two words first, the higher word is
 * at most 1 less. A difference of 2 proves that the READ sampled the higher word first. */
static void count_up(uint64_t *words, const uint64_t *stop)
{
    for (uint64_t i = 1; !load(stop); i++) {
        for (int j = 0; j < SAMPLES; j++)
            __atomic_store_n(words + j, i, __ATOMIC_RELEASE);
        if (i % 4096 == 0)
            sched_yield();
    }
}

static void work_order(struct peer *me, void *arg)
{
    struct order_seen *seen = arg;
    uint64_t *words = (uint64_t *)me->data, *landing = words + SAMPLES;
    int attempts = me->rank == 0 ? ATTEMPTS : 0;
    if (me->rank == 1)
        count_up(words, &seen->stop);
    for (; attempts > 0 && (seen->within < 10 || seen->between < 10); attempts--) {
        struct uat_op ops[] = {uat_op_read(landing, words, SAMPLES / 2 * 8),
                               uat_op_read(landing + SAMPLES / 2, words + SAMPLES / 2, SAMPLES / 2 * 8)};
        PEER_CHECK(uat_transport_do(me->transport, 1, ops, 2) == 0);
        seen->within += landing[SAMPLES / 2 - 1] + 1 < landing[0];
        seen->between += landing[SAMPLES - 1] + 1 < landing[0];
    }
    if (me->rank == 0)
        __atomic_store_n(&seen->stop, 1, __ATOMIC_RELEASE);
}

static struct order_seen observe_order(bool shuffle)
{
    struct peers_spec spec = joined;
    struct order_seen *seen = peers_share(sizeof(*seen));
    spec.workers = 2;
    spec.shuffle = shuffle;
    assert_int_equal(peers_run(&spec, work_order, seen), 0);
    struct order_seen result = *seen;
    peers_unshare(seen, sizeof(*seen));
    return result;
}

TEST(permutes)
{
    struct order_seen shuffled = observe_order(true), plain = observe_order(false);
    assert_true(shuffled.within >= 10 && shuffled.between >= 10);
    assert_int_equal(plain.within + plain.between, 0); /* otherwise the test would prove nothing */
}

/* Pairs that O2 leaves unordered occur in both orders; pairs that O1 orders occur in one order. Each pair acts on one
 * word of a peer, and no other worker uses this word. So the word's final value shows the order. (Only this test uses a
 * WRITE and an atomic on one word.) */

enum pair { WRITE_WRITE, ATOMIC_ATOMIC, ATOMIC_WRITE, WRITE_READ, READ_WRITE, READ_ATOMIC, WRITE_ATOMIC, ATOMIC_READ };
enum { PAIRS = 8, PAIRS_FREE = WRITE_ATOMIC /* pairs before WRITE_ATOMIC are not ordered */, ROUNDS = 2000 };

struct pairs_seen {
    uint64_t exchanged[PAIRS];
};

/* Post the pair as one chain, or as two chains if the first operation needs no completion. Return whether the two
 * operations took effect in reverse order. */
static bool exchanged(struct peer *me, enum pair pair, bool apart)
{
    uint64_t *local = (uint64_t *)me->data, *word = local + 64, *landing = local + 2;
    struct uat_op write = uat_op_write(local, word, 8), read = uat_op_read(landing, word, 8);
    struct uat_op add = uat_op_fetch_add(local + 3, word, 1), add_again = uat_op_fetch_add(local + 4, word, 1);
    struct uat_op other = uat_op_write(local + 1, word, 8), look = uat_op_read(local + 5, word, 8);
    const struct uat_op chains[PAIRS][2] = {{write, other}, {add, add_again}, {add, write}, {write, read},
                                            {read, write},  {read, add},      {write, add}, {add, read}};
    local[0] = 10;
    local[1] = 20;
    local[6] = 0;
    struct uat_op clear = uat_op_write(local + 6, word, 8);
    PEER_CHECK(uat_transport_do(me->transport, 1, &clear, 1) == 0);
    bool two = apart && chains[pair][0].code != UAT_OP_READ;
    if (two)
        PEER_CHECK(uat_transport_post_unsignaled(me->transport, 1, chains[pair], 1) == 0);
    PEER_CHECK(uat_transport_do(me->transport, 1, chains[pair] + two, 2 - two) == 0);
    PEER_CHECK(me->transport->class_->flush(me->transport) == 0);
    PEER_CHECK(uat_transport_do(me->transport, 1, &look, 1) == 0);
    const bool verdicts[PAIRS] = {local[5] == 10,   local[3] == 1,   local[5] == 11, landing[0] == 0,
                                  landing[0] == 10, landing[0] == 1, local[5] == 10, landing[0] == 0};
    return verdicts[pair];
}

static void work_pairs(struct peer *me, void *arg)
{
    struct pairs_seen *seen = arg;
    for (int i = 0; me->rank == 0 && i < ROUNDS; i++)
        for (int pair = 0; pair < PAIRS; pair++)
            seen->exchanged[pair] += exchanged(me, (enum pair)pair, i % 2);
}

TEST(pairs)
{
    struct peers_spec spec = joined;
    struct pairs_seen *seen = peers_share(sizeof(*seen));
    spec.workers = 2;
    assert_int_equal(peers_run(&spec, work_pairs, seen), 0);
    for (int pair = 0; pair < PAIRS; pair++)
        assert_int_equal(seen->exchanged[pair], 0);
    spec.shuffle = true;
    assert_int_equal(peers_run(&spec, work_pairs, seen), 0);
    for (int pair = 0; pair < PAIRS_FREE; pair++)
        assert_true(seen->exchanged[pair] > 10);
    for (int pair = PAIRS_FREE; pair < PAIRS; pair++)
        assert_int_equal(seen->exchanged[pair], 0);
    peers_unshare(seen, sizeof(*seen));
}

/* With torture, completions of different peers arrive in any order. Completions of one peer always arrive in the order
 * of the chains to that peer. */
static void work_completions(struct peer *me, void *arg)
{
    uint64_t *overtaken = arg, *local = (uint64_t *)me->data;
    for (int round = 0; me->rank == 0 && round < 500; round++) {
        struct uat_pending pending[12];
        int done = 0;
        for (int i = 0; i < 12; i++) {
            struct uat_op op = uat_op_read(local + i, local + 64, 8);
            PEER_CHECK(uat_transport_post(me->transport, i % 4, &op, 1, &pending[i]) == 0);
        }
        while (done < 12) {
            PEER_CHECK(me->transport->class_->progress(me->transport) == 0);
            done = 0;
            for (int i = 0; i < 12; i++) {
                done += pending[i].done;
                *overtaken += i > 0 && pending[i].done && !pending[i - 1].done;
                PEER_CHECK(i < 4 || !pending[i].done || pending[i - 4].done);
            }
        }
    }
}

TEST(completions)
{
    struct peers_spec spec = joined;
    uint64_t *overtaken = peers_share(sizeof(*overtaken));
    spec.shuffle = true;
    assert_int_equal(peers_run(&spec, work_completions, overtaken), 0);
    assert_true(*overtaken > 0);
    *overtaken = 0;
    spec.shuffle = false;
    assert_int_equal(peers_run(&spec, work_completions, overtaken), 0);
    assert_int_equal(*overtaken, 0);
    peers_unshare(overtaken, sizeof(*overtaken));
}

/* --- no files are left */

static int entries(const char *path)
{
    int n = 0;
    DIR *dir = opendir(path);
    PEER_CHECK(dir != NULL);
    while (readdir(dir))
        n++;
    closedir(dir);
    return n;
}

static int segments_mapped(void)
{
    char line[512];
    int n = 0;
    FILE *maps = fopen("/proc/self/maps", "re");
    PEER_CHECK(maps != NULL);
    while (fgets(line, sizeof(line), maps))
        n += strstr(line, "memfd:uat-test") != NULL;
    fclose(maps);
    return n;
}

static void work_closed(struct peer *me, void *arg)
{
    int open_before = entries("/proc/self/fd");
    PEER_CHECK(peer_open(me) == 0 && peer_publish(me) == 0 && peer_connect(me) == 0);
    PEER_CHECK(entries("/proc/self/fd") == open_before);
    PEER_CHECK(segments_mapped() == me->size);
    peer_barrier(me);
    me->transport->class_->close(me->transport);
    me->transport = NULL;
    PEER_CHECK(segments_mapped() == 1);
}

TEST(closed)
{
    struct peers_spec spec = joined;
    spec.apart = true;
    assert_int_equal(peers_run(&spec, work_closed, NULL), 0);
}

/* Worker 2 is killed in the middle of its chains; then peers_run kills the others. */
static void work_killed(struct peer *me, void *arg)
{
    uint64_t *old = (uint64_t *)me->data, *word = old + 8;
    for (int i = 0;; i++) {
        struct uat_op op = uat_op_fetch_add(old, word, 1);
        PEER_CHECK(uat_transport_do(me->transport, i % me->size, &op, 1) == 0);
        if (me->rank == 2 && i == 1000)
            raise(SIGKILL);
    }
}

/* Runs in a separate mount namespace, so that no other process creates files in these folders. */
static int killed_in_private(void)
{
    static const char *const folders[] = {"/dev/shm", "/tmp", "/var/tmp", "/run"};
    if (unshare(CLONE_NEWNS | (geteuid() ? CLONE_NEWUSER : 0)) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL))
        return 77;
    for (int i = 0; i < 4; i++)
        if (mount("none", folders[i], "tmpfs", 0, NULL))
            return 77;
    if (peers_run(&joined, work_killed, NULL) != 128 + SIGKILL)
        return 1;
    for (int i = 0; i < 4; i++)
        if (entries(folders[i]) != 2) /* . and .. */
            return 2;
    return 0;
}

TEST(killed)
{
    int status;
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(killed_in_private());
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 77) {
        print_message("mount namespaces are not permitted here\n");
        skip();
    }
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* The harness itself: a worker that fails or hangs fails the run. */
static void work_failing(struct peer *me, void *arg)
{
    if (me->rank == 1)
        _exit(3);
    for (;;)
        pause();
}

static void work_hanging(struct peer *me, void *arg)
{
    for (;;)
        pause();
}

TEST(harness)
{
    char lines[256];
    struct peers_spec spec = {.transport = &uat_transport_shm, .workers = 2, .seconds = 1};
    assert_int_equal(peers_run(&spec, work_failing, NULL), 3);
    int capture = peer_capture();
    int result = peers_run(&spec, work_hanging, NULL);
    peer_captured(capture, lines, sizeof(lines));
    assert_int_equal(result, PEERS_TIMED_OUT);
    assert_non_null(strstr(lines, "2 of 2 workers still run"));
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no child is left */
}

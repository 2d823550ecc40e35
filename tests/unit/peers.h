/* SPDX-License-Identifier: MIT */
/*
 * Workers for tests. They are forked processes, and need neither launcher nor bootstrap. Each worker has its own
 * segment, at the same address in all workers, and any transport connects them. The workers exchange attach infos
 * through memory that they share with their parent.
 *
 * A worker reports a failure through PEER_CHECK, which ends the worker. Only the parent may use cmocka's assertions: in
 * a forked worker a failed assertion would continue with the next test.
 */
#ifndef UAT_TEST_PEERS_H
#define UAT_TEST_PEERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "transport/transport.h"

/* The transport under test. Builds of these tests for other transports define this name. */
#ifndef PEERS_TRANSPORT
#define PEERS_TRANSPORT uat_transport_shm
#endif
#ifndef PEERS_SHARE
#define PEERS_SHARE 1 /* tests divide their numbers of repetitions by this */
#endif

enum {
    PEERS_MAX = 16,
    PEERS_SEGMENT_SIZE = 4 << 20, /* used when the spec says 0 */
    PEERS_SECONDS = 120,          /* used when the spec says 0 */
    PEERS_TIMED_OUT = 124         /* result of peers_run */
};

struct peers_spec {
    const struct uat_transport_class *transport;
    int workers;
    size_t segment_size; /* bytes; 0: PEERS_SEGMENT_SIZE */
    int seconds;         /* time limit, after which all workers are killed; 0: PEERS_SECONDS */
    bool shuffle;        /* torture of the transport: shuffle what may be reordered */
    uint64_t seed;
    size_t read_only, closed; /* bytes: see struct uat_transport_config */
    bool apart;               /* fn itself calls peer_open(), peer_publish() and peer_connect() */
    char *const *settings;    /* "UAT_NAME=value"; the last element is NULL. A null pointer: the defaults */
};

struct peer_info {
    size_t size; /* bytes of data */
    char host[64];
    char data[UAT_ENDPOINT_MAX];
};

/* A worker as its function sees it. */
struct peer {
    int rank, size;
    struct uat_transport *transport;
    char *segment;           /* at the same address in all workers */
    char *data;              /* the segment after the transport's scratch area; zero at first */
    size_t data_size;        /* bytes */
    struct peer_info *infos; /* infos of all workers; a test may forge its own info between peer_publish() and
                              * peer_connect() */
    const struct peers_spec *spec;
    struct peers_shared *shared;
    int segment_fd;
    bool shown; /* true after peer_show() */
};

typedef void peer_fn(struct peer *me, void *arg);

/*
 * Fork the workers and run fn in each. Returns 0 when fn has returned in all workers. If a worker fails, or if the time
 * is over, the call kills the others. It then returns the exit status of the first worker that failed, 128 + the signal
 * that ended that worker, or PEERS_TIMED_OUT. Returns a positive errno if the workers cannot be started. No worker
 * outlives the call or the caller.
 */
int peers_run(const struct peers_spec *spec, peer_fn *fn, void *arg);

/* Returns whether this host can run the transport. If not, the function prints the reason, and the test must exit with
 * 77. */
bool peers_ready(const struct uat_transport_class *transport);

/* Two rows of a table of tests, whose *state says whether words are shuffled. */
#define BOTH(test)                                                                                                     \
    {#test, test, NULL, NULL, &peers_plain},                                                                           \
    {                                                                                                                  \
#test " shuffled", test, NULL, NULL, &peers_shuffled                                                           \
    }
extern bool peers_plain, peers_shuffled;

/* Allocate memory that parent and workers share, zero at first. Pass it as arg. */
void *peers_share(size_t size);
void peers_unshare(void *memory, size_t size);

/* Wait until all workers have called this. */
void peer_barrier(struct peer *me);

/* The steps of joining, for specs with `apart`. They return 0 or a negative errno. With a transport of two rounds,
 * peer_show() is the first round; a test may forge its attach info after that call. peer_publish() calls peer_show()
 * unless the test has already called it. With a transport of two rounds, peer_publish() waits for all workers' infos.
 * peer_connect() always waits for all infos. */
int peer_open(struct peer *me);
int peer_show(struct peer *me);
int peer_publish(struct peer *me);
int peer_connect(struct peer *me);
/* peer_connect without the barrier. Call it when all workers have published. */
int peer_connect_now(struct peer *me);

/* Capture what this process prints to stderr, for errors that a test provokes. peer_captured() restores stderr and
 * copies the text to out, with a 0 at the end. */
int peer_capture(void);
void peer_captured(int capture, char *out, size_t size);

#define PEER_CHECK(condition)                                                                                          \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            peer_fail(__FILE__, __LINE__, #condition);                                                                 \
    } while (0)

_Noreturn void peer_fail(const char *file, int line, const char *condition);

#endif

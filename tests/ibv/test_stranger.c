/* SPDX-License-Identifier: MIT */
/*
 * Description: with UAT_CONNECT=rdmacm, a stranger on the fabric must not get a queue pair of the job or take a rank's
 * place. The worker refuses each of the following attempts of the stranger, and prints a message:
 * - It sends a worker's greeting before the real peer does, but without the job's token or with another token.
 * - It sends the right token, but requests another queue pair or another rank.
 * - It answers a request in a worker's place.
 */
#include <errno.h>
#include <rdma/rdma_cma.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "tests/test.h"
#include "tests/unit/peers.h"
#include "transport_ibv/endpoint.h"
#include "transport_ibv/rdmacm.h"

enum { RESOLVE_MS = 5000, NO_PAIR = 0x123456 /* a number that the job does not use */ };

/* The stranger's message, and the line that the worker prints about it. */
struct attempt {
    const char *name;
    uint32_t rank;
    bool magic, knows_token, guesses_token;
    const char *says;
};

static const struct attempt attempts[] = {
    {"nothing", 0, false, false, false, "it does not come from a worker of uat"},
    {"no token", 0, true, false, false, "it does not carry the token of this job"},
    {"another token", 0, true, false, true, "it does not carry the token of this job"},
    {"another queue pair", 0, true, true, false, "another address or queue pair than its rank has published"},
    {"the asked worker's rank", 1, true, true, false, "its rank is one that this worker asks itself"},
    {"a rank beyond", 2, true, true, false, "this worker has no connection to its rank"},
    {"rank -1", UINT32_MAX, true, true, false, "this worker has no connection to its rank"},
};

static struct uat_ibv_greeting greet(const struct attempt *a, const struct uat_ibv *ibv)
{
    struct uat_ibv_greeting g = {.rank = a->rank};
    g.magic = a->magic ? UAT_IBV_ENDPOINT_MAGIC : 0;
    if (a->knows_token)
        g.token = ibv->token;
    if (a->guesses_token)
        g.token = (struct uat_secret){{ibv->token.word[0], ibv->token.word[1] ^ 1}};
    return g;
}

static struct sockaddr_in address_of(const union ibv_gid *gid, uint16_t port)
{
    struct sockaddr_in in = {.sin_family = AF_INET, .sin_port = port};
    memcpy(&in.sin_addr, gid->raw + 12, sizeof(in.sin_addr));
    return in;
}

static struct rdma_conn_param parameters(const struct uat_ibv_greeting *greeting)
{
    return (struct rdma_conn_param){.private_data = greeting,
                                    .private_data_len = sizeof(*greeting),
                                    .responder_resources = 1,
                                    .initiator_depth = 1,
                                    .retry_count = 2,
                                    .rnr_retry_count = 7,
                                    .qp_num = NO_PAIR};
}

/* Wait for the next event, which must be this one. */
static struct rdma_cm_id *expect(struct rdma_event_channel *channel, enum rdma_cm_event_type type)
{
    struct rdma_cm_event *event;
    PEER_CHECK(rdma_get_cm_event(channel, &event) == 0);
    if (event->event != type)
        fprintf(stderr, "the stranger got %s instead of %s\n", rdma_event_str(event->event), rdma_event_str(type));
    PEER_CHECK(event->event == type);
    struct rdma_cm_id *id = event->id;
    rdma_ack_cm_event(event);
    return id;
}

/* Fork the stranger's process. Returns 0 in it. */
static pid_t fork_stranger(void)
{
    fflush(NULL);
    pid_t pid = fork();
    PEER_CHECK(pid >= 0);
    if (pid == 0)
        prctl(PR_SET_PDEATHSIG, SIGKILL);
    return pid;
}

static void expect_end(pid_t pid)
{
    int status;
    PEER_CHECK(waitpid(pid, &status, 0) == pid && status == 0);
}

/* Request a connection from the listener, which must refuse. Then write a byte to `asked`. */
static _Noreturn void ask(struct sockaddr_in to, const struct uat_ibv_greeting *greeting, int asked)
{
    struct rdma_event_channel *channel = rdma_create_event_channel();
    struct rdma_cm_id *id;
    struct rdma_conn_param p = parameters(greeting);
    PEER_CHECK(channel && rdma_create_id(channel, &id, NULL, RDMA_PS_TCP) == 0);
    PEER_CHECK(rdma_resolve_addr(id, NULL, (struct sockaddr *)&to, RESOLVE_MS) == 0);
    expect(channel, RDMA_CM_EVENT_ADDR_RESOLVED);
    PEER_CHECK(rdma_resolve_route(id, RESOLVE_MS) == 0);
    expect(channel, RDMA_CM_EVENT_ROUTE_RESOLVED);
    PEER_CHECK(rdma_connect(id, &p) == 0);
    expect(channel, RDMA_CM_EVENT_REJECTED);
    PEER_CHECK(write(asked, "", 1) == 1);
    rdma_destroy_id(id);
    rdma_destroy_event_channel(channel);
    _exit(0);
}

/* Rank 0 lets the stranger connect to rank 1 first, then connects. */
static void work_asked(struct peer *me, void *arg)
{
    const struct attempt *attempt = arg;
    uint64_t *word = (uint64_t *)me->data;
    char lines[4096] = "", byte;
    int pipes[2], capture = -1, rc;
    pid_t stranger = 0;
    PEER_CHECK(peer_open(me) == 0 && peer_publish(me) == 0);
    const struct uat_ibv *ibv = (struct uat_ibv *)me->transport;
    peer_barrier(me);
    if (me->rank == 0) {
        struct uat_ibv_endpoint e;
        const struct uat_ibv_greeting greeting = greet(attempt, ibv);
        memcpy(&e, me->infos[1].data, sizeof(e));
        PEER_CHECK(pipe(pipes) == 0);
        stranger = fork_stranger();
        if (stranger == 0)
            ask(address_of(&e.gid, e.cm_port), &greeting, pipes[1]);
        PEER_CHECK(read(pipes[0], &byte, 1) == 1); /* rank 1 has refused the stranger */
    } else {
        capture = peer_capture();
    }
    rc = peer_connect_now(me);
    if (me->rank == 1)
        peer_captured(capture, lines, sizeof(lines));
    PEER_CHECK(rc == 0);
    PEER_CHECK(me->rank == 0 || (strstr(lines, "rdmacm: a request from 10.") && strstr(lines, attempt->says)));
    if (stranger)
        expect_end(stranger);
    struct uat_op op = uat_op_fetch_add(word, word + 8, 1);
    PEER_CHECK(uat_transport_do(me->transport, !me->rank, &op, 1) == 0 && word[0] == 0);
    peer_barrier(me);
    PEER_CHECK(word[8] == 1);
}

/* Listen on the address; write the port to `listens`; answer the first request with this greeting. */
static _Noreturn void answer(struct sockaddr_in at, const struct uat_ibv_greeting *greeting, int listens)
{
    struct rdma_event_channel *channel = rdma_create_event_channel();
    struct rdma_cm_id *listener;
    struct rdma_conn_param p = parameters(greeting);
    PEER_CHECK(channel && rdma_create_id(channel, &listener, NULL, RDMA_PS_TCP) == 0);
    PEER_CHECK(rdma_bind_addr(listener, (struct sockaddr *)&at) == 0 && rdma_listen(listener, 1) == 0);
    uint16_t port = rdma_get_src_port(listener);
    PEER_CHECK(write(listens, &port, sizeof(port)) == sizeof(port));
    struct rdma_cm_id *id = expect(channel, RDMA_CM_EVENT_CONNECT_REQUEST);
    PEER_CHECK(rdma_accept(id, &p) == 0);
    struct rdma_cm_event *event; /* any event ends the stranger */
    PEER_CHECK(rdma_get_cm_event(channel, &event) == 0 && event->event != RDMA_CM_EVENT_ESTABLISHED);
    _exit(0);
}

/* Rank 1 publishes a stranger's port, as if the stranger had taken over rank 1's address. */
static void work_answered(struct peer *me, void *arg)
{
    const struct attempt *attempt = arg;
    int pipes[2];
    pid_t stranger = 0;
    PEER_CHECK(peer_open(me) == 0 && peer_publish(me) == 0);
    const struct uat_ibv *ibv = (struct uat_ibv *)me->transport;
    if (me->rank == 1) {
        const struct uat_ibv_greeting greeting = greet(attempt, ibv);
        struct uat_ibv_endpoint *e = (struct uat_ibv_endpoint *)(void *)me->infos[1].data;
        PEER_CHECK(pipe(pipes) == 0);
        stranger = fork_stranger();
        if (stranger == 0)
            answer(address_of(&e->gid, 0), &greeting, pipes[1]);
        PEER_CHECK(read(pipes[0], &e->cm_port, sizeof(e->cm_port)) == sizeof(e->cm_port));
        peer_barrier(me); /* the barrier of peer_connect() */
    } else {
        char lines[4096];
        int capture = peer_capture(), rc = peer_connect(me);
        peer_captured(capture, lines, sizeof(lines));
        PEER_CHECK(rc == -EPROTO && strstr(lines, "rdmacm: the answer of rank 1 ("));
        PEER_CHECK(strchr(lines, '\n') && strstr(lines, attempt->says));
        me->transport->class_->close(me->transport); /* so that the stranger notices */
        me->transport = NULL;
    }
    if (stranger)
        expect_end(stranger);
    peer_barrier(me);
}

static void run(peer_fn *fn, const struct attempt *attempt)
{
    char *env[] = {"UAT_CONNECT=rdmacm", NULL};
    struct attempt copy = *attempt;
    struct peers_spec spec = {.transport = &uat_transport_ibv, .workers = 2, .apart = true, .settings = env};
    int rc = peers_run(&spec, fn, &copy);
    if (rc)
        print_error("with %s\n", attempt->name);
    assert_int_equal(rc, 0);
}

TEST(asked)
{
    for (size_t i = 0; i < sizeof(attempts) / sizeof(attempts[0]); i++)
        run(work_asked, &attempts[i]);
}

TEST(answered)
{
    static const struct attempt answers[] = {
        {"no token", 1, true, false, false, "it does not carry the token of this job"},
        {"another token", 1, true, false, true, "it does not carry the token of this job"},
        {"another queue pair", 1, true, true, false, "from another queue pair than the one that this rank published"},
        {"another rank", 0, true, true, false, "it comes from another rank"},
    };
    for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++)
        run(work_answered, &answers[i]);
}

int main(void)
{
    if (!peers_ready(&uat_transport_ibv))
        return 77;
    setenv("PEERS_HOSTS", "2", 1); /* neighbours have no connections to each other */
    return tests_run();
}

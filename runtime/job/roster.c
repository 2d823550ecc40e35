/* SPDX-License-Identifier: MIT */
#include "runtime/job/roster.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/log.h"
#include "runtime/job/bootstrap.h"
#include "transport/colour.h"

enum { PATIENCE_S = 5 /* a worker that differs from rank 0 reports within this time */ };

/* Exchange one blob per worker: the identity, followed by the attach info or the endpoint. */
static int publish_and_collect(struct uat_roster *roster, const struct uat_identity *own,
                               struct uat_transport *transport)
{
    size_t endpoint_size = 0;
    size_t own_size = uat_identity_published(own, transport->rank);
    char *blob = malloc(own_size + UAT_ENDPOINT_MAX);
    if (!blob) {
        uat_error("no memory for what this worker publishes");
        return -ENOMEM;
    }
    memcpy(blob, own, own_size);
    const struct uat_transport_class *class = transport->class_;
    int rc = (class->attach_info ? class->attach_info : class->endpoint)(transport, blob + own_size, &endpoint_size);
    if (!rc)
        rc = uat_bootstrap_exchange(blob, own_size + endpoint_size, NULL, &roster->blobs, &roster->sizes);
    free(blob);
    return rc;
}

/* Fill in worker i's entry from its blob. */
static void enter(struct uat_roster *roster, int i)
{
    static const struct uat_identity unknown;
    char *blob = roster->blobs[i];
    size_t size = roster->sizes[i];
    struct uat_identity *identity = (struct uat_identity *)blob;
    if (size < (i == 0 ? UAT_IDENTITY_OF_0 : UAT_IDENTITY_HEAD) || size < uat_identity_published(identity, i)) {
        roster->identity[i] = &unknown;
        roster->endpoint[i] = (struct uat_endpoint){.data = blob, .host = "an unknown host"};
        return;
    }
    size_t identity_size = uat_identity_published(identity, i);
    identity->host[sizeof(identity->host) - 1] = '\0'; /* a peer's bytes are a string only once they are terminated */
    roster->identity[i] = identity;
    roster->endpoint[i] =
        (struct uat_endpoint){.data = blob + identity_size, .size = size - identity_size, .host = identity->host};
}

static bool same_transport(const struct uat_identity *a, const struct uat_identity *b)
{
    return strncmp(a->transport, b->transport, sizeof(a->transport)) == 0;
}

int uat_roster_check_transports(const struct uat_roster *roster, int rank, const char *why)
{
    const struct uat_identity *own = roster->identity[rank], *zero = roster->identity[0];
    int other = 0;
    if (same_transport(own, zero)) {
        while (other < roster->size &&
               (!roster->identity[other]->magic || same_transport(roster->identity[other], own)))
            other++;
        if (other == roster->size)
            return 0;
        nanosleep(&(struct timespec){.tv_sec = PATIENCE_S}, NULL);
    }
    uat_error(
        "transport %.8s was chosen here (%s), but %.8s by rank %d on %s; set UAT_TRANSPORT for all workers, and see "
        "uat_info on both hosts",
        own->transport, why, roster->identity[other]->transport, other, roster->endpoint[other].host);
    return -EINVAL;
}

/* May these process numbers get signals? kill(2) takes 0 and negative numbers for process groups, and -1 for all
 * processes of the user. When process 1 of a PID namespace ends, the kernel ends all other processes in the namespace;
 * so a worker can be process 1 only if it is alone in its namespace. */
int uat_roster_check(const struct uat_roster *roster, int rank)
{
    const struct uat_identity *own = roster->identity[rank];
    for (int i = 0; i < roster->size; i++) {
        const struct uat_identity *other = roster->identity[i];
        bool first = other->pid == 1 && i != rank && other->pid_space == own->pid_space;
        if (other->pid > 0 && !first)
            continue;
        uat_error("rank %d (%s) published %d as its process number, which it cannot have; start the same build of "
                  "uat on all hosts",
                  i, roster->endpoint[i].host, other->pid);
        return -EPROTO;
    }
    return 0;
}

int uat_roster_collect(struct uat_roster *roster, int size, const struct uat_identity *own,
                       struct uat_transport *transport)
{
    *roster = (struct uat_roster){.size = size,
                                  .identity = calloc((size_t)size, sizeof(*roster->identity)),
                                  .endpoint = calloc((size_t)size, sizeof(*roster->endpoint))};
    int rc = 0;
    if (!roster->identity || !roster->endpoint) {
        uat_error("no memory for the list of %d workers", size);
        rc = -ENOMEM;
    }
    if (!rc)
        rc = publish_and_collect(roster, own, transport);
    if (rc) {
        uat_roster_free(roster);
        return rc;
    }
    for (int i = 0; i < size; i++)
        enter(roster, i);
    return 0;
}

/* Publish an endpoint and collect the endpoints that connect() needs. The number of these endpoints is small, even with
 * many workers. */
static int publish_late(struct uat_roster *roster, struct uat_transport *transport, const void *blob, size_t size)
{
    bool (*needs)(struct uat_transport *, int) = transport->class_->needs;
    bool *wanted = malloc((size_t)roster->size * sizeof(*wanted));
    if (!wanted) {
        uat_error("no memory for the list of %d workers", roster->size);
        return -ENOMEM;
    }
    for (int i = 0; i < roster->size; i++)
        wanted[i] = !needs || needs(transport, i);
    int rc = uat_bootstrap_exchange(blob, size, wanted, &roster->late, &roster->late_sizes);
    free(wanted);
    return rc;
}

int uat_roster_attach(struct uat_roster *roster, struct uat_transport *transport)
{
    if (!transport->class_->attach_info)
        return 0;
    size_t size = 0;
    int rc = transport->class_->attach(transport, roster->endpoint);
    char *blob = rc ? NULL : malloc(UAT_ENDPOINT_MAX);
    if (!rc && !blob) {
        uat_error("no memory for what this worker publishes");
        rc = -ENOMEM;
    }
    if (!rc)
        rc = transport->class_->endpoint(transport, blob, &size);
    if (!rc)
        rc = publish_late(roster, transport, blob, size);
    free(blob);
    for (int i = 0; i < roster->size && !rc; i++) {
        roster->endpoint[i].data = roster->late[i];
        roster->endpoint[i].size = roster->late_sizes[i];
    }
    return rc;
}

void uat_roster_hosts(const struct uat_roster *roster, int *host_of)
{
    const struct uat_endpoint *endpoint = roster->endpoint;
    for (int i = 0; i < roster->size; i++) {
        host_of[i] = i;
        if (i > 0 && strcmp(endpoint[i].host, endpoint[i - 1].host) == 0)
            host_of[i] = host_of[i - 1];
        for (int k = 0; k < i && host_of[i] == i; k++)
            if (host_of[k] == k && strcmp(endpoint[i].host, endpoint[k].host) == 0)
                host_of[i] = k;
    }
}

int uat_roster_leader(const struct uat_roster *roster, int rank)
{
    const struct uat_identity *own = roster->identity[rank];
    for (int i = 0; i < rank && own->pid_space; i++)
        if (roster->identity[i]->pid_space == own->pid_space &&
            roster->identity[i]->binding.machine == own->binding.machine)
            return i;
    return rank;
}

uint8_t *uat_roster_colours(const struct uat_roster *roster)
{
    uint8_t *colours = malloc((size_t)roster->size);
    if (!colours)
        uat_error("no memory for the colours of %d workers", roster->size);
    for (int i = 0; i < roster->size && colours; i++)
        colours[i] = (uint8_t)((unsigned)roster->identity[i]->colour % UAT_COLOURS);
    return colours;
}

int uat_roster_oversubscribed(const struct uat_roster *roster, int rank, bool advise)
{
    const struct uat_binding **bindings = calloc((size_t)roster->size, sizeof(*bindings));
    if (!bindings) {
        uat_error("no memory for the bindings of %d workers", roster->size);
        return -ENOMEM;
    }
    for (int i = 0; i < roster->size; i++)
        bindings[i] = &roster->identity[i]->binding;
    bool shared = uat_binding_report(bindings, roster->size, rank, advise);
    free(bindings);
    return shared;
}

void uat_roster_free(struct uat_roster *roster)
{
    uat_bootstrap_free(roster->blobs, roster->sizes);
    uat_bootstrap_free(roster->late, roster->late_sizes);
    free(roster->identity);
    free(roster->endpoint);
    *roster = (struct uat_roster){0};
    malloc_trim(0); /* free() alone keeps the blobs' memory, because blocks that stay surround it */
}

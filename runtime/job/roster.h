/* SPDX-License-Identifier: MIT */
/* The records that all workers publish at the start: identity and transport endpoint of each. */
#ifndef UAT_ROSTER_H
#define UAT_ROSTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/job/identity.h"
#include "transport/transport.h"

struct uat_roster {
    int size; /* number of workers; each array below has an element for each worker */
    /* All zero for a worker whose record is too short, as that of another build may be. Such a worker refuses to start:
     * uat_identity_compare(). */
    const struct uat_identity **identity;
    struct uat_endpoint *endpoint; /* the transport's attach info; after uat_roster_attach(), the transport's
                                    * endpoint */
    void **blobs;                  /* the published identities and endpoints; the pointers above point into them */
    size_t *sizes;
    void **late; /* endpoints of transports that publish in two rounds; NULL: not needed */
    size_t *late_sizes;
};

/* Check that all workers took the transport that rank 0 took. why: the reason for this worker's choice. Returns 0, or
 * -EINVAL, which has been reported. A worker whose transport differs from rank 0's reports this. The other workers give
 * it time to do so, and then report the difference, too. */
int uat_roster_check_transports(const struct uat_roster *roster, int rank, const char *why);

/* Check that each worker's record names a process to which this rank may send a signal. Returns 0, or -EPROTO, which
 * has been reported. */
int uat_roster_check(const struct uat_roster *roster, int rank);

/* Publish our identity and our transport's endpoint (or its attach info, if it has one), and collect the identities and
 * endpoints of all workers. Collective. Returns 0, or a negative errno that has been reported; after an error there is
 * nothing to free. */
int uat_roster_collect(struct uat_roster *roster, int size, const struct uat_identity *own,
                       struct uat_transport *transport);

/* The second round, for a transport that has published attach infos in the first round. Let the transport attach its
 * neighbours, then publish and collect endpoints. Collective. Returns 0, or a negative errno that has been reported. */
int uat_roster_attach(struct uat_roster *roster, struct uat_transport *transport);

/* host_of[rank]: the lowest rank on the host of that rank. */
void uat_roster_hosts(const struct uat_roster *roster, int *host_of);

/* The lowest rank that shares this rank's kernel and PID namespace. */
int uat_roster_leader(const struct uat_roster *roster, int rank);

/* The colour of each rank (transport/colour.h). The caller frees the array. NULL if there is no memory; this has been
 * reported. */
uint8_t *uat_roster_colours(const struct uat_roster *roster);

/* Do workers of this rank's machine share cores? Returns 1 or 0, or -ENOMEM, which has been reported. If `advise`, one
 * worker of each machine prints advice. */
int uat_roster_oversubscribed(const struct uat_roster *roster, int rank, bool advise);

/* Free what was collected. */
void uat_roster_free(struct uat_roster *roster);

#endif

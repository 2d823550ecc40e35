/* SPDX-License-Identifier: MIT */
/* Exchanges between workers outside of runs. Each worker puts its words into its segment. Rank 0 READs the words of all
 * workers, or of those that are asked for, and all workers get them down a tree. */
#include <string.h>

#include "runtime/global/state.h"
#include "runtime/job/collective.h"
#include "runtime/job/fatal.h"
#include "runtime/job/tree.h"

enum {
    ROOM = 512, /* bytes in one step of a gather */
    FLIGHT = 16 /* READs in flight at a time */
};

/* The words that a worker offers in a step. Only the worker's own CPU writes these words; rank 0 READs them in
 * collect(). */
static struct uat_area shown = {.name = "gather", .size = ROOM, .peers = UAT_PEERS_READ};
static struct uat_area landing = {.name = "landing of gathers", .size = FLIGHT * ROOM, .peers = UAT_PEERS_NOTHING};

void uat_global_reserve(void)
{
    uat_segment_reserve(&shown);
    uat_segment_reserve(&landing);
}

/* Rank 0 READs n bytes from each of these ranks: bytes `done` to done + n of the words that the rank offers. */
static void collect(const int *ranks, int count, size_t bytes, size_t done, size_t n, char *all)
{
    struct uat_transport *t = uat_self.transport;
    struct uat_pending pending[FLIGHT], *list[FLIGHT];
    for (int first = 0; first < count; first += FLIGHT) {
        int flight = count - first < FLIGHT ? count - first : FLIGHT;
        for (int i = 0; i < flight; i++) {
            struct uat_op op = uat_op_read((char *)landing.at + i * ROOM, shown.at, (n + 7) & ~(size_t)7);
            list[i] = &pending[i];
            /* The other workers wait for these words, so a failure ends the job. */
            uat_check(uat_transport_post(t, ranks ? ranks[first + i] : first + i, &op, 1, &pending[i]));
        }
        uat_check(uat_transport_wait(t, list, flight));
        for (int i = 0; i < flight; i++)
            memcpy(all + (size_t)(first + i) * bytes + done, (char *)landing.at + i * ROOM, n);
    }
}

int uat_global_gather_from(const int *ranks, int count, const void *mine, size_t bytes, void *all)
{
    const size_t room = ROOM;
    int rc = 0;
    for (size_t done = 0; done < bytes && !rc; done += room) {
        size_t n = bytes - done < room ? bytes - done : room;
        memcpy(shown.at, (const char *)mine + done, n);
        rc = uat_collective_barrier(); /* after this barrier all words can be READ */
        if (!rc && uat_self.rank == 0)
            collect(ranks, count, bytes, done, n, all);
        if (!rc && done + room < bytes)
            rc = uat_collective_barrier(); /* before this barrier no worker may change its words */
    }
    return rc ? rc : uat_tree_copy(all, all, (size_t)count * bytes);
}

int uat_global_agree(int rc)
{
    return uat_collective_agree(rc);
}

/* SPDX-License-Identifier: MIT */
/*
 * What all workers have published, relayed to the workers of a host. If each of W workers of a host asked PMIx for what
 * each of N workers has published, the host's PMIx server would answer W x N requests, one after the other. So the
 * first worker of a host gets everything, and puts it into a memory object without a name. The others read this object.
 */
#ifndef UAT_RELAY_H
#define UAT_RELAY_H

#include <stddef.h>
#include <stdint.h>

/* The object, as the first worker publishes it to the workers of its host. */
struct uat_relay {
    int64_t pid, fd; /* the first worker's process and descriptor; fd < 0: it has no object */
    uint64_t device, inode;
};

/* For the first worker: create an empty object. uat_relay_close() closes it, when the others have read it. */
struct uat_relay uat_relay_open(void);
void uat_relay_close(struct uat_relay *relay);

/* Put n blobs into the object. blobs == NULL: tell the readers that there are none. Reports nothing, because a reader
 * that finds nothing asks PMIx. */
void uat_relay_fill(const struct uat_relay *relay, void *const *blobs, const size_t *sizes, size_t n);

/* For the other workers: wait until the object is full, and set blobs[i] and sizes[i]. waiting: called now and then
 * during a long wait. The caller must free blobs[i], also after a failure. Returns 0 or a negative errno:
 * -ENODATA if the first worker relays nothing, -ESRCH if it has ended, -ESTALE if the descriptor is another object,
 * -EPROTO if the object is not whole, or the errno with which the object could not be opened or mapped. */
int uat_relay_read(const struct uat_relay *relay, void (*waiting)(void), void **blobs, size_t *sizes, size_t n);

#endif

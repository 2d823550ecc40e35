/* SPDX-License-Identifier: MIT */
/*
 * The attach info of a worker: the peers on its host need this info to attach its segment.
 *
 * The segment is a memory object without a name (memfd). A peer opens the segment as /proc/PID/fd/N. So no file is
 * created, in /dev/shm or elsewhere. The kernel frees the memory when the last process ends, even if that process
 * crashes. A pid may be reused, and the info may be stale or from another job. So the peer checks the object that it
 * has opened: it must be the announced one (device, inode, size), and must contain the announced nonce.
 *
 * Between workers in different user namespaces the kernel forbids to open /proc/PID/fd/N. Such workers send each other
 * their descriptors: see handover.h.
 */
#ifndef UAT_TRANSPORT_ATTACH_INFO_H
#define UAT_TRANSPORT_ATTACH_INFO_H

#include "base/host.h"
#include "transport/transport.h"

#define UAT_ATTACH_INFO_MAGIC 0x5541542d494e464full /* "UAT-INFO" */
enum { UAT_ATTACH_INFO_VERSION = 3 };

struct uat_attach_info {
    uint64_t magic;
    uint32_t version;
    uint32_t size;   /* bytes of this structure */
    int32_t pid, fd; /* pid: the process; fd: its descriptor of the segment's memory object */
    uint32_t uid;    /* effective user of the worker, for messages */
    uint32_t socket; /* number of its socket for descriptors (handover.h); 0: none */
    uint64_t device; /* device of the memory object */
    uint64_t inode;
    uint64_t pid_space;    /* inode of the pid namespace in which pid is valid */
    uint64_t user_space;   /* inode of the user namespace; 0: unknown */
    uint64_t base;         /* address of the segment in the worker */
    uint64_t segment_size; /* bytes */
    uint64_t nonce_offset; /* offset of the nonce in the segment */
    uint64_t nonce;
    char boot[UAT_HOST_BOOT_MAX]; /* the kernel's boot id: one per running host; "" if unknown */
};

/* The attaching worker, for messages. */
struct uat_attach_user {
    const char *host;      /* its host's name */
    const char *transport; /* name of the transport */
    const char *instead;   /* for advice in messages: the setting that makes this attachment unnecessary */
};

/* Fill the attach info of this worker and put a new nonce at the start of the scratch area. Returns 0, or a negative
 * errno after reporting the error. The transport's close() must call uat_handover_close(). */
int uat_attach_info_make(struct uat_attach_info *info, const struct uat_transport_config *config,
                         const char *transport);

/*
 * Map the segment of peer `rank`. endpoint: the bytes that this peer published. own: this worker's attach info. If the
 * peer is in another user namespace, send it this worker's descriptor, and wait for the peer's. So each worker must
 * attach its peers in the order of their ranks; in any other order workers could wait in a circle. The mapping has
 * own->segment_size bytes, and the caller must unmap it. Returns 0 or a negative errno. -EPROTO: the endpoint is not
 * valid. -EHOSTUNREACH: the peer is on another host or in another pid namespace. -EACCES: this user may not attach the
 * segment. -ESRCH: the peer has ended. -ESTALE: the object is not the announced one.
 */
int uat_attach_segment(const struct uat_attach_info *own, const struct uat_attach_user *user, int rank,
                       const struct uat_endpoint *endpoint, char **out);

#endif

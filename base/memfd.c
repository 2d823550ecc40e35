/* SPDX-License-Identifier: MIT */
#include "base/memfd.h"

#include <errno.h>
#include <sys/mman.h>

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x8u /* linux/memfd.h, from Linux 6.3 */
#endif

int uat_memfd(const char *name, unsigned flags)
{
    /* With vm.memfd_noexec=2, Linux 6.3 to 6.5 refuse an object that does not set the flag. Older kernels refuse the
     * flag. */
    int fd = memfd_create(name, flags | MFD_CLOEXEC | MFD_NOEXEC_SEAL);
    return fd < 0 && errno == EINVAL ? memfd_create(name, flags | MFD_CLOEXEC) : fd;
}

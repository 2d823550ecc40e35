/* SPDX-License-Identifier: MIT */
/* Description: memory objects are made with the flag against execution, and on kernels that refuse the flag without
 * it. Other errors are passed on. */
#include <errno.h>
#include <sys/mman.h>

#include "base/memory.h"
#include "tests/test.h"

enum { NOEXEC_SEAL = 8, DESCRIPTOR = 77 };

static unsigned refused, calls; /* flags that the kernel refuses; calls so far */
static int wrong;               /* the error of all other calls; 0: they succeed */

int __wrap_memfd_create(const char *name, unsigned flags);
int __wrap_memfd_create(const char *name, unsigned flags)
{
    calls++;
    assert_string_equal(name, "object");
    assert_true((flags & MFD_CLOEXEC) != 0);
    errno = flags & refused ? EINVAL : wrong;
    return errno ? -1 : DESCRIPTOR + (flags & NOEXEC_SEAL ? 1 : 0);
}

static void expect(int fd, unsigned made)
{
    calls = 0;
    assert_int_equal(uat_memfd("object", MFD_HUGETLB), fd);
    assert_int_equal(calls, made);
}

TEST(kernels)
{
    expect(DESCRIPTOR + 1, 1);
    refused = NOEXEC_SEAL;
    expect(DESCRIPTOR, 2);
    refused = MFD_HUGETLB;
    expect(-1, 2);
    refused = 0;
    wrong = ENFILE;
    expect(-1, 1);
    assert_int_equal(errno, ENFILE);
}

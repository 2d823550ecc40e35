/* SPDX-License-Identifier: MIT */
/*
 * Description: every process makes a different canary for its job, even when getrandom(2) fails.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>

#include "runtime/job/identity.h"
#include "tests/test.h"

static const char *self;

/* Replaces the C library's function (ld --wrap). It fails as getrandom() does soon after a machine has booted. */
ssize_t __wrap_getrandom(void *buffer, size_t size, unsigned flags);
ssize_t __wrap_getrandom(void *buffer, size_t size, unsigned flags)
{
    errno = EAGAIN;
    return -1;
}

static uint64_t own_canary(void)
{
    static struct uat_identity identity;
    static const struct uat_settings none;
    uat_identity_take(&identity, &none);
    return identity.canary;
}

/* The canary of another process of this program. */
static uint64_t canary_of_another(void)
{
    char command[4200];
    uint64_t canary = 0;
    snprintf(command, sizeof(command), "'%s' print", self);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    assert_int_equal(fscanf(pipe, "%" SCNx64, &canary), 1);
    assert_int_equal(pclose(pipe), 0);
    return canary;
}

TEST(without_random_numbers)
{
    uint64_t first = canary_of_another(), second = canary_of_another();
    assert_int_equal(first & 0xff, 0);
    assert_int_not_equal(first, 0);
    assert_int_not_equal(first, second);
    assert_int_not_equal(first, own_canary());
}

int main(int argc, char **argv)
{
    self = argv[0];
    if (argc == 2 && strcmp(argv[1], "print") == 0)
        return printf("%" PRIx64 "\n", own_canary()) < 0;
    return tests_run();
}

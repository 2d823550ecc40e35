/* SPDX-License-Identifier: MIT */
/*
 * Description: uat_init() must fail in a process that checks memory tags, because a stack that moves would lose its
 * tags.
 */
#include <stdio.h>
#include <sys/prctl.h>

#include "uat.h"

enum { SET_TAGGED_ADDR_CTRL = 55, TAGGED_ADDR_ENABLE = 1, TAGS_SYNCHRONOUS = 1 << 1 }; /* of linux/prctl.h */

int main(void)
{
    if (prctl(SET_TAGGED_ADDR_CTRL, TAGGED_ADDR_ENABLE | TAGS_SYNCHRONOUS, 0, 0, 0)) {
        printf("no memory tags here\n");
        return 77;
    }
    return uat_init() ? 1 : uat_finalize() != 0;
}

/* SPDX-License-Identifier: MIT */
#include "runtime/task/stacks.h"

#include <errno.h>

#include "base/log.h"
#include "runtime/segment/settings.h"

const struct uat_stack_mode *uat_stacks, *uat_stacks_linked;

int uat_stacks_choose(void)
{
    uat_stacks = NULL;
    if (uat_segment_settings.stacks == UAT_STACKS_UNI)
        return 0;
    if (!uat_stacks_linked) {
        uat_error("UAT_STACKS=iso: iso-address is for comparisons, and this program does not link it: link the program "
                  "with papers_dep of papers/meson.build, as perf/ does, or leave UAT_STACKS out");
        return -ENOTSUP;
    }
    uat_stacks = uat_stacks_linked;
    return uat_stacks->check();
}

void uat_stacks_reserve(void)
{
    if (uat_stacks)
        uat_stacks->reserve();
}

int uat_stacks_open(void)
{
    return uat_stacks ? uat_stacks->open() : 0;
}

void uat_stacks_close(void)
{
    if (uat_stacks)
        uat_stacks->close();
    uat_stacks = NULL;
}

/* SPDX-License-Identifier: MIT */
#include "tests/security/spoil.h"

#include "runtime/adaptive/cell.h"

void spoil_part(const uat_context_t *c)
{
    struct uat_part *part = &uat_cells()->part[c->cell];
    part->last = part->base - 1;
}

/* SPDX-License-Identifier: MIT */
#include "base/relax.h"

bool uat_relax_oversubscribed;

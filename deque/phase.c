/* SPDX-License-Identifier: MIT */
#include "deque/phase.h"

uat_phase_fn *uat_phase_hook;

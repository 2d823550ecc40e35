/* SPDX-License-Identifier: MIT */
#include "phase.h"

uat_phase_fn *uat_phase_hook;

/* SPDX-License-Identifier: MIT */
#include "runtime/start/self.h"

struct uat_self uat_self = {.size = 1};

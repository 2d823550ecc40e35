/* SPDX-License-Identifier: MIT */
/* All settings of the runtime; uatrun and uat_info read the same settings. */
#ifndef UAT_RUNTIME_SETTINGS_H
#define UAT_RUNTIME_SETTINGS_H

#include "base/settings.h"

extern const struct uat_settings uat_settings[];

#endif

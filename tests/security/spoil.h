/* SPDX-License-Identifier: MIT */
#ifndef UAT_TEST_SPOIL_H
#define UAT_TEST_SPOIL_H

#include "uat/adaptive.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Corrupt the part that thieves READ from this context's cell: its iterations then end before they begin. */
void spoil_part(const uat_context_t *c);

#ifdef __cplusplus
}
#endif

#endif

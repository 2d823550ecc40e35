/* SPDX-License-Identifier: MIT */
#ifndef UAT_TEST_SPOIL_H
#define UAT_TEST_SPOIL_H

#include "uat/adaptive.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Overwrite the words that thieves READ about this context's interval. The new words are an interval that ends before
 * it begins. */
void spoil_part(const uat_context_t *c);

#ifdef __cplusplus
}
#endif

#endif

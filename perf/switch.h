/* SPDX-License-Identifier: MIT */
/* What uat-switch measures: the same three exercises for each way to switch. */
#ifndef UAT_SWITCH_RIVALS_H
#define UAT_SWITCH_RIVALS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct uat_rival {
    const char *name;
    /* Switch to the other side and back n times, with nothing live on either side. NULL: not available. */
    void (*bare)(int64_t n);
    /* The sum of the numbers less than n, which a generator yields one by one. */
    uint64_t (*generator)(int64_t n);
    /* Pass a number `passes` times to the next member of a ring. The ring has `members` members, each with its own
     * stack. Each member adds 1 to the number. Returns the number at the end. NULL: not measured. */
    uint64_t (*ring)(int64_t members, int64_t passes);
    /* If nothing is live on the side that a switch leaves: the bytes that the switch stores to save this side. NULL:
     * not measured. */
    size_t (*saved)(void);
};

extern const struct uat_rival uat_rival_generator, uat_rival_boost, uat_rival_coroutine, uat_rival_aco, uat_rival_co,
    uat_rival_ucontext;

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: MIT */
/* What uat-switch compares: the same three exercises by each way to switch. */
#ifndef UAT_SWITCH_RIVALS_H
#define UAT_SWITCH_RIVALS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct uat_rival {
    const char *name;
    /* Switch there and back n times, with nothing live on either side; NULL: it has no such thing. */
    void (*bare)(int64_t n);
    /* The sum of the numbers below n, which a generator yields one by one. */
    uint64_t (*generator)(int64_t n);
    /* A ring of `members`, each with a stack of its own, hands a number on and counts it up, `passes` times. Returns
     * the number at the end; NULL: not measured. */
    uint64_t (*ring)(int64_t members, int64_t passes);
};

extern const struct uat_rival uat_rival_generator, uat_rival_boost, uat_rival_coroutine, uat_rival_aco, uat_rival_co,
    uat_rival_ucontext;

/* The exercises, as tables and reports name them. */
enum { UAT_SWITCH_BARE, UAT_SWITCH_GENERATOR, UAT_SWITCH_RING, UAT_SWITCH_EXERCISES };
extern const char *const uat_switch_exercises[UAT_SWITCH_EXERCISES], *const uat_switch_keys[UAT_SWITCH_EXERCISES];

struct uat_plot;
extern const struct uat_plot uat_switch_plot;

#ifdef __cplusplus
}
#endif

#endif

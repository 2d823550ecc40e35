/* SPDX-License-Identifier: MIT */
/* The settings of the deque and of the thieves: see base/settings.h. */
#ifndef UAT_DEQUE_SETTINGS_H
#define UAT_DEQUE_SETTINGS_H

#include "base/settings.h"

enum uat_deque_protocol {
    UAT_DEQUE_LOCK,
    UAT_DEQUE_CLAIM,
    UAT_DEQUE_MESSAGE,
    UAT_DEQUE_PAPER, /* this and the next one: only in programs that link papers/ */
    UAT_DEQUE_PAPER_MESSAGE,
    UAT_DEQUE_PROTOCOLS
};

enum {
    UAT_PEEKS_AUTO = 0,  /* NEAR or FAR, by the number of hosts */
    UAT_PEEKS_NEAR = 4,  /* default in a job of one host */
    UAT_PEEKS_FAR = 2,   /* default with several hosts: there each peek costs time of the thief's adapter */
    UAT_PEEKS_NONE = -1, /* no peek: the lock protocol locks at once, and the message protocol asks at once */
    UAT_PEEKS_MAX = 8,
};

struct uat_deque_settings {
    int protocol;     /* enum uat_deque_protocol */
    int peeks;        /* number of victims to peek at, or one of the values above */
    uint64_t entries; /* entries of a deque */
};
extern struct uat_deque_settings uat_deque_settings;

#ifdef UAT_SETTINGS_ROWS
#define DEQUE(member) UAT_FIELD(struct uat_deque_settings, member)
static const struct uat_setting_word uat_deque_unlisted[] = {
    {"paper", UAT_DEQUE_PAPER}, {"paper-message", UAT_DEQUE_PAPER_MESSAGE}, {NULL, 0}};
static const struct uat_setting uat_deque_rows[] = {
    {"UAT_DEQUE", "claim", UAT_EQUAL, DEQUE(protocol),
     UAT_CHOICE_AND(uat_deque_unlisted, {"lock", UAT_DEQUE_LOCK}, {"claim", UAT_DEQUE_CLAIM},
                    {"message", UAT_DEQUE_MESSAGE}),
     "the protocol by which a thief gets a task"},
    {"UAT_PEEKS", "auto", UAT_MAY_DIFFER, DEQUE(peeks),
     UAT_NUMBER_OR(1, UAT_PEEKS_MAX, {"auto", UAT_PEEKS_AUTO}, {"none", (uint64_t)UAT_PEEKS_NONE}),
     "victims that an idle worker peeks at in one round trip; auto: 4 in a job of one host, else 2; none: it "
     "locks the deque, or asks the victim, without a peek"},
    {"UAT_DEQUE_ENTRIES", "65536", UAT_MAY_DIFFER, DEQUE(entries), UAT_NUMBER(16, 1 << 24),
     "maximum number of nested spawns on one worker"},
    UAT_LAST_SETTING,
};
#endif

#endif

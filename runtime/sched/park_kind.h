/* SPDX-License-Identifier: MIT */
#ifndef UAT_PARK_KIND_H
#define UAT_PARK_KIND_H

/* What tasks wait for. */
enum uat_park_kind {
    UAT_PARK_NONE,
    UAT_PARK_JOIN,
    UAT_PARK_FUTURE,
    UAT_PARK_MUTEX,
    UAT_PARK_SHARED,
    UAT_PARK_CONDITION,
    UAT_PARK_SEMAPHORE,
    UAT_PARK_LATCH,
    UAT_PARK_BARRIER,
    UAT_PARK_SEND,
    UAT_PARK_RECEIVE,
    UAT_PARK_SELECT,
    UAT_PARK_SLEEP,  /* until a time */
    UAT_PARK_CANCEL, /* the kind of cancellable groups, for which no task waits */
    UAT_PARK_FLOW,   /* tasks of a data flow */
    UAT_PARK_KINDS,
    /* The kinds of blocks that hold no stack, in the blocks' headers: */
    UAT_PARK_OBJECT = UAT_PARK_KINDS, /* an object; `holder` is 1 if main() made it, between two runs */
    UAT_PARK_LEDGER,                  /* a part of a flow's ledger */
    UAT_PARK_NAME                     /* the name of a channel or a mutex; `holder` as above */
};

#endif

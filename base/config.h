/* SPDX-License-Identifier: MIT */
/*
 * Defaults and bounds of the settings, from which options.c makes its table, and what else library and uatrun agree on.
 */
#ifndef UAT_CONFIG_H
#define UAT_CONFIG_H

#include <stdint.h>

/* Where the segment is mapped, in every worker: far from what Linux places by itself. */
#define UAT_SEGMENT_ADDRESS_DEFAULT   UINT64_C(0x7ea000000000)
#define UAT_SEGMENT_ADDRESS_MIN       UINT64_C(0x200000)
#define UAT_SEGMENT_ADDRESS_MAX       UINT64_C(0x7fffffe00000) /* the last huge page of a 47-bit address space */
#define UAT_SEGMENT_ADDRESS_ALIGNMENT UINT64_C(0x200000)       /* bytes: a huge page */

#define UAT_PAGE_SIZE UINT64_C(4096) /* bytes; sizes of memory are rounded up to it */

#define UAT_STACK_SIZE_DEFAULT (UINT64_C(16) << 20) /* bytes */
#define UAT_STACK_SIZE_MIN     (UINT64_C(64) << 10)
#define UAT_STACK_SIZE_MAX     (UINT64_C(2) << 30) /* a stack moves in one READ: InfiniBand moves 2 GiB in one message */

#define UAT_HEAP_SIZE_DEFAULT (UINT64_C(16) << 20) /* bytes */
#define UAT_HEAP_SIZE_MIN     (UINT64_C(64) << 10)
#define UAT_HEAP_SIZE_MAX     (UINT64_C(64) << 30)

#define UAT_RECORDS_DEFAULT UINT64_C(4096) /* join records */
#define UAT_RECORDS_MIN     UINT64_C(1)
#define UAT_RECORDS_MAX     (UINT64_C(1) << 24)

#define UAT_RESULT_MAX_DEFAULT  UINT64_C(1024) /* bytes */
#define UAT_RESULT_MAX_MIN      UINT64_C(1024) /* uat_spawn() checks only larger ones */
#define UAT_RESULT_MAX_MAX      UINT64_C(65536)
#define UAT_RESULT_MAX_MULTIPLE UINT64_C(8) /* the transport moves whole 8-byte words */

#define UAT_GLOBAL_SIZE_DEFAULT (UINT64_C(64) << 20) /* bytes */
#define UAT_GLOBAL_SIZE_MIN     (UINT64_C(64) << 10)
#define UAT_GLOBAL_SIZE_MAX     (UINT64_C(1) << 40)

#define UAT_CACHE_SIZE_DEFAULT (UINT64_C(16) << 20) /* bytes */
#define UAT_CACHE_SIZE_MIN     (UINT64_C(128) << 10)
#define UAT_CACHE_SIZE_MAX     (UINT64_C(64) << 30)

#define UAT_GLOBAL_HOSTS_MAX   65536
#define UAT_GLOBAL_LATENCY_MAX 1000000000 /* ns */

#define UAT_DEQUE_ENTRIES_DEFAULT UINT64_C(65536) /* entries */
#define UAT_DEQUE_ENTRIES_MIN     UINT64_C(16)
#define UAT_DEQUE_ENTRIES_MAX     (UINT64_C(1) << 24)

#define UAT_PEEKS_DEFAULT 0 /* victims; 0: one of the next two lines */
#define UAT_PEEKS_NEAR    4 /* ... of a job on one host */
#define UAT_PEEKS_FAR     2 /* ... over a network, where a look loads the thief's own adapter too */
#define UAT_PEEKS_LIMIT   8 /* UAT_PEEKS_MAX of deque/thief.h */

#define UAT_STALL_TIMEOUT_DEFAULT 5   /* seconds */
#define UAT_STALL_LIMIT_DEFAULT   120 /* seconds */
#define UAT_STALL_MAX             86400

#define UAT_SIM_TASK_DEFAULT      1000 /* ns */
#define UAT_SIM_TASK_MIN          1
#define UAT_SIM_TASK_MAX          UINT64_C(1000000000000)
#define UAT_SIM_CPU_DEFAULT       0 /* percent */
#define UAT_SIM_CPU_MIN           0
#define UAT_SIM_CPU_MAX           1000000
#define UAT_SIM_QUANTUM_DEFAULT   0 /* ns */
#define UAT_SIM_QUANTUM_MIN       0
#define UAT_SIM_QUANTUM_MAX       UINT64_C(1000000000)
#define UAT_SIM_NS_DEFAULT        0
#define UAT_SIM_NS_MIN            0
#define UAT_SIM_NS_MAX            UINT64_C(1000000000)
#define UAT_SIM_BANDWIDTH_DEFAULT 0 /* MB/s */
#define UAT_SIM_BANDWIDTH_MIN     0
#define UAT_SIM_BANDWIDTH_MAX     UINT64_C(1000000000)
#define UAT_SIM_NODE_DEFAULT      0
#define UAT_SIM_NODE_MIN          0
#define UAT_SIM_NODE_MAX          65536
#define UAT_SIM_SEED_DEFAULT      0
#define UAT_SIM_SEED_MIN          0
#define UAT_SIM_SEED_MAX          UINT64_MAX
#define UAT_SIM_STOP_DEFAULT      0 /* ns */
#define UAT_SIM_STOP_MIN          0
#define UAT_SIM_STOP_MAX          UINT64_C(1000000000000000)
#define UAT_SIM_LIMIT_DEFAULT     0 /* ms */
#define UAT_SIM_LIMIT_MIN         0
#define UAT_SIM_LIMIT_MAX         UINT64_C(1000000000000)
#define UAT_SIM_WORKERS_MAX       16384
#define UAT_SIM_WORKERS_VARIABLE  "UATRUN_SIM_WORKERS" /* in the environment: how many uatrun wants */

#define UAT_GID_INDEX_MAX        255
#define UAT_IB_SL_MAX            15
#define UAT_IB_TRAFFIC_CLASS_MAX 255
#define UAT_IB_PKEY_MAX          0xffff
#define UAT_IB_PORT_MAX          255
#define UAT_IB_TIMEOUT_DEFAULT   17 /* 0.5 s; less makes busy hosts repeat */
#define UAT_IB_TIMEOUT_MAX       31 /* the field has 5 bits; 0, which is left out, means for ever */
#define UAT_IB_RETRY_CNT_DEFAULT 6  /* a dead peer is reported after some 4 s */
#define UAT_IB_RETRY_CNT_MAX     7

#define UAT_DOCTOR_VARIABLE "UATRUN_DOCTOR" /* in the environment: uatrun wants the self-test of the library */

#define UAT_CONFIG_IN_BOUNDS(name)     (name##_MIN <= name##_DEFAULT && name##_DEFAULT <= name##_MAX)
#define UAT_CONFIG_MULTIPLE(value, of) ((value) % (of) == 0)

_Static_assert(UAT_CONFIG_IN_BOUNDS(UAT_SEGMENT_ADDRESS), "default segment address out of bounds");
_Static_assert(UAT_CONFIG_IN_BOUNDS(UAT_STACK_SIZE), "default stack size out of bounds");
_Static_assert(UAT_CONFIG_IN_BOUNDS(UAT_HEAP_SIZE), "default heap size out of bounds");
_Static_assert(UAT_CONFIG_IN_BOUNDS(UAT_RECORDS), "default number of records out of bounds");
_Static_assert(UAT_CONFIG_IN_BOUNDS(UAT_RESULT_MAX), "default largest result out of bounds");
_Static_assert(UAT_CONFIG_IN_BOUNDS(UAT_GLOBAL_SIZE), "default part of global memory out of bounds");
_Static_assert(UAT_CONFIG_IN_BOUNDS(UAT_CACHE_SIZE), "default cache out of bounds");
_Static_assert(UAT_CONFIG_IN_BOUNDS(UAT_DEQUE_ENTRIES), "default depth of the deque out of bounds");

/* Rounding up never leaves the bounds, because the upper one is a multiple. */
_Static_assert(UAT_CONFIG_MULTIPLE(UAT_SEGMENT_ADDRESS_DEFAULT, UAT_SEGMENT_ADDRESS_ALIGNMENT), "unaligned segment");
_Static_assert(UAT_CONFIG_MULTIPLE(UAT_STACK_SIZE_DEFAULT, UAT_PAGE_SIZE), "stack size is no multiple of a page");
_Static_assert(UAT_CONFIG_MULTIPLE(UAT_STACK_SIZE_MAX, UAT_PAGE_SIZE), "stack size is no multiple of a page");
_Static_assert(UAT_CONFIG_MULTIPLE(UAT_HEAP_SIZE_DEFAULT, UAT_PAGE_SIZE), "heap size is no multiple of a page");
_Static_assert(UAT_CONFIG_MULTIPLE(UAT_HEAP_SIZE_MAX, UAT_PAGE_SIZE), "heap size is no multiple of a page");
_Static_assert(UAT_CONFIG_MULTIPLE(UAT_RESULT_MAX_DEFAULT, UAT_RESULT_MAX_MULTIPLE), "largest result in whole words");
_Static_assert(UAT_CONFIG_MULTIPLE(UAT_RESULT_MAX_MAX, UAT_RESULT_MAX_MULTIPLE), "largest result in whole words");

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The inline functions of uat.h and of its rooms once more, as functions of the library. Other languages declare them
 * as they declare uat_spawn(): Fortran by bind(C), Rust and Julia by the name. C has the functions inline. C++ without
 * optimisation has copies of its own, with the same names; the copies here are weak, so both may be in one program that
 * is linked with the static library.
 */
#define UAT_INLINE __attribute__((weak))

#include "include/uat.h"
#include "include/uat/atomic.h"
#include "include/uat/dataflow.h"
#include "include/uat/global.h"
#include "include/uat/limit.h"
#include "include/uat/lock.h"
#include "include/uat/reducer.h"
#include "include/uat/sync.h"

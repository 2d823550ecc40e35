/* SPDX-License-Identifier: MIT */
/*
 * The inline functions of uat.h and of its rooms once more, as functions of the library. Other languages declare them
 * as they declare uat_spawn(): Fortran by bind(C), Rust and Julia by the name. C and C++ never call these copies. They
 * are weak, so a program that has its own copies of the same names, as C++ without optimisation does, keeps them.
 */
#define UAT_INLINE __attribute__((weak))

#include "include/uat.h"
#include "include/uat/dataflow.h"
#include "include/uat/global.h"
#include "include/uat/reducer.h"

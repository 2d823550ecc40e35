/* SPDX-License-Identifier: MIT */
/*
 * uat for C++17: typed tasks, loops, algorithms, generators, global memory and its atomics. Headers only; link with
 * libuat. This header includes all other headers of uat, also those for C, such as uat/sync.h.
 *
 *     long fib(long n)
 *     {
 *         if (n < 2)
 *             return n;
 *         auto left = uat::spawn(fib, n - 1);
 *         long right = fib(n - 2);
 *         return left.join() + right;
 *     }
 *
 *     int main()
 *     {
 *         uat::job job;
 *         long answer = uat::run(fib, 30L);
 *         if (uat_rank() == 0)
 *             std::cout << answer << '\n';
 *     }
 *
 * A task's function, arguments and result travel to other processes by value. So functions, arguments and results must
 * be trivially copyable, and so must lambdas with all their captures. A lambda must capture by value. The compiler
 * accepts a lambda that captures by reference, but UAT_TORTURE detects it. docs/rules.md has the other rules for task
 * code. If a task throws an exception, its join throws the exception again: see uat/error.hpp.
 */
#ifndef UAT_HPP
#define UAT_HPP

#include "uat/adaptive.hpp"
#include "uat/algorithm.hpp"
#include "uat/atomic.h"
#include "uat/atomic.hpp"
#include "uat/box.hpp"
#include "uat/channel.h"
#include "uat/checkpoint.h"
#include "uat/dataflow.hpp"
#include "uat/error.hpp"
#include "uat/find.hpp"
#include "uat/generator.hpp"
#include "uat/global.h"
#include "uat/group.hpp"
#include "uat/invoke.hpp"
#include "uat/limit.h"
#include "uat/lock.h"
#include "uat/lock.hpp"
#include "uat/loop.hpp"
#include "uat/merge.hpp"
#include "uat/object.h"
#include "uat/object.hpp"
#include "uat/pack.hpp"
#include "uat/partition.hpp"
#include "uat/pattern.h"
#include "uat/reduce.hpp"
#include "uat/reducer.h"
#include "uat/reducer.hpp"
#include "uat/results.hpp"
#include "uat/scan.hpp"
#include "uat/semaphore.h"
#include "uat/span.hpp"
#include "uat/sync.h"
#include "uat/sync.hpp"
#include "uat/task.hpp"
#include "uat/transfer.h"

#endif

/* SPDX-License-Identifier: MIT */
/* Requirements on the compiler's options, and exceptions under -fno-exceptions. */
#ifndef UAT_DETAIL_STANDARD_HPP
#define UAT_DETAIL_STANDARD_HPP

/* The compiler stops at a file that does not exist, so this line is its only error. It would continue after #error. */
#if __cplusplus < 201703L
#define UAT_STANDARD_ERROR "uat needs C++17: compile with -std=c++17 or later"
#include UAT_STANDARD_ERROR
#endif

#include "uat/detail/failure.h"

#ifdef __cpp_exceptions
#define UAT_EXCEPTIONS 1
#else
#define UAT_EXCEPTIONS 0
#endif

namespace uat
{

namespace detail
{

/* Throw the exception. Under -fno-exceptions, end the job with its what(). */
template <class E> [[noreturn]] void raise(const E &e)
{
#if UAT_EXCEPTIONS
    throw e;
#else
    uat_end_by_exception("the program is compiled with -fno-exceptions, and uat cannot throw", e.what());
#endif
}

} // namespace detail

} // namespace uat

#endif

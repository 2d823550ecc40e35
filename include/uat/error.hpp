/* SPDX-License-Identifier: MIT */
/* The exceptions that uat throws, in C++17. Included by uat.hpp. */
#ifndef UAT_ERROR_HPP
#define UAT_ERROR_HPP

#include <cstddef>
#include <cstring>
#include <stdexcept>
#include <string>
#include <system_error>

#include "uat/detail/standard.hpp"

namespace uat
{

/* uat throws this when a call of the library has failed. That call has reported the cause. */
class error : public std::system_error
{
  public:
    error(int number, const std::string &call) : std::system_error(number, std::generic_category(), call)
    {
    }
};

namespace detail
{

template <std::size_t Size> void copy_text(char (&to)[Size], const char *from)
{
    std::size_t length = std::strlen(from), n = length < Size ? length : Size - 1;
    std::memcpy(to, from, n);
    to[n] = 0;
}

} // namespace detail

/*
 * A join throws the same type again if the type of the child's exception travels. These types travel: those of
 * <stdexcept>, std::bad_alloc, std::system_error with the generic or the system category, uat::error, and this class
 * itself. For a class that is derived from one of these, the join throws the nearest base class that travels. So a
 * handler for that base catches the exception of a child, too.
 *
 * For all other exceptions the join throws this class. It also throws this class if the nearest base class that travels
 * is std::runtime_error, from which this class is derived. type() names the type of the child's exception. If that
 * exception was a std::exception, what() is its what(). what() is cut off after 895 bytes.
 */
class task_error : public std::runtime_error
{
  public:
    task_error(const char *type, const char *what) : std::runtime_error(what)
    {
        detail::copy_text(type_, type);
    }
    const char *type() const noexcept
    {
        return type_;
    }

  private:
    char type_[sizeof(uat_failure::type)];
};

} // namespace uat

#endif

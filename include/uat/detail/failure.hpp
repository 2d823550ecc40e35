/* SPDX-License-Identifier: MIT */
/* Exceptions that travel from a task to the task that joins it. Included by uat/task.hpp. */
#ifndef UAT_DETAIL_FAILURE_HPP
#define UAT_DETAIL_FAILURE_HPP

#include <cstdint>
#include <cstdlib>
#include <cxxabi.h>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>
#include <typeinfo>

#include "uat/detail/failure.h"
#include "uat/error.hpp"

namespace uat
{

namespace detail
{

/* Values of `kind` in struct uat_failure. */
enum failure_kind : std::uint32_t {
    FAILED_OTHER, /* thrown again as a task_error */
    FAILED_RUNTIME_ERROR,
    FAILED_RANGE_ERROR,
    FAILED_OVERFLOW_ERROR,
    FAILED_UNDERFLOW_ERROR,
    FAILED_LOGIC_ERROR,
    FAILED_DOMAIN_ERROR,
    FAILED_INVALID_ARGUMENT,
    FAILED_LENGTH_ERROR,
    FAILED_OUT_OF_RANGE,
    FAILED_BAD_ALLOC,
    FAILED_GENERIC, /* std::system_error with std::generic_category() */
    FAILED_SYSTEM,  /* std::system_error with std::system_category() */
    FAILED_UAT      /* uat::error */
};

#if UAT_EXCEPTIONS
/* Call this in a catch block. The result is the nearest type that travels: the type of the exception or its nearest
 * base class that travels. A task_error, which is a std::runtime_error and has the type's name, stands for a type of
 * which no closer base travels. */
inline failure_kind kind_of_caught() noexcept
{
    try {
        throw;
    } catch (const std::range_error &) {
        return FAILED_RANGE_ERROR;
    } catch (const std::overflow_error &) {
        return FAILED_OVERFLOW_ERROR;
    } catch (const std::underflow_error &) {
        return FAILED_UNDERFLOW_ERROR;
    } catch (const std::domain_error &) {
        return FAILED_DOMAIN_ERROR;
    } catch (const std::invalid_argument &) {
        return FAILED_INVALID_ARGUMENT;
    } catch (const std::length_error &) {
        return FAILED_LENGTH_ERROR;
    } catch (const std::out_of_range &) {
        return FAILED_OUT_OF_RANGE;
    } catch (const std::logic_error &) {
        return FAILED_LOGIC_ERROR;
    } catch (const std::bad_alloc &) {
        return FAILED_BAD_ALLOC;
    } catch (const error &) {
        return FAILED_UAT;
    } catch (const std::system_error &e) {
        const std::error_category &category = e.code().category();
        return category == std::generic_category()  ? FAILED_GENERIC
               : category == std::system_category() ? FAILED_SYSTEM
                                                    : FAILED_OTHER;
    } catch (const std::runtime_error &) {
#ifdef __cpp_rtti
        if (*abi::__cxa_current_exception_type() == typeid(std::runtime_error))
            return FAILED_RUNTIME_ERROR;
#endif
    } catch (...) {
    }
    return FAILED_OTHER;
}

inline void copy_name(char (&to)[sizeof(uat_failure::type)], const std::type_info *type)
{
    int status = 0;
    char *name = type ? abi::__cxa_demangle(type->name(), nullptr, nullptr, &status) : nullptr;
    copy_text(to, name ? name : type ? type->name() : "unknown");
    std::free(name);
}

/* A system_error's what() without the ": message" that its constructor adds. */
inline void copy_cause(char (&to)[sizeof(uat_failure::what)], const std::system_error &e)
{
    std::string what = e.what(), end = ": " + e.code().message();
    if (what.size() >= end.size() && what.compare(what.size() - end.size(), end.size(), end) == 0)
        what.resize(what.size() - end.size());
    copy_text(to, what.c_str());
}

/* Call this in a catch block to mark the running task as failed. The task must then leave the catch block before any
 * other action. */
[[gnu::cold, gnu::noinline]] inline void note_failure() noexcept
{
    /* Thread-local suffices, because the block ends before the task can migrate. Tasks may write to thread-local
     * variables under UAT_TORTURE=statics=protected. */
    static thread_local uat_failure f;
    f = uat_failure();
    f.kind = kind_of_caught();
    copy_name(f.type, abi::__cxa_current_exception_type());
    try {
        throw;
    } catch (const task_error &e) {
        copy_text(f.type, e.type());
        copy_text(f.what, e.what());
    } catch (const std::system_error &e) {
        f.number = e.code().value();
        if (f.kind == FAILED_OTHER)
            copy_text(f.what, e.what());
        else
            copy_cause(f.what, e);
    } catch (const std::exception &e) {
        copy_text(f.what, e.what());
    } catch (...) {
        copy_text(f.what, "not a std::exception");
    }
    uat_fail(&f);
}

#endif

[[noreturn, gnu::cold, gnu::noinline]] inline void throw_failure(const uat_failure &f)
{
    switch (f.kind) {
    case FAILED_RUNTIME_ERROR:
        raise(std::runtime_error(f.what));
    case FAILED_RANGE_ERROR:
        raise(std::range_error(f.what));
    case FAILED_OVERFLOW_ERROR:
        raise(std::overflow_error(f.what));
    case FAILED_UNDERFLOW_ERROR:
        raise(std::underflow_error(f.what));
    case FAILED_LOGIC_ERROR:
        raise(std::logic_error(f.what));
    case FAILED_DOMAIN_ERROR:
        raise(std::domain_error(f.what));
    case FAILED_INVALID_ARGUMENT:
        raise(std::invalid_argument(f.what));
    case FAILED_LENGTH_ERROR:
        raise(std::length_error(f.what));
    case FAILED_OUT_OF_RANGE:
        raise(std::out_of_range(f.what));
    case FAILED_BAD_ALLOC:
        raise(std::bad_alloc());
    case FAILED_GENERIC:
        raise(std::system_error(f.number, std::generic_category(), f.what));
    case FAILED_SYSTEM:
        raise(std::system_error(f.number, std::system_category(), f.what));
    case FAILED_UAT:
        raise(error(f.number, f.what));
    default:
        raise(task_error(f.type, f.what));
    }
}

[[noreturn, gnu::cold, gnu::noinline]] inline void throw_taken()
{
    uat_failure f;
    uat_failure_take(&f);
    throw_failure(f);
}

/* Call this after each library function that may return early because the running task has failed. */
inline void throw_if_failed()
{
    if (__builtin_expect(uat_failing.yes != 0, 0))
        throw_taken();
}

/* Call f. If it throws, the running task has failed, and the result is false. */
template <class F> bool contain(F &&f)
{
#if UAT_EXCEPTIONS
    try {
        f();
    } catch (...) {
        note_failure();
        return false;
    }
#else
    f();
#endif
    return true;
}

[[gnu::cold, gnu::noinline]] inline void join_slowly(uat_task_t *t)
{
    uat_join_wait(t);
    throw_if_failed();
}

/* uat_join() that throws the exception that the child has thrown. */
inline void join(uat_task_t *t)
{
#if defined(UAT_RACES)
    uat_races_join(t);
    throw_if_failed();
#elif defined(UAT_PROFILE)
    uat_profile_join(t);
    throw_if_failed();
#else
    if (__builtin_expect(t->record != 0, 0))
        join_slowly(t);
#endif
}

/* Throw the first of two failures in serial order. The running task spawned the child `earlier` before the task failed,
 * so a failure of the child comes first. Joins the child; the join throws the child's exception, if any. Otherwise
 * throws the task's own exception. */
template <class Handle> [[noreturn, gnu::cold, gnu::noinline]] void join_and_throw(Handle &earlier)
{
    uat_failure later;
    uat_failure_take(&later);
    earlier.join();
    throw_failure(later);
}

} // namespace detail

} // namespace uat

#endif

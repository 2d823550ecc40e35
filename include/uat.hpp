/* SPDX-License-Identifier: MIT */
/*
 * uat for C++17: typed tasks, loops and reductions over uat.h and uat/pattern.h. Headers only; link with libuat.
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
 * What goes to a task or comes back travels by value to other processes: functions, lambdas with all they capture,
 * arguments and results must be trivially copyable, and a lambda captures by value. The rest of the rules for task code
 * is in README.md. An exception that leaves a task ends the job with its what().
 */
#ifndef UAT_HPP
#define UAT_HPP

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <system_error>
#include <type_traits>
#include <utility>

#include "uat.h"
#include "uat/pattern.h"

namespace uat
{

namespace detail
{

/* The one sentence for each thing that cannot travel. */
template <class T> constexpr void must_travel()
{
    static_assert(
        std::is_trivially_copyable<T>::value,
        "uat: this type is not trivially copyable, so it cannot travel to another process; pass plain values, "
        "or a pointer into global memory");
    static_assert(alignof(T) <= 64, "uat: a type that travels is aligned to at most 64 bytes");
}

/* End the job: an exception cannot follow its task's spawner to another process. */
[[noreturn]] inline void end_by_exception(const char *what)
{
    std::fprintf(stderr, "uat: rank %d: an exception has left a task: %s\n", uat_rank(), what);
    std::abort();
}

template <class F> auto guarded(F &&f) -> decltype(f())
{
    try {
        return f();
    } catch (const std::exception &e) {
        end_by_exception(e.what());
    } catch (...) {
        end_by_exception("not a std::exception");
    }
}

/* The body of a task whose argument is a call without parameters. */
template <class Call, class R> void body(void *arg, void *result)
{
    Call &call = *static_cast<Call *>(arg);
    if constexpr (std::is_void<R>::value) {
        (void)result;
        guarded(call);
    } else {
        R value = guarded(call);
        std::memcpy(result, &value, sizeof(value));
    }
}

/* A function with its arguments, as one value. */
template <class F, class... A> auto bind(F f, A... args)
{
    must_travel<F>();
    (must_travel<A>(), ...);
    return [f, args...]() mutable { return f(args...); };
}

/* Room for a result; a type without a default constructor has none until the task has ended. */
template <class R> struct place {
    alignas(R) unsigned char bytes[sizeof(R)];

    R get() const
    {
        R value = *std::launder(reinterpret_cast<const R *>(bytes));
        return value;
    }
};

template <> struct place<void> {
};

} // namespace detail

/*
 * The handle of one child. It stays in the frame in which it was made. join() waits for the child and returns its result;
 * the destructor joins a child that was not joined. Exactly the task that spawned may join.
 */
template <class R> class [[nodiscard]] handle
{
  public:
    template <class Call> explicit handle(const Call &call)
    {
        detail::must_travel<Call>();
        if constexpr (std::is_void<R>::value) {
            uat_spawn(&task_, detail::body<Call, R>, &call, sizeof(call), nullptr, 0);
        } else {
            detail::must_travel<R>();
            uat_spawn(&task_, detail::body<Call, R>, &call, sizeof(call), value_.bytes, sizeof(value_.bytes));
        }
    }
    handle(const handle &) = delete;
    handle &operator=(const handle &) = delete;

    ~handle()
    {
        if (!joined_)
            uat_join(&task_);
    }

    /* Once. */
    R join()
    {
        joined_ = true;
        uat_join(&task_);
        if constexpr (!std::is_void<R>::value)
            return value_.get();
    }

  private:
    uat_task_t task_;
    bool joined_ = false;
    detail::place<R> value_;
};

/* Run f(args...) as a child task, and let the rest of the caller be stolen meanwhile. See uat_spawn(). */
template <class F, class... A> auto spawn(F f, A... args)
{
    auto call = detail::bind(f, args...);
    return handle<decltype(call())>(call);
}

/* Start the runtime with the first object of this class, and end it. Collective, first in main(). Throws std::system_error. */
class job
{
  public:
    job()
    {
        int rc = uat_init();
        if (rc)
            throw std::system_error(-rc, std::generic_category(), "uat_init");
    }
    job(const job &) = delete;
    job &operator=(const job &) = delete;
    ~job()
    {
        uat_finalize();
    }
};

/*
 * Run f(args...) as the root of a task tree: collective; rank 0's function and arguments count. Returns the result on
 * every rank. Throws std::system_error.
 */
template <class F, class... A> auto run(F f, A... args)
{
    auto call = detail::bind(f, args...);
    using Call = decltype(call);
    using R = decltype(call());
    if constexpr (std::is_void<R>::value) {
        int rc = uat_run(detail::body<Call, R>, &call, sizeof(call), nullptr, 0);
        if (rc)
            throw std::system_error(-rc, std::generic_category(), "uat::run");
    } else {
        detail::must_travel<R>();
        detail::place<R> value;
        int rc = uat_run(detail::body<Call, R>, &call, sizeof(call), value.bytes, sizeof(value.bytes));
        if (rc)
            throw std::system_error(-rc, std::generic_category(), "uat::run");
        return value.get();
    }
}

/* Call f(begin, end) for ranges that cover [begin, end) once. Inside a task. See uat_for(). */
template <class F> void parallel_for_ranges(std::int64_t begin, std::int64_t end, F f)
{
    detail::must_travel<F>();
    uat_for(
        begin, end,
        [](std::int64_t from, std::int64_t to, const void *arg) {
            F g = *static_cast<const F *>(arg);
            detail::guarded([&] { g(from, to); });
        },
        &f, sizeof(f));
}

/* Call f(i) for each i of [begin, end), in parallel. Inside a task. */
template <class F> void parallel_for(std::int64_t begin, std::int64_t end, F f)
{
    parallel_for_ranges(begin, end, [f](std::int64_t from, std::int64_t to) mutable {
        for (std::int64_t i = from; i < to; i++)
            f(i);
    });
}

namespace detail
{

/* What a reduction's bodies find as their argument. */
template <class F, class Combine> struct reducer {
    F f;
    Combine combine;
};

template <class T, class F, class Combine>
void reduce_range(std::int64_t begin, std::int64_t end, void *partial, const void *arg)
{
    using R = reducer<F, Combine>;
    R r = *static_cast<const R *>(arg);
    T value = *static_cast<T *>(partial);
    guarded([&] {
        for (std::int64_t i = begin; i < end; i++)
            value = r.combine(value, r.f(i));
    });
    *static_cast<T *>(partial) = value;
}

template <class T, class F, class Combine> void combine_values(void *left, const void *right, const void *arg)
{
    using R = reducer<F, Combine>;
    R r = *static_cast<const R *>(arg);
    T *value = static_cast<T *>(left);
    guarded([&] { *value = r.combine(*value, *static_cast<const T *>(right)); });
}

template <class T, class F, class Combine> uat_reduction make_reduction(const T *identity)
{
    must_travel<T>();
    must_travel<F>();
    must_travel<Combine>();
    return uat_reduction{reduce_range<T, F, Combine>, combine_values<T, F, Combine>, identity, sizeof(T)};
}

} // namespace detail

/*
 * combine(...combine(identity, f(begin))..., f(end - 1)), in parallel. combine is associative, identity is neutral; it need
 * not commute. Inside a task.
 */
template <class T, class F, class Combine>
T parallel_reduce(std::int64_t begin, std::int64_t end, T identity, F f, Combine combine)
{
    uat_reduction reduction = detail::make_reduction<T, F, Combine>(&identity);
    detail::reducer<F, Combine> arg{f, combine};
    T result = identity;
    uat_reduce(begin, end, &reduction, &arg, sizeof(arg), &result);
    return result;
}

namespace detail
{

template <class T, class F, class Combine, class Write> struct scanner {
    reducer<F, Combine> r; /* first: the reduction's functions find it here */
    Write write;
};

template <class T, class F, class Combine, class Write>
void scan_range(std::int64_t begin, std::int64_t end, void *prefix, const void *arg)
{
    using S = scanner<T, F, Combine, Write>;
    S s = *static_cast<const S *>(arg);
    T value = *static_cast<T *>(prefix);
    guarded([&] {
        for (std::int64_t i = begin; i < end; i++) {
            T before = value;
            value = s.r.combine(value, s.r.f(i));
            s.write(i, before, value);
        }
    });
    *static_cast<T *>(prefix) = value;
}

} // namespace detail

/*
 * Prefix sums: calls write(i, before, with), where `before` is the value of all f(j) with j < i and `with` includes f(i): the
 * exclusive and the inclusive scan. f is called twice for each i. Returns the value of all. Inside a task.
 */
template <class T, class F, class Combine, class Write>
T parallel_scan(std::int64_t begin, std::int64_t end, T identity, F f, Combine combine, Write write)
{
    detail::must_travel<Write>();
    uat_reduction reduction = detail::make_reduction<T, F, Combine>(&identity);
    detail::scanner<T, F, Combine, Write> arg{{f, combine}, write};
    T total = identity;
    uat_scan(begin, end, &reduction, detail::scan_range<T, F, Combine, Write>, &arg, sizeof(arg), &total);
    return total;
}

} // namespace uat

#endif

/* SPDX-License-Identifier: MIT */
/* Bodies of tasks and their values. Included by uat/task.hpp. */
#ifndef UAT_DETAIL_TASK_HPP
#define UAT_DETAIL_TASK_HPP

#include <cstring>
#include <functional>
#include <new>
#include <tuple>
#include <type_traits>
#include <utility>

#include "uat/detail/failure.hpp"
#include "uat/detail/must.hpp"
#include "uat/object.h"
#include "uat/pack.hpp"

namespace uat
{

namespace detail
{

/* Room for a value of type T, even if T has no default constructor. */
template <class T, class = void> struct place {
    alignas(T) unsigned char bytes[sizeof(T)];

    T get() const
    {
        T value = *std::launder(reinterpret_cast<const T *>(bytes));
        return value;
    }
};

template <> struct place<void> {
};

/* Room for a packed value, which the place owns. It holds no address of this process. */
template <class T> struct place<T, std::enable_if_t<!travels<T>::value && !std::is_void<T>::value>> {
    parcel bytes[1];

    place() = default;
    place(place &&from) noexcept : bytes{std::exchange(from.bytes[0], parcel())}
    {
    }
    ~place()
    {
        bytes->clear();
    }

    T get() const
    {
        unpacker from(bytes->fetch(), bytes->size);
        T value = from.get<T>();
        from.finish();
        return value;
    }
};

/* Pack the value into an empty parcel. */
template <class T> void seal(parcel *to, const T &value)
{
    packer().put(value);
    const void *buffer = uat_pack_buffer(&to->size);
    if (to->size <= sizeof(to->bytes))
        std::memcpy(to->bytes, buffer, to->size);
    else
        to->object = object_of_buffer<T>("the result of a task");
}

/* The value at p, as bytes. p need not be aligned for T. A call counts as bytes, too, if its arguments travel. */
template <class T> T load(const void *p)
{
    alignas(T) unsigned char bytes[sizeof(T)];
    std::memcpy(bytes, p, sizeof(T));
    T value = *std::launder(reinterpret_cast<const T *>(bytes));
    return value;
}

/* The body of a task whose argument is a call without parameters. */
template <class Call, class R> void body(void *arg, void *result)
{
    Call call = load<Call>(arg); /* copied first, because arg may be in the spawner's frame */
    if constexpr (std::is_void<R>::value) {
        (void)result;
        contain(call);
    } else if constexpr (travels<R>::value) {
        contain([&] {
            R value = call();
            std::memcpy(result, &value, sizeof(value));
        });
    } else {
        parcel *packed = new (result) parcel; /* the joiner of a task that fails gets an empty parcel */
        contain([&] { seal<R>(packed, call()); });
    }
}

/* The root's result, on every rank. All ranks read the object of a packed result; then rank 0 frees it. */
template <class R> R result_of_run(place<R> &value)
{
    if constexpr (!travels<R>::value) {
        parcel &packed = value.bytes[0];
        if (packed.object) {
            if (!uat_pack_restore()) { /* the same on all ranks */
                packed.fetch();
                uat_pack_keep();
                int rc = uat_barrier();
                if (rc)
                    raise(error(-rc, "uat::run"));
                if (uat_rank() == 0)
                    uat_global_object_free(packed.object);
            }
            packed.object = nullptr;
            std::size_t size;
            const void *buffer = uat_pack_buffer(&size);
            unpacker from(buffer, size);
            R result = from.get<R>();
            from.finish();
            return result;
        }
    }
    return value.get();
}

/* rc: the result of uat_run(). */
inline void finish_run(int rc)
{
    if (rc) {
        uat_failure_take(nullptr);
        raise(error(-rc, "uat::run"));
    }
    throw_if_failed();
}

/* Do the arguments travel as bytes, so that they need not be packed? */
template <class... A> inline constexpr bool travel = (travels<A>::value && ...);

/*
 * A function with its arguments, as one value. The function gets the arguments as rvalues: a change to one of them
 * would be lost, so a parameter that is a reference to non-const must not compile. Arguments that do not travel are
 * packed into the worker's buffer, where the call finds them. So the call must start at once, as the child of a spawn
 * does; or letter() must take it.
 */
template <class F, class... A> auto bind(F f, A... args)
{
    must_be_plain<F>();
    (must_pass<A>(), ...);
    must_accept<F, A...>();
    if constexpr (travel<A...>) {
        return [f, args...]() mutable { return std::invoke(f, std::move(args)...); };
    } else {
        packer().put(args...);
        uat_pack_hold();
        return [f]() mutable {
            std::size_t size;
            const void *buffer = uat_pack_buffer(&size);
            unpacker from(buffer, size);
            std::tuple<A...> values{from.get<A>()...};
            from.finish();
            return std::apply(f, std::move(values));
        };
    }
}

/* The body of a task that gets a letter: fill this worker's buffer, and call. */
template <class Call, class R> void body_of_letter(void *arg, void *result)
{
    const unsigned char *packed = static_cast<unsigned char *>(arg) + sizeof(std::size_t) + sizeof(Call);
    std::size_t size = load<std::size_t>(static_cast<unsigned char *>(arg) + sizeof(Call));
    bool filled = contain([&] { std::memcpy(resize_buffer(size), packed, size); });
    if (filled)
        body<Call, R>(arg, result);
    else if constexpr (!std::is_void<R>::value && !travels<R>::value)
        new (result) parcel;
}

/* A call that starts later or elsewhere, so that its packed arguments must be in the task's argument. A letter is in
 * the worker's buffer: the call, the number of packed bytes, and these bytes. */
template <bool Travels, class Call> struct letter {
    const void *arg;
    std::size_t size;

    explicit letter(const Call &call) : arg(&call), size(sizeof(call))
    {
        if constexpr (!Travels) {
            std::size_t packed;
            uat_pack_buffer(&packed);
            size += sizeof(packed) + packed;
            unsigned char *buffer = resize_buffer(size);
            std::memmove(buffer + size - packed, buffer, packed);
            std::memcpy(buffer, &call, sizeof(call));
            std::memcpy(buffer + sizeof(call), &packed, sizeof(packed));
            arg = buffer;
        }
    }
    template <class R> static constexpr uat_fn *body = Travels ? detail::body<Call, R> : body_of_letter<Call, R>;
};

} // namespace detail

} // namespace uat

#endif

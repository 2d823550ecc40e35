/* SPDX-License-Identifier: MIT */
/* Packed arguments and results of tasks. Included by uat/pack.hpp. */
#ifndef UAT_DETAIL_PACK_HPP
#define UAT_DETAIL_PACK_HPP

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <new>
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <utility>

#include "uat/detail/must.hpp"
#include "uat/detail/pack.h"
#include "uat/error.hpp"
#include "uat/global.h"
#include "uat/object.h"

namespace uat
{

template <class T, class = void> struct pack;

namespace detail
{

/* Is there a pack<T>? */
template <class T, class = void> struct has_pack : std::false_type {
};
template <class T> struct has_pack<T, std::void_t<decltype(sizeof(pack<T>))>> : std::true_type {
};

/* May a task take and return values of T, as bytes or packed? */
template <class T> struct passes : std::disjunction<travels<T>, has_pack<T>> {
};

/* The compiler's message for an argument or a result that cannot be passed. */
template <class T> struct must_pass {
    static_assert(passes<T>::value,
                  "uat: this type is not trivially copyable, so it cannot travel to another process; specialise "
                  "uat::pack for it; or pass plain values, a pointer into global memory, or its ref(); or specialise "
                  "uat::travels");
    static_assert(alignof(T) <= 64, "uat: a type that travels is aligned to at most 64 bytes");
};

/* The compiler's message for a function that cannot travel. */
template <class F> struct must_be_plain {
    static_assert(travels<F>::value,
                  "uat: this function or lambda is not trivially copyable, so it cannot travel to another process; "
                  "strings and vectors can be arguments of uat::spawn(), but a lambda must not capture them; of a "
                  "uat::mutex and the like "
                  "it captures the ref()");
    static_assert(alignof(F) <= 64, "uat: a type that travels is aligned to at most 64 bytes");
};

inline unsigned char *resize_buffer(std::size_t length)
{
    void *buffer = uat_pack_resize(length);
    if (!buffer)
        raise(std::bad_alloc());
    UAT_RACES_IGNORE(buffer, length); /* each value is read by the strand that the writing strand starts */
    return static_cast<unsigned char *>(buffer);
}

/* Does a type of this program need global memory for its packed values? Set before main(), on all workers alike. */
template <class T> struct opens_global {
    static inline const bool done = uat_pack_globally(1) != 0;
};

/* An object of global memory with the content of the buffer. */
template <class T> void *object_of_buffer(const char *what)
{
    std::size_t size;
    const void *bytes = uat_pack_buffer(&size);
    void *object = opens_global<T>::done ? uat_global_object_alloc(size) : nullptr;
    if (!object)
        raise(error(ENOMEM, what));
    uat_global_put(object, bytes, size);
    return object;
}

/*
 * A packed result. It is where the child and the joiner keep the result, and is copied between them as bytes. Its
 * owner is the joiner's copy, which frees the object. An empty parcel has no object.
 */
struct parcel {
    std::size_t size = 0;
    void *object = nullptr; /* has the packed bytes; null: they are here */
    unsigned char bytes[112];

    void clear()
    {
        uat_global_object_free(std::exchange(object, nullptr));
    }
    /* The packed bytes, here or in the buffer. */
    const void *fetch() const
    {
        if (!object)
            return bytes;
        void *buffer = resize_buffer(size);
        uat_global_get(buffer, object, size);
        return buffer;
    }
};
static_assert(std::is_trivially_copyable<parcel>::value && sizeof(parcel) == 128);

} // namespace detail

} // namespace uat

#endif

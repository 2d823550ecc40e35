/* SPDX-License-Identifier: MIT */
/* Objects of global memory in C++17. Included by uat.hpp. */
#ifndef UAT_OBJECT_HPP
#define UAT_OBJECT_HPP

#include <cerrno>
#include <cstddef>
#include <utility>

#include "uat/object.h"
#include "uat/span.hpp"

namespace uat
{

/*
 * The address of a T in global memory, near or far. It may travel to other workers, and may itself be part of objects,
 * as in a list or a tree.
 *
 *     auto node = uat::make_object<leaf>(leaf{key, nullptr});
 *     node.update()->count += 1;
 *     uat::destroy(node);
 */
template <class T> class global_ptr
{
  public:
    using element_type = T;
    using value_type = std::remove_cv_t<T>;

    constexpr global_ptr() = default;
    constexpr global_ptr(std::nullptr_t)
    {
    }
    explicit constexpr global_ptr(T *p) : p_(p)
    {
    }
    /* A pointer to T converts to a pointer to const T. */
    template <class U, class = std::enable_if_t<std::is_same<T, const U>::value>>
    constexpr global_ptr(const global_ptr<U> &other) : p_(other.get())
    {
    }

    /* The address itself. Unless the object is near, access it only through a checkout. */
    constexpr T *get() const
    {
        return p_;
    }
    explicit constexpr operator bool() const
    {
        return p_ != nullptr;
    }
    friend constexpr bool operator==(global_ptr a, global_ptr b)
    {
        return a.p_ == b.p_;
    }
    friend constexpr bool operator!=(global_ptr a, global_ptr b)
    {
        return a.p_ != b.p_;
    }

    /* Check the object out until the end of the scope: to read it, to write it as a whole, or to read and write it. The
     * result gives access by * and ->. */
    checkout<const value_type> read() const
    {
        return span().read();
    }
    checkout<T> write() const
    {
        return span().write();
    }
    checkout<T> update() const
    {
        return span().update();
    }

    /* Get a copy of the object, or set its value. */
    value_type load() const
    {
        return span().get(0);
    }
    void store(const value_type &value) const
    {
        detail::must_be_writable<T>();
        if (uat_near_holds(reinterpret_cast<std::uintptr_t>(p_), sizeof(T)))
            *p_ = value;
        else
            *write() = value;
    }

    /* The first `count` elements of an array that begins at this address. */
    uat::span<T> span(std::size_t count = 1) const
    {
        return uat::span<T>(p_, count);
    }
    /* Rank of the worker that keeps the object. */
    int home() const
    {
        return uat_global_home(p_);
    }

  private:
    T *p_ = nullptr;
};

/*
 * Make an object of this worker, with the value T(args...) or T{args...}. See uat_global_object_alloc(). Throws
 * uat::error if UAT_GLOBAL_SIZE has no room. The initial write to the object is ordered like any other write: see
 * uat/global.h.
 */
template <class T, class... A> global_ptr<T> make_object(A &&...args)
{
    detail::must_travel<T>();
    static_assert(alignof(T) <= 16,
                  "uat: an object is aligned to 16 bytes; take a global_vector for a type that needs more");
    void *p = uat_global_object_alloc(sizeof(T));
    if (!p)
        detail::raise(error(ENOMEM, "uat::make_object"));
    global_ptr<T> object(static_cast<T *>(p));
    if constexpr (std::is_constructible<T, A &&...>::value)
        object.store(T(std::forward<A>(args)...));
    else
        object.store(T{std::forward<A>(args)...});
    return object;
}

/* Free the object, from any worker. A null pointer is allowed. Any other pointer must point to an object that was not
 * freed yet; otherwise the job ends with a message. */
template <class T> void destroy(global_ptr<T> object)
{
    uat_global_object_free(const_cast<std::remove_cv_t<T> *>(object.get()));
}

} // namespace uat

#endif

/* SPDX-License-Identifier: MIT */
/* References to objects that tasks share, and variables that own such objects. Included by uat/lock.hpp and others. */
#ifndef UAT_DETAIL_OWNER_HPP
#define UAT_DETAIL_OWNER_HPP

#include <cstddef>
#include <type_traits>
#include <utility>

#include "uat/detail/standard.hpp"
#include "uat/lock.h"

namespace uat
{

namespace detail
{

/* Bytes of a value in a future or a channel. Without values, one byte that has no meaning. */
template <class T> inline constexpr std::size_t size_of = sizeof(std::conditional_t<std::is_void<T>::value, char, T>);

template <class Handle> bool is_object(const Handle &handle)
{
    return handle.object != 0;
}
inline bool is_object(const uat_once_t &handle)
{
    return handle.done.object != 0;
}

/* A reference to an object of uat/sync.h and the headers beside it: the handle of the C interface. */
template <class Handle, void (*End)(Handle)> class sync_ref
{
  public:
    /* A reference to no object. */
    sync_ref() = default;
    explicit sync_ref(Handle handle) : handle_(handle)
    {
    }
    Handle native_handle() const
    {
        return handle_;
    }
    /* Does it refer to an object? */
    explicit operator bool() const
    {
        return is_object(handle_);
    }
    /* Destroy the object, which no variable owns. */
    void destroy() const
    {
        End(handle_);
    }

  protected:
    Handle handle_ = {};
};

/*
 * A variable that owns an object. Its destructor destroys the object, on whichever worker the task is then. A move
 * hands the object over. The variable itself cannot be copied: tasks get ref(), in arguments and captures. It converts
 * to a reference, too.
 *
 * The end of the job frees all objects, so the variable may be destroyed after it.
 */
template <class Ref> class owner : public Ref
{
  public:
    /* Take over an object that nobody else will destroy, such as that of detach(); not one that has a name. Only in a
     * task: every rank gets the result of uat::run(), and a restart returns it again. */
    explicit owner(Ref object) : Ref(object)
    {
    }
    owner(owner &&from) noexcept : Ref(from.detach())
    {
    }
    owner &operator=(owner &&from) noexcept
    {
        owner taken(std::move(from));
        std::swap(static_cast<Ref &>(*this), static_cast<Ref &>(taken));
        return *this;
    }
    owner(const owner &) = delete; /* uat: pass ref() to a task, and let one variable own the object */
    owner &operator=(const owner &) = delete;
    ~owner()
    {
        destroy();
    }

    /* The reference that tasks get. It must not be used after the object's end. */
    Ref ref() const
    {
        return *this;
    }
    /* Give the object up. Somebody must destroy() the reference that is returned, or make it the object of a variable
     * again; otherwise the object stays until the end of the job. */
    [[nodiscard]] Ref detach()
    {
        return std::exchange(static_cast<Ref &>(*this), Ref());
    }
    /* Destroy the object now. The variable then owns nothing. */
    void destroy()
    {
        Ref object = detach();
        if (object && uat_is_running())
            object.destroy();
    }
};

} // namespace detail

} // namespace uat

#endif

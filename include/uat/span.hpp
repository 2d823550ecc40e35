/* SPDX-License-Identifier: MIT */
/*
 * Global memory in C++17: vectors, spans of them, and checkouts that end with their scope. Included by uat.hpp.
 *
 *     uat::global_vector<double> v(n);                  on all workers, outside of runs
 *     uat::run([x = v.span()] {
 *         auto q = x.first(100).update();               checked out
 *         for (double &value : q)
 *             value += 1;
 *     });                                               and checked in again
 */
#ifndef UAT_SPAN_HPP
#define UAT_SPAN_HPP

#include <cerrno>
#include <cstddef>
#include <exception>
#include <new>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "uat/atomic.hpp"
#include "uat/global.h"
#include "uat/object.h"
#include "uat/task.hpp"

namespace uat
{

/*
 * Elements of global memory that are checked out until the end of the scope: a range of T. T is const if the elements
 * are only read. span::read(), write() and update() return such an object. While the object exists, the task must not
 * spawn or join. The object cannot be moved.
 */
template <class T> class [[nodiscard]] checkout
{
  public:
    checkout(T *home, std::size_t size, uat_access access) : home_(home), size_(size), access_(access)
    {
        if (size_ > 0)
            place_ = static_cast<T *>(uat_global_checkout(home_, size_ * sizeof(T), access_));
    }
    checkout(const checkout &) = delete;
    checkout &operator=(const checkout &) = delete;
    ~checkout()
    {
        if (size_ > 0)
            uat_global_checkin(home_, size_ * sizeof(T), access_);
    }

    T *begin() const
    {
        return place_;
    }
    T *end() const
    {
        return place_ + size_;
    }
    T *data() const
    {
        return place_;
    }
    std::size_t size() const
    {
        return size_;
    }
    T &operator[](std::size_t i) const
    {
        return place_[i];
    }
    /* The first element, for a checkout of a single element. */
    T &operator*() const
    {
        return *place_;
    }
    T *operator->() const
    {
        return place_;
    }

  private:
    T *home_, *place_ = nullptr;
    std::size_t size_;
    uat_access access_;
};

/*
 * A range of global memory: an address and a number of elements, without the elements themselves. It may travel to
 * other workers. Its elements are read and written through checkouts, or one at a time by get() and put().
 */
template <class T> class span
{
  public:
    using element_type = T;
    using value_type = std::remove_cv_t<T>;

    constexpr span() = default;
    constexpr span(T *data, std::size_t size) : data_(data), size_(size)
    {
        detail::must_travel<value_type>();
    }
    /* A span of T converts to a span of const T. */
    template <class U, class = std::enable_if_t<std::is_same<T, const U>::value>>
    constexpr span(const span<U> &other) : data_(other.data()), size_(other.size())
    {
    }

    /* The address of the elements. Unless the elements are near, access them only through a checkout. */
    constexpr T *data() const
    {
        return data_;
    }
    constexpr std::size_t size() const
    {
        return size_;
    }
    constexpr bool empty() const
    {
        return size_ == 0;
    }

    /* `count` elements from `offset` on; fewer if the span ends earlier. */
    constexpr span subspan(std::size_t offset, std::size_t count = std::size_t(-1)) const
    {
        std::size_t from = offset < size_ ? offset : size_, rest = size_ - from;
        return span(data_ + from, count < rest ? count : rest);
    }
    constexpr span first(std::size_t count) const
    {
        return subspan(0, count);
    }
    constexpr span last(std::size_t count) const
    {
        return subspan(count < size_ ? size_ - count : 0);
    }

    /* Check the elements out to read them. */
    checkout<const value_type> read() const
    {
        return checkout<const value_type>(data_, size_, UAT_READ);
    }
    /* Check the elements out to write all of them. The content of an element is undefined until it is written. */
    checkout<T> write() const
    {
        detail::must_be_writable<T>();
        return checkout<T>(data_, size_, UAT_WRITE);
    }
    /* Check the elements out to read and write them. */
    checkout<T> update() const
    {
        detail::must_be_writable<T>();
        return checkout<T>(data_, size_, UAT_READ_WRITE);
    }

    /* One element, near or far. get() reads the element like subspan(i, 1).read(), so it may read a far element from
     * the cache. If another task has published the element by an atomic, use uat_global_get(). put() writes to the
     * element's home. */
    value_type get(std::size_t i) const
    {
        T *p = data_ + i;
        if (uat_near_holds(reinterpret_cast<std::uintptr_t>(p), sizeof(T)))
            return detail::load<value_type>(p);
        auto element = checkout<const value_type>(p, 1, UAT_READ);
        return element[0];
    }
    void put(std::size_t i, const value_type &value) const
    {
        detail::must_be_writable<T>();
        uat_global_put(data_ + i, &value, sizeof(T));
    }

    /* Element i as a word that tasks change at the same time. */
    atomic_ref<T> atomic(std::size_t i) const
    {
        return atomic_ref<T>(data_ + i);
    }

    /* Begin to fetch the elements, which will be checked out soon. */
    void prefetch() const
    {
        uat_global_prefetch(data_, size_ * sizeof(T));
    }
    /* Is the whole span near? */
    bool near() const
    {
        return uat_global_near(data_, size_ * sizeof(T)) == size_ * sizeof(T);
    }

  private:
    T *data_ = nullptr;
    std::size_t size_ = 0;
};

/* How a vector is distributed over the workers. See enum uat_distribution. */
enum class distribution { blocked = UAT_BLOCKED, cyclic = UAT_CYCLIC };

/*
 * An array in global memory, whose bytes are initially all zero. All workers must make and destroy it together, outside
 * of runs. Pass its span() to tasks. On all workers, the constructor throws std::length_error if the number of bytes
 * exceeds std::size_t, and uat::error if uat_global_alloc() fails.
 *
 * The end of the job frees all arrays, so a vector may be destroyed after it. If an exception unwinds the vector, its
 * array stays until the end of the job, because the exception may concern one worker alone.
 */
template <class T> class global_vector
{
  public:
    /* block: elements per chunk of a cyclic distribution; 0: UAT_GLOBAL_BLOCK bytes. */
    explicit global_vector(std::size_t size, distribution how = distribution::blocked, std::size_t block = 0)
        : size_(size)
    {
        detail::must_travel<T>();
        static_assert(!std::is_const<T>::value, "uat: the elements of a global_vector are not const");
        if (size == 0)
            return;
        if (size > std::size_t(-1) / sizeof(T) || block > std::size_t(-1) / sizeof(T))
            detail::raise(std::length_error("uat::global_vector: more bytes than there are addresses"));
        data_ =
            static_cast<T *>(uat_global_alloc(size * sizeof(T), static_cast<uat_distribution>(how), block * sizeof(T)));
        if (!data_)
            detail::raise(error(errno, "uat::global_vector"));
    }
    global_vector(global_vector &&other) noexcept
        : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0))
    {
    }
    global_vector &operator=(global_vector &&other) noexcept
    {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        return *this;
    }
    ~global_vector()
    {
        bool is_open = uat_global_home(data_) >= 0; /* false for NULL, and after the end of the job */
        if (is_open && std::uncaught_exceptions() == 0)
            uat_global_free(data_); /* reports errors itself */
    }

    uat::span<T> span() const
    {
        return uat::span<T>(data_, size_);
    }
    operator uat::span<T>() const
    {
        return span();
    }
    std::size_t size() const
    {
        return size_;
    }

  private:
    T *data_ = nullptr;
    std::size_t size_;
};

/*
 * An array that a task allocates within a run, by uat_global_temporary_alloc(). It exists until the end of the scope.
 * The elements' initial values are undefined. Pass its span() to tasks; the array itself cannot be copied or be a
 * task's argument. The constructor throws std::length_error if the number of bytes exceeds std::size_t, and
 * std::bad_alloc if there is no room.
 */
template <class T> class temporary_vector
{
  public:
    explicit temporary_vector(std::size_t size) : size_(size)
    {
        detail::must_travel<T>();
        static_assert(!std::is_const<T>::value, "uat: the elements of a temporary_vector are not const");
        if (size > std::size_t(-1) / sizeof(T))
            detail::raise(std::length_error("uat::temporary_vector: more bytes than there are addresses"));
        if (size == 0)
            return;
        data_ = static_cast<T *>(uat_global_temporary_alloc(size * sizeof(T)));
        if (!data_)
            detail::raise(std::bad_alloc());
    }
    temporary_vector(temporary_vector &&other) noexcept
        : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0))
    {
    }
    temporary_vector &operator=(temporary_vector &&other) noexcept
    {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        return *this;
    }
    ~temporary_vector()
    {
        uat_global_temporary_free(data_);
    }

    uat::span<T> span() const
    {
        return uat::span<T>(data_, size_);
    }
    operator uat::span<T>() const
    {
        return span();
    }
    std::size_t size() const
    {
        return size_;
    }

  private:
    T *data_ = nullptr;
    std::size_t size_;
};

} // namespace uat

#endif

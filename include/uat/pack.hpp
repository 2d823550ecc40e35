/* SPDX-License-Identifier: MIT */
/*
 * Arguments and results of tasks that are not trivially copyable, in C++17. Included by uat.hpp.
 *
 *     std::vector<std::string> words(std::string text);
 *     ...
 *     auto first = uat::spawn(words, text.substr(0, half));
 *     auto second = uat::spawn(words, text.substr(half));
 *     std::size_t count = first.join().size();
 *     count += second.join().size();
 *
 * Such a value has parts in the heap of one process. So uat packs it: it writes the value's content into bytes, and
 * makes a new value from the bytes where the value arrives. An argument is packed at the spawn, and the child gets the
 * new value when it starts. A result is packed when the child ends, and join() returns the new value. uat can pack
 * std::string, std::vector, std::map, std::optional, pairs, tuples and arrays of values that it can pass, and all types
 * for which the program specialises uat::pack.
 *
 * A value that a task has got is an ordinary value of this process. Therefore it must not live across a spawn, a join
 * or a wait of the task: see docs/rules.md. Use it up before, or keep it as a uat::packed<T>. An argument that a
 * function takes by value lives until the function returns, unless the function moves it away. A temporary value that
 * is passed to spawn() is moved away before the spawn.
 */
#ifndef UAT_PACK_HPP
#define UAT_PACK_HPP

#include <array>
#include <cstddef>
#include <cstring>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "uat/detail/owner.hpp"
#include "uat/detail/pack.hpp"

namespace uat
{

/*
 * How values of T are packed. A program may specialise it for its own type:
 *
 *     template <> struct uat::pack<person> {
 *         static void write(uat::packer &to, const person &p) { to.put(p.name, p.age); }
 *         static person read(uat::unpacker &from) { return {from.get<std::string>(), from.get<int>()}; }
 *     };
 *
 * read() must read what write() wrote. Both may throw; they must not spawn, join, wait or use uat::packed. A value from
 * which another was move-constructed must own nothing in the heap: a moved-from value's destructor may run on another
 * worker. This is so if all members are of the types above.
 */
template <class T, class> struct pack;

/* Where uat::pack<T>::write() writes: the worker's buffer. */
class packer
{
  public:
    packer()
    {
        detail::resize_buffer(0);
    }
    packer(const packer &) = delete;
    packer &operator=(const packer &) = delete;

    /* Append values: as bytes if their type travels, else by uat::pack. */
    template <class... T> void put(const T &...values)
    {
        (put_one(values), ...);
    }
    /* Append bytes. */
    void put_bytes(const void *bytes, std::size_t count)
    {
        unsigned char *buffer = detail::resize_buffer(length_ + count);
        if (count > 0)
            std::memcpy(buffer + length_, bytes, count);
        length_ += count;
    }

  private:
    template <class T> void put_one(const T &value)
    {
        detail::must_pass<T>();
        if constexpr (travels<T>::value)
            put_bytes(&value, sizeof(value));
        else
            pack<T>::write(*this, value);
    }

    std::size_t length_ = 0;
};

/* Where uat::pack<T>::read() reads. */
class unpacker
{
  public:
    unpacker(const void *bytes, std::size_t size) : at_(static_cast<const unsigned char *>(bytes)), left_(size)
    {
    }

    /* The next value. */
    template <class T> T get()
    {
        detail::must_pass<T>();
        if constexpr (travels<T>::value) {
            alignas(T) unsigned char room[sizeof(T)];
            get_bytes(room, sizeof(T));
            return *std::launder(reinterpret_cast<T *>(room));
        } else {
            return pack<T>::read(*this);
        }
    }
    /* The next bytes. Throws std::length_error if there are fewer. */
    void get_bytes(void *to, std::size_t count)
    {
        must_have(count <= left_);
        if (count > 0)
            std::memcpy(to, at_, count);
        at_ += count;
        left_ -= count;
    }
    /* A number of elements that follow, of at least element_size packed bytes each. */
    std::size_t get_count(std::size_t element_size)
    {
        std::size_t count = get<std::size_t>();
        must_have(count <= left_ / element_size);
        return count;
    }
    /* Throws std::length_error if bytes are left. uat calls this after read(). */
    void finish() const
    {
        if (left_ > 0)
            detail::raise(std::length_error("uat::pack: read() reads fewer bytes than write() has written"));
    }

  private:
    static void must_have(bool enough)
    {
        if (!enough)
            detail::raise(std::length_error("uat::pack: read() reads more bytes than write() has written"));
    }

    const unsigned char *at_;
    std::size_t left_;
};

/* A reference to a packed value. It may travel to other workers. */
template <class T> class packed_ref
{
    static_assert(sizeof(detail::must_pass<T>) > 0, "");

  public:
    /* A reference to no value. */
    packed_ref() = default;
    /* A new value, in this process. */
    T get() const
    {
        void *buffer = detail::resize_buffer(size_);
        uat_global_get(buffer, object_, size_);
        unpacker from(buffer, size_);
        T value = from.get<T>();
        from.finish();
        return value;
    }
    /* The number of packed bytes. */
    std::size_t size() const
    {
        return size_;
    }
    explicit operator bool() const
    {
        return object_ != nullptr;
    }
    /* Free the packed value, which no variable owns, from any worker. */
    void destroy() const
    {
        uat_global_object_free(object_);
    }

  protected:
    void *object_ = nullptr;
    std::size_t size_ = 0;
};

/*
 * A T in global memory, packed. Unlike a T, it may live across spawns, joins and waits. The variable owns the packed
 * value, as described in uat/sync.hpp: its destructor frees it, a move hands it over, and tasks get ref(). A program
 * that calls uat_init() itself must also call uat_global_open().
 *
 *     uat::packed kept(lines);          before a spawn
 *     ...
 *     lines = kept.get();               after the join, on whichever worker the task is
 */
template <class T> class packed : public detail::owner<packed_ref<T>>
{
  public:
    using detail::owner<packed_ref<T>>::owner;
    /* Throws uat::error if UAT_GLOBAL_SIZE has no room. */
    explicit packed(const T &value) : detail::owner<packed_ref<T>>(packed_ref<T>())
    {
        packer().put(value);
        uat_pack_buffer(&this->size_);
        this->object_ = detail::object_of_buffer<T>("uat::packed");
    }
};
template <class T> packed(packed_ref<T>) -> packed<T>;

template <class C, class Traits> struct pack<std::basic_string<C, Traits>> {
    static void write(packer &to, const std::basic_string<C, Traits> &s)
    {
        to.put(s.size());
        to.put_bytes(s.data(), s.size() * sizeof(C));
    }
    static std::basic_string<C, Traits> read(unpacker &from)
    {
        std::basic_string<C, Traits> s(from.get_count(sizeof(C)), C());
        from.get_bytes(s.data(), s.size() * sizeof(C));
        return s;
    }
};

template <class T> struct pack<std::vector<T>, std::enable_if_t<detail::passes<T>::value>> {
    static constexpr bool plain = std::is_trivially_copyable<T>::value && std::is_default_constructible<T>::value &&
                                  !std::is_same<T, bool>::value;

    static void write(packer &to, const std::vector<T> &v)
    {
        to.put(v.size());
        if constexpr (plain)
            to.put_bytes(v.data(), v.size() * sizeof(T));
        else
            for (const auto &element : v)
                to.put(static_cast<const T &>(element));
    }
    static std::vector<T> read(unpacker &from)
    {
        if constexpr (plain) {
            std::vector<T> v(from.get_count(sizeof(T)));
            from.get_bytes(v.data(), v.size() * sizeof(T));
            return v;
        } else {
            std::vector<T> v;
            for (std::size_t left = from.get<std::size_t>(); left > 0; left--)
                v.push_back(from.get<T>());
            return v;
        }
    }
};

template <class T> struct pack<std::optional<T>, std::enable_if_t<detail::passes<T>::value>> {
    static void write(packer &to, const std::optional<T> &o)
    {
        to.put(o.has_value());
        if (o)
            to.put(*o);
    }
    static std::optional<T> read(unpacker &from)
    {
        if (!from.get<bool>())
            return std::nullopt;
        return from.get<T>();
    }
};

template <class A, class B>
struct pack<std::pair<A, B>, std::enable_if_t<detail::passes<A>::value && detail::passes<B>::value>> {
    static void write(packer &to, const std::pair<A, B> &p)
    {
        to.put(p.first, p.second);
    }
    static std::pair<A, B> read(unpacker &from)
    {
        return std::pair<A, B>{from.get<A>(), from.get<B>()}; /* a braced list is evaluated in its order */
    }
};

template <class... T> struct pack<std::tuple<T...>, std::enable_if_t<(detail::passes<T>::value && ...)>> {
    static void write(packer &to, const std::tuple<T...> &t)
    {
        std::apply([&to](const T &...element) { to.put(element...); }, t);
    }
    static std::tuple<T...> read(unpacker &from)
    {
        (void)from; /* unused if the tuple is empty */
        return std::tuple<T...>{from.get<T>()...};
    }
};

template <class T, std::size_t N> struct pack<std::array<T, N>, std::enable_if_t<detail::passes<T>::value>> {
    static void write(packer &to, const std::array<T, N> &a)
    {
        for (const T &element : a)
            to.put(element);
    }
    static std::array<T, N> read(unpacker &from)
    {
        return read_all(from, std::make_index_sequence<N>());
    }

  private:
    template <std::size_t... I> static std::array<T, N> read_all(unpacker &from, std::index_sequence<I...>)
    {
        return {{(static_cast<void>(I), from.get<T>())...}};
    }
};

/* An order of keys that has data of its own does not travel, so it must be an empty class. */
template <class K, class V, class Less>
struct pack<std::map<K, V, Less>,
            std::enable_if_t<detail::passes<K>::value && detail::passes<V>::value && std::is_empty<Less>::value>> {
    static void write(packer &to, const std::map<K, V, Less> &m)
    {
        to.put(m.size());
        for (const auto &entry : m)
            to.put(entry.first, entry.second);
    }
    static std::map<K, V, Less> read(unpacker &from)
    {
        std::map<K, V, Less> m;
        for (std::size_t left = from.get<std::size_t>(); left > 0; left--) {
            K key = from.get<K>();
            m.emplace_hint(m.end(), std::move(key), from.get<V>());
        }
        return m;
    }
};

} // namespace uat

#endif

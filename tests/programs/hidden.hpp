/* SPDX-License-Identifier: MIT */
/* What the program `hidden` and its library share. Both are compiled with hidden visibility, so each of them has copies
 * of its own of these templates, of those of uat.hpp, and of their static members. */
#ifndef HIDDEN_HPP
#define HIDDEN_HPP

#include <climits>
#include <string>
#include <vector>

#include <uat.hpp>

struct line {
    std::string text;
    long number;
};

template <> struct uat::pack<line> {
    static void write(packer &to, const line &l)
    {
        to.put(l.text, l.number);
    }
    static line read(unpacker &from)
    {
        std::string text = from.get<std::string>();
        return {std::move(text), from.get<long>()};
    }
};

struct least {
    static long identity()
    {
        return LONG_MAX;
    }
    long operator()(long a, long b) const
    {
        return a < b ? a : b;
    }
};

/* An exception that does not travel: the join throws a uat::task_error. */
struct unknown : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/* The sum of first to first + count - 1, by tasks of the object that instantiates it. The reducers may be the other
 * object's. */
template <class T> T add(T first, T count, uat::reducer<T> sum, uat::reducer<T, least> smallest)
{
    if (count == 1) {
        *sum += first;
        *smallest = least()(*smallest, first);
        return first;
    }
    auto left = uat::spawn(add<T>, first, count / 2, sum, smallest);
    T right = add(first + count / 2, count - count / 2, sum, smallest);
    return left.join() + right;
}

/* Throw the exception of this number from a task. */
inline void fail(int kind)
{
    uat::spawn([kind] {
        if (kind == 0)
            throw std::out_of_range("range");
        if (kind == 1)
            throw uat::error(ENOMEM, "memory");
        throw unknown("unknown");
    }).join();
}

/* What the library exports. */
struct library {
    long (*add)(long first, long count, uat::reducer<long> sum, uat::reducer<long, least> smallest);
    void (*fail)(int kind);
    line (*lines)(std::vector<line> lines, std::string more);
    long (*found)(uat::mutex_ref m, uat::packed_ref<line> kept);
    void (*count_up)(long *counter);
};
extern "C" [[gnu::visibility("default")]] library hidden_library();

#endif

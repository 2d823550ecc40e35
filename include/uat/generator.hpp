// SPDX-License-Identifier: MIT
//
// Generators for C++17. The rules of uat/generator.h hold here, too.
//
//	uat::generator<int> count([](auto &give) {
//		for (int i = 0; i < 10; i++)
//			give(i);
//	});
//	for (int i : count)
//		std::printf("%d\n", i);
//
// Differences from C: a generator ends early if the user leaves the loop and the scope. The destructors of all objects
// on the generator's stack then run. If an exception leaves the body, the user's next() or ++ throws it again. The body
// must not give a value inside a catch block; with -DUAT_DEBUG this ends the job with a message. A catch (...) in the
// body must rethrow what it does not know: at an early end, give() throws an object of a type that only the library
// knows. If the body catches this object and gives another value, the job ends with a message. With -fno-exceptions a
// generator ends early as in C: the objects on its stack are not destroyed.
#ifndef UAT_GENERATOR_HPP
#define UAT_GENERATOR_HPP

#include <cstddef>
#include <cxxabi.h>
#include <exception>
#include <iterator>
#include <new>
#include <type_traits>
#include <utility>

#include "uat/detail/standard.hpp"
#include "generator.h"

namespace uat
{

// A generator of values of type T. The values are copied to the user, so T must be trivially copyable. The generator's
// stack has `Bytes` bytes and is inside the object. The default is 8192, because unwinding at an early end takes about
// 5 KiB (measured with gcc 12's libgcc).
template <class T, std::size_t Bytes = 8192> class generator
{
    static_assert(std::is_trivially_copyable<T>::value, "a value passes in a register, or is copied byte by byte");
    static_assert(Bytes % 16 == 0 && Bytes >= 6144, "the stack must have room for unwinding, and is aligned to 16");

    struct ended {
    }; // give() throws this in the body of a generator that ends early

  public:
    // The body calls this to give a value.
    class giver
    {
      public:
        void operator()(const T &value)
        {
            T copy = value;
#ifdef UAT_DEBUG
            if (caught() != self_->outside_)
                uat_end_by_exception("a generator has given a value inside a catch block",
                                     "the exception would stay in the task that uses the generator; give the value "
                                     "after the block");
#endif
            struct uat_generator *core =
                uat_generator_give(&self_->core_, reinterpret_cast<uint64_t *>(self_->stack_), &copy, sizeof(copy));
            self_ =
                reinterpret_cast<generator *>(reinterpret_cast<char *>(core) - __builtin_offsetof(generator, core_));
#if UAT_EXCEPTIONS
            if (__builtin_expect(self_->cancelled_, 0))
                throw ended();
#endif
        }

      private:
        friend class generator;
        explicit giver(generator *self) : self_(self)
        {
        }
        generator *self_;
    };

    class iterator
    {
      public:
        using iterator_category = std::input_iterator_tag;
        using value_type = T;
        using difference_type = std::ptrdiff_t;
        using pointer = const T *;
        using reference = const T &;

        iterator() = default;
        explicit iterator(generator *of) : of_(of)
        {
            ++*this;
        }
        const T &operator*() const
        {
            return value_;
        }
        const T *operator->() const
        {
            return &value_;
        }
        iterator &operator++()
        {
            if (!of_->next(value_))
                of_ = nullptr;
            return *this;
        }
        void operator++(int)
        {
            ++*this;
        }
        bool operator==(const iterator &other) const
        {
            return of_ == other.of_;
        }
        bool operator!=(const iterator &other) const
        {
            return of_ != other.of_;
        }

      private:
        generator *of_ = nullptr;
        T value_;
    };

    // body(give) must call give(value) for each value; give is a giver&. The constructor moves the body to the
    // generator's own stack.
    template <class Body> explicit generator(Body body, const char *name = "uat::generator")
    {
        static_assert(sizeof(Body) + 128 <= Bytes, "the body's captures must fit on the generator's stack");
        static_assert(alignof(Body) <= 16, "the stack is aligned to 16");
        std::size_t room = (sizeof(Body) + 15) / 16 * 16;
        body_ = ::new (static_cast<void *>(stack_ + sizeof(stack_) - room)) Body(std::move(body));
        uat_generator_begin(&core_, stack_, sizeof(stack_) - room, name, run<Body>);
        destroy_ = [](void *moved) { static_cast<Body *>(moved)->~Body(); };
    }
    generator(const generator &) = delete; // because its stack has pointers into itself
    generator &operator=(const generator &) = delete;

    ~generator()
    {
        if (UAT_EXCEPTIONS && begun_ && !done_)
            cancel();
        destroy_(body_);
    }

    // Get the next value. Returns false at the end.
    __attribute__((always_inline)) bool next(T &value)
    {
        begun_ = true;
#ifdef UAT_DEBUG
        outside_ = caught();
#endif
        if (__builtin_expect(!uat_generator_take(&core_, &value, sizeof(value)), 0)) {
            done_ = true;
            if (failure_)
                std::rethrow_exception(std::exchange(failure_, nullptr));
            return false;
        }
        return true;
    }

    iterator begin()
    {
        return iterator(this);
    }
    iterator end()
    {
        return iterator();
    }

  private:
    // The exception of the innermost catch block. It is the first member of __cxa_eh_globals in the Itanium C++ ABI.
    static void *caught()
    {
        return *reinterpret_cast<void **>(abi::__cxa_get_globals());
    }

    template <class Body> static void run(struct uat_generator *core)
    {
        generator *self =
            reinterpret_cast<generator *>(reinterpret_cast<char *>(core) - __builtin_offsetof(generator, core_));
        giver give(self);
#if UAT_EXCEPTIONS
        try {
            (*static_cast<Body *>(self->body_))(give);
        } catch (const ended &) {
        } catch (...) {
            self->failure_ = std::current_exception();
        }
#else
        (*static_cast<Body *>(self->body_))(give);
#endif
    }

    // Make give() throw, so that the body's frames are unwound. Returns when the body has returned. If the body gives
    // another value instead, the objects on its stack would never be destroyed.
    __attribute__((noinline)) void cancel()
    {
        uint64_t word = 0;
        cancelled_ = true;
        if (uat_generator_next_word(&core_, &word))
            uat_end_by_exception("a generator that ends early has caught the exception of its end, and has given "
                                 "another value",
                                 "a catch (...) in its body must rethrow by `throw;`");
    }

    alignas(16) char stack_[Bytes + UAT_RACES_STACK];
    struct uat_generator core_;
    std::exception_ptr failure_;
    void *body_;
    void (*destroy_)(void *body);
    void *outside_; // with UAT_DEBUG: what caught() was when the user asked for a value
    bool begun_ = false, done_ = false, cancelled_ = false;
};

} // namespace uat

#endif

/* SPDX-License-Identifier: MIT */
/* The parameters of data-flow tasks, and how such a task is spawned. Included by uat/dataflow.hpp. */
#ifndef UAT_DETAIL_DATAFLOW_HPP
#define UAT_DETAIL_DATAFLOW_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <utility>

#include "uat/dataflow.h"
#include "uat/detail/task.hpp"

namespace uat
{

namespace detail
{

/* A datum that is checked out while the object exists, that is, while the body runs. */
template <class T, enum uat_flow_mode Mode>
class flow_access {
    public : using value_type = T;
    static constexpr enum uat_flow_mode mode = Mode;

    flow_access(T * p) : datum_(p),
    place_(static_cast<T *>(uat_global_checkout(p, sizeof(T), access))){} flow_access(const flow_access &) = delete;
    flow_access & operator=(const flow_access &) = delete;
    ~flow_access(){uat_global_checkin(datum_, sizeof(T), access);}
T &operator*() const
{
    return *place_;
}
T *operator->() const
{
    return place_;
}

private:
static constexpr enum uat_access access = Mode == UAT_FLOW_IN    ? UAT_READ
                                          : Mode == UAT_FLOW_OUT ? UAT_WRITE
                                                                 : UAT_READ_WRITE;
T *datum_, *place_;
}; // namespace detail

/* A datum that only nested tasks access. */
template <class Access> class flow_below
{
  public:
    using value_type = typename Access::value_type;
    static constexpr enum uat_flow_mode mode = static_cast<enum uat_flow_mode>(Access::mode | UAT_FLOW_BELOW);

    flow_below(value_type *p) : datum_(p)
    {
    }
    value_type *get() const
    {
        return datum_;
    }

  private:
    value_type *datum_;
};

/* The argument for a flow_sum: the address of the datum, its guard, and room for the value that the body adds. */
template <class T> struct flow_sum_room {
    T *datum;
    std::uint64_t guard;
    alignas(T) unsigned char room[sizeof(T)];
};

/* A datum to which the body adds. */
template <class T> class flow_sum
{
  public:
    using value_type = T;
    static constexpr enum uat_flow_mode mode = UAT_FLOW_ADD;

    flow_sum(flow_sum_room<T> *room)
        : datum_(room->guard ? nullptr : room->datum),
          place_(static_cast<T *>(uat_flow_add_place(room->datum, room->guard, &room->room, sizeof(T))))
    {
    }
    flow_sum(const flow_sum &) = delete;
    flow_sum &operator=(const flow_sum &) = delete;
    ~flow_sum()
    {
        if (datum_)
            uat_global_checkin(datum_, sizeof(T), UAT_READ_WRITE);
    }
    T &operator*() const
    {
        return *place_;
    }
    T *operator->() const
    {
        return place_;
    }

  private:
    T *datum_, *place_;
};

/* Does a parameter of this type name a datum? */
template <class P> struct flow_parameter {
    static constexpr bool is_datum = false;
};
template <class T, enum uat_flow_mode Mode>
struct flow_parameter<flow_access<T, Mode>> {
    static constexpr bool is_datum = true; static constexpr bool is_fetched = Mode != UAT_FLOW_OUT;
};
template <class T> struct flow_parameter<flow_sum<T>> {
    static constexpr bool is_datum = true;
    static constexpr bool is_fetched = false;
};
template <class Access> struct flow_parameter<flow_below<Access>> {
    static constexpr bool is_datum = true;
    static constexpr bool is_fetched = false;
};

/* Begin to fetch an argument that is a datum. */
template <class P, class A> void flow_fetch(const A &arg)
{
    if constexpr (flow_parameter<P>::is_datum)
        if constexpr (flow_parameter<P>::is_fetched)
            uat_flow_fetch(arg, sizeof(typename P::value_type));
}

/* Append the access of an argument, if the argument is a datum. i: index of the argument and of its guard. */
template <class P, class A> void flow_append(uat_flow_access_t *access, std::size_t &n, const A &arg, std::size_t i)
{
    (void)i;
    if constexpr (flow_parameter<P>::is_datum) {
        using T = typename P::value_type;
        T *p = arg;
        access[n].p = const_cast<std::remove_const_t<T> *>(p);
        access[n].mode = P::mode;
        access[n].rows = 1;
        access[n].bytes = sizeof(T);
        access[n++].pitch = P::mode == UAT_FLOW_ADD ? i * sizeof(std::uint64_t) : 0;
    }
}

/* get(): the value that the body gets for an argument. add(): what follows the body. For a sum, it adds the task's
 * share to the datum. */
template <class P, class A> struct flow_argument {
    flow_argument(const A &a, std::uint64_t) : value(a)
    {
    }
    A get()
    {
        return value;
    }
    void add()
    {
    }
    A value;
};
template <class T, class A> struct flow_argument<flow_sum<T>, A> {
    flow_argument(const A &a, std::uint64_t guard)
    {
        room.datum = a;
        room.guard = guard;
    }
    flow_sum_room<T> *get()
    {
        return &room;
    }
    void add()
    {
        if (!room.guard)
            return;
        *static_cast<T *>(uat_flow_add_begin(room.datum, sizeof(T), room.guard)) += *reinterpret_cast<T *>(&room.room);
        uat_flow_add_end(room.datum, sizeof(T), room.guard);
    }
    flow_sum_room<T> room;
};

/* A call with guards[i] for argument i. */
template <std::size_t N, class Call> struct flow_guarded_call {
    std::uint64_t guards[N];
    Call call;
    void operator()()
    {
        call(guards);
    }
};
template <class P> struct flow_is_sum : std::false_type {
};
template <class T> struct flow_is_sum<flow_sum<T>> : std::true_type {
};

template <class... P> struct flow_spawner {
    static constexpr bool has_sums = (false || ... || flow_is_sum<P>::value);

    template <class F, class... A> static void spawn(uat_flow_t *flow, F f, A... args)
    {
        static_assert(sizeof...(P) == sizeof...(A),
                      "uat: the body of a data-flow task has another number of parameters");
        must_travel<F>();
        (must_travel<A>(), ...);
        if constexpr (has_sums) {
            auto inner = [f, args...](const std::uint64_t *guard) mutable {
                (flow_fetch<P>(args), ...);
                run(f, guard, std::index_sequence_for<P...>{}, args...);
            };
            start(flow, flow_guarded_call<sizeof...(P), decltype(inner)>{{}, inner}, args...);
        } else {
            auto call = [f, args...]() mutable {
                (flow_fetch<P>(args), ...);
                std::invoke(f, std::move(args)...);
            };
            start(flow, call, args...);
        }
    }

  private:
    template <class F, class... Argument> static void call(F &f, Argument &&...argument)
    {
        f(argument.get()...);
        (argument.add(), ...);
    }
    template <class F, std::size_t... I, class... A>
    static void run(F &f, const std::uint64_t *guard, std::index_sequence<I...>, const A &...args)
    {
        call(f, flow_argument<P, A>(args, guard[I])...);
    }

    template <class Call, class... A> static void start(uat_flow_t *flow, const Call &call, const A &...args)
    {
        static_assert(sizeof(Call) <= UAT_FLOW_ARGUMENT_MAX,
                      "uat: the arguments of a data-flow task are too large; put them into global memory");
        bool parted = false;
        if (!UAT_RACES_WATCHED && __builtin_expect(flow->ledger == 0, 1)) {
            UAT_FLOW_SPAWN(uat_spawn, flow, (body<Call, void>), &call, sizeof(call));
            if (__builtin_expect(flow->task.record == 0, 1))
                return;
            parted = true;
        }
        static_assert((0 + ... + (flow_parameter<P>::is_datum ? 1 : 0)) <= UAT_FLOW_ACCESSES,
                      "uat: a data-flow task has at most eight accesses");
        uat_flow_access_t access[UAT_FLOW_ACCESSES] = {};
        std::size_t n = 0, i = 0;
        (flow_append<P>(access, n, args, i++), ...);
        if (parted)
            uat_flow_parted(flow, access, n);
        else
            uat_flow_enter(flow, body<Call, void>, &call, sizeof(call), access, n);
    }
};

/* The types of a function's parameters. A reference to const is an access as its type is. */
template <class... P> struct flow_parameters : flow_spawner<std::remove_cv_t<std::remove_reference_t<P>>...> {
    static_assert((true && ... &&
                   (!std::is_lvalue_reference<P>::value || std::is_const<std::remove_reference_t<P>>::value)),
                  "uat: a parameter of a data-flow task must not be a reference to non-const, because the task gets a "
                  "copy of its argument; take the value, or uat::inout<T>");
};
template <class F> struct flow_signature : flow_signature<decltype(&F::operator())> {
};
template <class R, class... P> struct flow_signature<R (*)(P...)> : flow_parameters<P...> {
};
template <class R, class... P> struct flow_signature<R (*)(P...) noexcept> : flow_parameters<P...> {
};
template <class C, class R, class... P> struct flow_signature<R (C::*)(P...)> : flow_parameters<P...> {
};
template <class C, class R, class... P> struct flow_signature<R (C::*)(P...) const> : flow_parameters<P...> {
};
template <class C, class R, class... P> struct flow_signature<R (C::*)(P...) noexcept> : flow_parameters<P...> {
};
template <class C, class R, class... P> struct flow_signature<R (C::*)(P...) const noexcept> : flow_parameters<P...> {
};

} // namespace uat

} // namespace uat

#endif

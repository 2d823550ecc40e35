/* SPDX-License-Identifier: MIT */
/*
 * Description: arguments and results of tasks that are packed arrive whole: strings of all lengths, nested containers
 * and a type of the program, by every way to start a task. Each global object that a packed result needs is freed, also
 * if tasks throw and results are dropped: the test makes more of them than UAT_GLOBAL_SIZE has room for. A read() that
 * does not fit its write() is found. A result for which there is no room throws. With the argument "kept", a task
 * breaks the rule: it keeps a string across a wait. With "values", no task throws.
 */
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <uat.hpp>

struct person {
    std::string name;
    std::vector<std::pair<std::string, long>> scores;
};
template <> struct uat::pack<person> {
    static void write(packer &to, const person &p)
    {
        to.put(p.name, p.scores);
    }
    static person read(unpacker &from)
    {
        return {from.get<std::string>(), from.get<std::vector<std::pair<std::string, long>>>()};
    }
};

/* Reads `more` numbers more than it writes. */
template <int More> struct uneven {
    std::string text;
};
template <int More> struct uat::pack<uneven<More>> {
    static void write(packer &to, const uneven<More> &u)
    {
        to.put(u.text, 1L);
    }
    static uneven<More> read(unpacker &from)
    {
        uneven<More> u{from.get<std::string>()};
        for (int i = 0; i < 1 + More; i++)
            from.get<long>();
        return u;
    }
};

static void check(bool right, const char *what)
{
    if (!right)
        throw std::logic_error(what);
}

static std::string text_of(std::size_t length)
{
    std::string text(length, ' ');
    for (std::size_t i = 0; i < length; i++)
        text[i] = static_cast<char>('a' + (i * 7 + length) % 26);
    return text;
}

static void nothing()
{
}

/* A task that takes a string, and may move to another worker before it makes its result. */
static std::string twice(std::string text)
{
    std::size_t length = text.size();
    check(text == text_of(length), "an argument");
    std::string().swap(text);
    uat::spawn(nothing).join();
    return text_of(length) + text_of(length);
}

static bool is_twice(const std::string &text, std::size_t length)
{
    return text == text_of(length) + text_of(length);
}

/* 104 characters are the longest result without an object. 2000 are more than UAT_RESULT_MAX. */
static constexpr std::size_t lengths[] = {0, 1, 15, 52, 53, 104, 105, 2000, 20000};

static void strings()
{
    for (std::size_t n : lengths) {
        auto first = uat::spawn(twice, text_of(n));
        auto second = uat::spawn_on(uat_size() - 1, twice, text_of(n + 1));
        auto none = uat::spawn([](const std::string &text) { check(text.empty(), "no text"); }, std::string());
        check(is_twice(second.join(), n + 1), "spawn_on()");
        none.join();
        check(is_twice(first.join(), n), "spawn()");
    }
}

using tree = std::map<std::string, std::vector<std::vector<int>>>;
using mixed =
    std::tuple<std::array<std::string, 2>, std::optional<std::string>, std::optional<person>, std::vector<bool>, char>;

static tree grow(tree t, mixed m, person p)
{
    check(t.size() == 2 && t["one"].empty() && t["two"] == std::vector<std::vector<int>>{{}, {1, 2, 3}}, "a map");
    check(std::get<0>(m)[1] == text_of(50) && std::get<1>(m) == std::nullopt && std::get<2>(m)->scores[1].second == 9 &&
              std::get<3>(m) == std::vector<bool>{true, false, true} && std::get<4>(m) == 'x',
          "a tuple");
    check(p.name == text_of(300) && p.scores.size() == 2 && p.scores[0].first.empty(), "a person");
    t["three"].resize(40, std::vector<int>(30, 7));
    return t;
}

static void containers()
{
    person p{text_of(300), {{"", 5}, {text_of(40), 9}}};
    tree t{{"one", {}}, {"two", {{}, {1, 2, 3}}}};
    mixed m{{"", text_of(50)}, std::nullopt, p, {true, false, true}, 'x'};
    auto child = uat::spawn(grow, std::move(t), std::move(m), std::move(p)); /* all three now own nothing */
    t = child.join();
    check(t.size() == 3 && t["three"].size() == 40 && t["three"][39] == std::vector<int>(30, 7), "the result");
}

/* A packed value goes to another task. */
static void handed()
{
    uat::future<uat::packed_ref<std::string>> future;
    auto child = uat::spawn([future = future.ref()] { future.set(uat::packed(text_of(700)).detach()); });
    uat::packed text(future.get());
    child.join();
    check(text.get() == text_of(700) && text.size() == 708, "a packed value");
}

/* The upper half waits in packed form while this task spawns. */
static std::vector<long> sorted(std::vector<long> v)
{
    if (v.size() < 20) {
        std::sort(v.begin(), v.end());
        return v;
    }
    auto middle = v.begin() + static_cast<long>(v.size() / 2);
    uat::packed upper(std::vector<long>(middle, v.end()));
    v.resize(v.size() / 2);
    auto child = uat::spawn(sorted, std::move(v));
    std::vector<long>().swap(v);
    uat::packed above(sorted(upper.get()));
    upper.destroy(); /* before the end of its scope */
    std::vector<long> low = child.join(), high = above.get();
    std::vector<long> all(low.size() + high.size());
    std::merge(low.begin(), low.end(), high.begin(), high.end(), all.begin());
    return all;
}

static void sorts()
{
    std::vector<long> v(150);
    for (std::size_t i = 0; i < v.size(); i++)
        v[i] = static_cast<long>(i * 337 % v.size());
    v = sorted(std::move(v));
    for (std::size_t i = 0; i < v.size(); i++)
        check(v[i] == static_cast<long>(i), "the sort");
}

static void groups()
{
    uat::result_group<std::string, 6> results;
    for (int round = 0; round < 3; round++) {
        for (std::size_t i = 0; i < 3; i++) {
            results.run(twice, text_of(100 * i));
            results.run_on(static_cast<int>(i) % uat_size(), twice, text_of(100 * i + 1));
        }
        std::size_t i = 0;
        for (std::string text : results.wait()) {
            check(is_twice(text, 100 * (i / 2) + i % 2), "result_group");
            i++;
        }
        check(i == 6, "the number of results");
        uat::spawn(nothing).join(); /* the results stay, on whichever worker the task is now */
        check(is_twice(results[4], 200) && is_twice(results[5], 201), "a result after a spawn");
    }
    uat::task_group group;
    uat::cancel_token token = group.cancellation();
    for (std::size_t i = 0; i < 4; i++) {
        group.run([](std::string text, std::size_t n) { check(text == text_of(n), "task_group"); }, text_of(900 * i),
                  900 * i);
        group.run_on(static_cast<int>(i) % uat_size(), twice, text_of(i));
    }
    token.cancel();
    group.run([](std::string) { check(false, "a cancelled group starts no task"); }, text_of(5000));
    group.wait();
}

static void invokes()
{
    auto [a, b, c, d] = uat::parallel_invoke([] { return twice(text_of(3)); }, [] { return 5; },
                                             [] { return twice(text_of(800)); }, [] { return twice(text_of(900)); });
    check(is_twice(a, 3) && b == 5 && is_twice(c, 800) && is_twice(d, 900), "parallel_invoke()");
}

template <class E, class F> void must_throw(F f, const char *what)
{
    std::string said;
    bool thrown = false;
    try {
        f();
    } catch (const E &e) {
        thrown = true;
        said = e.what();
    }
    check(thrown && said.find(what) != std::string::npos, what);
}

static std::string fails(std::string text)
{
    uat::spawn(nothing).join();
    throw std::out_of_range("failed with " + std::to_string(text.size()));
}

/* Results of 60 kB that are dropped. With UAT_GLOBAL_SIZE=1m a worker has room for some 15. */
static void drops()
{
    auto large = [] { return text_of(60000); };
    uat::result_group<std::string, 1> again; /* each run() frees the result before */
    for (int i = 0; i < 25; i++) {
        {
            auto dropped = uat::spawn(large);
        }
        must_throw<std::out_of_range>(
            [&] {
                auto unwound = uat::spawn(large);
                auto failed = uat::spawn(fails, std::string());
                failed.join();
            },
            "failed with 0");
        must_throw<std::out_of_range>(
            [&] {
                uat::result_group<std::string, 3> group;
                group.run(large);
                group.run(fails, std::string());
                group.run(large);
                group.wait();
            },
            "failed with 0");
        must_throw<std::out_of_range>(
            [&] {
                uat::parallel_invoke(
                    large, [] { return fails(std::string()); }, large);
            },
            "failed with 0");
        must_throw<std::out_of_range>([&] { uat::parallel_invoke([] { return fails(std::string()); }, large, large); },
                                      "failed with 0");
        check(uat::spawn(large).join().size() == 60000, "a large result");
        again.run(large);
        check(again.wait()[0].size() == 60000, "a group filled anew");
    }
}

static void uneven_packs()
{
    must_throw<std::length_error>([] { uat::spawn([](uneven<1>) {}, uneven<1>{"x"}).join(); }, "reads more");
    must_throw<std::length_error>([] { uat::spawn([](uneven<-1>) {}, uneven<-1>{"x"}).join(); }, "reads fewer");
    must_throw<std::length_error>([] { uat::spawn([] { return uneven<1>{text_of(999)}; }).join(); }, "reads more");
    must_throw<std::length_error>([] { uat::spawn([] { return uneven<-1>{text_of(99)}; }).join(); }, "reads fewer");
    must_throw<uat::error>([] { uat::spawn([] { return text_of(3000000); }).join(); }, "the result of a task");
    must_throw<uat::error>([] { uat::packed<std::string> none(text_of(3000000)); }, "uat::packed");
}

static int keeps()
{
    std::string text = text_of(100000);
    asm volatile("" : : "r"(text.data()) : "memory"); /* the compiler must not leave the string out */
    uat::migrate(1);
    return text[99999];
}

int main(int argc, char **argv)
{
    uat::job job;
    bool throws = argc == 1;
    if (!throws && std::strcmp(argv[1], "kept") == 0)
        return uat::run(keeps) == 0;
    std::string text = uat::run(
        [throws](std::string first, long n) {
            check(first == text_of(5000), "an argument of run()");
            std::string().swap(first);
            strings();
            containers();
            handed();
            sorts();
            groups();
            invokes();
            if (throws) {
                drops();
                uneven_packs();
            }
            return text_of(5000) + text_of(static_cast<std::size_t>(n));
        },
        text_of(5000), 3000L);
    check(text == text_of(5000) + text_of(3000), "the result of run()");
    check(uat::run([] { return std::string("short"); }) == "short", "a short result of run()");
    return job.finish() != 0;
}

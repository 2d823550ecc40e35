/* SPDX-License-Identifier: MIT */
/* Description: C++ programs with one fault each; the race detector reports each once, with both places. */
#include "tests/races/faults.h"

#include <pthread.h>
#include <semaphore.h>

#include <functional>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include <uat.hpp>
#include <uat/dataflow.hpp>

static APART long length(const char *text)
{
    return long(*const_cast<const volatile char *>(text));
}
static long spawn_and_join()
{
    auto child = uat::spawn([] { return 1L; });
    return child.join();
}

static void captured()
{
    uat::run([g = good] {
        long sum = 0;
        uat::task_group group;
        if (g)
            group.run([p = word] { put(p, 1); });
        else
            group.run([&sum] { put(&sum, 1); });
        group.wait();
    });
}

/* A sum in the loop's own frame, by reference. */
static void by_reference()
{
    uat::run([g = good] {
        long sum = 0;
        if (g)
            sum = uat::parallel_reduce(0, 8, 0L, std::plus<long>(), [](long i) { return i; });
        else
            uat::parallel_for(0, 8, [&sum](long i) { put(&sum, i); });
        put(word, sum);
    });
}

struct account {
    long total = 0;
    void add()
    {
        uat::spawn([this] { put(&total, 1); }).join();
    }
};
static void member()
{
    uat::run([g = good] {
        account mine, *global = new (word) account;
        (g ? global : &mine)->add();
    });
}

static void captured_pointer()
{
    uat::run([g = good] {
        auto values = g ? nullptr : std::make_unique<long>(1);
        auto child = uat::spawn([p = g ? word : values.get()] { look(p); });
        child.join();
        values.release();
    });
}

static APART void grow(std::vector<long> &v)
{
    v.push_back(1);
}
static APART long last(const std::vector<long> &v)
{
    return v.back();
}
static std::vector<long> found(8);
static void global_vector()
{
    uat::run([g = good] {
        auto child = uat::spawn([g] { put(g ? word : &found.back(), 1); });
        child.join();
        put(word + 1, last(found));
    });
}

static void vector()
{
    uat::run([g = good] {
        std::vector<long> v;
        v.reserve(2);
        grow(v);
        if (g)
            std::vector<long>().swap(v);
        spawn_and_join();
        if (!g) {
            put(word, last(v));
            new (&v) std::vector<long>(); /* the report is about the read alone */
        }
    });
}

/* libstdc++ allocates the characters. */
static void string()
{
    uat::run([g = good] {
        auto *text = new std::string(g ? 1 : 200, 'x'); /* not deleted, so the report is about the child alone */
        auto child = uat::spawn([p = g ? reinterpret_cast<char *>(word) : text->c_str()] { return length(p); });
        put(word + 1, child.join());
    });
}

static void group()
{
    uat::run([g = good] {
        uat::task_group group;
        group.run([] { put(word, 1); });
        if (g)
            group.wait();
        group.run([] { other_put(word, 2); });
        group.wait();
    });
}

static void loop()
{
    uat::run([g = good] { uat::parallel_for(0, 64, [g](long i) { put(word + (!g && i == 7 ? 6 : i), i); }); });
}

struct maker {
    long *&block;
    ~maker()
    {
        block = new long(1);
    }
};

/* The join of a child that has thrown orders its accesses, too. */
static void thrown()
{
    uat::run([g = good] {
        auto child = uat::spawn([] {
            put(word, 1);
            throw std::runtime_error("thrown");
        });
        if (!g)
            other_put(word, 2);
        long *block = nullptr;
        try {
            uat::task_group unwound; /* its destructor's wait does not move the task, so the block stays its own */
            unwound.run([] {});
            maker last{block};
            child.join();
        } catch (const std::runtime_error &e) {
            put(word + 1, length(e.what()) + *block);
            delete block;
        }
        if (g)
            other_put(word, 2);
    });
}

struct table_of_squares {
    std::vector<long> squares;
    table_of_squares() : squares(16)
    {
        for (long i = 0; i < 16; i++)
            squares[size_t(i)] = i * i;
    }
};
static long written;
/* Each process initializes a static variable of a function for itself. */
static void initialized()
{
    uat::run([g = good] {
        static const table_of_squares table;
        if (!g)
            put(&written, 1);
        spawn_and_join();
        look(&table.squares[3]);
        look(&written);
    });
}

/* A variable that another thread initializes hides no access of a task. */
static sem_t initializing, examined;
static APART long wait_for_task()
{
    sem_post(&initializing);
    sem_wait(&examined);
    return 1;
}
static void *initialize(void *)
{
    static const long value = wait_for_task();
    look(&value);
    return nullptr;
}
static void other_thread()
{
    pthread_t thread;
    if (sem_init(&initializing, 0, 0) || sem_init(&examined, 0, 0) ||
        pthread_create(&thread, nullptr, initialize, nullptr))
        throw std::runtime_error("no thread");
    sem_wait(&initializing);
    uat::run([g = good] {
        if (!g)
            put(&written, 1);
        spawn_and_join();
        look(&written);
    });
    sem_post(&examined);
    pthread_join(thread, nullptr);
}

/* A run that a destructor starts while main() unwinds. */
struct runs_at_end {
    ~runs_at_end()
    {
        uat::run([g = good] {
            if (!g)
                put(&written, 1);
            spawn_and_join();
            look(&written);
        });
    }
};
static void unwinding()
{
    try {
        runs_at_end end;
        throw std::runtime_error("thrown");
    } catch (const std::runtime_error &) {
    }
}

static void latch()
{
    uat::run([g = good] {
        uat::latch done(1);
        uat::task_group group;
        group.run([=, done = done.ref()] {
            if (g)
                put(word, 1);
            done.count_down();
            if (!g)
                put(word, 1);
        });
        done.wait();
        look(word);
        group.wait();
    });
}

/* Two flows that are open at once do not know each other's tasks. The library itself accesses the sum. */
static void add_once(uat::flow &f)
{
    f.spawn([](uat::add<long> total) { put(&*total, 1); }, word);
}
static void flows()
{
    uat::run([g = good] {
        uat::task_group group;
        uat::flow both;
        for (int i = 0; i < 2; i++)
            if (g)
                add_once(both);
            else
                group.run([] {
                    uat::flow f;
                    add_once(f);
                });
        group.wait();
    });
}

/* Two tasks add to a datum, a third one writes it. A fourth one reads it, and names it or not. */
static void sum()
{
    uat::run([g = good] {
        uat::flow f;
        for (int i = 0; i < 2; i++)
            f.spawn([](uat::add<long> total) { *total += 1; }, word);
        f.spawn([](uat::inout<long> total) { put(&*total, 1); }, word);
        if (g)
            f.spawn([](uat::in<long> total) { look(&*total); }, word);
        else
            f.spawn([](uat::in<long>, const long *total) { look(total); }, word + 1, word);
    });
}

static const struct fault table[] = {
    {"captured", captured, "STACK", "put", "captured"},
    {"by_reference", by_reference, "STACK", "put", "by_reference"},
    {"member", member, "STACK", "put", "member"},
    {"captured_pointer", captured_pointer, "PRIVATE", "look", "operator"},
    {"vector", vector, "PRIVATE", "last", "operator"},
    {"global_vector", global_vector, "PRIVATE", "last", "put"},
    {"string", string, "PRIVATE", "length", "code"},
    {"group", group, "RACE", "other_put", "put"},
    {"loop", loop, "RACE", "put", "put"},
    {"thrown", thrown, "RACE", "other_put", "put"},
    {"initialized", initialized, "PRIVATE", "look", "put"},
    {"other_thread", other_thread, "PRIVATE", "look", "put"},
    {"unwinding", unwinding, "PRIVATE", "look", "put"},
    {"latch", latch, "RACE", "look", "put"},
    {"flows", flows, "RACE", "detail", "detail"},
    {"sum", sum, "RACE", "look", "put"},
};

int main(int argc, char **argv)
{
    return faults_main(argc, argv, table, sizeof(table) / sizeof(table[0]));
}

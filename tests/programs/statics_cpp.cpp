// SPDX-License-Identifier: MIT
// Description: like statics.c, but in C++: tasks that write to std::cout's state, which the loader has put into the
// program, may do so, and tasks may throw. Tasks that write to a static member or run the initialiser of a static local
// variable may not. usage: statics_cpp stream|throw|member|local
#include <cstring>
#include <iostream>
#include <stdexcept>

#include "include/uat.hpp"

namespace
{
struct table {
    static int entries;
};
int table::entries = 1;

int local()
{
    static const int first = uat_rank();
    return first;
}

int write_one(const char *what)
{
    if (std::strcmp(what, "stream") == 0)
        std::cout.width(std::cout.width() + 1);
    else if (std::strcmp(what, "throw") == 0)
        throw std::runtime_error("thrown by a task");
    else if (std::strcmp(what, "member") == 0)
        table::entries++;
    else
        return local() >= 0;
    return 1;
}
} // namespace

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "stream";
    if (uat_init())
        return 1;
    int answer = uat::run([what] {
        try {
            return uat::spawn(write_one, what).join();
        } catch (const std::runtime_error &) {
            return 1;
        }
    });
    return uat_finalize() || answer != 1;
}

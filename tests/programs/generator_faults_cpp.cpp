/* SPDX-License-Identifier: MIT */
/* Description: C++ generators that catch the exception of their end, or give a value inside a catch block. usage:
 * generator-faults-cpp [catch | swallow]; without a word the generators keep the rules, and all objects are destroyed
 */
#define UAT_DEBUG
#include <stdexcept>
#include <string>

#include <uat.hpp>

namespace
{

struct guard {
    int *destroyed;
    ~guard()
    {
        ++*destroyed;
    }
};

int count(const std::string &what)
{
    int destroyed = 0;
    try {
        uat::generator<int> g([&](auto &give) {
            guard x{&destroyed};
            for (int i = 0; i < 10; i++)
                try {
                    if (what == "catch")
                        throw i;
                    give(i);
                } catch (int) {
                    give(i);
                } catch (...) {
                    if (what != "swallow")
                        throw;
                }
        });
        for (int i : g)
            if (i == 3)
                throw std::runtime_error("the user ends the loop");
    } catch (const std::runtime_error &) {
        uat::generator<int> inside([&](auto &give) { /* its user is in a catch block, and the body is not */
                                                     guard x{&destroyed};
                                                     give(1);
                                                     give(2);
        });
        for (int i : inside)
            if (i == 2)
                return destroyed;
    }
    return 0;
}

} // namespace

int main(int argc, char **argv)
{
    return count(argc > 1 ? argv[1] : "") != 1;
}

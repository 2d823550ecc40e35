/* SPDX-License-Identifier: MIT */
/* Description: each mistake with adaptive requests ends the job with a message. usage: adaptive-misuse MISTAKE */
#include <cstdio>
#include <cstring>
#include <stdexcept>

#include "tests/security/spoil.h"
#include "uat.hpp"
#include "uat/adaptive.h"
#include "uat/reducer.h"

namespace
{

UAT_REDUCER(long, hits, 0, UAT_PLUS)

bool is(const void *arg, const char *mistake)
{
    return std::strcmp(static_cast<const char *>(arg), mistake) == 0;
}

/* Counts the iterations, and makes the mistake `arg` if it is one of a body. */
void count(uat_context_t *c, const void *arg, void *result)
{
    std::int64_t begin, end;
    long sum = 0, more;
    if (is(arg, "part"))
        spoil_part(c);
    if (is(arg, "early"))
        uat_context_merge(c, &more);
    while (uat_context_next(c, 1, &begin, &end)) {
        uat_sim_work(5000);
        sum++;
        if (c->is_part && is(arg, "reducer"))
            ++*hits_view();
        if (c->is_part && is(arg, "exception"))
            throw std::runtime_error("of a part");
    }
    while (uat_context_merge(c, &more))
        sum += more;
    *static_cast<long *>(result) = sum;
}

/* Posts a request. If `run` is true, waits for a part and runs it. Otherwise leaves the request open. Returns 0 if all
 * tries fail. */
int ask(int victim, bool run)
{
    for (int i = 0; i < 50; i++) {
        if (uat_request_post(victim, nullptr, 0) == 0 && (!run || uat_request_wait() == 0)) {
            if (run)
                uat_request_run();
            return 1;
        }
        uat_sim_work(3000);
    }
    return 0;
}

struct mistake {
    char name[16];
};

long root(mistake m)
{
    uat_adaptive_t a = {};
    char *arg = m.name;
    long sum = 0;
    bool run = is(arg, "given");
    bool asks = is(arg, "open") || is(arg, "given");
    if (run)
        std::strcpy(arg, "reducer");
    a.fn = count;
    a.mode = asks ? UAT_COOPERATIVE : UAT_CONCURRENT;
    a.arg_size = sizeof(m);
    a.result_size = sizeof(long);
    std::int64_t most = is(arg, "count") ? INT64_MAX : 1000;
    int home = uat_rank();
    auto child = uat::spawn_on((home + 1) % uat_size(), [asks, home, run] { return asks ? ask(home, run) : 0; });
    if (!run)
        child.join();
    uat_adaptive_run(&a, nullptr, is(arg, "count") ? -1 : 0, most, arg, &sum);
    if (run)
        child.join();
    return sum;
}

} // namespace

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    uat::job job;
    mistake m = {};
    std::strncpy(m.name, argv[1], sizeof(m.name) - 1);
    std::printf("%ld\n", uat::run(root, m));
    return 0;
}

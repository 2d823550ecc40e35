/* SPDX-License-Identifier: MIT */
#include "examples/small/buffer.hpp"

#include "uat.hpp"

using namespace buffer;

static uat::reducer<double> sum;

static double transport()
{
    uat::channel<uint64_t> items(capacity);
    uat::latch open(producers);
    uat::task_group group;

    for (int k = 0; k < producers; k++)
        group.run([=, items = items.ref(), open = open.ref()] {
            for (int64_t i = k; i < n; i += producers)
                items.send(produce(i));
            open.count_down();
        });
    for (int k = 0; k < consumers; k++)
        group.run([items = items.ref()] {
            for (uint64_t item : items)
                *sum += consume(item);
        });
    open.wait();
    items.close();
    group.wait();
    return sum.take();
}

int main(int argc, char **argv)
{
    uat::job job;
    return small::compare(
        argc, argv, uat_rank(), "buffer", [] { return uat::run(transport); }, plain);
}

/* SPDX-License-Identifier: MIT */
#include "examples/small/buffer.hpp"

#include "uat.hpp"

using namespace buffer;

static double transport()
{
    uat::channel<uint64_t> items(capacity);
    uat::channel<double> sums(consumers);
    uat::latch open(producers);
    uat::task_group group;
    double sum = 0;

    for (int k = 0; k < producers; k++)
        group.run([=] {
            for (int64_t i = k; i < n; i += producers)
                items.send(produce(i));
            open.count_down();
        });
    for (int k = 0; k < consumers; k++)
        group.run([=] {
            double part = 0;
            for (uint64_t item : items)
                part += consume(item);
            sums.send(part);
        });
    open.wait();
    items.close();
    group.wait();
    sums.close();
    for (double part : sums)
        sum += part;
    items.destroy();
    sums.destroy();
    open.destroy();
    return sum;
}

int main(int argc, char **argv)
{
    uat::job job;
    return small::compare(
        argc, argv, uat_rank(), "buffer", [] { return uat::run(transport); }, plain);
}

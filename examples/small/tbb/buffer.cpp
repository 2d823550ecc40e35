/* SPDX-License-Identifier: MIT */
/* A pipeline with a bounded number of items. A task that blocked on a queue would block its thread. */
#include "examples/small/buffer.hpp"

#include "examples/small/tbb/tbb.hpp"

using namespace buffer;

static double transport()
{
    int64_t next = 0;
    double sum = 0;

    tbb::parallel_pipeline(
        capacity,
        tbb::make_filter<void, int64_t>(tbb::filter_mode::serial_in_order, [&](tbb::flow_control &control) {
            if (next == n)
                control.stop();
            return next++;
        }) & tbb::make_filter<int64_t, uint64_t>(tbb::filter_mode::parallel, [](int64_t i) {
            return produce(i);
        }) & tbb::make_filter<uint64_t, double>(tbb::filter_mode::parallel, [](uint64_t x) {
            return consume(x);
        }) & tbb::make_filter<double, void>(tbb::filter_mode::serial_out_of_order, [&](double part) { sum += part; }));
    return sum;
}

int main(int argc, char **argv)
{
    workers limit;
    return small::compare(argc, argv, 0, "buffer", transport, plain);
}

/* SPDX-License-Identifier: MIT */
/* One task per row of blocks. Before each block, the task waits for the latch of the block above. */
#include "examples/small/wavefront.hpp"

#include "uat.hpp"

using namespace wavefront;

static void fill_block(uat::span<int32_t> table, int64_t y, int64_t x)
{
    for (int64_t row = 1 + y * edge, column = 1 + x * edge; row <= (y + 1) * edge; row++) {
        auto above = table.subspan(size_t((row - 1) * pitch + column - 1), edge + 1).read();
        int32_t left = table.get(size_t(row * pitch + column - 1)); /* the row below may be reading this entry, too */
        auto line = table.subspan(size_t(row * pitch + column), edge).write();
        fill_line(row, column, above.data() + 1, left, line.data());
    }
}

static double fill_all(uat::span<int32_t> table, uat::span<uat::latch_ref> done)
{
    uat::tabulate(done, [](size_t) { return uat::latch(1).detach(); });
    uat::task_group rows;
    for (int64_t y = 0; y < blocks; y++)
        rows.run([=] {
            for (int64_t x = 0; x < blocks; x++) {
                if (y > 0)
                    done.get(size_t((y - 1) * blocks + x)).wait();
                fill_block(table, y, x);
                done.get(size_t(y * blocks + x)).count_down();
            }
        });
    rows.wait();
    uat::for_each(uat::span<const uat::latch_ref>(done), [](uat::latch_ref l) { l.destroy(); });
    return table.get(pitch * pitch - 1);
}

int main(int argc, char **argv)
{
    uat::job job;
    uat::global_vector<int32_t> table(pitch * pitch);
    uat::global_vector<uat::latch_ref> done(blocks * blocks);
    auto parallel = [t = table.span(), d = done.span()] { return uat::run(fill_all, t, d); };
    return small::compare(argc, argv, uat_rank(), "wavefront", parallel, plain);
}

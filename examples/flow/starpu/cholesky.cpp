/* SPDX-License-Identifier: MIT */
/* The loops of the sequential program, with StarPU's handles. The environment variable STARPU_NCPU sets the number of
 * workers. */
#include <starpu.h>

#include "examples/flow/cholesky.hpp"

using cholesky::problem;

static tile *of(void *buffer)
{
    return reinterpret_cast<tile *>(STARPU_VARIABLE_GET_PTR(buffer));
}

static void potrf(void **b, void *)
{
    tile_potrf(of(b[0]));
}

static void trsm(void **b, void *)
{
    tile_trsm(of(b[0]), of(b[1]));
}

static void syrk(void **b, void *)
{
    tile_syrk(of(b[0]), of(b[1]));
}

static void gemm(void **b, void *)
{
    tile_gemm(of(b[0]), of(b[1]), of(b[2]));
}

static starpu_codelet codelet(starpu_cpu_func_t f, int buffers)
{
    starpu_codelet c;
    starpu_codelet_init(&c);
    c.cpu_funcs[0] = f;
    c.nbuffers = buffers;
    c.modes[0] = c.modes[1] = STARPU_R;
    c.modes[buffers - 1] = STARPU_RW;
    return c;
}

static starpu_codelet potrf_codelet = codelet(potrf, 1), trsm_codelet = codelet(trsm, 2),
                      syrk_codelet = codelet(syrk, 2), gemm_codelet = codelet(gemm, 3);

static void factor(problem p, tile *t)
{
    std::vector<starpu_data_handle_t> handles(p.elements());
    auto at = [&](std::int64_t i, std::int64_t j) { return handles[std::size_t(i * p.n + j)]; };
    for (std::size_t i = 0; i < handles.size(); i++)
        starpu_variable_data_register(&handles[i], STARPU_MAIN_RAM, reinterpret_cast<uintptr_t>(t + i), sizeof(tile));
    for (std::int64_t k = 0; k < p.n; k++) {
        starpu_task_insert(&potrf_codelet, STARPU_RW, at(k, k), 0);
        for (std::int64_t i = k + 1; i < p.n; i++)
            starpu_task_insert(&trsm_codelet, STARPU_R, at(k, k), STARPU_RW, at(i, k), 0);
        for (std::int64_t i = k + 1; i < p.n; i++) {
            for (std::int64_t j = k + 1; j < i; j++)
                starpu_task_insert(&gemm_codelet, STARPU_R, at(i, k), STARPU_R, at(j, k), STARPU_RW, at(i, j), 0);
            starpu_task_insert(&syrk_codelet, STARPU_R, at(i, k), STARPU_RW, at(i, i), 0);
        }
    }
    for (starpu_data_handle_t handle : handles)
        starpu_data_unregister(handle); /* waits for the tasks that use the handle */
}

int main(int argc, char **argv)
{
    tile_alone();
    if (starpu_init(nullptr) != 0) {
        std::fprintf(stderr, "cholesky: StarPU cannot start\n");
        return 1;
    }
    int status = flow::compare<problem>(argc, argv, factor);
    starpu_shutdown();
    return status;
}

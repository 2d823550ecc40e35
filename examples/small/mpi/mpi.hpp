/* SPDX-License-Identifier: MIT */
/* The common part of the small programs with MPI: start and end, and the share of each rank. */
#ifndef UAT_SMALL_MPI_HPP
#define UAT_SMALL_MPI_HPP

#include <cstdint>
#include <mpi.h>
#include <vector>

struct job {
    int rank, size;

    job()
    {
        MPI_Init(nullptr, nullptr);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
    }
    ~job()
    {
        MPI_Finalize();
    }
    /* The first of a rank's share of n indices. The share ends where the next rank's share begins. */
    int64_t first(int64_t n, int of) const
    {
        return n * of / size;
    }
    int64_t begin(int64_t n) const
    {
        return first(n, rank);
    }
    int64_t end(int64_t n) const
    {
        return first(n, rank + 1);
    }
    double sum(double own) const
    {
        double all;
        MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        return all;
    }
    /* Every rank must have set its share of the vector. Afterwards all ranks have the whole vector. */
    template <class T> void gather(std::vector<T> &v) const
    {
        std::vector<int> bytes, at;
        for (int r = 0; r < size; r++) {
            at.push_back(int(first(int64_t(v.size()), r) * int64_t(sizeof(T))));
            bytes.push_back(int(first(int64_t(v.size()), r + 1) * int64_t(sizeof(T))) - at.back());
        }
        MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_BYTE, v.data(), bytes.data(), at.data(), MPI_BYTE, MPI_COMM_WORLD);
    }
};

#endif

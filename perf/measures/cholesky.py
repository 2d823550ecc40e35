# SPDX-License-Identifier: MIT
"""Tiled Cholesky in virtual time by data-flow tasks, fork and join, latches, or nested flows: time, ratio to a bound.

    perf/measure cholesky [--tiles 32] [--workers 16,64,256] [--gemm 420000,52000] [--ways 0,1,2,3] [--build build]

The bound is the time of a greedy list schedule of the same tasks. In this schedule, spawns, look-ups and transfers take
no time. An idle worker takes the first task in program order whose predecessors have ended. Virtual time does not
depend on the machine's load.
"""
import heapq

import runs

WAYS = {0: "data flow", 1: "fork-join", 2: "latches", 3: "nested flows"}  # of -m


def tasks_of(tiles):
    """The tasks in program order: (time in sixths of a gemm, tiles read, tile updated)."""
    for k in range(tiles):
        yield 1, [], (k, k)
        for i in range(k + 1, tiles):
            yield 3, [(k, k)], (i, k)
        for i in range(k + 1, tiles):
            for j in range(k + 1, i):
                yield 6, [(i, k), (j, k)], (i, j)
            yield 3, [(i, k)], (i, i)


def bound(tiles, workers):
    """The time of a greedy list schedule, in gemms."""
    tasks = list(tasks_of(tiles))
    writer, waits, successors = {}, [0] * len(tasks), [[] for _ in tasks]
    for number, (_, reads, written) in enumerate(tasks):  # a tile that has been read is never updated again
        for tile in {*reads, written} & writer.keys():
            successors[writer[tile]].append(number)
            waits[number] += 1
        writer[written] = number
    ready = [number for number, left in enumerate(waits) if not left]
    running, now = [], 0
    while ready or running:
        while ready and len(running) < workers:
            number = heapq.heappop(ready)
            heapq.heappush(running, (now + tasks[number][0], number))
        now, ended = heapq.heappop(running)
        for number in successors[ended]:
            waits[number] -= 1
            if not waits[number]:
                heapq.heappush(ready, number)
    return now / 6


def add_options(parser):
    parser.add_number("--tiles", 32, "tiles in a row of the matrix")
    parser.add_argument("--workers", type=runs.numbers, default=[16, 64, 256], help="numbers of workers (16,64,256)")
    parser.add_argument("--gemm", type=runs.numbers, default=[420000, 52000], help="nanoseconds per gemm (420000,52000)")
    parser.add_argument("--ways", type=runs.words_of([str(way) for way in WAYS]), default=[str(way) for way in WAYS],
                        help="0: data flow, 1: fork-join, 2: latches, 3: nested flows (0,1,2,3)")
    parser.add_build()


def measure(options):
    runs.print_titles(["gemm, us", "workers", "bound, ms", *(f"{WAYS[int(way)]}, ms (of the bound)" for way in options.ways)])
    for gemm in options.gemm:
        for workers in options.workers:
            least = bound(options.tiles, workers) * gemm * 1e-6
            taken = [runs.uatrun(options.build, workers, "examples/uat-cholesky", "-n", options.tiles, "-w", gemm, "-m", way,
                                 UAT_TRANSPORT="sim")["factor"] for way in options.ways]
            runs.print_cells([f"{gemm / 1000:g}", str(workers), f"{least:.1f}", *(f"{t:.1f} ({least / t:.2f})" for t in taken)])

# SPDX-License-Identifier: MIT
"""The costs of spawns by value relative to oneTBB and OpenMP, and of global memory relative to plain memory.

    perf/measure costs [--rounds 7] [--build build]

A round runs every program once, so that a change in the machine's speed affects both sides of a ratio. On a busy machine, run it under `chrt -r 5`.
"""
import runs
from measures.figures import print_rounds
from measures.rivals import RIVALS, of_round as rivals_of_round

SIZES = ("arg8", "arg16", "arg24", "arg36", "arg48", "arg64", "arg8_result16", "arg36_result16")
TRANSFER = ["perf/uat-transfer", "--rounds", "5", "--ops", "500", "--far-mib", "32"]


def of_transfer(build):
    """Yield ratios: the time of accesses of 8 bytes and of 64 KiB, divided by the time of the same plain accesses."""
    for size in (8, 65536):
        rows = runs.uatrun(build, 2, *TRANSFER, "--bytes", size, UAT_GLOBAL_HOSTS="2")["rows"]
        ns = {(row["operation"], row["where"]): row["ns"] for row in rows if row["bytes"] == size and row["window"] == 1}
        if size == 8:
            yield "get of 8 near bytes, ns", ns["get", "near"]
            yield "put of 8 near bytes, ns", ns["put, release", "near"]
            yield "near atomic add / lock add", ns["fetch_add", "near"] / ns["lock add", "near"]
        else:
            yield "get of 64 KiB, near / memcpy", ns["get", "near"] / ns["memcpy, warm", "near"]
            yield "miss of 64 KiB, cold / memcpy, cold", ns["checkout, miss", "far"] / ns["memcpy", "near"]


def of_round(options, programs, steps):
    build = options.build
    spawn = runs.uatrun(build, 1, "perf/uat-spawn", "--tasks", "200000")
    for size in SIZES:
        yield f"spawn and join, {size}, cycles", spawn[size]["median_cycles"]
    by_value = [runs.uatrun(build, workers, "perf/uat-nqueens", "-n", "11", "--by-value", "1", "--repeat", "3", "--seq") for workers in (1, 2)]
    yield "NQueens 11 by value, 1 worker / sequential", by_value[0]["seconds"] / by_value[0]["seq_seconds"]
    extra = by_value[0]["seconds"] - by_value[0]["seq_seconds"]
    yield "NQueens 11 by value, cycles a task more than a call", extra * by_value[0]["tsc_hz"] / by_value[0]["tasks"]
    yield "NQueens 11 by value, 1 worker / 2 workers", by_value[0]["seconds"] / by_value[1]["seconds"]
    stream = runs.uatrun(build, 1, "perf/uat-stream", "--rounds", "3")
    for kernel, arrays in (("triad", 3), ("triad4", 4)):
        yield f"triad of {arrays} global arrays / malloc", 1 / stream[kernel]["near"]["over_malloc"]["median"]
    cg = [runs.uatrun(build, workers, "examples/uat-cg", "-n", "64", "--repeat", "3", "--seq") for workers in (1, 2)]
    yield "uat-cg -n 64, 1 worker / sequential", cg[0]["seconds"] / cg[0]["seq_seconds"]
    yield "uat-cg -n 64, 1 worker / 2 workers", cg[0]["seconds"] / cg[1]["seconds"]
    yield from of_transfer(build)
    times = rivals_of_round(options, programs, steps)
    others = [name for name in programs if name not in ("uat", "plain")]
    for workers, taken in times.items():
        for kernel, seconds in taken["uat"].items():
            yield f"{kernel}, {workers} workers / best rival", seconds / min(taken[name][kernel] for name in others)


def add_options(parser):
    parser.add_number("--rounds", 7, "rounds")
    parser.add_number("--repeat", 20, "times that each kernel of the rivals runs in a round; the least counts")
    parser.add_build()


def measure(options):
    programs = {name: options.build / "perf" / "rivals" / f"rival-{name}" for name in RIVALS}
    missing = [name for name, program in programs.items() if not program.exists()]
    if missing:
        runs.fail(f"not built: {', '.join(missing)}; uat was built without a C++ compiler, oneTBB or OpenMP")
    steps = runs.run([programs["plain"], "steps"]).stdout.strip()
    print_rounds(options, lambda: of_round(options, programs, steps))

# SPDX-License-Identifier: MIT
"""Loops that run again: efficiency by work per loop and METG, bytes of stencils, axpy and STREAM beside the rivals.

    perf/measure loops [--parts curve,bytes,rivals] [--workers 8,32,128] [--work 10,30,100,300] [--loops 10] [--build build]

curve: in virtual time with 8 workers on each host, a loop of --work us for each worker, run --loops times (uat-loop). The
efficiency is this work divided by the time of a loop. One more loop runs first, and does not count. The last column is the work at which the efficiency is .5 (METG of
Slaughter et al., SC'20), interpolated between the columns. bytes: in virtual time, what an iteration of uat-jacobi and
uat-cg, and a transform of uat-fft, reads from other hosts and writes to them, beside the minimum. rivals: in real time, elapsed times with two workers.
"""
import math

import runs
from measures import rivals

NODE = 8  # workers on a host, for the curve
PIECES = 16  # iterations of a worker in a loop
DOUBLE = 8
KERNELS = ("for, axpy", "copy", "scale", "add", "triad")
# program, edge, workers, hosts, arguments
STENCILS = [("jacobi", 1024, 16, 4, ["-i", 10]), ("jacobi", 1024, 64, 16, ["-i", 10]), ("jacobi", 1000, 16, 4, ["-i", 10]),
            ("cg", 64, 16, 4, ["-w", 10]), ("cg", 64, 16, 4, []), ("cg", 128, 32, 4, ["-w", 10, "-e", 1e-3]),
            ("cg", 128, 32, 4, ["-e", 1e-3]), ("fft", 512, 16, 4, []), ("fft", 512, 64, 16, []), ("fft", 512, 64, 64, [])]


def simulated(options, workers, node, program, *arguments):
    return runs.uatrun(options.build, workers, program, *arguments, UAT_TRANSPORT="sim", UAT_SIM_TASK="20ns",
                       UAT_SIM_NETWORK=f"{options.network},node={node}")


def microseconds_of_loop(options, workers, work):
    return simulated(options, workers, NODE, "perf/uat-loop", "--plain", 1, "-n", PIECES * workers, "-w", round(work * 1000 / PIECES),
                     "-l", options.loops + 1)["loop_us"]


def metg(points):
    """points: (work, efficiency), by work. The least work with an efficiency of .5, as text."""
    if points[0][1] >= .5:
        return f"below {points[0][0]}"
    for (low, worse), (high, better) in zip(points, points[1:]):
        if better >= .5:
            share = (.5 - worse) / (better - worse)
            return f"{math.exp(math.log(low) * (1 - share) + math.log(high) * share):.0f}"
    return f"above {points[-1][0]}"


def measure_curve(options):
    works = sorted(options.work)
    runs.print_titles(["workers, hosts", *(f"{work} us" for work in works), "METG(50 %), us"])
    for workers in options.workers:
        times = [microseconds_of_loop(options, workers, work) for work in works]
        points = [(work, work / time) for work, time in zip(works, times)]
        cells = [f"{efficiency:.2f} ({time:.0f} us)" for (_, efficiency), time in zip(points, times)]
        runs.print_cells([f"{workers}, {-(-workers // NODE)}", *cells, metg(points)])


def measure_bytes(options):
    runs.print_titles(["program", "workers, hosts", "minimum, KB", "read, KB", "written, KB", "of the minimum"])
    for program, edge, workers, hosts, arguments in STENCILS:
        report = simulated(options, workers, workers // hosts, f"examples/uat-{program}", "-n", edge, *arguments)
        if program == "jacobi":
            least, read, written = report["halo"], report["read"], report["written"]
        elif program == "fft":
            least, read, written = (1000 * report[name] for name in ("least", "read", "written"))
        else:  # the planes on both sides of each border between hosts
            least = 2 * (hosts - 1) * edge * edge * DOUBLE / 1000
            read, written = (report["counters"][f"global_bytes_{way}"] / report["iterations"] / 1000 for way in ("fetched", "written"))
        runs.print_cells([" ".join(map(str, [f"uat-{program}", "-n", edge, *arguments])), f"{workers}, {hosts}", f"{least:.1f}", f"{read:.1f}",
                          f"{written:.1f}", f"{(read + written) / least:.2f}"])


def measure_rivals(options):
    programs = rivals.programs_of(options)
    steps = runs.run([programs["plain"], "steps"]).stdout.strip()
    taken = [rivals.of_round(options, programs, steps) for _ in range(options.rounds)]
    names = [name for name in programs if name != "plain"]
    runs.print_titles(["kernel, 2 workers", *(f"{name}, ms" for name in names), *(f"uat / {name}" for name in names if name != "uat")])
    for kernel in KERNELS:
        times = {name: [1e3 * one[2][name][kernel] for one in taken] for name in names}
        ratios = ([mine / other for mine, other in zip(times["uat"], times[name])] for name in names if name != "uat")
        runs.print_cells([kernel, *(runs.spread(times[name]) for name in names), *map(runs.spread, ratios)])


PARTS = {"curve": measure_curve, "bytes": measure_bytes, "rivals": measure_rivals}


def add_options(parser):
    parser.add_argument("--parts", type=runs.words_of(list(PARTS)), default=list(PARTS), help=f"({','.join(PARTS)})")
    parser.add_argument("--workers", type=runs.numbers, default=[8, 32, 128], help="of the curve (8,32,128)")
    parser.add_argument("--work", type=runs.numbers, default=[10, 30, 100, 300], help="us of a worker in a loop of the curve (10,30,100,300)")
    parser.add_argument("--network", default="cx6", help="preset of UAT_SIM_NETWORK (cx6)")
    parser.add_number("--loops", 10, "loops of a run of the curve")
    parser.add_number("--rounds", 5, "rounds of the rivals")
    parser.add_number("--repeat", 20, "times that each kernel of the rivals runs in a round; the least counts")
    parser.add_build()


def measure(options):
    for part in options.parts:
        PARTS[part](options)

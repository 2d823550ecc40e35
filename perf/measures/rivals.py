# SPDX-License-Identifier: MIT
"""Loops, reductions, scans and sorts with uat, oneTBB and GCC's OpenMP, on 1 and 2 workers.

    perf/measure rivals [--rounds 5] [--repeat 20] [--build build]
"""
import sys

import runs

RIVALS = ("plain", "tbb", "openmp", "uat")


def of_round(options, programs, steps):
    """{workers: {program: {kernel: seconds}}}"""
    times = {1: {}, 2: {}}
    for workers, name in ((workers, name) for workers in times for name in programs if workers == 1 or name != "plain"):
        start = [options.build / "launcher" / "uatrun", "-n", workers] if name == "uat" else []
        times[workers][name] = runs.report_of(runs.run([*start, programs[name], workers, options.repeat, steps]))
    return times


def add_options(parser):
    parser.add_number("--rounds", 5, "rounds")
    parser.add_number("--repeat", 20, "times that each kernel runs in a round; the least counts")
    parser.add_build()


def programs_of(options):
    """The programs that are built, by name."""
    programs = {name: options.build / "perf" / "rivals" / f"rival-{name}" for name in RIVALS}
    if not programs["plain"].exists():
        runs.fail(f"{programs['plain']} is not there; this needs a build with a C++ compiler (ninja -C {options.build})")
    return {name: program for name, program in programs.items() if program.exists()}


def measure(options):
    programs = programs_of(options)
    steps = runs.run([programs["plain"], "steps"]).stdout.strip()
    taken = [of_round(options, programs, steps) for _ in range(options.rounds)]
    others = [name for name in programs if name not in ("uat", "plain")]
    runs.print_titles(["kernel", "workers", *(f"{name}, ms" for name in programs), "uat / best rival"])
    for kernel in taken[0][1]["uat"]:
        for workers in (1, 2):
            cells = [runs.spread([t[workers][name][kernel] * 1e3 for t in taken]) if name in taken[0][workers] else "" for name in programs]
            ratios = [t[workers]["uat"][kernel] / min(t[workers][name][kernel] for name in others) for t in taken] if others else None
            runs.print_cells([kernel, str(workers), *cells, runs.spread(ratios) if ratios else ""])
    if len(others) < 2:
        print("oneTBB or OpenMP is missing: it was not found when uat was built (Debian: libtbb-dev; g++)", file=sys.stderr)

# SPDX-License-Identifier: MIT
"""Sort N integers with uat, oneTBB and Itoyori. Also the bytes that sorts, merges and selections move between 4
simulated hosts, for each byte of the elements.

    perf/measure sorts N [--rounds 5] [--itoyori FOLDER] [--build build]

oneTBB's sort runs if oneTBB was found when uat was built. Itoyori's sort runs if it is built in FOLDER (docs/global.md says how); MPIEXEC names the
launcher of its MPI.
"""
import os
import pathlib
import platform
import re
import sys

import runs
from measures.figures import print_rounds


def itoyori_program(folder, bits):
    return pathlib.Path(folder) / "examples" / ("cilksort.out" if bits == 32 else f"cilksort{bits}.out")


def itoyori_seconds(options, bits, workers):
    """The time of one sort by Itoyori's example, which checks its answer."""
    done = runs.run([os.environ.get("MPIEXEC", "mpiexec"), "-n", workers, "setarch", platform.machine(), "--addr-no-randomize",
                     itoyori_program(options.itoyori, bits), "-n", options.elements, "-r", 1])
    passed = re.search(r"^\[0\] ([0-9,]+) ns - Result verified", done.stdout, re.MULTILINE)
    if not passed:
        runs.fail(f"no verified time of {' '.join(done.args)}: {done.stdout.strip()[-500:]}")
    return int(passed[1].replace(",", "")) / 1e9


def uat_seconds(options, bits, workers, *more, **settings):
    return runs.uatrun(options.build, workers, "perf/uat-cilksort", options.elements, "--bits", bits, "--rounds", 1, *more, UAT_DEQUE="claim",
                       **settings)["seconds"]


def of_round(options, tbb):
    """The seconds of one round. The rivals sort by comparisons. uat sorts its leaves by comparisons only if the name in
    the table says so."""
    for bits in (32, 64):
        what = f"sort of {options.elements / 1e6:g} million of {bits} bits"
        for workers in (1, 2):
            name = f"{what}, {workers} workers"
            for leaves, flag in (("radix", 0), ("comparisons", 1)):
                ours = uat_seconds(options, bits, workers, "--comparisons", flag)
                yield f"{name}, uat, leaves by {leaves}, s", ours
                if tbb.exists():
                    theirs = runs.report_of(runs.run([tbb, options.elements, bits, workers, 1]))["seconds"]
                    yield f"{name}, uat (leaves by {leaves}) / oneTBB", ours / theirs
                if options.itoyori and itoyori_program(options.itoyori, bits).exists():
                    yield f"{name}, uat (leaves by {leaves}) / Itoyori", ours / itoyori_seconds(options, bits, workers)
        one, two = (uat_seconds(options, bits, 2, UAT_GLOBAL_HOSTS=hosts) for hosts in ("1", "2"))
        yield f"{what}, 2 workers on two simulated hosts / on one", two / one


def of_moves(options):
    """The bytes that the algorithms move. In virtual time, so each round would give the same."""
    moved = runs.uatrun(options.build, 4, "perf/rivals/rival-moves", min(options.elements, 1 << 18), UAT_TRANSPORT="sim", UAT_GLOBAL_HOSTS="4")
    return {name: value for name, value in moved.items() if name != "elements"}.items()


def add_options(parser):
    parser.add_argument("elements", metavar="N", type=runs.number, help="integers")
    parser.add_number("--rounds", 5, "rounds")
    parser.add_argument("--itoyori", metavar="FOLDER", help="where Itoyori is built")
    parser.add_build()


def measure(options):
    tbb = options.build / "perf" / "rivals" / "rival-sort-tbb"
    if options.itoyori and not itoyori_program(options.itoyori, 32).exists():
        raise runs.Refused(f"{itoyori_program(options.itoyori, 32)} does not exist; docs/global.md says how to build it")
    for program in ([itoyori_program(options.itoyori, 64)] if options.itoyori else []) + [tbb]:
        if not program.exists():
            print(f"a sort is skipped: {program} is not there (Debian, for oneTBB's: libtbb-dev)", file=sys.stderr)
    print_rounds(options, lambda: of_round(options, tbb))
    for name, value in of_moves(options):
        print(f"{name}: {value:.2f}")

# SPDX-License-Identifier: MIT
"""The programs of examples/small: their lines, and their times relative to the plain sequential programs.

The times are those with one worker. The script also measures the cost of sorting input that has a pattern, and the cost
of same-fringe.

    perf/measure small [--rounds 7] [--build build]

A round runs every program once. Each program times itself five times and prints the median. On a busy machine, run it under `chrt -r 5`.
"""
import json
import os
import re
from pathlib import Path

import runs
from measures.figures import print_rounds

SMALL = Path(__file__).resolve().parent.parent.parent / "examples" / "small"
NAMES = sorted(path.stem for path in SMALL.glob("*.cpp"))
TIMES = "5"


def lines_of(path):
    return str(len(path.read_text().splitlines())) if path.exists() else ""


def ratio(command, settings=None):
    """The ratio that a small program prints: its median time divided by the plain program's median time."""
    said = runs.run(command, settings).stdout
    if ", right;" not in said:
        runs.fail(f"{command[-2]}: {said.strip()}")
    return float(re.search(r"([0-9.]+) of the sequential time", said)[1])


def of_round(options):
    folder = options.build / "examples" / "small"
    one = [options.build / "launcher" / "uatrun", "-n", 1]
    for name in NAMES:
        yield f"{name}, uat", ratio([*one, folder / f"small-{name}", TIMES])
        rival = folder / f"small-{name}-tbb"
        if rival.exists():
            yield f"{name}, oneTBB", ratio([rival, TIMES], {"TBB_WORKERS": "1"})
        rival = folder / f"small-{name}-openmp"
        if rival.exists():
            yield f"{name}, OpenMP", ratio([rival, TIMES], {"OMP_NUM_THREADS": "1"})
    beside = options.build / "perf" / "rivals" / "rival-beside"
    yield from json.loads(runs.run([*one, beside, TIMES]).stdout).items()


def add_options(parser):
    parser.add_number("--rounds", 7, "rounds")
    parser.add_build()


def measure(options):
    if not (options.build / "examples" / "small" / "small-fft").exists():
        runs.fail("not built: examples/small; uat was built without a C++ compiler")
    runs.print_titles(["program", "lines, uat", "lines, oneTBB", "lines, OpenMP", "lines, MPI"])
    for name in NAMES:
        runs.print_cells([name, *(lines_of(SMALL / part / f"{name}.cpp") for part in ("", "tbb", "openmp", "mpi"))])
    print(f"load {os.getloadavg()[0]:.0f}; time of one worker over the sequential time:")
    print_rounds(options, lambda: of_round(options))

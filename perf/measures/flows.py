# SPDX-License-Identifier: MIT
"""Compare data-flow tasks with GCC's OpenMP and StarPU: the cost of an empty task, or the programs of examples/flow, on 1 and 2 workers.

    perf/measure flows [--parts tasks,programs] [--programs cholesky,...] [--rounds 7] [--repeat 20] [--build build]

A round runs all programs in turn, so that a change in the machine's speed affects both sides of a ratio. tasks: each
figure of a round is the minimum of the repetitions. (On a busy machine, a job of 2 workers mostly waits for a preempted
worker.) programs: a repetition gives the parallel time divided by the sequential time. Each figure is the median of the
repetitions. Each program runs its parallel and its sequential form in turn.
"""
import re
import statistics

import runs

PROGRAMS = {"cholesky": ["16"], "gauss-seidel": ["8"], "lu": ["16"], "smith-waterman": ["24"], "triangular": [""]}  # "": the matrix that is made up
WAYS = {"data flow": "", "fork-join": "-fork-join", "OpenMP": "-openmp", "StarPU": "-starpu", "OpenBLAS": "-blas"}
SECONDS = re.compile(r": right, error .*; ([\d.]+) s, ([\d.]+) of the sequential time")


def settings_of(workers):
    """The environment variables that set the number of workers of the rivals."""
    return {"OMP_NUM_THREADS": str(workers), "STARPU_NCPU": str(workers), "OPENBLAS_NUM_THREADS": str(workers), "STARPU_SILENT": "1"}


def tasks_of_round(options, workers):
    """{column: {row: cycles per task}}"""
    rows = runs.uatrun(options.build, workers, "perf/uat-flow", "-q", 0, "-r", options.repeat)["rows"]
    taken = {"flow": {row["accesses"]: row["place"] for row in rows}, "ledger": {row["accesses"]: row["ledger"] for row in rows}}
    for column, name in (("OpenMP", "openmp"), ("StarPU", "starpu")):
        program = options.build / "perf/rivals" / f"rival-flow-{name}"
        if program.exists():
            taken[column] = runs.report_of(runs.run([program, workers, options.repeat], settings_of(workers)))
    return taken


def measure_tasks(options):
    rounds = {workers: [] for workers in (1, 2)}
    for _ in range(options.rounds):
        for workers, taken in rounds.items():
            taken.append(tasks_of_round(options, workers))
    columns = list(rounds[1][0])
    ratios = [(ours, theirs) for theirs in columns[2:] for ours in columns[:2]]
    runs.print_titles(["accesses", "workers", *(f"{c}, cycles" for c in columns), *(f"{a} / {b}" for a, b in ratios)])
    for workers, taken in rounds.items():
        for row in taken[0]["flow"]:
            cells = [f"{statistics.median(t[c][row] for t in taken):.0f}" if row in taken[0][c] else "" for c in columns]
            shares = [runs.spread([t[a][row] / t[b][row] for t in taken]) if row in taken[0][b] else "" for a, b in ratios]
            runs.print_cells([row, str(workers), *cells, *shares])


def program_of_round(options, name, way, workers):
    """(seconds, ratio to the sequential time), or None if the program was not built."""
    program = options.build / "examples/flow" / f"flow-{name}{WAYS[way]}"
    if not program.exists():
        return None
    start = [options.build / "launcher/uatrun", "-n", workers] if way in ("data flow", "fork-join") else []
    done = runs.run([*start, program, *PROGRAMS[name], options.repeat], settings_of(workers))
    return tuple(map(float, SECONDS.search(done.stdout).groups()))


def measure_programs(options):
    runs.print_titles(["program", "workers", *(f"{way} / sequential" for way in WAYS), "data flow / fork-join", "data flow / OpenMP"])
    for name in options.programs:
        for workers in (1, 2):
            taken = [{way: program_of_round(options, name, way, workers) for way in WAYS} for _ in range(options.rounds)]
            built = [way for way in WAYS if taken[0][way]]
            cells = [runs.spread([t[way][1] for t in taken]) if way in built else "" for way in WAYS]
            ratios = [runs.spread([t["data flow"][1] / t[way][1] for t in taken]) if way in built else "" for way in ("fork-join", "OpenMP")]
            runs.print_cells([name, str(workers), *cells, *ratios])


def add_options(parser):
    parser.add_argument("--parts", type=runs.words_of(["tasks", "programs"]), default=["tasks", "programs"], help="tasks, programs or both (both)")
    parser.add_argument("--programs", type=runs.words_of(PROGRAMS), default=list(PROGRAMS), help="some of: " + ", ".join(PROGRAMS) + " (all)")
    parser.add_number("--rounds", 7, "rounds")
    parser.add_number("--repeat", 20, "repetitions in a round")
    parser.add_build()


def measure(options):
    for part in options.parts:
        {"tasks": measure_tasks, "programs": measure_programs}[part](options)

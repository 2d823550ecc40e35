# SPDX-License-Identifier: MIT
"""The figures of docs/performance.md: spawn, steal, NQueens and UTS with each protocol.

    perf/measure figures [--rounds 5] [--build build]

Every figure is measured in each round. The table shows the median, the minimum and the maximum over the rounds. Each
ratio compares times of the same round.
"""
import runs

FIB = ["perf/uat-fib", "35", "--repeat", "5"]
BTC = ["perf/uat-btc", "-d", "20", "-i", "1", "--repeat", "15"]
STEAL = ["perf/uat-steal", "--stack", "1024"]
SPAWN_PARTS = ("push_pop", "publish_take_back", "resume_suspend", "evacuate_resume", "spawn_join", "flat_loop")
PROGRAMS = {  # program: is it also compared with its sequential version?
    "NQueens 13": (["perf/uat-nqueens", "-n", "13"], True),
    "UTS T1": (["perf/uat-uts", "-t", "1", "-a", "3", "-d", "10", "-b", "4", "-r", "19"], True),
    "UTS T3": (["perf/uat-uts", "-t", "0", "-b", "2000", "-q", "0.124875", "-m", "8", "-r", "42"], False),
    "UTS T5": (["perf/uat-uts", "-t", "1", "-a", "0", "-d", "20", "-b", "4", "-r", "34"], False),
}


def of_protocol(build, deque):
    """Yield pairs of a figure's name and its value."""
    def job(workers, command, *more):
        return runs.uatrun(build, workers, *command, *more, UAT_DEQUE=deque)

    yield f"uat-btc -d 20, cycles per task, {deque}", job(1, BTC)["cycles_per_task"]
    yield f"uat-fib 35, cycles per task, {deque}", job(1, FIB)["cycles_per_task"]
    for name, (command, sequential) in PROGRAMS.items():
        alone = job(1, command, "--repeat", "3", *(["--seq"] if sequential else []))
        both = job(2, command, "--repeat", "3")
        if sequential:
            yield f"{name}, 1 worker / sequential, {deque}", alone["seconds"] / alone["seq_seconds"]
        yield f"{name}, 1 worker / 2 workers, {deque}", alone["seconds"] / both["seconds"]
        yield f"{name}, round trips per steal, 2 workers, {deque}", both["round_trips_per_steal"]
    yield f"uat-steal of 1 KiB, ns, {deque}", job(2, STEAL)["steal"]["median_ns"]


def of_round(build):
    for deque in ("lock", "claim", "message"):
        yield from of_protocol(build, deque)
    spawn = runs.uatrun(build, 1, "perf/uat-spawn", UAT_DEQUE="claim")
    for part in SPAWN_PARTS:
        yield f"uat-spawn {part}, cycles", spawn[part]["median_cycles"]


def add_options(parser):
    parser.add_number("--rounds", 5, "rounds")
    parser.add_build()


def print_rounds(options, figures_of_round):
    """Print a table of the figures that figures_of_round() yields, over all rounds."""
    figures = {}
    for _ in range(options.rounds):
        for name, value in figures_of_round():
            figures.setdefault(name, []).append(value)
    runs.print_titles(["figure", "median [least, greatest]"])
    for name, values in figures.items():
        runs.print_cells([name, runs.spread(values)])


def measure(options):
    print_rounds(options, lambda: of_round(options.build))

# SPDX-License-Identifier: MIT
"""Small fork-join programs on this host with uat, oneTBB and GCC's OpenMP, beside published figures. Part of perf/measure published."""
import os

import runs

SYSTEMS = {"uat": "uat", "oneTBB": "tbb", "OpenMP": "openmp"}
# Sizes that take about a second with the slowest system.
SIZES = {"fib": 32, "skynet": 1000000, "nqueens": 11, "integrate": 500, "tree": 20, "T3": 2000, "matmul": 512, "primes": 2000000, "fold": 10000000,
         "scan": 10000000}
# Nanoseconds a fork with one worker. fib 38 on one quiet machine: Lace .107 s, uat .326 s, OpenCilk .943 s, oneTBB 9.0 s.
PUBLISHED_FORK = {"fib": "Lace 1.7, uat 5.2, OpenCilk 14.9, oneTBB 142", "tree": "Spice < 1, Chili 1.7"}
# The rows of github.com/tzcnt/runtime-benchmarks and their sizes. us, EPYC 7742, 64 workers, clang -O3 -march=native.
ROW = {"skynet": 100000000, "nqueens": 14, "fib": 39, "matmul": 2048}
PUBLISHED_ROWS = {"libfork": [39909, 80369, 67544, 41013], "tbb": [139988, 165430, 269527, 62564]}
# KiB on T3L with 1 and 2 workers: libfork's bench/basic/memory.T3L.csv.
PUBLISHED_PEAK = {"plain": ["13088", "-"], "oneTBB": ["42932", "46904"], "OpenMP": ["34196", "39032"], "libfork": ["13764", "18180"]}
STACK = 1 << 30  # bytes: T3L recurses 17,844 levels deep


def program_of(options, system):
    return options.build / "perf" / "rivals" / f"rival-tasks-{system}"


def systems_of(options):
    """The systems that are built, by title."""
    if not program_of(options, "uat").exists():
        runs.fail(f"{program_of(options, 'uat')} is not there; this needs a build with a C++ compiler (ninja -C {options.build})")
    return {title: name for title, name in SYSTEMS.items() if program_of(options, name).exists()}


def report_of(options, system, name, size, workers, rounds):
    arguments = [program_of(options, system), name, size, workers, rounds]
    if system == "uat":
        return runs.report_of(runs.run([options.build / "launcher" / "uatrun", "-n", workers, *arguments], {"UAT_STACK_SIZE": "64M"}))
    return runs.report_of(runs.run(["prlimit", f"--stack={STACK}", *arguments], {"OMP_STACKSIZE": f"{STACK}B"}))


def round_of(options, systems, name, workers):
    """{title: seconds}, of plain calls too; and the number of forks."""
    plain = report_of(options, "plain", name, SIZES[name], 1, options.repeat)
    taken = {title: report_of(options, system, name, SIZES[name], workers, options.repeat)["seconds"] for title, system in systems.items()}
    return {"plain": plain["seconds"], **taken}, plain["forks"]


def measure_tasks(options):
    systems = systems_of(options)
    rivals = [title for title in systems if title != "uat"]
    print(f"ms, the least of {options.repeat} runs; processor time with 1 worker; load {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores")
    runs.print_titles(["program", "size", "workers", *(f"{title}, ms" for title in ["plain", *systems]), "uat / best rival", "forks",
                       "uat, ns a fork", "published, ns a fork"])
    for name, size in SIZES.items():
        for workers in options.workers:
            taken, forks = zip(*(round_of(options, systems, name, workers) for _ in range(options.rounds)))
            times = [runs.spread([one[title] * 1e3 for one in taken]) for title in ["plain", *systems]]
            ratio = runs.spread([one["uat"] / min(one[title] for title in rivals) for one in taken]) if rivals else ""
            per_fork = runs.spread([one["uat"] * 1e9 / forks[0] for one in taken]) if forks[0] else ""
            published = PUBLISHED_FORK.get(name, "") if workers == 1 else ""
            runs.print_cells([name, str(size), str(workers), *times, ratio, str(forks[0]) if forks[0] else "", per_fork, published])


def measure_row(options):
    """The public table's programs at the public sizes: a row in its form. One run each, in us."""
    workers = max(options.workers)
    runs.print_titles(["Runtime", "workers", *(f"{name}({size})" for name, size in ROW.items())])
    for title, times in PUBLISHED_ROWS.items():
        runs.print_cells([f"{title}, published", "64", *(f"{time} us" for time in times)])
    for title in ["uat", "oneTBB"]:
        if program_of(options, SYSTEMS[title]).exists():
            times = [report_of(options, SYSTEMS[title], name, size, workers, 1)["seconds"] for name, size in ROW.items()]
            runs.print_cells([f"{title}, here", str(workers), *(f"{time * 1e6:.0f} us" for time in times)])


def measure_memory(options):
    """The peak of the resident set on T3L. uat: the sum over its workers."""
    systems = {"plain": "plain", **systems_of(options)}
    print("peak of the resident set on UTS T3L, KiB, one run each")
    runs.print_titles(["system", "published, 1 worker", "published, 2", *(f"here, {workers}" for workers in options.workers)])
    for title in ["libfork", *systems]:
        found = ["" if title == "libfork" or (title == "plain" and workers > 1) else
                 str(report_of(options, systems[title], "T3L", 2000, workers, 1)["peak_kib"]) for workers in options.workers]
        runs.print_cells([title, *PUBLISHED_PEAK.get(title, ["", ""]), *found])

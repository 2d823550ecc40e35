# SPDX-License-Identifier: MIT
"""Print published yardsticks beside measured and simulated ones.

    perf/measure published [--parts host,tasks,...] [--workers 1,2] [--hosts 4,16,64] [--rounds 3] [--build build]

A figure with brackets is the median of the rounds, with the least and the greatest. docs/published.md says what the figures mean.
    host       METG(50 %) of Task Bench: uat-taskbench, GCC's OpenMP and MPI in turn on this machine. A dash: no efficiency reached a half.
    cluster    METG(50 %) in virtual time, with one worker on each simulated host; single runs
    tasks      small fork-join programs with uat, oneTBB and OpenMP on this machine
    row        four of them at the sizes of a public table of ten runtimes
    memory     the peak memory of UTS T3L
    global     random accesses to global memory: histogram, index gather and GUPS, with uat and OpenSHMEM on this machine
    global-cluster   the same with uat in virtual time
    tree, tree-cluster   UTS-Mem: a tree in global memory, on this machine (also with OpenSHMEM) and in virtual time
    scale      UTS, PFor, RecPFor and LCS of Cluster'22 in virtual time
"""
import os
import shutil

import runs
from measures import published_global, published_scale, published_tasks

PATTERNS = ["trivial", "no_comm", "stencil_1d", "fft", "tree", "random_nearest", "all_to_all"]
MODELS = ["data flow", "loops", "futures", "flags"]
RIVALS = {"OpenMP": "openmp", "MPI": "mpi"}
# MPI on one node of Cori (2 Haswell processors, 32 cores), us: without and with three dependences (Task Bench, SC'20).
PUBLISHED = {"trivial": "0.39", "stencil_1d": "4.6"}
PUBLISHED_HOSTS = {256: "100: the least at which any of 15 systems was efficient"}


def spread(values):
    """The median with the least and the greatest, without the runs that have no figure; a dash if these are a half or more."""
    found = [value for value in values if value is not None]
    return runs.spread(found) if 2 * len(found) > len(values) else "-"


def uat_of(rows):
    return {(row["pattern"], row["model"]): row["metg_us"] for row in rows}


def host_of_round(options, workers):
    """{(pattern, model or rival): METG in us}"""
    sweep = ["--steps", options.steps, "--longest", options.longest, "--trials", options.trials]
    taken = uat_of(runs.uatrun(options.build, workers, "perf/uat-taskbench", *sweep)["rows"])
    for title, name in RIVALS.items():
        program = options.build / "perf/rivals" / f"rival-taskbench-{name}"
        start = ["mpiexec", "-n", workers] if name == "mpi" else []
        if program.exists() and (not start or shutil.which(start[0])):
            arguments = [workers, options.steps, 1, 0, options.longest, 0.01, options.trials]
            report = runs.report_of(runs.run([*start, program, *arguments], runs.MPI_SETTINGS))
            taken.update({(row["pattern"], title): row["metg_us"] for row in report["rows"]})
    return taken


def measure_host(options):
    taken = runs.in_turn(options.rounds, options.workers, lambda workers: host_of_round(options, workers))
    ways = [*MODELS, *RIVALS]
    print(f"METG(50 %), us; load {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores")
    runs.print_titles(["pattern", "workers", *ways, "published: MPI, one node"])
    for pattern in PATTERNS:
        for workers, rounds in taken.items():
            cells = [spread([one.get((pattern, way)) for one in rounds]) for way in ways]
            runs.print_cells([pattern, str(workers), *cells, PUBLISHED.get(pattern, "")])


def cluster_of(options, hosts, pattern, model):
    settings = {"UAT_TRANSPORT": "sim", "UAT_SIM_NETWORK": "node=1", "UAT_SIM_TASK": "1ns"}
    report = runs.uatrun(options.build, hosts, "perf/uat-taskbench", "--pattern", PATTERNS.index(pattern), "--model", model, "--steps", 20,
                         "--longest", 400, "--trials", 1, **settings)
    return report["rows"][0]["metg_us"]


def measure_cluster(options):
    print("METG(50 %), us of virtual time")
    runs.print_titles(["pattern", "hosts", *MODELS, "published"])
    for hosts in options.hosts:
        for pattern in options.patterns:
            values = [cluster_of(options, hosts, pattern, model) for model in range(len(MODELS))]
            cells = ["-" if value is None else f"{value:.3g}" for value in values]
            runs.print_cells([pattern, str(hosts), *cells, PUBLISHED_HOSTS.get(hosts, "")])


PARTS = {"host": measure_host, "cluster": measure_cluster, "tasks": published_tasks.measure_tasks, "row": published_tasks.measure_row,
         "memory": published_tasks.measure_memory, "global": published_global.measure_global,
         "global-cluster": published_global.measure_global_cluster, "tree": published_global.measure_tree,
         "tree-cluster": published_global.measure_tree_cluster, "scale": published_scale.measure_scale}


def add_options(parser):
    parser.add_argument("--parts", type=runs.words_of(PARTS), default=list(PARTS), help="the parts to measure (all)")
    parser.add_argument("--workers", type=runs.numbers, default=[1, 2], help="workers on this machine (1,2)")
    parser.add_argument("--hosts", type=runs.numbers, default=[4, 16, 64], help="simulated hosts (4,16,64)")
    parser.add_argument("--cores", type=runs.numbers, default=[36, 576], help="simulated cores of the part scale (36,576)")
    parser.add_argument("--patterns", type=runs.words_of(PATTERNS), default=["stencil_1d"], help="patterns on simulated hosts (stencil_1d)")
    parser.add_number("--rounds", 3, "rounds on this machine")
    parser.add_number("--steps", 100, "steps of a graph on this machine")
    parser.add_number("--longest", 32, "longest kernels on this machine, in us")
    parser.add_number("--repeat", 5, "runs of a small program in a round, of which the shortest counts")
    parser.add_number("--trials", 10, "runs with each length of the kernels, of which the shortest counts")
    parser.add_build()


def measure(options):
    for part in options.parts:
        PARTS[part](options)

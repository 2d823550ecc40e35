# SPDX-License-Identifier: MIT
"""Random accesses to global memory: bale's histogram and index gather, and GUPS; a tree in global memory, UTS-Mem. Part of perf/measure published."""
import os
import shutil

import runs

KERNELS = {"histogram": 0, "index gather": 1, "GUPS": 2}
WAYS = {"words": 0, "bundles": 1}
HOST = {"words": 20, "updates": 20, "window": 1024}
# UTS-Mem: a tree of 1.03 million nodes on this machine, of 63,914 in virtual time. ways: --memory of uat-uts.
TREE, TREE_CLUSTER = (["-t", 1, "-a", 3, "-d", depth, "-b", 4, "-r", 19] for depth in (9, 7))
TREE_WAYS = {"computed": 0, "in memory": 1, "without the cache": 2}
CLUSTER = {"words": 13, "updates": 11, "window": 1024}


def rate_of(options, workers, kernel, way, sizes, **settings):
    """Millions of updates a second, of all workers; None: this way does not have the kernel. The program checks all words."""
    if kernel == "index gather" and way == "bundles":
        return None
    report = runs.uatrun(options.build, workers, "perf/uat-irregular", "--kernel", KERNELS[kernel], "--bundled", WAYS[way], "--words", sizes["words"],
                         "--updates", sizes["updates"], "--window", sizes["window"], **settings)
    return report["updates_per_second"] / 1e6


def have_shmem(options):
    found = (options.build / "perf" / "rivals" / "rival-irregular-shmem").exists() and shutil.which("oshrun")
    if not found:
        print("OpenSHMEM is left out: oshcc or oshrun was not found (Debian: libopenmpi-dev, openmpi-bin)")
    return found


def report_of_shmem(options, workers, name, *arguments):
    start = ["oshrun", "--oversubscribe", "-n", workers, options.build / "perf" / "rivals" / f"rival-{name}-shmem"]
    return runs.report_of(runs.run([*start, *arguments], runs.MPI_SETTINGS))


def shmem_of(options, workers, kernel):
    report = report_of_shmem(options, workers, "irregular", KERNELS[kernel], HOST["words"], HOST["updates"], HOST["window"])
    return report["updates_per_second"] / 1e6


def measure_global(options):
    rival = have_shmem(options)
    print(f"millions of updates a second on one host; all words are right; load {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores")
    runs.print_titles(["kernel", "workers", *(f"uat, {way}" for way in WAYS), *(["OpenSHMEM"] if rival else [])])
    for kernel in KERNELS:
        for workers in options.workers:
            rounds = [[*(rate_of(options, workers, kernel, way, HOST) for way in WAYS), *([shmem_of(options, workers, kernel)] if rival else [])]
                      for _ in range(options.rounds)]
            runs.print_cells([kernel, str(workers), *("" if values[0] is None else runs.spread(values) for values in zip(*rounds))])


def measure_global_cluster(options):
    print("millions of updates a second in virtual time, one worker on each host; instructions take no time")
    runs.print_titles(["kernel", "hosts", *(f"uat, {way}" for way in WAYS)])
    for kernel in KERNELS:
        for hosts in options.hosts:
            rates = [rate_of(options, hosts, kernel, way, CLUSTER, UAT_TRANSPORT="sim", UAT_SIM_NETWORK="node=1") for way in WAYS]
            runs.print_cells([kernel, str(hosts), *("" if rate is None else f"{rate:.3g}" for rate in rates)])


def nodes_of(options, workers, tree, way, **settings):
    """Millions of nodes a second, of all workers. The program compares the numbers of nodes and leaves."""
    report = runs.uatrun(options.build, workers, "perf/uat-uts", *tree, "--memory", TREE_WAYS[way], "--seq", UAT_GLOBAL_SIZE="256M", **settings)
    return report["nodes_per_second"] / 1e6


def shmem_nodes_of(options, workers):
    depth, b, seed = (TREE[TREE.index(letter) + 1] for letter in ("-d", "-b", "-r"))
    return report_of_shmem(options, workers, "uts", depth, b, seed)["nodes_per_second"] / 1e6


def measure_tree(options):
    rival = have_shmem(options)
    print(f"UTS-Mem: millions of nodes a second; load {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores")
    runs.print_titles(["workers", "hosts", *TREE_WAYS, *(["OpenSHMEM"] if rival else [])])
    for workers in options.workers:
        for hosts in sorted({1, workers}):
            rounds = [[*(nodes_of(options, workers, TREE, way, UAT_GLOBAL_HOSTS=str(hosts)) for way in TREE_WAYS),
                       *([shmem_nodes_of(options, workers)] if rival else [])] for _ in range(options.rounds)]
            runs.print_cells([str(workers), str(hosts), *(runs.spread(values) for values in zip(*rounds))])


def measure_tree_cluster(options):
    print("UTS-Mem: millions of nodes a second in virtual time, one worker on each host, 100 ns a task")
    runs.print_titles(["hosts", *TREE_WAYS])
    for hosts in options.hosts:
        settings = {"UAT_TRANSPORT": "sim", "UAT_SIM_NETWORK": "node=1", "UAT_SIM_TASK": "100ns"}
        runs.print_cells([str(hosts), *(f"{nodes_of(options, hosts, TREE_CLUSTER, way, **settings):.3g}" for way in TREE_WAYS)])

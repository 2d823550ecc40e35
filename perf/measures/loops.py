# SPDX-License-Identifier: MIT
"""Loops that run again: efficiency by work per loop and METG, bytes and times of applications, rivals.

    perf/measure loops [--parts curve,bytes,hosts,rivals,metg,mpi] [--rounds 5] [--build build]

In virtual time. curve: with 8 workers on each host, a loop of --work us for each worker, run --loops times (uat-loop). The
efficiency is this work divided by the time of a loop. One more loop runs first, and does not count. The last column is the
work at which the efficiency is .5 (METG of Slaughter et al., SC'20), interpolated between the columns. bytes: what an
iteration of uat-jacobi and uat-cg, and a transform of uat-fft, reads from other hosts and writes to them, beside the
minimum. hosts: time and bytes of six applications on --hosts hosts with one worker each.

In real time with two workers, uat and its rivals in turn: OpenMP with static and dynamic schedules, oneTBB with
auto_partitioner and affinity_partitioner. rivals: kernels over arrays. metg: the curve, from loops of --fine us for each
worker. mpi: uat-jacobi and uat-cg with --ranks workers beside the same programs with MPICH and Open MPI.
"""
import math
import shutil
import statistics
import sys

import runs

NODE = 8  # workers on a host, for the curve
PIECES = 16  # iterations of a worker in a loop
DOUBLE = 8
WORKERS = 2  # in real time
RIVALS = ("uat", "openmp", "openmp-dynamic", "tbb", "tbb-affinity")
MPIS = {"MPICH": ("mpich", "mpiexec.mpich", "mpich, libmpich-dev"), "Open MPI": ("mpi", "mpiexec.openmpi", "openmpi-bin, libopenmpi-dev")}
KERNELS = ("for, axpy", "copy", "scale", "add", "triad")
# program, edge, workers, hosts, arguments
STENCILS = [("jacobi", 1024, 16, 4, ["-i", 10]), ("jacobi", 1024, 64, 16, ["-i", 10]), ("jacobi", 1000, 16, 4, ["-i", 10]),
            ("cg", 64, 16, 4, ["-w", 10]), ("cg", 64, 16, 4, []), ("cg", 128, 32, 4, ["-w", 10, "-e", 1e-3]),
            ("cg", 128, 32, 4, ["-e", 1e-3]), ("fft", 512, 16, 4, []), ("fft", 512, 64, 16, []), ("fft", 512, 64, 64, [])]


# Of the part hosts. The first three say themselves how long their work takes; for the others, processor time is measured.
APPLICATIONS = [("jacobi", ["-n", 1024, "-i", 5]), ("fft", ["-n", 256]), ("cg", ["-n", 32, "-e", 1e-3, "-w", 10]),
                ("bfs", ["-s", 9, "-k", 1]), ("sort", [10000]), ("barnes-hut", ["-n", 1000, "-s", 1])]
TOLD = ("jacobi", "fft", "cg")


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


def programs_of(options):
    """The programs of the rivals that are built, by name, "uat" first. Prints a line for each one that is missing."""
    folder = options.build / "perf" / "rivals"
    found = {name: folder / f"rival-{name}" for name in RIVALS if (folder / f"rival-{name}").exists()}
    for name in RIVALS:
        if name not in found:
            print(f"left out: {name}, which was not found when uat was built (Debian: g++, libtbb-dev)", file=sys.stderr)
    return found


def start_of(options, name):
    return [options.build / "launcher" / "uatrun", "-n", WORKERS] if name == "uat" else []


def measure_rivals(options):
    programs, steps = programs_of(options), steps_of(options)
    taken = runs.in_turn(options.rounds, programs, lambda name: runs.report_of(
        runs.run([*start_of(options, name), programs[name], WORKERS, options.repeat, steps])))
    runs.print_titles([f"kernel, {WORKERS} workers", *(f"{name}, ms" for name in programs), *(f"uat / {name}" for name in programs if name != "uat")])
    for kernel in KERNELS:
        times = {name: [1e3 * one[kernel] for one in reports] for name, reports in taken.items()}
        print_ratios(kernel, times)


def steps_of(options):
    return runs.run([options.build / "perf" / "rivals" / "rival-plain", "steps"]).stdout.strip()


def print_ratios(title, times):
    """Print the medians of all programs, and those of the rounds' ratios. times: {name: [time of each round]}"""
    ratios = ([mine / other for mine, other in zip(times["uat"], others)] for name, others in times.items() if name != "uat")
    runs.print_cells([title, *map(runs.spread, times.values()), *map(runs.spread, ratios)])


def measure_metg(options):
    programs, steps = programs_of(options), steps_of(options)
    taken = runs.in_turn(options.rounds, programs, lambda name: runs.report_of(
        runs.run([*start_of(options, name), programs[name], WORKERS, options.repeat, steps, "curve", *options.fine])))
    runs.print_titles([f"{WORKERS} workers", *(f"{work} us" for work in options.fine), "METG(50 %), us"])
    for name, reports in taken.items():
        times = [statistics.median(one[str(work)] for one in reports) for work in options.fine]
        points = [(work, work / time) for work, time in zip(options.fine, times)]
        runs.print_cells([name, *(f"{efficiency:.2f} ({time:.1f} us)" for (_, efficiency), time in zip(points, times)), metg(points)])


def measure_mpi(options):
    programs = [("jacobi", 1024, ["-i", 100]), ("cg", 64, ["-e", 1e-9])]
    found = [name for name, (suffix, launcher, package) in MPIS.items() if is_there(options, name, suffix, launcher, package)]
    runs.print_titles(["program", "workers", "uat, ms", *(f"{name}, ms" for name in found), *(f"uat / {name}" for name in found),
                       "sent, KB per iteration"])
    for program, edge, more in programs:
        for workers in options.ranks:
            def once(name, program=program, edge=edge, more=more, workers=workers):
                if name == "uat":
                    return runs.uatrun(options.build, workers, f"examples/uat-{program}", "-n", edge, *more)
                suffix, launcher, _ = MPIS[name]
                return runs.report_of(runs.run([launcher, "-n", workers, options.build / "examples" / f"{program}-{suffix}", edge, more[1]],
                                               runs.MPI_SETTINGS))
            taken = runs.in_turn(options.rounds, ("uat", *found), once)
            times = {name: [1e3 * one["seconds"] for one in reports] for name, reports in taken.items()}
            ratios = ([mine / other for mine, other in zip(times["uat"], times[name])] for name in found)
            runs.print_cells([" ".join(map(str, [f"uat-{program}", "-n", edge, *more])), str(workers), *map(runs.spread, times.values()),
                              *map(runs.spread, ratios), f"{taken[found[0]][0]['bytes'] / 1000:.1f}" if found else ""])


def is_there(options, name, suffix, launcher, package):
    there = (options.build / "examples" / f"cg-{suffix}").exists() and shutil.which(launcher)
    if not there:
        print(f"{name}: not installed: no {launcher}, or no examples/cg-{suffix} (Debian: {package})", file=sys.stderr)
    return there


def least_of(program, report, hosts, arguments):
    """The bytes that must move between hosts, or None. A host keeps at least 64 KiB of an array, so some may keep nothing."""
    if program == "jacobi":
        return 1e3 * report["halo"] * arguments[3]
    if program == "fft":
        return 1e6 * report["least"]
    if program == "cg":
        return 2 * (min(hosts, arguments[1] ** 3 * DOUBLE // 65536) - 1) * arguments[1] ** 2 * DOUBLE * report["iterations"]
    return None


def measure_hosts(options):
    """One worker on each host."""
    runs.print_titles(["program", "hosts", "ms", "speed-up", "read, KB", "written, KB", "minimum, KB"])
    for program, arguments in APPLICATIONS:
        alone = None
        for hosts in options.hosts:
            report = runs.uatrun(options.build, hosts, f"examples/uat-{program}", *arguments, UAT_TRANSPORT="sim",
                                 UAT_SIM_TASK="20ns" if program in TOLD else "20ns,cpu=100", UAT_SIM_NETWORK=f"{options.network},node=1")
            counters, least = report["counters"], least_of(program, report, hosts, arguments)
            alone = alone or report["seconds"]
            runs.print_cells([" ".join(map(str, [f"uat-{program}", *arguments])), str(hosts), f"{1e3 * report['seconds']:.3g}",
                              f"{alone / report['seconds']:.2f}", *(f"{counters[f'global_bytes_{way}'] / 1000:.0f}" for way in ("fetched", "written")),
                              "" if least is None else f"{least / 1000:.0f}"])


PARTS = {"curve": measure_curve, "bytes": measure_bytes, "hosts": measure_hosts, "rivals": measure_rivals, "metg": measure_metg,
         "mpi": measure_mpi}


def add_options(parser):
    parser.add_argument("--parts", type=runs.words_of(list(PARTS)), default=list(PARTS), help=f"({','.join(PARTS)})")
    parser.add_argument("--workers", type=runs.numbers, default=[8, 32, 128], help="of the curve (8,32,128)")
    parser.add_argument("--work", type=runs.numbers, default=[10, 30, 100, 300], help="us of a worker in a loop of the curve (10,30,100,300)")
    parser.add_argument("--network", default="cx6", help="preset of UAT_SIM_NETWORK (cx6)")
    parser.add_argument("--hosts", type=runs.numbers, default=[1, 4, 16, 64], help="of the part hosts (1,4,16,64)")
    parser.add_argument("--fine", type=runs.numbers, default=[1, 2, 5, 10, 30, 100],
                        help="us of a worker in a loop of the part metg, at most 8 numbers (1,2,5,10,30,100)")
    parser.add_argument("--ranks", type=runs.numbers, default=[1, 2], help="workers and ranks of the part mpi (1,2)")
    parser.add_number("--loops", 10, "loops of a run of the curve")
    parser.add_number("--rounds", 5, "rounds of the rivals")
    parser.add_number("--repeat", 20, "times that each kernel of the rivals runs in a round; the least counts")
    parser.add_build()


def measure(options):
    for part in options.parts:
        PARTS[part](options)

# SPDX-License-Identifier: MIT
"""The tables of Akiyama and Taura (HPDC'15, JIP 2016): as published, simulated with their machine and protocol, and simulated with uat's protocol.

    perf/measure papers [--parts steal,runs,stacks,creation,messages,iso] [--scale 8] [--microseconds 500]
                         [--quantum 2] [--no-blind] [--workers 64,480] [--build build]

`fx10` and `tsubame` are the simulated machines (docs/simulation.md). The papers' protocol is UAT_DEQUE=paper with one victim per peek. uat's protocol
is the default, claim. A run of the papers has some 10^11 to 10^12 tasks. Here the trees are smaller: each worker has
--microseconds of work, and the script divides the numbers of workers by --scale. The script prints how many times
smaller each tree is. The work of a task is the papers' time per task (or per node) on one worker. This time includes
the cost of the papers' runtime. If a row's difference is above 10 %, the row names the cause or says "not explained".
"""
import math
import time

import runs
from measures import iso

PARTS = ["steal", "runs", "stacks", "creation", "messages", "iso"]
TITLES = ["what", "published", "simulated, papers' protocol", "simulated, claim", "difference of the papers' protocol", "cause"]
LIMIT = 0.10
QUEENS = {6: 153, 7: 552, 8: 2057, 9: 8394, 10: 35539, 11: 166926, 12: 856189, 13: 4674890}  # boards without an attack
PAPER, CLAIM = {"UAT_DEQUE": "paper", "UAT_PEEKS": "1"}, {"UAT_DEQUE": "claim"}
BLIND = {"UAT_DEQUE": "paper", "UAT_PEEKS": "none"}
MESSAGE = {"UAT_DEQUE": "paper-message", "UAT_PEEKS": "1"}
MESSAGE_BLIND = {"UAT_DEQUE": "paper-message", "UAT_PEEKS": "none"}
POLL = 58  # ns: on TSUBAME2.5, AM-based, creating a task takes 353 - 184 cycles of 2.93 GHz longer

# paper: network, bytes of the stack, GHz, published cycles. The cycles are those of a whole steal, suspend and resume,
# fetch-and-add, READ, WRITE, and page fault
STEALS = {"HPDC'15": ("fx10", 3055, 1.848, {"steal": 42000, "suspend and resume": 3500, "fetch-and-add": 9800, "fault": 21000}),
          "JIP 2016": ("tsubame", 664, 2.93, {"steal": 86000, "suspend and resume": 1100, "READ": 11600, "WRITE": 8400}),
          "JIP 2016, AM-based": ("tsubame-am", 664, 2.93, {"steal": 61000, "suspend and resume": 800, "READ": 8200, "WRITE": 5900})}
# JIP 2016, AM-based with 1800 workers, with and without the empty check: its time relative to RDMA-emulated, and the %
# of its time that messages take
AM = {"btc": ((2.88, 63.3), (3.67, 70.0)), "uts": ((1.30, 25.7), (1.38, 29.8)), "nqueens": ((1.41, 41.4), None)}

# paper, program, nanoseconds per task or node and worker, tasks or nodes of the run, efficiency, seconds of the run, published bytes of stack
FX10, TSUBAME = ("fx10", 480, 3840), ("tsubame", 225, 1800)
RUNS = [("HPDC'15", FX10, "BTC, depth 39", "btc", 229, 2**40 - 1, .98, 65.67), ("HPDC'15", FX10, "UTS 18", "uts", 2470, 439e9, .99, 282.2),
        ("HPDC'15", FX10, "NQueens 18", "nqueens", 20600, 59e9, .95, 317.8),
        ("JIP 2016", TSUBAME, "BTC, depth 41", "btc", 46, 2**42 - 1, .99, 113.0), ("JIP 2016", TSUBAME, "UTS 18", "uts", 444, 439e9, .98, 108.2),
        ("JIP 2016", TSUBAME, "NQueens 18", "nqueens", 5900, 59e9, .99, 194.0)]

# program: the papers' bytes per level, and the two depths at which to measure
STACKS = {"BTC": ("uat-btc -i 1 -d", 1120, 16, 20), "UTS": ("uat-uts --papers 1 -t 1 -r 0 -b 4 -a 3 -d", 7856, 7, 9),
          "NQueens": ("uat-nqueens --papers 1 -n", 4848, 8, 10)}


def compared(published, paper, claim, form, cause, what):
    """Print a row. If a difference is above LIMIT and no cause is given, print "not explained"."""
    difference = (paper - published) / published if paper is not None else None
    if difference is None:
        text, cause = "-", cause or "not simulated"
    else:
        text = f"{100 * difference:+.0f} %"
        cause = (cause or "not explained") if abs(difference) > LIMIT else "-"
    runs.print_cells([what, *("-" if value is None else format(value, form) for value in (published, paper, claim)), text, cause])


def steal_of(options, network, stack, protocol):
    return runs.uatrun(options.build, 2, "perf/uat-steal", "--stack", str(stack), "--rounds", "100", UAT_TRANSPORT="sim",
                       UAT_SIM_NETWORK=network + ",node=1", **protocol)


def microseconds(report, *names):
    """The sum of the medians of these phases, in us."""
    return sum((report["phases"].get(name) or report.get(name) or report["bare"][name])["median_ns"] for name in names) / 1e3


def print_steals(options):
    print("\nA steal between two hosts, us. The papers' cycles are divided by the processor's clock.\n")
    runs.print_titles(TITLES)
    for name, (network, stack, ghz, cycles) in STEALS.items():
        paper, claim = (steal_of(options, network, stack, protocol) for protocol in (MESSAGE if network == "tsubame-am" else PAPER, CLAIM))
        us = {what: value / ghz / 1e3 for what, value in cycles.items()}
        whole = microseconds(paper, "steal", "acknowledge")  # the papers' steal ends with the unlock, which a claim does not wait for
        compared(us["steal"], whole, microseconds(claim, "steal"), ".1f", "the thief has nothing to suspend or to resume: its region is empty",
                 f"{name}: steal of {stack} bytes")
        compared(us["steal"] - us["suspend and resume"], whole, None, ".1f", None, f"{name}: its seven remote operations")
        for what, bare in (("fetch-and-add", "fetch_add"), ("READ", "read"), ("WRITE", "write")):
            if what in us:
                compared(us[what], microseconds(paper, bare), microseconds(claim, bare), ".2f", None, f"{name}: {what} of 8 bytes")
        if "fault" in us:
            fault = [whole + us["fault"], microseconds(claim, "steal") + us["fault"]]
            compared(.71, whole / fault[0], microseconds(claim, "steal") / fault[1], ".2f",
                     "the paper adds suspend and resume to uni-address only; uat's steals have neither",
                     f"{name}: steal / (steal + a page fault), the estimate of iso-address")


def size_of(program, items):
    """The arguments that give a tree of about this number of tasks or nodes."""
    if program == "btc":
        depth = max(6, round(math.log2(items)) - 1)
        return ["-i", "1", "-d", str(depth)]
    if program == "uts":
        depth = max(3, round(math.log(items / 107110452, 4)) + 12)
        return ["--papers", "1", "-t", "1", "-r", "0", "-b", "4", "-a", "3", "-d", str(depth)]
    queens = min(QUEENS, key=lambda n: abs(math.log(QUEENS[n] / items)))
    return ["--papers", "1", "-n", str(queens)]


def time_of_task(options, program, arguments, ns):
    """Returns the time per task, in ns, for which a node takes `ns`; the number of nodes; the number of tasks. To count
    nodes and tasks, runs the program in real time with one worker."""
    report = runs.uatrun(options.build, 1, f"perf/uat-{program}", *arguments)
    nodes = report["result"] if program == "btc" else report["nodes"]
    return max(1, round(ns * nodes / report["tasks"])), nodes, report["tasks"]


def run_of(options, network, workers, program, arguments, task, protocol):
    return runs.uatrun(options.build, workers, f"perf/uat-{program}", *arguments, UAT_TRANSPORT="sim", UAT_SIM_NETWORK=network, UAT_SIM_TASK=f"{task}ns,quantum={options.quantum}us",
                       UAT_STACK_SIZE="256k", UAT_HEAP_SIZE="1M", **protocol)


def print_runs(options):
    print(f"\nEfficiency of the larger number of workers relative to the smaller, both divided by {options.scale}. `lost`, in ms: the time for which a\n"
          "worker of the larger number has no work. In the published run: (1 - efficiency) x time.\n")
    runs.print_titles(TITLES + ["workers", "tree smaller by", "lost: published", "papers' protocol", "claim", "without the empty check: efficiency", "lost",
                                "seconds of real time"])
    for paper, (network, few, many), what, program, ns, size, efficiency, seconds in RUNS:
        few, many = few // options.scale, many // options.scale
        arguments = size_of(program, many * options.microseconds * 1e3 / ns)
        task, nodes, tasks = time_of_task(options, program, arguments, ns)
        found = {}
        began = time.monotonic()
        for name, protocol in (("paper", PAPER), ("claim", CLAIM), ("blind", BLIND)):
            if name == "blind" and (network == "fx10" or options.no_blind):
                continue  # HPDC'15 has no such run
            times = [run_of(options, network, workers, program, arguments, task, protocol)["seconds"] for workers in (few, many)]
            found[name] = (times[0] * few / (times[1] * many), 1e3 * (times[1] - tasks * task * 1e-9 / many))
        cells = [f"{few}, {many}", f"{size / nodes:.2g}", f"{1e3 * seconds * (1 - efficiency):.0f}", f"{found['paper'][1]:.2f}",
                 f"{found['claim'][1]:.2f}", *(f"{value:.2f}" for value in found.get("blind", ()))]
        cells += ["-"] * (7 - len(cells)) + [f"{time.monotonic() - began:.0f}"]
        difference = (found["paper"][0] - efficiency) / efficiency
        cause = "the tree is smaller, so start and end of the run count for more" if abs(difference) > LIMIT else "-"
        runs.print_cells([f"{paper}: {what}", f"{efficiency:.2f}", f"{found['paper'][0]:.2f}", f"{found['claim'][0]:.2f}", f"{100 * difference:+.0f} %", cause,
                          *cells])


def print_stacks(options):
    print("\nBytes of stack for each level of the tree, over shared memory with 2 workers: the difference between two depths, divided by their distance.\n")
    runs.print_titles(["program", "published (HPDC'15)", "uat, at depths", "uat", "difference", "cause"])
    for name, (words, published, low, high) in STACKS.items():
        program, *arguments = words.split()
        low_bytes, high_bytes = (max(runs.uatrun(options.build, 2, f"perf/{program}", *arguments, str(depth))["stack_bytes_max"] for _ in range(3))
                                 for depth in (low, high))
        found = (high_bytes - low_bytes) / (high - low)
        runs.print_cells([name, str(published), f"{low}, {high}", f"{found:.0f}", f"{100 * (found - published) / published:+.0f} %",
                          "frames of another compiler and processor, and of another runtime: not taken apart"])


def print_creation(options):
    print("\nA task that is created, runs and returns, unstolen: cycles. This is another processor, and the simulation has no time of creation.\n")
    runs.print_titles(["published: machine", "uni-address threads", "MassiveThreads", "MIT Cilk", "uat on this machine, spawn and join"])
    found = runs.uatrun(options.build, 1, "perf/uat-spawn")
    here = f"{found['spawn_join']['median_cycles']:.1f}"
    for cells in (["SPARC64 IXfx (HPDC'15)", "413", "658", "47"], ["E5-2660 (HPDC'15)", "100", "110", "59"],
                  ["X5670, RDMA-emulated (JIP 2016)", "184", "122", "-"], ["X5670, AM-based: polls at each creation", "353", "122", "-"]):
        runs.print_cells([*cells, here])


def print_messages(options):
    print(f"\nJIP 2016, AM-based: the lock goes by messages (UAT_DEQUE=paper-message, tsubame-am), and a task takes {POLL} ns longer, for the poll. Workers:\n"
          f"1800 divided by {options.scale}. Ratio: time / that of RDMA-emulated in the same tree; of the work alone: (work + poll) / work. Share of the time for\n"
          "messages: here that of the polls.\n")
    runs.print_titles(["run", "empty check", "ratio: published", "of the work alone", "simulated", "difference", "cause", "share, published", "share of polls, simulated",
                       "requests granted or refused per worker and ms"])
    for paper, (network, _, many), what, program, ns, _, _, _ in RUNS:
        if network != "tsubame":
            continue
        workers = many // options.scale
        arguments = size_of(program, workers * options.microseconds * 1e3 / ns)
        task, _, tasks = time_of_task(options, program, arguments, ns)
        for check, published, emulated, protocol in zip(("yes", "no"), AM[program], (PAPER, BLIND), (MESSAGE, MESSAGE_BLIND)):
            if not published:
                continue
            old = run_of(options, network, workers, program, arguments, task, emulated)["seconds"]
            report = run_of(options, "tsubame-am", workers, program, arguments, task + POLL, protocol)
            new, counters = report["seconds"], report["counters"]
            share = 100 * tasks * POLL * 1e-9 / (workers * new)
            requests = (counters["steals"] + counters["claims_aborted"] + counters["requests_refused"]) / workers / (1e3 * new)
            difference = (new / old - published[0]) / published[0]
            cause = "the tree is smaller, so idle time counts for more; the rest is not explained" if abs(difference) > LIMIT else "-"
            runs.print_cells([what, check, f"{published[0]:.2f}", f"{(task + POLL) / task:.2f}", f"{new / old:.2f}", f"{100 * difference:+.0f} %", cause, f"{published[1]:.1f} %",
                              f"{share:.1f} %", f"{requests:.1f}"])


def add_options(parser):
    parser.add_argument("--parts", type=runs.words_of(PARTS), default=PARTS, help=f"tables ({','.join(PARTS)})")
    parser.add_number("--scale", 8, "the papers' numbers of workers are divided by it")
    parser.add_number("--microseconds", 500, "work of a worker in a run")
    parser.add_number("--quantum", 2, "microseconds for which a simulated worker may run tasks ahead of the others (the part quantum of UAT_SIM_TASK)")
    parser.add_argument("--no-blind", action="store_true", help="leave out the runs without the empty check")
    parser.add_argument("--workers", type=runs.numbers, default=[64, 480], help="simulated workers of the tables of iso-address (64,480)")
    parser.add_build()


def measure(options):
    began = time.monotonic()
    for part in options.parts:
        {"steal": print_steals, "runs": print_runs, "stacks": print_stacks, "creation": print_creation,
         "messages": print_messages, "iso": iso.print_tables}[part](options)
    print(f"\nIt took {time.monotonic() - began:.0f} s.")

# SPDX-License-Identifier: MIT
"""The tables of perf/measure papers about iso-address: a migration in real time, page faults in virtual time, and the addresses that a job needs."""
import re

import runs

FAULT_NS = 11400  # 21 K cycles of SPARC64 IXfx (HPDC'15)
SLOT = 1 << 14  # bytes reserved per stack in HPDC'15's example
X86_64 = 47  # bits of a process's addresses

# network, nanoseconds per task, command
RUNS = {"BTC": ("fx10", 229, "uat-btc -i 1 -d"), "UTS": ("fx10", 1540, "uat-uts --papers 1 -t 1 -r 0 -b 4 -a 3 -d"),
        "NQueens": ("fx10", 1170, "uat-nqueens --papers 1 -n")}
DEPTHS = {"BTC": {64: 14, 480: 17, 1800: 19, 3840: 20}, "UTS": {64: 5, 480: 7, 1800: 8, 3840: 8}, "NQueens": {64: 8, 480: 9, 1800: 10, 3840: 10}}


def print_migrations(options):
    print("\nA stolen stack in real time, ns: the steal (uat-steal over shared memory), and what follows it (uat-iso). Uni-address suspends one task and\n"
          "resumes another by a copy each; iso-address copies once, to a page that is touched for the first time or was touched before.\n")
    runs.print_titles(["stack, bytes", "protocol", "steal", "copy", "fresh page", "faults", "used page", "uni / iso, fresh", "uni / iso, used", "published"])
    for size, published in ((3055, ".71"), (664, "-")):
        for deque in ("paper", "claim"):
            steal = runs.uatrun(options.build, 2, "perf/uat-steal", "--stack", str(size), "--rounds", "2000", UAT_DEQUE=deque, UAT_PEEKS="1")
            bytes_ = runs.uatrun(options.build, 1, "perf/uat-iso", "--stack", str(size))
            whole = steal["steal"]["median_ns"]
            uni = whole + 2 * bytes_["copy_ns"]
            runs.print_cells([str(size), deque, f"{whole:.0f}", f"{bytes_['copy_ns']:.0f}", f"{bytes_['fresh_ns']:.0f}", f"{bytes_['fresh_faults']:.2f}",
                              f"{bytes_['used_ns']:.0f}", f"{uni / (whole + bytes_['fresh_ns']):.2f}", f"{uni / (whole + bytes_['used_ns']):.2f}", published])
    print(f"\nThis process can reserve 2^{bytes_['reservable_bits']} bytes.")


def print_children(options):
    spawn, iso = (runs.uatrun(options.build, 1, f"perf/{name}") for name in ("uat-spawn", "uat-iso"))
    print("\nCreation of a task in real time, ns: what a stack of its own adds for a child that returns at once (a place taken and given back, two switches),\n"
          "beside a spawn and its join by uni-address, whose child runs on its spawner's stack.\n")
    runs.print_titles(["", "median", "least"])
    runs.print_cells(["uni-address: spawn and join", *(f"{spawn['spawn_join'][f'{which}_ns']:.1f}" for which in ("median", "min"))])
    runs.print_cells(["iso-address adds", f"{iso['child_ns']:.1f}", f"{iso['child_least_ns']:.1f}"])


def run_of(options, workers, program, network, task):
    """Returns the report, and the number of first touches of pages. If no time per fault is set, returns None instead
    of this number."""
    name, *arguments = program.split()
    done = runs.run([options.build / "launcher" / "uatrun", "-n", workers, options.build / "perf" / name, *arguments, "--json"],
                    {"UAT_TRANSPORT": "sim", "UAT_SIM_NETWORK": network, "UAT_SIM_TASK": f"{task}ns", "UAT_SIM_QUANTUM": "2us", "UAT_STACK_SIZE": "256k",
                     "UAT_HEAP_SIZE": "1M", "UAT_LOG": "info", "UAT_DEQUE": "paper", "UAT_PEEKS": "1"})
    touched = re.search(r"iso-address: \d+ steals, (\d+) first touches", done.stderr)
    return runs.report_of(done), touched and int(touched[1])


def print_runs(options):
    print("\nRuns on the simulated FX10 with the papers' protocol. uni: copies of waiting stacks are charged, faults are not. iso: no copies, and\n"
          f"{FAULT_NS} ns for each page that a thief touches for the first time. Pages are of 4 KiB. m: migrations of a task.\n")
    runs.print_titles(["run", "workers", "tasks", "uni: ms", "iso: ms", "uni / iso", "steals", "m", "faults per steal", "uni: stack bytes of a worker",
                       "iso: bytes of a worker touched by steals"])
    for what, (network, task, words) in RUNS.items():
        for workers in options.workers:
            depth = DEPTHS[what][min(DEPTHS[what], key=lambda known, n=workers: abs(known - n))]
            uni, _ = run_of(options, workers, f"{words} {depth}", network, task)
            iso, touched = run_of(options, workers, f"{words} {depth}", f"{network},copy=1000000000,fault={FAULT_NS}ns", task)
            steals = iso["counters"]["steals"]
            runs.print_cells([f"{what} {depth}", str(workers), str(uni["tasks"]), f"{1e3 * uni['seconds']:.3f}", f"{1e3 * iso['seconds']:.3f}",
                              f"{uni['seconds'] / iso['seconds']:.2f}", str(steals), f"{steals / iso['tasks']:.4f}", f"{touched / steals:.2f}",
                              str(uni["stack_bytes_max"]), f"{4096 * touched / workers:.0f}"])


def print_addresses():
    print(f"\nAddresses that iso-address reserves: workers x depth x {SLOT} bytes for a stack, as a power of two. x86-64 has 2^{X86_64} for a process.\n")
    runs.print_titles(["workers", "depth 2^7", "depth 2^10", "depth 2^13", "deepest tree"])
    for bits in (8, 12, 16, 20, 22):
        cells = [f"2^{bits + depth + 14}{' (too many)' if bits + depth + 14 >= X86_64 else ''}" for depth in (7, 10, 13)]
        runs.print_cells([f"2^{bits}", *cells, f"2^{X86_64 - 14 - bits}"])


def print_tables(options):
    print_migrations(options)
    print_children(options)
    print_runs(options)
    print_addresses()

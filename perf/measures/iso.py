# SPDX-License-Identifier: MIT
"""The tables of perf/measure papers about iso-address: a migration in real time, page faults in virtual time, and the addresses that a job needs."""
import runs

FAULT_NS = 11400  # 21 K cycles of SPARC64 IXfx (HPDC'15)
SLOT = 1 << 14  # bytes reserved per stack in HPDC'15's example
LARGEST = 2 << 30  # the largest UAT_STACK_SIZE, in bytes
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
    """Creation of a task, in turn with both kinds of stacks."""
    print("\nCreation of a task in real time, one worker: spawn and join of a child that returns at once (uat-spawn), and cycles per task of BTC.\n")
    runs.print_titles(["stacks", "spawn and join, ns: median", "least", "BTC 20: cycles per task"])
    for stacks in ("uni", "iso") * 3:
        spawn = runs.uatrun(options.build, 1, "perf/uat-spawn", UAT_STACKS=stacks)["spawn_join"]
        tree = runs.uatrun(options.build, 1, "perf/uat-btc", "-d", "20", "-i", "1", UAT_STACKS=stacks)
        runs.print_cells([stacks, f"{spawn['median_ns']:.1f}", f"{spawn['min_ns']:.1f}", f"{tree['cycles_per_task']:.1f}"])


def cells_of_pages(iso, workers):
    """Pages that a worker has touched, migrations per task, first touches per migration, copies of a page: counted, and 1 + m r of HPDC'15. There
    r tasks use a page, and a task migrates m times."""
    counters = iso["counters"]
    migrations, own = counters["steals"] + counters["resumes_away"], counters["pages_touched"] - counters["first_touches"]
    return [f"{counters['pages_touched'] / workers:.1f}", f"{migrations / iso['tasks']:.2g}", f"{counters['first_touches'] / max(migrations, 1):.2f}",
            f"{counters['pages_touched'] / own:.2f}", f"{1 + migrations / own:.2f}"]


PAGES = ["iso: pages of a worker", "m", "first touches per migration", "copies of a page", "1 + m r"]


def print_pairs(options):
    print("\nPrograms in real time, 2 workers over shared memory, medians of 5 runs in turn.\n")
    runs.print_titles(["run", "uni, s", "iso, s", "uni / iso", "uni: stack bytes of a worker", *PAGES])
    for words in ("uat-btc -i 1 -d 20", "uat-uts -t 1 -r 0 -b 4 -a 3 -d 8", "uat-nqueens -n 11"):
        name, *arguments = words.split()
        pairs = [[runs.uatrun(options.build, 2, f"perf/{name}", *arguments, UAT_STACKS=stacks) for stacks in ("uni", "iso")] for _ in range(5)]
        uni, iso = (sorted((pair[k] for pair in pairs), key=lambda run: run["seconds"])[2] for k in (0, 1))
        runs.print_cells([words[4:], f"{uni['seconds']:.4f}", f"{iso['seconds']:.4f}", f"{uni['seconds'] / iso['seconds']:.2f}",
                          str(uni["stack_bytes_max"]), *cells_of_pages(iso, 2)])


def run_of(options, workers, program, network, task, stacks):
    name, *arguments = program.split()
    done = runs.run([options.build / "launcher" / "uatrun", "-n", workers, options.build / "perf" / name, *arguments, "--json"],
                    {"UAT_TRANSPORT": "sim", "UAT_SIM_NETWORK": network, "UAT_SIM_TASK": f"{task}ns,quantum=2us", "UAT_HEAP_SIZE": "1M",
                     "UAT_DEQUE": "paper", "UAT_PEEKS": "1", **stacks})
    return runs.report_of(done)


def print_runs(options):
    print("\nRuns on the simulated FX10 with the papers' protocol. uni: copies of waiting stacks are charged. iso: UAT_STACKS=iso, whose joiners stay\n"
          f"where they are, and {FAULT_NS} ns for each first touch of a page of 4 KiB. m: migrations per task. r: tasks that use a page.\n")
    runs.print_titles(["run", "workers", "tasks", "uni: ms", "iso: ms", "uni / iso", "uni: stack bytes of a worker", *PAGES, "iso: bytes reserved"])
    for what, (network, task, words) in RUNS.items():
        for workers in options.workers:
            depth = DEPTHS[what][min(DEPTHS[what], key=lambda known, n=workers: abs(known - n))]
            room = min(workers * 128 * SLOT, LARGEST) >> 20
            uni = run_of(options, workers, f"{words} {depth}", network, task, {"UAT_STACK_SIZE": "256k"})
            iso = run_of(options, workers, f"{words} {depth}", f"{network},fault={FAULT_NS}ns", task, {"UAT_STACKS": "iso", "UAT_STACK_SIZE": f"{room}M"})
            runs.print_cells([f"{what} {depth}", str(workers), str(uni["tasks"]), f"{1e3 * uni['seconds']:.3f}", f"{1e3 * iso['seconds']:.3f}",
                              f"{uni['seconds'] / iso['seconds']:.2f}", str(uni["stack_bytes_max"]), *cells_of_pages(iso, workers), f"{room} MiB"])


def print_addresses():
    print(f"\nAddresses that iso-address reserves: workers x depth x {SLOT} bytes for a stack, as a power of two. x86-64 has 2^{X86_64} for a process.\n")
    runs.print_titles(["workers", "depth 2^7", "depth 2^10", "depth 2^13", "deepest tree"])
    for bits in (8, 12, 16, 20, 22):
        cells = [f"2^{bits + depth + 14}{' (too many)' if bits + depth + 14 >= X86_64 else ''}" for depth in (7, 10, 13)]
        runs.print_cells([f"2^{bits}", *cells, f"2^{X86_64 - 14 - bits}"])


def print_tables(options):
    print_migrations(options)
    print_children(options)
    print_pairs(options)
    print_runs(options)
    print_addresses()

# SPDX-License-Identifier: MIT
"""The matrix of a network's operations and atomics, and the setting that makes the simulator behave like this network.

    perf/measure atomics [-n 2] [--matrix usual] [--us 1000000] [--mode NAME=VALUE ...] [--json] [-- LAUNCHER]
    perf/measure atomics --from REPORT

LAUNCHER: words that start the workers; {} stands for their number. The default is uatrun -n {}. Two hosts need 3 minutes:

    perf/measure atomics -n 128 --json -- srun --mpi=pmix -N 2 -n {} > report.json

A cell of the matrix has an operation, the place of its words, the path to them, and a number of initiators. The script prints operations per
second, and the median and the 99th percentile of the time from the post to the completion. Places are one word, 8 words of one line, 8 words
that lie 64, 4096 or 4160 bytes apart, and random words of 1 MiB. Paths are `own` (rank 0 to itself), `near` (its host) and `far` (other hosts).
`window` is the number of chains that an initiator has in flight, and `batch` the number of operations of a chain.

--mode: measure again with this setting; several settings of one mode are separated by spaces. --json: one object per mode, with the cells, the
host, its adapters, and the report of uat_info. --from: make table and setting from such an object, or from a report of `uat-atomics --matrix N
--json`, instead of measuring.

The last line is a value of UAT_SIM_NETWORK. It has only parts that this run has shown, and comments name the others. A rate counts if it is
less than 1.8 times that of half of the initiators: otherwise the initiators limit it, not the adapter.
"""
import json
import os
from pathlib import Path

import runs

SIZES = {"short": 1, "usual": 2, "full": 3}
COLUMNS = {"operation": "<16", "place": "<7", "path": "<5", "initiators": "10.0f", "window": "6.0f", "batch": "5.0f", "targets": "7.0f",
           "M/s": "9.3f", "p50_ns": "9.0f", "p99_ns": "9.0f", "success": "7.3f"}
POST = 100  # ns that the simulator's presets of ConnectX adapters add to each chain for its post
GROWTH = 1.8
MISSED = 1.06  # READs over too many queue pairs take longer by more than this factor
PRESETS = {"MT4119": "cx5", "MT4121": "cx5", "MT4123": "cx6", "MT4125": "cx6", "MT4129": "cx7"}
BULK = 65536  # bytes of a READ of operation read_64k


class Parts:
    """The parts of UAT_SIM_NETWORK that a report shows: `values` in the order of the setting, and `missing` with the reasons."""

    def __init__(self, report):
        self.cells, self.values, self.missing = report["cells"], {}, {}
        paths = {cell["path"] for cell in self.cells}
        self.main = next(path for path in ("far", "near", "own") if path in paths)
        gap = self.period("gap", "read_8", "random", 8)
        read, atomic, own = (self.single(*words) for words in (("read_8", self.main), ("fetch_add", self.main), ("fetch_add", "own")))
        fixed = POST + (gap or 0)
        extra = atomic - read
        if self.main == "far":
            self.values["rtt"] = read - fixed
        else:
            self.missing["rtt"] = "no other host takes part"
        self.values["local"] = own - extra - fixed
        self.values["atomic"] = extra
        self.set("gap", gap)
        self.set("write", self.period("write", "write_8", "random", 8))
        self.set("word", self.period("word", "fetch_add", "word", 1))
        self.set("each", self.period("each", "fetch_add", "random", 1))
        bulk = self.period("bandwidth", "read_64k", "word", 1)
        self.set("bandwidth", bulk and 1000 * BULK / bulk)
        self.add_pairs()
        self.values["node"] = report["workers_of_host"]

    def set(self, name, value):
        if value is not None:
            self.values[name] = value

    def single(self, operation, path):
        """The median time of one operation alone, in ns."""
        return next(cell["p50_ns"] for cell in self.cells if (cell["operation"], cell["place"], cell["path"], cell["initiators"], cell["window"],
                                                              cell["batch"]) == (operation, "word", path, 1, 1, 1))

    def period(self, name, operation, place, batch):
        """The time between two operations of the largest rate, in ns; None if the initiators limit the rate."""
        rates = {}
        for cell in self.cells:  # the first ones are made for this comparison
            if (cell["operation"], cell["place"], cell["path"], cell["batch"], cell["targets"]) == (operation, place, self.main, batch, 0):
                rates.setdefault(cell["initiators"], cell["per_second"])
        most = max(rates)
        half = rates.get(most // 2)
        if half is None or rates[most] >= GROWTH * half * most / (most // 2 * 2):
            self.missing[name] = f"{most} initiators do not occupy the adapter; at most {1e9 / rates[most]:.0f} ns between two of {operation}"
            return None
        return 1e9 / rates[most]

    def add_pairs(self):
        """READs over more queue pairs than an adapter's cache holds take longer by a miss."""
        rows = [(cell["targets"] * cell["initiators"], cell["p50_ns"]) for cell in self.cells if cell["targets"]]
        slow = [(count, time) for count, time in rows if time > MISSED * rows[0][1]]
        if slow:
            self.values["pairs"] = max(count for count, time in rows if count < slow[0][0])
            self.values["miss"] = slow[-1][1] - rows[0][1]
        else:
            why = f"READs over {rows[-1][0]} queue pairs take no longer than over {rows[0][0]}" if rows else "needs three hosts or more"
            self.missing["pairs, miss"] = why

    def line(self, preset):
        units = {"bandwidth": "", "pairs": "", "node": ""}
        parts = [f"{name}={max(1, round(value))}{units.get(name, 'ns')}" for name, value in self.values.items()]
        return f"UAT_SIM_NETWORK={','.join([preset, *parts])}"


def preset_of(result):
    """The preset of this adapter, whose values stay where nothing was measured."""
    chosen = result.get("uat_info", {}).get("chosen", {}).get("device")
    for device in result["host"]["devices"]:
        if chosen in (None, device["name"]) and device.get("type") in PRESETS:
            return PRESETS[device["type"]]
    return "cx6"


def start(options, settings):
    launcher = [word.replace("{}", str(options.n)) for word in options.launcher] or [options.build / "launcher" / "uatrun", "-n", options.n]
    program = [options.build / "perf" / "uat-atomics", "--matrix", SIZES[options.matrix], "--us", options.us, "--window", options.window]
    # The adapter executes the operations on neighbours as well; by default the processor does.
    settings = {"UAT_CONNECT": os.environ.get("UAT_CONNECT", "host,neighbours=adapter"), **settings}
    result = runs.report_of(runs.run([*launcher, *program, "--json"], settings))
    info = options.build / "launcher" / "info" / "uat_info"
    if result["transport"] == "ibv" and info.exists():
        result["uat_info"] = json.loads(runs.run([info, "--json"], settings).stdout)
    return {"mode": settings, **result}


def show(result):
    host = result["host"]
    print(f"# {result['workers']} workers, {result['transport']}, {result['time']} time, mode {result.get('mode', {})}")
    print(f"# {host['name']}: {host.get('processor', host['machine'])}, NUMA node {host.get('numa_node')}")
    for device in host["devices"]:
        print("# " + ", ".join(f"{key} {value}" for key, value in device.items()))
    chosen = result.get("uat_info", {}).get("chosen", {})
    port = next((port for port in result.get("uat_info", {}).get("ports", []) if port["device"] == chosen.get("device")), None)
    if port:
        queue = chosen.get("queue", {})
        print(f"# {port['device']}: atomics {port['atomics']}, firmware {port['firmware'] or 'unknown'}, {port['rate_mbit']} Mb/s, ordered keys "
              f"{queue.get('ordered_keys', 'unknown')}, unordered service levels {queue.get('unordered_levels', 'unknown')}")
    table = runs.Table(COLUMNS.items())
    for cell in result["cells"]:
        table.row([{**cell, "M/s": 1e-6 * cell["per_second"]}[name] for name in COLUMNS])
    if result["transport"] == "shm":
        print("# no line for the simulator: over shared memory the processors execute all operations")
        return
    for name, why in (parts := Parts(result)).missing.items():
        print(f"# {name}: {why}")
    print(parts.line(preset_of(result)))


def mode_of(text):
    if not all("=" in word for word in text.split()):
        raise runs.Refused(f"'{text}' is not NAME=VALUE")
    return dict(word.split("=", 1) for word in text.split())


def add_options(parser):
    parser.add_number("-n", 2, "number of workers")
    parser.add_argument("--matrix", choices=SIZES, default="usual", help="cells: those of the last line, the usual ones, or all (usual)")
    parser.add_number("--us", 1000000, "microseconds of a cell")
    parser.add_number("--window", 16, "chains that an initiator has in flight, where it is not fixed")
    parser.add_argument("--mode", action="append", type=mode_of, help="settings of a further run")
    parser.add_argument("--from", dest="source", type=Path, metavar="REPORT", help="a report to evaluate, instead of a run")
    parser.add_argument("--json", action="store_true", help="one JSON object per line")
    parser.add_build()
    parser.add_words("launcher", "words that start the workers (uatrun -n {})")


def measure(options):
    if options.source:
        results = map(json.loads, filter(str.strip, options.source.read_text(encoding="utf-8").splitlines()))
    else:
        results = (start(options, mode) for mode in [{}, *(options.mode or [])])
    for result in results:
        if options.json:
            print(json.dumps(result), flush=True)
        else:
            show(result)
    return 0

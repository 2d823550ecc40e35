# SPDX-License-Identifier: MIT
"""Measure the time, connections and memory that a worker needs to start over verbs.

    perf/measure sizes [-n 4,16,64] [--connect host,worker] [--most BYTES] [--json] [-- LAUNCHER]

LAUNCHER: words that start N workers, with {} for N and {/2} for half of N. The default is uatrun -n {}.

The script measures several numbers of workers and values of UAT_CONNECT. It starts uat-startup, whose workers run a
small tree and check the tree's answer. It adds figures from the workers' log (UAT_LOG=info). Times are those of the
slowest worker. Memory is the mean over all workers, in KiB:
    attach     milliseconds to find, map and register the segments of the workers on the same host
    anonymous  heap, stack and data of the process, without segments and memory that other processes also map
    tables     page tables;   pinned: memory that the kernel has pinned for the device;   locked: memory that uat counts as locked
--most: the status is 1 if `anonymous` grows by more than BYTES per additional worker of the job.
"""
import json
import re
import sys

import runs

SAID = {"connections": r"\b(\d+) connections for \d+ workers", "attach_ms": r"segments of \d+ neighbours and .* in ([\d.]+) ms",
        "regions": r"\b(\d+) memory regions", "locked_kib": r"(\d+) KiB count as locked", "bookkeeping_kib": r"(\d+) KiB are bookkeeping"}
COLUMNS = {"connect": "11", "workers": "11", "init s": "11.2f", "task s": "11.2f", "attach ms": "11.0f", "connections": "11.0f",
           "regions": "11.0f", "anonymous": "11.0f", "tables": "11.0f", "pinned": "11.0f", "locked": "11.0f", "bookkeeping": "11.0f"}
KEYS = ["connect", "workers", "init_seconds", "first_task_seconds", "attach_ms", "connections", "regions", "anonymous_kib", "page_tables_kib",
        "pinned_kib", "locked_kib", "bookkeeping_kib"]


def report_of(options, connect, workers):
    launcher = [word.replace("{/2}", str(workers // 2)).replace("{}", str(workers)) for word in options.launcher]
    command = [options.build / "perf" / "uat-startup", "-n", workers, "--repeat", 1, "--json", *(["--", *launcher] if launcher else [])]
    done = runs.run(command, {"UAT_TRANSPORT": "ibv", "UAT_LOG": "info", "UAT_CONNECT": connect})
    report = {"connect": connect, **runs.report_of(done)}
    for name, pattern in SAID.items():
        values = [float(text) for text in re.findall(pattern, done.stderr)]
        if len(values) != workers:
            runs.fail(f"{len(values)} of {workers} workers say {pattern!r}")
        report[name] = max(values)
    return report


def growth(reports):
    """How many bytes `anonymous` grows per additional worker, from the smallest job to the largest one."""
    least, most = min(reports, key=lambda r: r["workers"]), max(reports, key=lambda r: r["workers"])
    return 1024 * (most["anonymous_kib"] - least["anonymous_kib"]) / (most["workers"] - least["workers"])


def add_options(parser):
    parser.add_argument("-n", type=runs.numbers, default="4,16,64", help="numbers of workers (4,16,64)")
    parser.add_argument("--connect", type=runs.words_of(["host", "worker", "rdmacm"]), default="host,worker",
                        help="kinds of UAT_CONNECT (host,worker)")
    parser.add_argument("--most", type=runs.number, metavar="BYTES", help="bytes by which a worker may grow per additional worker")
    parser.add_argument("--json", action="store_true", help="one JSON object per line")
    parser.add_build()
    parser.add_words("launcher", "words that start the workers (uatrun -n {})")


def measure(options):
    if options.most is not None and len(set(options.n)) < 2:
        raise runs.Refused("--most compares jobs of at least two sizes; see -n")
    table = None if options.json else runs.Table(COLUMNS.items())
    wrong = 0
    for connect in options.connect:
        reports = []
        for workers in options.n:
            reports.append(report_of(options, connect, workers))
            if table:
                table.row([reports[-1][key] for key in KEYS])
            else:
                print(json.dumps(reports[-1]), flush=True)
        if options.most is not None and growth(reports) > options.most:
            print(f"sizes: UAT_CONNECT={connect}: a worker grows by {growth(reports):.0f} bytes for each worker more, not by {options.most}",
                  file=sys.stderr)
            wrong = 1
    return wrong

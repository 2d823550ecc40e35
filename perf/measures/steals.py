# SPDX-License-Identifier: MIT
"""A steal with each protocol, compared with a bare READ: medians of several runs of uat-steal.

    perf/measure steals [--rounds 3] [--passes 1500] [--stack 1024] [--build build] [-- LAUNCHER of two workers]

The default LAUNCHER is uatrun -n 2. Over verbs, the last row posts a claim's atomic as a separate chain (UAT_CONNECT=post=alone). The first run is not
counted, because caches and connections are cold.
"""
import os
import statistics

import runs

SERIES = {"claim": {"UAT_DEQUE": "claim"}, "lock": {"UAT_DEQUE": "lock"}, "message": {"UAT_DEQUE": "message"}, "paper": {"UAT_DEQUE": "paper"},
          "claim, alone": {"UAT_DEQUE": "claim", "UAT_CONNECT": ",".join(filter(None, [os.environ.get("UAT_CONNECT"), "post=alone"]))}}
FIGURES = {"steal / READ": lambda r: r["steal_per_read"], "chain of three / READ": lambda r: r["read_chain_per_read"],
           "steal, us": lambda r: r["steal"]["median_ns"] / 1e3, "p99, us": lambda r: r["steal"]["p99_ns"] / 1e3,
           "READ, us": lambda r: r["bare"]["read"]["median_ns"] / 1e3}


def report_of(options, settings, passes):
    launcher = options.launcher or [options.build / "launcher" / "uatrun", "-n", 2]
    command = [*launcher, options.build / "perf" / "uat-steal", "--stack", options.stack, "--rounds", passes, "--json"]
    return runs.report_of(runs.run(command, settings))


def phases_of(reports):
    """{phase: us}, for the phases that all runs have. us: the median, over the runs, of the phase's median."""
    names = [name for name in reports[0]["phases"] if all(name in report["phases"] for report in reports)]
    return {name: statistics.median(report["phases"][name]["median_ns"] for report in reports) / 1e3 for name in names}


def print_figures(name, reports):
    print(f"{name:14} " + ", ".join(f"{title} {statistics.median(map(figure, reports)):.2f}" for title, figure in FIGURES.items()), flush=True)


def add_options(parser):
    parser.add_number("--rounds", 3, "runs of each protocol")
    parser.add_number("--passes", 1500, "steals of a run")
    parser.add_number("--stack", 1024, "bytes of the stack")
    parser.add_build()
    parser.add_words("launcher", "words that start two workers (uatrun -n 2)")


def measure(options):
    def one(name):
        report = report_of(options, SERIES[name], options.passes)
        print_figures(name, [report])
        return report

    first = report_of(options, SERIES["claim"], min(100, options.passes))
    names = [name for name, settings in SERIES.items() if "UAT_CONNECT" not in settings or first["transport"] == "ibv"]
    taken = runs.in_turn(options.rounds, names, one)
    print(f"\nmedians of {options.rounds} runs, transport {first['transport']}")
    for name, reports in taken.items():
        print_figures(name, reports)
        print(f"{'':14} " + ", ".join(f"{phase} {us:.1f}" for phase, us in phases_of(reports).items()) + " us")

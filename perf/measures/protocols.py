# SPDX-License-Identifier: MIT
"""UTS with each protocol, with and without a peek before the steal: steals, round trips, operations.

    perf/measure protocols [-n 2,4,16,64] [--transport sim|shm|ibv] [--rounds 3] [--build build] [-- UTS's arguments]

In virtual time (sim, each worker on a separate host) one run of each case is enough, because a second run would be
identical. These times are simulated. In real time the cases take turns in each round, and the counts are medians over
the rounds. The claim protocol needs the peek. In virtual time the efficiency is relative to the work. In real time it
is relative to one worker with the same protocol. Operations are per steal.
"""
import os
import statistics

import runs

SERIES = {"claim": {"UAT_DEQUE": "claim"}, "lock": {"UAT_DEQUE": "lock"}, "lock, no peek": {"UAT_DEQUE": "lock", "UAT_PEEKS": "none"},
          "message": {"UAT_DEQUE": "message"}, "message, no peek": {"UAT_DEQUE": "message", "UAT_PEEKS": "none"},
          "paper": {"UAT_DEQUE": "paper"}, "paper, no peek": {"UAT_DEQUE": "paper", "UAT_PEEKS": "none"},
          "paper-message": {"UAT_DEQUE": "paper-message"}, "paper-message, no peek": {"UAT_DEQUE": "paper-message", "UAT_PEEKS": "none"}}
TREES = {"sim": "-t 1 -a 3 -d 8 -b 4 -r 19", "shm": "-t 1 -a 3 -d 10 -b 4 -r 19", "ibv": "-t 1 -a 3 -d 8 -b 4 -r 19"}
KINDS = ["read", "write", "fetch_add", "cmp_swap"]
COLUMNS = {"protocol": "<22", "workers": "7", "efficiency": "10.3f", "steals": "7.0f", "attempts": "8.0f", "lost": "6.0f", "withdrawn": "9.0f",
           "trips": "6.2f", "all trips": "9.0f", **dict.fromkeys(KINDS, "9.2f")}


def counts_of(report):
    """The columns of a run, from `steals` to the last."""
    c = report["counters"]
    steals = max(1, c["steals"])
    return [c["steals"], c["steal_attempts"], c["attempts_lost"], c["requests_withdrawn"], c["steal_trips"] / steals, c["round_trips"],
            *[c["steal_ops_" + kind] / steals for kind in KINDS]]


def add_options(parser):
    parser.add_argument("-n", type=runs.numbers, help="numbers of workers (2,4,16,64; not in virtual time 1,2,3,4)")
    parser.add_argument("--transport", choices=TREES, default="sim", help="(sim)")
    parser.add_number("--rounds", 3, "not in virtual time: runs, of which the medians count")
    parser.add_build()
    parser.add_words("tree", "UTS's arguments")


def measure(options):
    virtual = options.transport == "sim"
    numbers = options.n or ([2, 4, 16, 64] if virtual else [1, 2, 3, 4])
    tree = options.tree or TREES[options.transport].split()

    def one(case):
        """Run one case. The run fails if its answer differs from the sequential search's answer."""
        return runs.uatrun(options.build, case[1], "perf/uat-uts", *tree, "--seq",
                           **{"UAT_TRANSPORT": options.transport, "UAT_SIM_NETWORK": os.environ.get("UAT_SIM_NETWORK", "cx6") + ",node=1", **SERIES[case[0]]})

    taken = runs.in_turn(1 if virtual else options.rounds, [(name, workers) for name in SERIES for workers in numbers], one)
    table = runs.Table(COLUMNS.items())
    for (name, workers), reports in taken.items():
        seconds = statistics.median(report["seconds"] for report in reports)
        work = reports[0]["tasks"] * runs.seconds_of_task(os.environ) if virtual else None
        if not virtual and 1 in numbers:
            work = statistics.median(report["seconds"] for report in taken[name, 1])
        counts = [statistics.median(column) for column in zip(*map(counts_of, reports))]
        table.row([name, workers, work and work / (workers * seconds), *counts])

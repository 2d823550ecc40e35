# SPDX-License-Identifier: MIT
"""Single calls and algorithms beside those of the C++ library and oneTBB: with one worker, two workers, and over a simulated network.

    perf/measure calls [--rounds 5] [--build build]

A round runs each program once, so that a change in the machine's speed affects all of them. A program repeats its calls five times, and prints
the least time. In virtual time only the network takes time, so one run is enough. On a busy machine, run it under `chrt -r 5`.
"""
import json
import os

import runs
from measures.figures import print_rounds

REPEAT = "5"
NETWORK = {"UAT_TRANSPORT": "sim", "UAT_SIM_NETWORK": "cx6,node=1"}


def program_of(options, name):
    return options.build / "perf" / "rivals" / f"rival-{name}"


def run(options, name, workers, *more, settings=None):
    """The report of a rival. Several workers run the calls of uat, and several threads those of the other libraries."""
    launcher = [options.build / "launcher" / "uatrun", "-n", workers]
    return json.loads(runs.run([*launcher, program_of(options, name), REPEAT, *more], settings).stdout)


def of_round(options):
    yield from run(options, "calls", 1).items()
    for name, value in [*run(options, "calls", 2).items(), *run(options, "calls", 1, "2").items()]:
        yield f"two: {name}", value
    for workers in (1, 2):
        ours = run(options, "algorithms", workers)
        theirs = json.loads(runs.run([program_of(options, "algorithms"), REPEAT, workers]).stdout)
        for name, value in ours.items():
            yield f"{name}, {workers} workers, uat, ms", value
            yield f"{name}, {workers} workers, oneTBB or C++, ms", theirs[name]


def add_options(parser):
    parser.add_number("--rounds", 5, "rounds")
    parser.add_build()


def measure(options):
    if not program_of(options, "algorithms").exists():
        runs.fail(f"not built: {program_of(options, 'algorithms')}; this needs a C++ compiler and oneTBB")
    print(f"load {os.getloadavg()[0]:.0f}; the least of {REPEAT} times, median of the rounds [least, greatest]:")
    print_rounds(options, lambda: of_round(options))
    print("In virtual time, two hosts with ConnectX-6:")
    for name, value in run(options, "calls", 2, settings=NETWORK).items():
        print(f"{name}: {value:.1f}")

# SPDX-License-Identifier: MIT
"""The time that all workers take to go back to a copy in memory after one was killed (survive=), and the cost of the copies.

    perf/measure losses [--losses 20] [--rounds 3] [--workers 2] [--build build] [--parts PART,...]

Part `back`: a worker of uat-fib is killed every 300 ms. The time counts from the moment at which uatrun has seen the loss. Part `copies`: the share of
a run's time that its copies take, without the first one. All workers have stopped meanwhile.
"""
import os
import random
import re
import signal
import statistics
import subprocess
import time
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType

import runs
from measures.figures import print_rounds

BACK = re.compile(r"gone back to copy \d+, ([0-9.]+) ms after .* noticed it after ([0-9.-]+) ms, all had left their work ([0-9.]+) ms "
                  r"later, rank 0 restored its memory in ([0-9.]+) ms, and the last worker ([0-9.]+) ms later")
STEPS = ["all", "until rank 0 notices", "until all have left their work", "rank 0 restores its memory", "until all have restored theirs"]
PROGRAMS = {"fib": ["perf/uat-fib", "42"], "sort": ["perf/uat-cilksort", "16000000", "--rounds", "1"]}
COST = re.compile(r"copies of the runs in memory took ([0-9.]+) of ([0-9.]+) s")
TIMES = {"each second": "1s", "each 100 ms": "100ms"}


def campaign():
    """The functions of tests/faults/loss, which find the processes of a job."""
    path = Path(__file__).resolve().parents[2] / "tests/faults/loss"
    module = ModuleType("loss")
    SourceFileLoader("loss", str(path)).exec_module(module)
    return module


def of_back(options):
    settings = {**os.environ, "UAT_CHECKPOINT": "none,survive=100ms", "UAT_LOG": "info"}
    command = [options.build / "launcher/uatrun", "-n", str(options.workers), options.build / "perf/uat-fib", "45"]
    job = subprocess.Popen(list(map(str, command)), env=settings, text=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    words, killed = campaign().await_words(job), 0
    while words and killed < options.losses and job.poll() is None:
        time.sleep(0.3)
        worker, spare = words.processes(random.randrange(1, options.workers))
        if worker and spare and words.is_open():
            os.kill(worker, signal.SIGKILL)
            killed += 1
    time.sleep(0.5)
    job.terminate()
    found = [tuple(map(float, times)) for times in BACK.findall(job.communicate()[1])]
    if not found:
        runs.fail("no loss was survived")
    yield "losses survived", len(found)
    for step, times in zip(STEPS, zip(*found)):
        yield f"{step}, median, ms", statistics.median(times)
    yield "all, longest, ms", max(time for time, *_ in found)


def of_copies(options):
    for name, command in PROGRAMS.items():
        for when, text in TIMES.items():
            settings = {"UAT_CHECKPOINT": f"none,survive={text}", "UAT_LOG": "info"}
            done = runs.run([options.build / "launcher/uatrun", "-n", options.workers, options.build / command[0], *command[1:]], settings)
            took, whole = map(float, COST.search(done.stderr).groups())
            yield f"{name}, copies {when}, % of the run's time", 100 * took / whole


PARTS = {"back": of_back, "copies": of_copies}


def add_options(parser):
    parser.add_argument("--parts", type=runs.words_of(PARTS), default=list(PARTS), metavar="PART,...", help=f"parts, of {', '.join(PARTS)} (all)")
    parser.add_number("--losses", 20, "workers to kill in a round")
    parser.add_number("--rounds", 3, "rounds")
    parser.add_number("--workers", 2, "workers")
    parser.add_build()


def measure(options):
    print_rounds(options, lambda: (pair for part in options.parts for pair in PARTS[part](options)))

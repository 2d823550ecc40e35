# SPDX-License-Identifier: MIT
"""The plans of a campaign's trials, and the programs' run times without a fault."""
import json
import os
import random
import re
import shutil
import subprocess
import time
from pathlib import Path

from kinds import KINDS

START_UP = 30  # maximum seconds of a run without a fault on a loaded machine

# name: command, answer. Each program takes some tenths of a second.
PROGRAMS = {
    "uts": (["perf/uat-uts", "-t", "1", "-a", "3", "-d", "10", "-b", "4", "-r", "19", "--repeat", "2"], 4130071),
    "btc": (["perf/uat-btc", "-d", "22", "-i", "1", "--repeat", "5"], 2 ** 23 - 1),
    "nqueens": (["perf/uat-nqueens", "-n", "12", "--repeat", "2"], 14200),
    "doomed": (["tests/faults/test-doomed", "36"], 14930352),
    "wavefront": (["perf/uat-wavefront", "--blocks", "24", "--side", "240", "--repeat", "2"], 2560),
    "pipeline": (["perf/uat-pipeline", "--items", "400", "--work", "20000", "--repeat", "2"], 15126152021126177992),
}
# The programs for an emulated machine.
SMALL = {
    "uts": (["perf/uat-uts", "-t", "1", "-a", "3", "-d", "6", "-b", "4", "-r", "0"], 26417),
    "btc": (["perf/uat-btc", "-d", "18", "-i", "1"], 2 ** 19 - 1),
    "nqueens": (["perf/uat-nqueens", "-n", "10"], 724),
    "doomed": (["tests/faults/test-doomed", "27"], 196418),
    "wavefront": (["perf/uat-wavefront", "--blocks", "6", "--side", "60"], 152),
    "pipeline": (["perf/uat-pipeline", "--items", "40", "--work", "1000"], 1455046655006716564),
}
# The programs for two emulated machines. On these machines the start of a job takes 2 s. The programs run longer than a
# start, so that most faults occur while the program works.
TWO = {
    "uts": (["perf/uat-uts", "-t", "1", "-a", "3", "-d", "9", "-b", "4", "-r", "0"], 1677928),
    "btc": (["perf/uat-btc", "-d", "20", "-i", "1", "--repeat", "8"], 2 ** 21 - 1),
    "nqueens": (["perf/uat-nqueens", "-n", "12", "--repeat", "3"], 14200),
    "doomed": (["tests/faults/test-doomed", "38"], 39088169),
    "wavefront": (["perf/uat-wavefront", "--blocks", "24", "--side", "240", "--repeat", "2"], 2560),
    "pipeline": (["perf/uat-pipeline", "--items", "400", "--work", "20000", "--repeat", "2"], 15126152021126177992),
}


class Plan:
    """What trial number `index` of a campaign does. The plan depends only on the seed."""

    def __init__(self, seed, index, kinds, programs, sizes, two_hosts):
        choose = random.Random(f"{seed}/{index}")
        kind = choose.choices([kind for kind, _ in kinds], [weight for _, weight in kinds])[0]
        self.index = index
        self.fault = kind(choose)
        self.program = kind.program or choose.choice(["uts", "btc", "nqueens", "wavefront", "pipeline"])
        self.command, self.answer = programs[self.program]
        least = kind.least_on_two if two_hosts else kind.least_workers
        self.workers = max(choose.choice(sizes), least)
        self.rank = choose.randrange(self.workers)
        # fraction of the run's time; a larger fraction would often be after the run's end
        self.moment = 0.8 * choose.random()
        self.settings = {"UAT_DEQUE": choose.choice(["lock", "claim", "message"]),
                         "UAT_CONNECT": choose.choice(["host", "host", "worker", "rdmacm"]), **kind.settings}
        if choose.random() < 0.25:
            self.settings["UAT_TORTURE"] = f"delay={choose.randrange(1, 1000)}"
        if choose.random() < 0.3:
            self.settings["UAT_CONNECT"] += ",neighbours=adapter"

    def text(self):
        settings = " ".join(f"{name}={value}" for name, value in self.settings.items())
        return f"{self.fault.name}: {self.program}, rank {self.rank} of {self.workers}, at {self.moment:.3f}, {settings}"


class Usual:
    """seconds[name, workers]: the run time of a program of the plans without a fault; the start is included.
    retry_bound: the retry bound that the workers print, in seconds; None without verbs."""

    def __init__(self, build, transport, starter, programs, plans, times):
        self.seconds, self.retry_bound = {}, None
        environment = {**os.environ, "UAT_TRANSPORT": transport, "UAT_LOG": "info"}
        drawn = sorted({(plan.program, plan.workers) for plan in plans})
        # Two guests have one processor each, so a program's run time does not depend on the number of workers.
        measured = drawn if len(starter.hosts) == 1 else dict(drawn).items()
        for name, n in [*measured] * times:
            command, answer = programs[name]
            began = time.monotonic()
            done = subprocess.run([*starter.command(n), str(Path(build) / command[0]), *command[1:], "--json"],
                                  env=environment, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, check=False, timeout=300)
            if done.returncode or json.loads(done.stdout)["result"] != answer:
                raise SystemExit(f"{name}, without any fault: status {done.returncode}\n{done.stdout}\n{done.stderr}")
            self.seconds[name, n] = min(self.seconds.get((name, n), START_UP), time.monotonic() - began)
            self._find_bound(transport, done.stderr)
        for name, n in drawn:
            self.seconds.setdefault((name, n), self.seconds[name, dict(drawn)[name]])

    def _find_bound(self, transport, log):
        bounds = {float(bound) for bound in re.findall(r"retry bound ([\d.]+) s", log)}
        if transport == "ibv" and len(bounds) != 1:
            raise SystemExit(f"the workers do not name their retry bound:\n{log}")
        self.retry_bound = bounds.pop() if bounds else None


def can_mount():
    return os.geteuid() == 0 and shutil.which("mount") is not None


def kinds_for(transport, uatrun, starter):
    """The kinds of faults that can occur here, with their weights."""
    guest = "VM_NETDEV" in os.environ
    traces = "UAT_TRACE" in subprocess.run([uatrun, "--help"], check=True, text=True, stdout=subprocess.PIPE).stdout
    return [(kind, weight) for kind, weight in KINDS
            if transport in kind.transports and starter.name in kind.launchers
            and (guest or not kind.guests) and (len(starter.hosts) == 2 or not kind.two_hosts)
            and (not kind.folder_full or (traces and can_mount()))]

# SPDX-License-Identifier: MIT
"""The programs that are run in a simulation. This file also runs one of them and judges the result."""
import json
import os
import signal
import subprocess
import time
from pathlib import Path

GLOBAL = {"UAT_SIM_NETWORK": "node=8", "UAT_CACHE_SIZE": "512k"}  # several hosts, and small memory


class Row:
    """A command in the build folder; {seed} in it stands for the seed. most: the maximum number of workers, and the reason for it."""

    def __init__(self, command, settings=None, least=1, most=(4096, "")):
        self.words, self.settings, self.least = command.split(), settings or {}, least
        self.most, self.why = most
        self.name = " ".join([Path(self.words[0]).name, *(word for word in self.words[1:] if word != "--json")])
        self.is_benchmark = "--json" in self.words

    def is_there(self, build):
        """Whether the program is built. Programs in C++ need a C++ compiler."""
        return (Path(build) / self.words[0]).exists()


# Benchmarks check their answer. Some compare it with a known answer, and some with the answer of a program without
# tasks (--seq). The others have their own check.
BENCHMARKS = [
    Row("perf/uat-uts -t 1 -r 0 -b 4 -a 3 -d 6 --json"),
    Row("perf/uat-uts -t 0 -b 400 -q 0.11 -m 8 -r 42 --seq --json"),
    Row("perf/uat-uts -t 1 -a 0 -d 8 -b 4 -r 34 --seq --json"),
    Row("perf/uat-btc -d 12 -i 1 --json"),
    Row("perf/uat-btc -d 2 -i 8 --json"),
    Row("perf/uat-btc -d 11 -i 1 --call-last 1 --json"),
    Row("perf/uat-nqueens -n 8 --json"),
    Row("perf/uat-fib 13 --json"),
    Row("perf/uat-loop -n 100000 --json"),
    Row("perf/uat-cilksort 20000 --rounds 1 --json", GLOBAL),
    Row("perf/uat-cilksort 20000 --bits 64 --rounds 1 --json", GLOBAL),
    Row("perf/uat-wavefront --blocks 7 --side 20 --seq --json"),
    Row("perf/uat-pipeline --items 40 --work 300 --seq --json"),
    Row("examples/uat-bfs -s 6 -k 1 --json", GLOBAL),
    Row("examples/uat-cg -n 6 -i 60 --json", GLOBAL),
    Row("examples/uat-knapsack -n 16 --json", GLOBAL),
    Row("examples/uat-sort 3000 --json", GLOBAL),
    Row("examples/uat-barnes-hut -n 128 -s 1 --json", GLOBAL),
]
# Test programs check themselves. These programs are left out:
# - `strand` and `frozen` need real time; `deaf` and `frozen` stop a process, which would stop the whole simulation.
# - `in-place` communicates with its test through a file; `test-api` needs one memory object for all replicas of a host.
# - `backtrace`, `misuse`, `faulty`, `forbidden`, `generator-faults` and `sync-faults` belong to tests of one worker or
#   of errors.
# - `random-trees-protected` asks for a common canary, which forked workers have anyway.
# - `global-budget`, `global-counts` and `global-freeze` count accesses on a given number of hosts.
# - These benchmarks measure the machine: `uat-spawn`, `uat-steal`, `uat-sync`, `uat-transfer`, `uat-atomics`, `uat-contend`, `uat-switch`,
#   `uat-startup`.
PROGRAMS = [
    Row("tests/programs/random-trees 4 {seed}"),
    Row("tests/programs/collectives 2 {seed}"),
    Row("tests/programs/generators"),
    Row("tests/programs/exceptions"),
    Row("tests/programs/aligned"),
    Row("tests/programs/modes restored", least=2),
    Row("tests/programs/forks 3"),
    Row("tests/programs/colours", most=(64, "a host has 64 colours")),
    Row("tests/programs/sync 1"),
    Row("tests/programs/select 1"),
    Row("tests/programs/polls 1", least=2),
    Row("tests/global/global-order 1 {seed}", GLOBAL),
    Row("tests/global/global-objects 1", GLOBAL),
    Row("tests/global/global-reuse", GLOBAL, least=2),
    Row("tests/global/global-sync 1", GLOBAL),
    Row("tests/sim/offers 1", least=2),
]


def stop(process):
    """Ask the launcher to end, which also ends its workers. After 10 s, kill them: they are one process group."""
    process.terminate()
    try:
        process.communicate(timeout=10)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def judge(row, workers, output):
    """The error in the report of a benchmark, or None."""
    if not row.is_benchmark:
        return None
    report = json.loads(output)
    if report["workers"] != workers or report["time"] != "virtual":
        return f"ran on {report['workers']} workers in {report['time']} time"
    return None if report.get("correct", True) is True else f"a wrong answer: {output.strip()}"


def run(build, row, workers, seed, settings=None, timeout=150):
    """Make one run. Returns the run's error or None, and its real time in seconds."""
    begin = time.monotonic()
    environment = {**os.environ, "UAT_TRANSPORT": "sim", "UAT_SIM_SEED": str(seed), "UAT_SIM_LIMIT": "10000", **row.settings, **(settings or {})}
    program, *arguments = (word.format(seed=seed) for word in row.words)
    with subprocess.Popen([Path(build) / "launcher/uatrun", "-n", str(workers), Path(build) / program, *arguments], env=environment,
                          text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True) as process:
        try:
            output, errors = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            stop(process)
            return f"not done after {timeout} s", timeout
        except BaseException:  # otherwise `with` would wait for the process to end
            stop(process)
            raise
    if process.returncode:
        return f"status {process.returncode}: {errors.strip()[-600:]}", time.monotonic() - begin
    return judge(row, workers, output), time.monotonic() - begin

# SPDX-License-Identifier: MIT
"""The programs with their known answers, and a function that runs one program and checks its answer."""
import json
import os
import signal
import subprocess
from pathlib import Path


class Failure(Exception):
    """A run that failed or gave a wrong answer. The text says which run and how."""


class Program:
    """A command of perf/ and its answer. A `big` command runs so long that a run with 2 or more workers has steals,
    unless the other workers get no core."""

    def __init__(self, command, answer, big=False):
        self.command, self.answer, self.big = command.split(), answer, big


def btc_tasks(depth, iterations):
    return sum((2 * iterations) ** level for level in range(depth + 1))


# Answers counted by an independent sequential program: tree nodes, solutions, Fibonacci numbers, tasks.
PROGRAMS = {
    "uts-t1": Program("uat-uts -t 1 -a 3 -d 10 -b 4 -r 19", 4130071, big=True),
    "uts-t3": Program("uat-uts -t 0 -b 2000 -q 0.124875 -m 8 -r 42", 4112897, big=True),
    "uts-t5": Program("uat-uts -t 1 -a 0 -d 20 -b 4 -r 34", 4147582, big=True),
    "nqueens": Program("uat-nqueens -n 13", 73712, big=True),
    "fib": Program("uat-fib 35", 9227465, big=True),
    "btc": Program("uat-btc -d 24 -i 1", btc_tasks(24, 1), big=True),
    "btc-wide": Program("uat-btc -d 8 -i 3", btc_tasks(8, 3)),
    # Small enough for the torture modes.
    "uts-small": Program("uat-uts -t 1 -r 0 -b 4 -a 3 -d 6", 26417),
    "uts-tiny": Program("uat-uts -t 1 -r 0 -b 4 -a 3 -d 5", 6650),
    "nqueens-small": Program("uat-nqueens -n 8", 92),
    "fib-small": Program("uat-fib 18", 2584),
    "btc-small": Program("uat-btc -d 12 -i 1", btc_tasks(12, 1)),
    "btc-flat": Program("uat-btc -d 3 -i 8", btc_tasks(3, 8)),
    "btc-loops": Program("uat-btc -d 4 -i 8", btc_tasks(4, 8)),
    "btc-bushy": Program("uat-btc -d 6 -i 3", btc_tasks(6, 3)),
    "wavefront-small": Program("uat-wavefront --blocks 9 --side 40", 152), # its tasks wait
}


class Place:
    """A build folder with its launcher and its programs. Programs for another processor need another launcher and a
    wrapper."""

    def __init__(self, build, launcher=None, wrapper=()):
        self.uatrun = str(Path(build) / "launcher" / "uatrun")
        self.launcher, self.wrapper = launcher or [self.uatrun], wrapper
        self.perf = Path(build) / "perf"


TRIES = 5  # of a big program, until a run has steals


def run(place, name, workers, settings=None, timeout=120):
    """Run a program on this number of workers. Returns its JSON object, or raises Failure."""
    for _ in range(TRIES):
        report = run_once(place, name, workers, settings, timeout)
        if report["steals"] > 0 or workers == 1 or not PROGRAMS[name].big:
            return report
    raise Failure(f"{settings or ''} {workers} workers: {name}: nothing was stolen in {TRIES} runs")


def run_once(place, name, workers, settings, timeout):
    program = PROGRAMS[name]
    command = [*place.launcher, "-n", str(workers), *place.wrapper, str(place.perf / program.command[0]), *program.command[1:], "--json"]
    what = " ".join([*(f"{key}={value}" for key, value in (settings or {}).items()), f"{workers} workers:",
                     *program.command])
    with subprocess.Popen(command, env={**os.environ, **(settings or {})}, text=True, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True) as process:
        try:
            output, errors = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            stop(process)
            raise Failure(f"{what}: not done after {timeout} s") from None
        except BaseException:
            stop(process)
            raise
    if process.returncode != 0:
        raise Failure(f"{what}: status {process.returncode}; stderr: {errors.strip() or 'empty'}")
    try:
        report = json.loads(output)
    except ValueError:
        raise Failure(f"{what}: stdout is not one JSON object: {output[:200]!r}") from None
    judge(what, program, workers, report)
    return report


def stop(process):
    """The launcher ends its workers when it is terminated. Remaining processes are killed with its session."""
    process.terminate()
    try:
        process.wait(5)
    except subprocess.TimeoutExpired:
        pass
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def judge(what, program, workers, report):
    if report["result"] != program.answer:
        raise Failure(f"{what}: result {report['result']}, not {program.answer}")
    if report["workers"] != workers:
        raise Failure(f"{what}: ran on {report['workers']} workers")
    if report["tasks"] <= 0:
        raise Failure(f"{what}: ran no task")
    if workers == 1 and report["steals"] != 0:
        raise Failure(f"{what}: one worker stole {report['steals']} times")

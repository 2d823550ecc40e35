# SPDX-License-Identifier: MIT
"""The jobs of checkpoint-files: their programs, how they are started, and what is expected of them."""
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

BUILD = Path(sys.argv[1])
PROGRAM, OTHER, OBSTACLE, WAITS, ARRIVALS, HOMES, PACKS, SCANS = (BUILD / name for name in (
    "tests/faults/test-generations", "perf/uat-fib", "tests/faults/test-obstacle", "tests/faults/test-waits", "tests/faults/test-arrivals",
    "tests/faults/test-homes", "tests/faults/test-packs", "tests/faults/test-scans"))
LONG = [str(OTHER), "80"]  # too long to end before the test's signals
ARGUMENTS = ["3", "3", "12", "1000", "memory"]
# An array of generations.c has nearly 1 GiB. A restart reads each page that is mapped, so pages are mapped only when they are used.
PAGES = {"UAT_PAGES": "map=none"}
SECONDS = 240  # limit for a run, which takes two seconds on a quiet machine
failures = []


def start(folder, *command, workers=2, limit=60, more="", **settings):
    environment = {**os.environ, **PAGES, "UAT_CHECKPOINT": f"{folder}{more}", **settings}
    return subprocess.Popen([str(BUILD / "launcher/uatrun"), "-n", str(workers), "--timeout", str(limit), *(command or LONG)], env=environment,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def run(folder, workers=2, program=PROGRAM, arguments=None, end=False, more="", **settings):
    """Run the program. end: send SIGUSR2 once the job has completed a checkpoint. Without the signal, some 80 more
    checkpoints would follow."""
    job = start(folder, str(program), *(arguments or ARGUMENTS), workers=workers, limit=SECONDS, more=more, **settings)
    if end:
        while job.poll() is None and not (folder / "latest").exists():
            time.sleep(0.01)
        job.send_signal(signal.SIGUSR2)
    out, errors = job.communicate()
    return job.returncode, out, errors


def expect(what, condition, text):
    print(f"{'ok' if condition else 'WRONG':5} {what}", flush=True)
    if not condition:
        failures.append(f"{what}: {text[-400:]}")
        print(text)


def answer(program=PROGRAM, arguments=None):
    arguments = arguments or ARGUMENTS
    return subprocess.run([str(program), *arguments[:3], "0", *arguments[4:]], capture_output=True, text=True, check=True).stdout


def wait_for(condition):
    """Wait until the condition holds, for at most 30 s."""
    for _ in range(3000):
        if condition():
            return True
        time.sleep(0.01)
    return False


def children(pid):
    return [int(child) for child in subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True, check=False).stdout.split()]


def worker(job, rank):
    """The process of this rank."""
    for pid in children(children(job.pid)[0]):
        if f"UATRUN_RANK={rank}" in Path(f"/proc/{pid}/environ").read_text().split("\0"):
            return pid
    raise AssertionError(f"no rank {rank}")


def latest(folder):
    path = folder / "latest"
    return int(path.read_text()) if path.exists() else 0


def until(job, what, *signals):
    """Send the signals, and read up to a line with this text. Returns that line, or "" if the job has ended."""
    for number in signals:
        job.send_signal(number)
    return next((line for line in job.stderr if what in line), "")


def end(job, *signals):
    """Send the signals. Returns what the job prints afterwards, and its status."""
    for number in signals:
        job.send_signal(number)
    out, errors = job.communicate()
    return job.returncode, out + errors

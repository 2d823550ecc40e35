#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Description: tests/jobs.py reports how each test ended, ends a test that takes too long together with its processes, and
never starts tests that need more cores than there are."""
import sys
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import jobs  # noqa: E402

# name: script, result, status, what the test must have printed
ENDS = {
    "passes": ("echo out; echo err >&2", "OK", 0, b"out\nerr\n"),
    "fails": ("exit 3", "FAIL", 3, b""),
    "skips": ("echo nothing to test; exit 77", "SKIP", 77, b"nothing to test\n"),
    "errs": ("exit 99", "ERROR", 99, b""),
    "dies": ("kill -9 $$", "FAIL", -9, b""),
    "late": ("trap '' TERM; sleep 60 & echo $!; wait; wait; sleep 60", "TIMEOUT", -9, None),
    # The second process is not in the test's group, and holds its pipe.
    "leaves": ("setsid sleep 1 & exit 0", "TIMEOUT", 0, b""),
    "reads": ("cat; echo $MALLOC_PERTURB_ $EXTRA; pwd", "OK", 0, None),
}
LIMITS = {"late": 0.2, "leaves": 0.2}


def entry(name, command, cores=1, limit=30, env=()):
    """A test as meson describes it."""
    return {"name": name, "cmd": command, "env": dict(env), "workdir": None, "timeout": limit, "suite": [], "is_parallel": cores == 1}


def alive(pid):
    """Whether the process runs."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def check_ends(folder):
    """Each test ends as ENDS says. Returns what is wrong."""
    tests = [entry(name, ["sh", "-c", row[0]], limit=LIMITS.get(name, 30), env={"EXTRA": "more"}) for name, row in ENDS.items()]
    wrong = []
    for job in jobs.run_jobs(tests + [entry("missing", [f"{folder}/missing"])], folder, 1):
        name = job.test["name"]
        _, result, status, said = ENDS.get(name, (None, "FAIL", 127, None))
        if (job.result, job.status) != (result, status) or (said is not None and job.output != said):
            wrong.append(f"{name}: {job.result}, status {job.status}, output {bytes(job.output)}")
        if name == "reads" and (b" more\n" + folder.encode() not in job.output or job.output.startswith(b" ")):
            wrong.append(f"reads: output {bytes(job.output)}")
        if name == "late":
            end = time.monotonic() + 10
            while alive(int(job.output)) and time.monotonic() < end:
                time.sleep(0.01)
            if alive(int(job.output)):
                wrong.append("late: its process still runs")
    return wrong


def most_busy(processors):
    """The largest number of cores that tests of one core, and tests that need all, keep busy at once."""
    jobs.PROCESSORS = processors
    waiting = [entry(str(number), ["test"], cores) for number, cores in enumerate([1, 3, 1, 1, 1, 3, 1])]
    waiting.append(entry("simulated", ["test"], 3, env={"UAT_TRANSPORT": "sim"}))
    running, most = [], 0
    while waiting or running:
        while test := jobs.next_of(waiting, running):
            waiting.remove(test)
            running.append(SimpleNamespace(cores=jobs.cores_of(test)))
            most = max(most, sum(job.cores for job in running))
        if not running:
            return None  # no test starts, though nothing runs
        running.pop(0)
    return most


def check_cores():
    """How many tests run at once. Returns what is wrong."""
    # Of three processors, a test that needs all has company of one core, and never of another such test. One processor has one test.
    wrong = [f"with {processors} processors {most} cores are busy at once" for processors, expected in ((3, 4), (1, 1))
             if (most := most_busy(processors)) != expected]
    jobs.PROCESSORS = 3
    # Commands of uatrun say how many workers they start.
    for command, cores in {("/b/uatrun", "-n", "2", "p"): 2, ("/b/uatrun", "-n", "64", "p"): 3, ("/b/run", "-n", "1"): 3,
                           ("/b/uatrun", "-n", "1", "p"): 1, ("/b/uatrun", "-n", "8", "--env", "UAT_TRANSPORT=sim", "p"): 1}.items():
        if jobs.cores_of(entry("", list(command), 3)) != cores:
            wrong.append(f"{' '.join(command)}: {jobs.cores_of(entry('', list(command), 3))} cores instead of {cores}")
    return wrong


def main():
    with tempfile.TemporaryDirectory() as folder:
        wrong = check_ends(folder) + check_cores()
    print("".join(f"{line}\n" for line in wrong), end="")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

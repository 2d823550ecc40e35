# SPDX-License-Identifier: MIT
"""Cases of checkpoint-files about jobs that signals end, that lose a worker, or that share a folder."""
import os
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path

from checkpoint_job import BUILD, LONG, OBSTACLE, OTHER, PACKS, SCANS, children, end, expect, latest, run, start, until, wait_for, worker


def two_jobs(folder):
    """A second job with the same folder must be refused, without harm to the first one."""
    first = start(folder, more=",every=1")
    wait_for(lambda: latest(folder) > 0)
    status, out, errors = run(folder, program=OTHER, arguments=LONG[1:])
    name = re.search(r"is used by another job, whose rank 0 is (process \d+ on \S+);", errors)
    expect("a second job of the folder", status == 1 and name and not out and len(errors.splitlines()) <= 2, f"status {status}, {out}{errors}")
    shown = subprocess.run([str(BUILD / "launcher/info/uat_info"), "--checkpoint", str(folder)], capture_output=True, text=True, check=False)
    expect("uat_info: the folder is used", name and f"used by a job, whose rank 0 is {name[1]}" in shown.stdout, shown.stdout)
    before = latest(folder)
    expect("the first job goes on", wait_for(lambda: latest(folder) > before), "no further checkpoint")
    first.kill()  # uatrun
    first.communicate()
    again = start(folder, more=",every=1,restart=yes")
    before = latest(folder)
    expect("a killed job leaves no lock", wait_for(lambda: latest(folder) > before or again.poll() is not None) and again.poll() is None, "")
    status, text = end(again, signal.SIGUSR2)
    expect("and its successor ends by SIGUSR2", status == 75, f"status {status}, {text}")


def sigterm(folder):
    for more, expected in ((",every=1", 143), (",every=1,sigterm=checkpoint", 75)):
        job, before = start(folder, more=more), latest(folder)
        wait_for(lambda before=before: latest(folder) > before)
        before = latest(folder)
        status, text = end(job, signal.SIGTERM)
        expect(f"SIGTERM with {more[1:]}", status == expected and (expected != 75 or latest(folder) > before), f"status {status}, {text}")
    job, before = start(folder, more=",every=1,sigterm=checkpoint"), latest(folder)
    wait_for(lambda: latest(folder) > before)
    os.kill(worker(job, 1), signal.SIGTERM)
    status, text = end(job)
    expect("SIGTERM to rank 1 alone", status == 75, f"status {status}, {text}")
    never = folder.parent / "second"
    job = start(never, str(OBSTACLE), "100", more=",sigterm=checkpoint", UAT_TORTURE="order")
    until(job, "obstacle is there")
    line = until(job, "no checkpoint was written", signal.SIGTERM)
    status, text = end(job, signal.SIGTERM)
    expect("the second SIGTERM ends the job", line and status == 143 and latest(never) == 0, f"status {status}, {line}{text}")
    job, before = start(folder, more=",every=1,sigterm=checkpoint"), latest(folder)
    wait_for(lambda: latest(folder) > before)
    os.kill(worker(job, 0), signal.SIGKILL)
    status, text = end(job)
    expect("a lost worker with sigterm=checkpoint", status == 137 and "killed by signal 9" in text, f"status {status}, {text}")


def kill_worker(job):
    """Kill a worker once the job has begun. Returns the lines up to the one in which uatrun says what it does next."""
    lines = []
    while not any("uatrun: the job " in line for line in lines):
        if not lines:
            os.kill(children(children(job.pid)[0])[-1], signal.SIGKILL)
        line = job.stderr.readline()
        lines.append(line)
        if not line:
            break
    return "".join(lines)


def again(folder):
    """uatrun --again restarts at most the given number of times: from the newest checkpoint, or from the start if there
    is none."""
    status, out, errors = run("none", program="--again", arguments=["1", *LONG])
    expect("--again without a folder", status == 2 and "set UAT_CHECKPOINT" in errors and not out, f"status {status}, {out}{errors}")
    job = start(folder, "--again", "1", *LONG)
    wait_for((folder / "lock").exists)
    said = kill_worker(job)
    expect("--again without a checkpoint", "the job begins anew" in said and "with 1 worker;" in said and "start 2 of at most 2" in said, said)
    wait_for(lambda: children(job.pid) and children(children(job.pid)[0]))
    os.kill(children(children(job.pid)[0])[0], signal.SIGKILL)
    status, text = end(job)
    expect("--again 1: no third start", status == 137 and text.count("killed by signal 9") == 1 and "the job" not in text, f"status {status}, {text}")
    job, number = start(folder, "--again", "2", *LONG, more=",every=1,restart=no", UAT_LOG="info"), latest(folder)
    wait_for(lambda: latest(folder) > number)
    said = kill_worker(job)
    found = re.search(r"the job goes on from checkpoint (\d+) in .*; ([0-9.]+) s of work are lost", said)
    expect("--again with a checkpoint", found and int(found[1]) > number and float(found[2]) < 60, said)
    number = latest(folder)
    wait_for(lambda: latest(folder) > number)
    status, text = end(job, signal.SIGUSR2)
    expect("SIGUSR2 ends the second start, from that checkpoint", status == 75 and "killed" not in text and found and
           f"goes on from checkpoint {found[1]} in" in text, f"status {status}, {text}")
    job, number = start(folder, "--again", "2", *LONG, more=",every=1"), latest(folder)
    wait_for(lambda: latest(folder) > number)
    process = children(job.pid)[0]
    os.kill(process, signal.SIGSTOP)  # so that it notices the loss only after uatrun's first process has received SIGTERM
    os.kill(children(process)[0], signal.SIGKILL)
    job.send_signal(signal.SIGTERM)
    wait_for(lambda: "SigPnd:\t0000000000000000\nShdPnd:\t0000000000000000" in Path(f"/proc/{job.pid}/status").read_text())
    os.kill(process, signal.SIGCONT)
    status, text = end(job)
    # After SIGCONT, uatrun finds the loss, and the SIGTERM that its first process passed on. It may take either one first.
    expect("no further start after SIGTERM", status in (137, 143) and "the job goes on" not in text, f"status {status}, {text}")


def carried(folder):
    """A pending request survives the loss of a worker: the next start gets it."""
    job = start(folder, "--again", "1", str(OBSTACLE), "3", more=",sigterm=checkpoint", UAT_TORTURE="order")
    until(job, "obstacle is there")
    line = until(job, "no checkpoint was written", signal.SIGUSR2, signal.SIGTERM)
    os.kill(worker(job, 1), signal.SIGKILL)
    status, text = end(job)
    expect("SIGUSR2 and the first SIGTERM before a loss", line and status == 75 and "the job begins anew" in text and latest(folder) > 0,
           f"status {status}, {line}{text}")
    never = folder.parent / "never carried"
    # The obstacle is a channel's name that main() gives, so it exists from the start of the run. An open interval would
    # exist too late: the second start may write the checkpoint before the interval is open.
    job = start(never, "--again", "2", str(OBSTACLE), "name", more=",sigterm=checkpoint")
    until(job, "obstacle is there")
    lines = [until(job, "no checkpoint was written", signal.SIGTERM)]
    os.kill(worker(job, 1), signal.SIGKILL)
    lines += [until(job, "no checkpoint was written")]  # the second start got the request
    sent = 0
    while job.poll() is None:  # one signal per second, so that the workers take each one separately
        job.send_signal(signal.SIGTERM)
        sent += 1
        deadline = time.monotonic() + 1
        wait_for(lambda deadline=deadline: job.poll() is not None or time.monotonic() > deadline)
    status, text = end(job)
    expect("the second start spares the next SIGTERM, and ends by the one after it", all(lines) and status == 143 and sent >= 2 and
           "the job begins" not in text, f"status {status}, {sent} sent, {lines}{text}")


def refusals(folder):
    """A refused request to end the job is repeated until it succeeds."""
    job = start(folder, str(OBSTACLE), "3")
    lines = [job.stderr.readline()]
    job.send_signal(signal.SIGUSR2)
    status, text = end(job)
    expect("a request that is refused first", status == 75 and "obstacle is there" in lines[0] and text.count("no checkpoint was written") == 1 and
           "is made again each second" in text and latest(folder) > 0, f"status {status}, {lines}{text}")
    forked = folder.parent / "forked"
    status, text = end(start(forked, str(OBSTACLE), "fork"))
    expect("a request of a forked child, on both workers", status == 0 and text.count("called in a process made by fork()") == 2 and latest(forked) == 0,
           f"status {status}, {text}")
    moved = folder.parent / "moved"
    job = start(moved, str(OTHER), "31", UAT_TORTURE="evacuate")
    wait_for((moved / "lock").exists)
    status, text = end(job, signal.SIGUSR2)
    expect("a checkpoint of stacks that were moved", status == 75, f"status {status}, {text}")
    status, text = end(start(moved, str(OTHER), "31", UAT_TORTURE="evacuate"))
    expect("and a restart", status == 0 and "(correct)" in text, f"status {status}, {text}")
    for name, command, begins, reason in (("names", "name", "obstacle is gone", "main() has named a channel"),
                                          ("interval", "100", "obstacle is there", "an interval of uat_adaptive_run()")):
        never = folder.parent / name
        job = start(never, str(OBSTACLE), command)
        until(job, begins)
        line = until(job, "no checkpoint was written", signal.SIGUSR2)
        status, text = end(job, signal.SIGTERM)
        expect("a request that is always refused", status == 143 and reason in line and latest(never) == 0, f"status {status}, {line}{text}")


def sleepers(folder):
    """Tasks that sleep at a checkpoint go on sleeping in a restarted job, also those of workers that are no longer there."""
    job = start(folder, str(OBSTACLE), "sleep", workers=3)
    until(job, "obstacle is there")
    status, text = end(job, signal.SIGUSR2)
    expect("a checkpoint while tasks sleep", status == 75 and "sum" not in text, f"status {status}, {text}")
    status, text = end(start(folder, str(OBSTACLE), "sleep"))
    expect("they wake up in the restarted job", status == 0 and "the sleepers' sum is 6" in text, f"status {status}, {text}")


def packs(folder):
    """Packed arguments and results survive restarts, also the result of a run that was over before."""
    if not PACKS.exists():  # without a C++ compiler
        return
    right, _ = start("none", str(PACKS), "17").communicate()
    for workers in (2, 3, 1):
        job = start(folder, str(PACKS), "17", workers=workers)
        until(job, "the second run begins")
        time.sleep(0.1)  # some tasks
        status, text = end(job, signal.SIGUSR2)
        expect(f"a checkpoint among packed arguments, {workers} workers", status == 75, f"status {status}, {text}")
    job = start(folder, str(PACKS), "17")
    out, errors = job.communicate()
    expect("their numbers after three restarts", job.returncode == 0 and out == right, f"status {job.returncode}, {out!r}, not {right!r}\n{errors}")


def scans(folder):
    """A scan by a team stops in its first pass. The restarted job has as many workers, or other parts."""
    for before, workers in ((6, 8), (6, 6), (18, 18), (18, 3)):  # the parts of more than 16 workers count in batches
        for _ in range(5):  # a worker may refuse the stop for a moment: then the job ends before the request is repeated
            status, text = end(start(folder, str(SCANS), workers=before))
            if (status, text) != (0, "0 prefixes are wrong\n"):
                break
        expect("a checkpoint within a scan", status == 75, f"status {status}, {text}")
        status, text = end(start(folder, str(SCANS), workers=workers))
        expect(f"the scan goes on with {workers} workers", status == 0 and text == "0 prefixes are wrong\n", f"status {status}, {text}")
        shutil.rmtree(folder)

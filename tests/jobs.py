# SPDX-License-Identifier: MIT
"""Runs tests of a meson build, as many at a time as keep the processors busy.

`meson test` runs a test either alone or beside any number of others. This file counts the cores that each test keeps busy.
A test otherwise runs as `meson test` would run it: same command, environment, folder, process group and limit of time.
"""
import os
import random
import selectors
import signal
import subprocess
import time
from pathlib import Path

PROCESSORS = len(os.sched_getaffinity(0))
STATUS_SKIP, STATUS_ERROR = 77, 99  # statuses with a meaning of their own
GRACE = 0.5  # seconds between SIGTERM and SIGKILL
AGAIN = 0.005  # seconds between two looks at a process that ends
READ = 1 << 16  # bytes read at once


def cores_of(test):
    """How many processors the test keeps busy, at most all."""
    command = test["cmd"]
    # One worker of a simulation runs at a time.
    if test["is_parallel"] or "UAT_TRANSPORT=sim" in command or test["env"].get("UAT_TRANSPORT") == "sim":
        return 1
    if Path(command[0]).name == "uatrun" and "-n" in command:
        return min(int(command[command.index("-n") + 1]), PROCESSORS)
    return PROCESSORS


class Job:
    """A test that runs. Its standard output and standard error are one pipe."""

    def __init__(self, test, folder, patience):
        self.test, self.cores, self.output, self.late, self.open = test, cores_of(test), bytearray(), False, True
        self.seconds = self.processor = 0.0
        self.result = self.status = None
        self.started = time.monotonic()
        self.deadline = self.started + test["timeout"] * patience if test["timeout"] > 0 else float("inf")
        # `meson test` adds the first two.
        environment = {"MALLOC_PERTURB_": str(random.randint(1, 255)), "MESON_TEST_ITERATION": "1", **os.environ, **test["env"]}
        def start(command):
            return subprocess.Popen(command, cwd=test["workdir"] or folder, env=environment, stdin=subprocess.DEVNULL,
                                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)

        try:
            self.process = start(test["cmd"])
        except OSError:  # env prints a line and ends with 126 or 127
            self.process = start(["env", "--", *test["cmd"]])
        os.set_blocking(self.process.stdout.fileno(), False)

    def fileno(self):
        return self.process.stdout.fileno()

    def read(self):
        """Read what the test has printed. The pipe ends when no process of the test is left that holds it."""
        data = self.process.stdout.read(READ)
        if data:
            self.output += data
        elif data is not None:
            self.open = False
        return self.open

    def signal(self, number):
        try:
            os.killpg(self.process.pid, number)
        except ProcessLookupError:
            pass

    def limit(self, now):
        """End a test that takes too long, and every process of its group."""
        if now >= self.deadline:
            self.signal(signal.SIGKILL if self.late else signal.SIGTERM)
            self.late, self.deadline = True, now + GRACE

    def ended(self):
        """Collect the test's process, once it has ended. Returns False if it runs."""
        if self.process.returncode is None:
            pid, status, used = os.wait4(self.process.pid, os.WNOHANG)
            if not pid:
                return False
            self.process.returncode = self.status = os.waitstatus_to_exitcode(status)
            self.processor = used.ru_utime + used.ru_stime
        return True

    def close(self):
        if self.late:
            self.signal(signal.SIGKILL)
        self.process.stdout.close()
        self.seconds = time.monotonic() - self.started
        self.result = "TIMEOUT" if self.late else {0: "OK", STATUS_SKIP: "SKIP", STATUS_ERROR: "ERROR"}.get(self.status, "FAIL")


def next_of(waiting, running):
    """The test that starts next, or None. The tests that run may need one core more than there are, if there are several: while a test
    starts, ends or waits, it leaves processors idle. Wide tests come first, so that those of one core run beside them, not before them."""
    free = PROCESSORS + (PROCESSORS > 1) - sum(job.cores for job in running)
    fits = [test for test in waiting if cores_of(test) <= free]
    return next((test for test in fits if cores_of(test) > 1), fits[0] if fits else None)


def run_jobs(tests, folder, patience):
    """Run the tests of meson's list; yield a Job for each test, when it ends."""
    waiting, running = list(tests), set()
    with selectors.DefaultSelector() as selector:
        try:
            while waiting or running:
                test = next_of(waiting, running)
                if test:
                    waiting.remove(test)
                    job = Job(test, folder, patience)
                    running.add(job)
                    selector.register(job, selectors.EVENT_READ)
                    continue
                # The end of a process is no event of a selector, so a test whose pipe is closed is asked again soon.
                pause = AGAIN if any(job.late or not job.open for job in running) else min(job.deadline for job in running) - time.monotonic()
                for key, _ in selector.select(max(0, pause)):
                    if not key.fileobj.read():
                        selector.unregister(key.fileobj)
                for job in list(running):
                    # A process that left the test's group may hold the pipe: a test that is too late is not read to the end.
                    if (job.late or not job.open) and job.ended():
                        if job.open:
                            selector.unregister(job)
                        job.close()
                        running.remove(job)
                        yield job
                    else:
                        job.limit(time.monotonic())
        finally:
            stop(running)


def stop(jobs):
    """End the tests that run, after Ctrl-C."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        for job in jobs:
            job.signal(number)
        deadline = time.monotonic() + 5
        while any(job.process.poll() is None for job in jobs) and time.monotonic() < deadline:
            time.sleep(0.01)

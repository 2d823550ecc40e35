# SPDX-License-Identifier: MIT
"""One trial: a run, a fault at a random moment of it, and the verdict on how it ended."""
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from pathlib import Path

from family import MARK, Family, send, takes
from fault import KINDS
from leftover import Leftover

START_UP = 30  # seconds allowed to a run for what it does when nothing goes wrong, on a loaded machine

# name: arguments, answer. Each takes some tenths of a second.
PROGRAMS = {
    "uts": (["perf/uat-uts", "-t", "1", "-a", "3", "-d", "10", "-b", "4", "-r", "19", "--repeat", "2"], 4130071),
    "btc": (["perf/uat-btc", "-d", "22", "-i", "1", "--repeat", "5"], 2 ** 23 - 1),
    "nqueens": (["perf/uat-nqueens", "-n", "12", "--repeat", "2"], 14200),
    "doomed": (["tests/faults/test-doomed", "36"], 14930352),
}
# The same on an emulated machine.
SMALL = {
    "uts": (["perf/uat-uts", "-t", "1", "-a", "3", "-d", "6", "-b", "4", "-r", "0"], 26417),
    "btc": (["perf/uat-btc", "-d", "18", "-i", "1"], 2 ** 19 - 1),
    "nqueens": (["perf/uat-nqueens", "-n", "10"], 724),
    "doomed": (["tests/faults/test-doomed", "27"], 196418),
}


class Plan:
    """What trial number `index` of a campaign does: follows from the seed alone."""

    def __init__(self, seed, index, kinds, programs, most):
        choose = random.Random(f"{seed}/{index}")
        kind = choose.choices([kind for kind, _ in kinds], [weight for _, weight in kinds])[0]
        self.index = index
        self.fault = kind(choose)
        self.program = kind.program or choose.choice(["uts", "btc", "nqueens"])
        self.command, self.answer = programs[self.program]
        self.workers = max(kind.least_workers, choose.randint(2, most))
        self.rank = choose.randrange(self.workers)
        self.moment = 0.8 * choose.random()  # of the time that the run takes: the later ones come after its end too often
        self.settings = {"UAT_DEQUE": choose.choice(["lock", "claim"]), **kind.settings}
        if choose.random() < 0.25:
            self.settings["UAT_TORTURE"] = f"delay={choose.randrange(1, 1000)}"

    def text(self):
        settings = " ".join(f"{name}={value}" for name, value in self.settings.items())
        return f"{self.fault.name}: {self.program}, rank {self.rank} of {self.workers}, at {self.moment:.3f}, {settings}"


class Run:
    """A run under way."""

    def __init__(self, plan, build, transport, folder):
        self.plan, self.folder = plan, folder
        mark = f"{os.getpid()}-{plan.index}-{time.monotonic_ns()}"
        self.family = Family(mark)
        program = [str(Path(build) / plan.command[0]), *plan.command[1:], "--json"]
        environment = {**os.environ, **plan.settings, "UAT_TRANSPORT": transport, "TMPDIR": folder, MARK: mark}
        if plan.fault.folder_full:
            environment["UAT_TRACE"] = str(Path(folder) / "full" / "trace.json")
        self.launcher = subprocess.Popen(
            [str(Path(build) / "launcher" / "uatrun"), "-n", str(plan.workers), *program], env=environment, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
            preexec_fn=self._limit)
        self.output = self.errors = ""
        self.reader = threading.Thread(target=self._read)
        self.reader.start()
        self.hit = bool(plan.fault.limits or plan.fault.folder_full)  # these are there from the beginning

    def _limit(self):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        for which, value in self.plan.fault.limits.items():
            resource.setrlimit(which, (value, value))

    def _read(self):
        self.output, self.errors = self.launcher.communicate()

    def worker(self):
        return self.family.workers().get(self.plan.rank)

    def to_worker(self, number):
        """A signal that only test-doomed takes waits until it is ready for that."""
        pid = self.worker()
        return pid is not None and (number < signal.SIGRTMIN or takes(pid, number)) and send(pid, number)

    def wait(self, seconds):
        """Until uatrun has ended and its output is complete, but not longer; whether it has."""
        self.reader.join(max(seconds, 0))
        return not self.reader.is_alive()

    def kill(self):
        """Whatever is left of a run that has failed its trial."""
        for pid in self.family.members():
            send(pid, signal.SIGKILL)
        self.reader.join(10)


class Trial:
    """Carries out a plan. Afterwards: outcome, wrong (list of texts), seconds from the fault to the end of everything."""

    def __init__(self, plan, build, transport, usual):
        self.plan, self.wrong, self.outcome, self.seconds = plan, [], "", 0.0
        with tempfile.TemporaryDirectory(prefix="faults-") as folder:
            self.leftover = Leftover(folder)
            self._carry_out(build, transport, usual, folder)

    def _carry_out(self, build, transport, usual, folder):
        fault = self.plan.fault
        room = Path(folder) / "full"
        if fault.folder_full:
            room.mkdir()
            subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k", "faults", str(room)], check=True)
        run = Run(self.plan, build, transport, folder)
        ended = False
        try:
            self._hit(run, usual)
            ended = run.wait(fault.bound if run.hit and not fault.ridden else fault.bound + START_UP)
            if ended:
                self.leftover.wait_for(run.family)
        finally:
            self.seconds = time.monotonic() - self.began
            run.kill()
            if hasattr(fault, "clean"):
                fault.clean()
            if fault.folder_full:
                subprocess.run(["umount", str(room)], check=True)
                room.rmdir()
        self.errors = run.errors
        if not ended:
            self.wrong.append(f"not at its end {self.seconds:.1f} s after the fault")
            self.outcome = "hang"
            return
        self.leftover.look()
        self.wrong += self.leftover.found
        self._judge(run)

    def _hit(self, run, usual):
        """Wait for the moment and for somebody to be there, then let it happen."""
        fault = self.plan.fault
        moment = time.monotonic() + self.plan.moment * usual[self.plan.program, self.plan.workers]
        self.began = time.monotonic()
        run.wait(moment - time.monotonic())
        while run.reader.is_alive() and not run.hit:
            self.began = time.monotonic()
            run.hit = fault.hit(run)
            if not run.hit:
                time.sleep(0.002)
        if run.hit and fault.lasts is not None:
            run.wait(fault.lasts)
            self.began = time.monotonic()
            fault.heal(run)
        self.began = self.began if run.hit else time.monotonic()

    def _judge(self, run):
        fault, status, answer = self.plan.fault, run.launcher.returncode, None
        lines = run.errors.splitlines()
        if run.output:
            try:
                answer = json.loads(run.output)["result"]
            except (ValueError, KeyError):
                if status == 0:
                    self.wrong.append(f"no answer in {run.output[:200]!r}")
        if answer is not None and answer != self.plan.answer:
            self.wrong.append(f"the answer is {answer}, not {self.plan.answer}")
        if status == 0:
            self.outcome = "right answer" if run.hit else "right answer, no fault"
            if answer is None:
                self.wrong.append("status 0 without an answer")
            return
        self.outcome = "refused with a line" if fault.limits else "failed with a line"
        if not run.hit:
            self.wrong.append(f"status {status} without a fault")
        if fault.ridden and not (fault.excuse and re.search(fault.excuse, run.errors)):
            self.wrong.append(f"status {status}, though the fault could be ridden out")
        if fault.says is None:
            self.outcome = "ended"
        elif not any(re.search(fault.says.format(rank=self.plan.rank), line) for line in lines):
            self.wrong.append(f"status {status}, and no line says {fault.says!r}")
        if fault.also_says and not any(re.search(fault.also_says.format(rank=self.plan.rank), line) for line in lines):
            self.wrong.append(f"no line says {fault.also_says!r}")
        kinds = {re.sub(r"\d+", "N", line) for line in lines}
        if len(kinds) > fault.lines:
            self.wrong.append(f"{len(kinds)} different lines")


def usual_seconds(build, transport, programs, workers, times):
    """How long each program takes when nothing happens, start included."""
    usual = {}
    for name, (command, answer) in programs.items():
        for n in [*workers] * times:
            began = time.monotonic()
            done = subprocess.run([str(Path(build) / "launcher" / "uatrun"), "-n", str(n), str(Path(build) / command[0]),
                                   *command[1:], "--json"], env={**os.environ, "UAT_TRANSPORT": transport}, text=True,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True, timeout=300)
            usual[name, n] = min(usual.get((name, n), START_UP), time.monotonic() - began)
            if json.loads(done.stdout)["result"] != answer:
                raise SystemExit(f"{name}: the answer is wrong without any fault: {done.stdout}")
    return usual


def can_mount():
    return os.geteuid() == 0 and shutil.which("mount") is not None


def kinds_for(transport, uatrun):
    """Those that can happen here."""
    guest = "VM_NETDEV" in os.environ
    traces = "UAT_TRACE" in subprocess.run([uatrun, "--help"], check=True, text=True, stdout=subprocess.PIPE).stdout
    return [(kind, weight) for kind, weight in KINDS
            if transport in kind.transports and (guest or not kind.guests)
            and (not kind.folder_full or (traces and can_mount()))]

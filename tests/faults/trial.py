# SPDX-License-Identifier: MIT
"""One trial: a run, a fault at a random moment of the run, and the verdict on how the run ended."""
import json
import re
import subprocess
import tempfile
import time
from pathlib import Path

from job import Run
from leftover import GONE
from plan import START_UP
from speed import slowness
from traces import Traces


class Trial:
    """Carries out a plan. Sets outcome, wrong (a list of texts), and the seconds from the fault until no process is
    left."""

    def __init__(self, plan, build, transport, starter, usual):
        self.plan, self.starter, self.usual = plan, starter, usual
        self.wrong, self.outcome, self.seconds, self.errors = [], "", 0.0, ""
        self.slowness = slowness()  # other jobs on the machine delay the end
        with tempfile.TemporaryDirectory(prefix="faults-") as folder:
            self._carry_out(build, transport, folder)

    def _carry_out(self, build, transport, folder):
        fault = self.plan.fault
        room = Path(folder) / "full"
        if fault.folder_full:
            room.mkdir()
            subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k", "faults", str(room)], check=True)
        traces = Traces(self.starter.hosts, folder)
        run = Run(self.plan, build, transport, self.starter, folder)
        ended = False
        try:
            self._hit(run)
            bound = self._bound()
            ended = run.wait(bound if run.hit and not fault.ridden else bound + START_UP * self.slowness)
            if ended:
                # A worker on the side without srun learns of a cut only from an operation that the adapter gives up.
                more = self.usual.retry_bound if fault.network and len(self.starter.hosts) > 1 else 0
                self.wrong += run.lingering(GONE + more)
            else:
                run.ask()
        finally:
            self.seconds = time.monotonic() - self.began
            run.kill()
            fault.clean()
            if fault.folder_full:
                subprocess.run(["umount", str(room)], check=True)
                room.rmdir()
        self.errors = run.errors
        if not self.starter.settle():
            self.wrong.append("the launcher takes no further runs")
        if not ended:
            self.wrong.append(f"not at its end {self.seconds:.1f} s after the fault")
            self.outcome = "hang"
            return
        self.wrong += traces.left()
        self._judge(run)

    def _bound(self):
        """Maximum seconds from the fault until no process is left."""
        fault = self.plan.fault
        if fault.network:
            return self.usual.retry_bound + self.starter.aborts + self.starter.patience + fault.bound * self.slowness
        # If a thief is stopped while it holds the lock, no other thief can steal. Then one worker may do the whole
        # work.
        rest = self.usual.seconds[self.plan.program, self.plan.workers] * self.plan.workers if fault.when_idle else 0
        return fault.bound * self.slowness + self.starter.aborts + rest * len(self.starter.hosts[1:])

    def _hit(self, run):
        """Wait for the moment and for a process to hit, then cause the fault."""
        fault = self.plan.fault
        moment = time.monotonic() + self.plan.moment * self.starter.part * self.usual.seconds[self.plan.program, self.plan.workers]
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
        says = fault.line(run)
        if says is None:
            self.outcome = "ended"
        elif not any(re.search(says, line) for line in lines):
            self.wrong.append(f"status {status}, and no line says {says!r}")
        if fault.also_says and not any(re.search(fault.also_says.format(rank=self.plan.rank), line) for line in lines):
            self.wrong.append(f"no line says {fault.also_says!r}")
        ours = [line for line in lines if not self.starter.chatter(line) and (not fault.starves or line.startswith("uat"))]
        kinds = {re.sub(r"\d+", "N", line) for line in ours}
        if len(kinds) > fault.lines:
            self.wrong.append(f"{len(kinds)} different lines")
        self._judge_time(run)

    def _judge_time(self, run):
        """A run may end later than the retry bound only if it waited for the launcher, and a line must say so."""
        fault = self.plan.fault
        bound = self._bound() - self.starter.patience
        if fault.network and self.seconds > bound and not re.search(fault.longer, run.errors):
            self.wrong.append(f"{self.seconds:.1f} s are more than {bound:.1f}, and no line says {fault.longer!r}")

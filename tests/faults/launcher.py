# SPDX-License-Identifier: MIT
"""The launchers. For each: how it starts a run, on which hosts the workers are, and how it reports the loss of a
worker."""
import re
import signal
import subprocess
import time
from pathlib import Path

from descendants import Descendants, ready, send
from fault import LIMIT
from host import Here, Other


class Uatrun:
    """All workers on this machine."""

    name = "uatrun"
    aborts = 0  # seconds that the launcher takes to end workers that it cannot reach
    part = 1  # fraction of a run's time during which the program runs; the rest is the launcher's start and end
    patience = 0  # seconds that the launcher's part of the job may wait for an unreachable host
    own_settings = {}

    def __init__(self, build):
        self.program = str(Path(build) / "launcher" / "uatrun")
        self.hosts = [Here()]

    def command(self, workers):
        return [self.program, "-n", str(workers)]

    def host_of(self, rank, workers):
        return self.hosts[0]

    def sizes(self, most):
        """Possible numbers of workers."""
        return range(2, most + 1)

    def says_killed(self, rank, workers, number):
        return rf"rank {rank} was killed by signal {number} .*, on \S+;"

    def says_exited(self, rank, workers):
        return rf"rank {rank} exited with status 0(, before.*, on \S+;| without having called)|rank {rank} on \S+: .*called exit\(0\)"

    def chatter(self, line):
        """Whether the line is from another program. libibverbs prints one for each driver that it cannot load for lack
        of memory."""
        return line.startswith("libibverbs: Warning: couldn't load driver")

    def takes_signals(self, run):
        return ready(run.launcher.pid)

    def settle(self):
        """Called after a run. Returns whether the next run can start."""
        return True


class Srun:
    """Slurm starts the same number of workers on each guest."""

    name = "srun"
    KILL_WAIT, DOWN = 2, 12  # KillWait and SlurmdTimeout of tests/vm/guest/slurm
    aborts = KILL_WAIT + 2
    part = 0.7
    MESSAGE = 10  # MessageTimeout: how long a message to an unreachable host takes
    patience = DOWN + 3 * MESSAGE
    PATIENT, IDLE = 8, 60  # seconds until the nodes are idle without help, and after they were declared down and up
    # If the fault makes no operation of a worker fail, the worker waits for PMIx's servers or for a stopped worker.
    own_settings = {"UAT_STALL_LIMIT": str(LIMIT)}
    WORDS = {signal.SIGKILL: "Killed", signal.SIGSEGV: "Segmentation fault"}

    def __init__(self, build):
        self.hosts = [Here(), Other()]

    def command(self, workers):
        return ["srun", "--mpi=pmix", "-N", "2", f"--ntasks-per-node={workers // 2}"]

    def host_of(self, rank, workers):
        return self.hosts[rank // (workers // 2)]

    def sizes(self, most):
        return range(2, 5, 2)

    def says_killed(self, rank, workers, number):
        host = self.host_of(rank, workers).name
        return rf"srun: error: {host}: tasks? [\d,-]*\b{rank}\b[\d,-]*: {self.WORDS[number]}"

    def says_exited(self, rank, workers):
        """After _exit(0), slurmstepd notices first (it has lost a PMIx client), or another worker does."""
        host = self.host_of(rank, workers).name
        return (rf"rank {rank} on {host}: .*called exit\(0\)|of rank {rank} \({host}\).*does not answer|"
                rf"slurmstepd-{host}: error: .*Error handler invoked: .*source = \[\S+:{rank}\]|"
                rf"rank \d+ on \S+: (has waited \d+ s for|PMIx_Fence|uatrun has ended)")

    def chatter(self, line):
        """Whether the line is from another program. srun and slurmstepd report the end of every task and step; libpmix
        reports unexpected messages."""
        return line.startswith(("srun: ", "slurmstepd")) or re.match(r"\[\w+:\d+\] PMIX ERROR", line)

    def takes_signals(self, run):
        """Whether srun has started a worker. srun handles signals even before that."""
        return Descendants(run.mark).workers() != {}

    def _idle(self, seconds):
        limit = time.monotonic() + seconds
        while time.monotonic() < limit:
            nodes = subprocess.run(["sinfo", "-h", "-o", "%D %T"], check=True, text=True, stdout=subprocess.PIPE).stdout
            jobs = subprocess.run(["squeue", "-h"], check=True, text=True, stdout=subprocess.PIPE).stdout
            if nodes.strip() == "2 idle" and not jobs:
                return True
            time.sleep(0.1)
        return False

    def settle(self):
        """Wait until the nodes are idle. slurmctld repeats a lost message only after a minute, and rarely checks nodes
        that are down. To avoid this delay, declare the nodes down and then up, after the search for leftovers."""
        if self._idle(self.PATIENT):
            return True
        for state in ("down", "resume"):
            subprocess.run(["scontrol", "update", "NodeName=node1,node2", f"State={state}", "Reason=settle"],
                           check=False, stderr=subprocess.DEVNULL)
        return self._idle(self.IDLE)


def cancel(run):
    """Cancel the run with scancel."""
    jobs = subprocess.run(["squeue", "-h", "-o", "%A"], check=True, text=True, stdout=subprocess.PIPE).stdout.split()
    return bool(jobs) and subprocess.run(["scancel", *jobs], check=False).returncode == 0


def signal_launcher(run, number):
    """Signal the launcher, once it handles signals: earlier it has not really started. SIGKILL may be sent at any
    time."""
    return (number == signal.SIGKILL or run.starter.takes_signals(run)) and send(run.launcher.pid, number)

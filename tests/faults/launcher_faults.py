# SPDX-License-Identifier: MIT
"""The faults of the launcher. The launcher is killed, or is asked to end the job."""
import signal

from descendants import send
from fault import Fault
from launcher import cancel, signal_launcher


class KillUatrun(Fault):
    """No process is left that could print a message."""
    name, launchers, number = "uatrun killed", ("uatrun",), signal.SIGKILL

    def hit(self, run):
        return signal_launcher(run, self.number)


class InterruptUatrun(KillUatrun):
    name, number, says = "uatrun interrupted (SIGINT)", signal.SIGINT, r"ended by signal 2"


class TerminateUatrun(KillUatrun):
    name, number, says = "uatrun terminated (SIGTERM)", signal.SIGTERM, r"ended by signal 15"


class KillServer(Fault):
    name, launchers = "uatrun's inner process killed", ("uatrun",)
    says = r"process that ran the job was killed by signal 9"

    def hit(self, run):
        pid = run.descendants.job_process(run.launcher.pid)
        return pid is not None and send(pid, signal.SIGKILL)


class KillSrun(KillUatrun):
    """srun has a helper process that waits for srun's end and then cancels the job."""
    name, launchers = "srun killed", ("srun",)

    def hit(self, run):
        return run.starter.takes_signals(run) and send(run.launcher.pid, signal.SIGKILL)


class InterruptSrun(KillUatrun):
    """Two interrupts: at the first SIGINT, srun only prints the state of its tasks."""
    name, launchers, number, lasts = "srun interrupted twice (SIGINT)", ("srun",), signal.SIGINT, 0.3
    says, lines = r"srun: (sending Ctrl-C|forcing job termination)", 9

    def heal(self, run):
        send(run.launcher.pid, signal.SIGINT)


class TerminateSrun(KillUatrun):
    name, launchers, number = "srun terminated (SIGTERM)", ("srun",), signal.SIGTERM
    says = r"srun: forcing job termination"


class Cancel(Fault):
    name, launchers, says = "job cancelled (scancel)", ("srun",), r"CANCELLED|srun: Force Terminated job"

    def hit(self, run):
        return run.starter.takes_signals(run) and cancel(run)

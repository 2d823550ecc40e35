# SPDX-License-Identifier: MIT
"""The kinds of faults: how each is brought about, and what may come of it."""
import os
import resource
import signal
import subprocess
import time

from family import ready, send

TIMEOUT, LIMIT = 1, 3  # seconds: UAT_STALL_TIMEOUT and UAT_STALL_LIMIT of a worker that stays stopped
RETRY_BOUND = 60  # seconds: within this a verbs connection is given up


class Fault:
    """One kind. A run with it may go on to the right answer if `ridden`, and may fail with a line that matches `says`."""

    excuse = None  # a line with which a fault that could be ridden out was not
    ridden = False  # the right answer is what must come
    program = None  # None: any
    settings = {}
    transports = ("shm", "ibv")
    guests = False  # needs Soft-RoCE in a guest
    bound = 5  # seconds from the fault to the end of everything
    least_workers = 2
    limits = {}  # {resource: bytes} of the whole job
    lines = 3  # different ones: the cause, what follows from it in another worker, and the launcher's word
    also_says = None  # another line that must have come before
    says = None  # a regular expression; {rank}: the rank that was hit; None: nobody is left to say anything
    folder_full = False  # traces are written to a disk that has some pages only; this and `limits` are there from the beginning

    def __init__(self, random):
        self.random = random.random()  # whatever the kind makes of it

    def hit(self, run):
        """Bring it about; whether there was somebody to hit."""
        raise NotImplementedError

    def heal(self, run):
        """What happens later, while the run goes on; called when the fault has been there for `self.lasts` seconds."""

    lasts = None


class Worker(Fault):
    """A signal to one worker."""

    number = signal.SIGKILL

    def hit(self, run):
        return run.to_worker(self.number)


class KillWorker(Worker):
    name, says = "worker killed", r"rank {rank} was killed by signal 9 .*, on \S+;"


class CrashWorker(Worker):
    name, number, says = "worker crashes", signal.SIGSEGV, r"rank {rank} was killed by signal 11 .*, on \S+;"


class ExitWorker(Worker):
    """exit(0) in a task, _exit(0) if it has none."""
    name, program, says = "worker exits with 0", "doomed", r"rank {rank} exited with status 0(, before.*, on \S+;| without having called)|rank {rank} on \S+: .*called exit\(0\)"

    def hit(self, run):
        hit = run.to_worker(signal.SIGRTMIN)
        if self.random < 0.5:
            run.to_worker(signal.SIGRTMIN)
        else:
            self.lasts = 0.2
        return hit

    def heal(self, run):
        run.to_worker(signal.SIGRTMIN)


class KillInSteal(Worker):
    """With the lock of a victim or a claim in its hands."""
    name, program, number = "worker killed in a steal", "doomed", signal.SIGRTMIN + 2
    says = r"rank {rank} was killed by signal 9 .*, on \S+;"


class StopWorker(Worker):
    name, number = "worker stopped for ever", signal.SIGSTOP
    settings = {"UAT_STALL_TIMEOUT": str(TIMEOUT), "UAT_STALL_LIMIT": str(LIMIT)}
    bound = LIMIT + 5
    says = r"rank {rank} on \S+, pid \d+, has been stopped.*UAT_STALL_LIMIT|has waited \d+ s for .*UAT_STALL_LIMIT"
    lines = 5  # first the reports, then the end
    also_says = r"rank {rank} on \S+, pid \d+, has been stopped for \d+ s .*goes on when"


class StopInSteal(StopWorker):
    name, program, number = "worker stopped for ever in a steal", "doomed", signal.SIGRTMIN + 1


class PauseWorker(Worker):
    """Stopped, and continued in time."""
    name, number, ridden = "worker stopped for a while", signal.SIGSTOP, True
    settings = {"UAT_STALL_TIMEOUT": str(TIMEOUT), "UAT_STALL_LIMIT": "60"}

    def __init__(self, random):
        super().__init__(random)
        self.lasts = 0.1 + 2.4 * self.random

    def heal(self, run):
        run.to_worker(signal.SIGCONT)


class PauseInSteal(PauseWorker):
    name, program, number = "worker stopped for a while in a steal", "doomed", signal.SIGRTMIN + 1


class Launcher(Fault):
    """A signal to uatrun, from the moment on at which it takes signals: until then it is a program that has not begun."""

    number = signal.SIGKILL

    def hit(self, run):
        pid = run.launcher.pid
        return (self.number == signal.SIGKILL or ready(pid)) and send(pid, self.number)


class KillLauncher(Launcher):
    name = "uatrun killed"


class InterruptLauncher(Launcher):
    name, number, says = "uatrun interrupted (SIGINT)", signal.SIGINT, r"ended by signal 2"


class TerminateLauncher(Launcher):
    name, number, says = "uatrun terminated (SIGTERM)", signal.SIGTERM, r"ended by signal 15"


class KillServer(Fault):
    name, says = "uatrun's inner process killed", r"process that ran the job was killed by signal 9"

    def hit(self, run):
        pid = run.family.job_process(run.launcher.pid)
        return pid is not None and send(pid, signal.SIGKILL)


class AddressSpace(Fault):
    """The limit of the whole job: any call that needs memory may fail."""
    name, says = "little address space", r"rank \d+ on \S+|uatrun: |error while loading shared libraries"

    def __init__(self, random):
        super().__init__(random)
        self.limits = {resource.RLIMIT_AS: int((16 << 20) + self.random * (240 << 20))}


class ShrinkAddressSpace(Fault):
    """No more memory for one worker from some moment on."""
    name = "address space used up in a worker"
    # libpmix may exit, or crash, without memory: then the word is uatrun's.
    says = r"rank {rank} on \S+|rank {rank} (exited with status \d+|was killed by signal \d+ .*), .*, on \S+;"

    def hit(self, run):
        pid = run.worker()
        try:
            resource.prlimit(pid, resource.RLIMIT_AS, (1 << 20, 1 << 20))
        except (OSError, TypeError):
            return False
        return True


class Memlock(Fault):
    """Matters to verbs only, which must refuse to start with a line; shared memory does not lock any."""
    name, says = "little locked memory", r"rank \d+ on \S+: .*(memlock|ulimit -l|locked)"
    limits = {resource.RLIMIT_MEMLOCK: 64 << 10}


class TraceFull(Fault):
    """The disk of the traces has some pages only: the run is worth more than its trace."""
    name, folder_full, says = "disk full for traces", True, r"rank \d+ on \S+"


class LinkDown(Fault):
    """The network below the RDMA device goes away."""
    name, transports, guests, bound = "link down", ("ibv",), True, RETRY_BOUND
    says = r"rank \d+ on \S+"

    def hit(self, run):
        return _link("down")

    def clean(self):
        _link("up")


class LinkFlap(LinkDown):
    name, ridden = "link down for a while", True
    # A worker that makes its connections meanwhile is right to refuse: there is no route then, or the port is down.
    excuse = r"its state is down|cannot enter state RTR: Network is unreachable"

    def __init__(self, random):
        super().__init__(random)
        self.lasts = 0.1 + self.random

    def heal(self, run):
        _link("up")


def _link(how):
    return subprocess.run(["ip", "link", "set", os.environ["VM_NETDEV"], how], check=False).returncode == 0


# By weight: how many of a hundred trials or so.
KINDS = [(KillWorker, 12), (CrashWorker, 8), (ExitWorker, 8), (KillInSteal, 10), (StopWorker, 5), (StopInSteal, 6),
         (PauseWorker, 8), (PauseInSteal, 8), (KillLauncher, 8), (InterruptLauncher, 6), (TerminateLauncher, 6),
         (KillServer, 5), (AddressSpace, 6), (ShrinkAddressSpace, 4), (Memlock, 2), (TraceFull, 4), (LinkDown, 8), (LinkFlap, 8)]

# SPDX-License-Identifier: MIT
"""Faults: how each is caused, and which outcomes are allowed. This file has the faults of a worker, of a run's memory
and of a run's disk."""
import os
import resource
import signal

# Seconds: UAT_STALL_TIMEOUT and UAT_STALL_LIMIT for a worker that stays stopped. Workers of two guests start seconds apart,
# and wait for each other meanwhile.
TIMEOUT, LIMIT = 1, 15 if "VM_NETDEV" in os.environ else 3


class Fault:
    """A kind of fault. If `ridden` is set, the fault's run must end with the right answer. Otherwise the run may also
    fail with a message that matches `says`."""

    excuse = None  # a line that excuses a failure although `ridden` is set
    ridden = False  # the run must end with the right answer
    program = None  # None: any program
    settings = {}
    transports = ("shm", "ibv")
    launchers = ("uatrun", "srun")
    guests = False  # needs Soft-RoCE in a guest
    two_hosts = False  # needs two hosts
    network = False  # the time limit is the retry bound that the workers print
    when_idle = False  # under srun the fault is noticed only when the other workers have no work left
    longer = None  # a line that explains why the end may take as long as the launcher or UAT_STALL_LIMIT allows
    bound = 5  # maximum seconds from the fault until no process is left
    least_workers = 2
    least_on_two = 2  # minimum number of workers on two hosts
    limits = {}  # {resource: bytes} for the whole job
    # maximum number of different lines: one about the cause, one about its consequence in another worker, one from the
    # launcher
    lines = 3
    starves = False  # memory is exhausted; in that case libraries print texts of any length, which are not counted
    also_says = None  # another line that must have been printed earlier
    says = None  # a regular expression, in which {rank} stands for the rank that was hit; None: no process is left that
                 # could print a line
    folder_full = False  # the traces' disk has only a few pages; this and `limits` apply from the start

    def __init__(self, random):
        self.random = random.random()  # a random number, which each kind of fault uses in its own way

    def line(self, run):
        """The regular expression of a line that this run must print."""
        return self.says and self.says.format(rank=run.plan.rank)

    def hit(self, run):
        """Cause the fault. Returns whether there was a process to hit."""
        raise NotImplementedError

    def heal(self, run):
        """End the fault during the run. Called `self.lasts` seconds after hit()."""

    lasts = None

    def clean(self):
        """Clean up after the run, whatever its outcome."""


class Worker(Fault):
    """A signal to one worker."""

    number = signal.SIGKILL

    def hit(self, run):
        return run.to_worker(run.plan.rank, self.number)


class KillWorker(Worker):
    name = "worker killed"

    def line(self, run):
        return run.starter.says_killed(run.plan.rank, run.plan.workers, signal.SIGKILL)


class CrashWorker(Worker):
    name, number = "worker crashes", signal.SIGSEGV

    def line(self, run):
        return run.starter.says_killed(run.plan.rank, run.plan.workers, signal.SIGSEGV)


class ExitWorker(Worker):
    """The worker calls exit(0) in a task, or _exit(0) if it has none."""
    name, program = "worker exits with 0", "doomed"

    def line(self, run):
        return run.starter.says_exited(run.plan.rank, run.plan.workers)

    def hit(self, run):
        if not run.to_worker(run.plan.rank, signal.SIGRTMIN):
            return False
        if self.random < 0.5:
            run.to_worker(run.plan.rank, signal.SIGRTMIN)
        else:
            self.lasts = 0.2
        return True

    def heal(self, run):
        run.to_worker(run.plan.rank, signal.SIGRTMIN)


class KillInSteal(KillWorker):
    """The worker dies while it holds a victim's lock or a claim."""
    name, program, number = "worker killed in a steal", "doomed", signal.SIGRTMIN + 2


class StopWorker(Worker):
    name, number = "worker stopped permanently", signal.SIGSTOP
    settings = {"UAT_STALL_TIMEOUT": str(TIMEOUT), "UAT_STALL_LIMIT": str(LIMIT)}
    bound = LIMIT + 5
    says = r"rank {rank} on \S+, pid \d+, has been stopped.*UAT_STALL_LIMIT|has waited \d+ s for .*UAT_STALL_LIMIT"
    lines = 5  # the lines of the reports, then the lines of the end
    # uatrun prints the line, or an idle neighbour, or a worker that waits for the lost worker in a collective call.
    also_says = r"rank {rank} on \S+, pid \d+, has been stopped for \d+ s.* goes on when|has waited \d+ s for .*goes on when"
    least_on_two = 4  # under srun a neighbour watches the worker
    when_idle = True  # before that, the neighbour may still have work


class StopInSteal(StopWorker):
    name, program, number = "worker stopped permanently in a steal", "doomed", signal.SIGRTMIN + 1


class PauseWorker(Worker):
    """The worker is stopped, and continued before the time limit."""
    name, number, ridden = "worker stopped for a while", signal.SIGSTOP, True
    settings = {"UAT_STALL_TIMEOUT": str(TIMEOUT), "UAT_STALL_LIMIT": "60"}

    def __init__(self, random):
        super().__init__(random)
        self.lasts = 0.1 + 2.4 * self.random

    def heal(self, run):
        run.to_worker(run.plan.rank, signal.SIGCONT)


class PauseInSteal(PauseWorker):
    name, program, number = "worker stopped for a while in a steal", "doomed", signal.SIGRTMIN + 1

    def heal(self, run):
        run.to_worker(run.plan.rank, signal.SIGRTMIN + 3)  # otherwise a worker that has not yet stolen would stop later
        super().heal(run)


class AddressSpace(Fault):
    """A limit for the whole job: any call that needs memory may fail."""
    launchers, starves = ("uatrun",), True
    name, says = "little address space", r"rank \d+ on \S+|uatrun: |error while loading shared libraries"

    def __init__(self, random):
        super().__init__(random)
        self.limits = {resource.RLIMIT_AS: int((16 << 20) + self.random * (240 << 20))}


class ShrinkAddressSpace(Fault):
    """At some moment one worker's memory is limited, and it gets no more."""
    name, launchers, starves = "address space used up in a worker", ("uatrun",), True
    # Without memory libpmix may exit or crash. In that case uatrun prints the line.
    says = r"rank {rank} on \S+|rank {rank} (exited with status \d+|was killed by signal \d+ .*), .*, on \S+;"

    def hit(self, run):
        pid = run.worker()
        try:
            resource.prlimit(pid, resource.RLIMIT_AS, (1 << 20, 1 << 20))
        except (OSError, TypeError):
            return False
        return True


class Memlock(Fault):
    """The limit affects only jobs over verbs. They must refuse to start, and print a line. Shared memory locks no
    memory."""
    name, says = "little locked memory", r"rank \d+ on \S+: .*(memlock|ulimit -l|locked)"
    launchers, limits = ("uatrun",), {resource.RLIMIT_MEMLOCK: 64 << 10}


class TraceFull(Fault):
    """The disk of the traces has only a few pages. The run must continue without its trace."""
    name, folder_full, says = "disk full for traces", True, r"rank \d+ on \S+"
    launchers = ("uatrun",)

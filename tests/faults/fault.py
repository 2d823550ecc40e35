# SPDX-License-Identifier: MIT
"""A fault: how it is brought about, and what may come of it. The faults of a worker, and of the memory and disk of a run."""
import resource
import signal

TIMEOUT, LIMIT = 1, 3  # seconds: UAT_STALL_TIMEOUT and UAT_STALL_LIMIT of a worker that stays stopped


class Fault:
    """One kind. A run with it may go on to the right answer if `ridden`, and may fail with a line that matches `says`."""

    excuse = None  # a line with which a fault that could be ridden out was not
    ridden = False  # the right answer is what must come
    program = None  # None: any
    settings = {}
    transports = ("shm", "ibv")
    launchers = ("uatrun", "srun")
    guests = False  # needs Soft-RoCE in a guest
    two_hosts = False  # needs two
    network = False  # its bound is the retry bound that the workers name
    when_idle = False  # under srun it is noticed when the others have nothing left to do
    longer = None  # a line that tells why the end may take until what the launcher or UAT_STALL_LIMIT allow
    bound = 5  # seconds from the fault to the end of everything
    least_workers = 2
    least_on_two = 2  # on two hosts
    limits = {}  # {resource: bytes} of the whole job
    lines = 3  # different ones: the cause, what follows from it in another worker, and the launcher's word
    starves = False  # of memory: then libraries have texts of their own, of any length, which are not counted
    also_says = None  # another line that must have come before
    says = None  # a regular expression; {rank}: the rank that was hit; None: nobody is left to say anything
    folder_full = False  # traces are written to a disk that has some pages only; this and `limits` are there from the beginning

    def __init__(self, random):
        self.random = random.random()  # whatever the kind makes of it

    def line(self, run):
        """The regular expression of a line that must come, for this run."""
        return self.says and self.says.format(rank=run.plan.rank)

    def hit(self, run):
        """Bring it about; whether there was somebody to hit."""
        raise NotImplementedError

    def heal(self, run):
        """What happens later, while the run goes on; called when the fault has been there for `self.lasts` seconds."""

    lasts = None

    def clean(self):
        """After the run, however it ended."""


class Worker(Fault):
    """A signal to one worker."""

    number = signal.SIGKILL

    def hit(self, run):
        return run.to_worker(self.number)


class KillWorker(Worker):
    name = "worker killed"

    def line(self, run):
        return run.starter.says_killed(run.plan.rank, run.plan.workers, signal.SIGKILL)


class CrashWorker(Worker):
    name, number = "worker crashes", signal.SIGSEGV

    def line(self, run):
        return run.starter.says_killed(run.plan.rank, run.plan.workers, signal.SIGSEGV)


class ExitWorker(Worker):
    """exit(0) in a task, _exit(0) if it has none."""
    name, program = "worker exits with 0", "doomed"

    def line(self, run):
        return run.starter.says_exited(run.plan.rank, run.plan.workers)

    def hit(self, run):
        if not run.to_worker(signal.SIGRTMIN):
            return False
        if self.random < 0.5:
            run.to_worker(signal.SIGRTMIN)
        else:
            self.lasts = 0.2
        return True

    def heal(self, run):
        run.to_worker(signal.SIGRTMIN)


class KillInSteal(KillWorker):
    """With the lock of a victim or a claim in its hands."""
    name, program, number = "worker killed in a steal", "doomed", signal.SIGRTMIN + 2


class StopWorker(Worker):
    name, number = "worker stopped permanently", signal.SIGSTOP
    settings = {"UAT_STALL_TIMEOUT": str(TIMEOUT), "UAT_STALL_LIMIT": str(LIMIT)}
    bound = LIMIT + 5
    says = r"rank {rank} on \S+, pid \d+, has been stopped.*UAT_STALL_LIMIT|has waited \d+ s for .*UAT_STALL_LIMIT"
    lines = 5  # first the reports, then the end
    # By uatrun, or by a neighbour that has nothing to do, or is what waits for it in a collective.
    also_says = r"rank {rank} on \S+, pid \d+, has been stopped for \d+ s.* goes on when|has waited \d+ s for .*goes on when"
    least_on_two = 4  # under srun it is watched by a neighbour,
    when_idle = True  # who may have work of its own first


class StopInSteal(StopWorker):
    name, program, number = "worker stopped permanently in a steal", "doomed", signal.SIGRTMIN + 1


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

    def heal(self, run):
        run.to_worker(signal.SIGRTMIN + 3)  # it may not have stolen yet, and would stop later
        super().heal(run)


class AddressSpace(Fault):
    """The limit of the whole job: any call that needs memory may fail."""
    launchers, starves = ("uatrun",), True
    name, says = "little address space", r"rank \d+ on \S+|uatrun: |error while loading shared libraries"

    def __init__(self, random):
        super().__init__(random)
        self.limits = {resource.RLIMIT_AS: int((16 << 20) + self.random * (240 << 20))}


class ShrinkAddressSpace(Fault):
    """No more memory for one worker from some moment on."""
    name, launchers, starves = "address space used up in a worker", ("uatrun",), True
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
    launchers, limits = ("uatrun",), {resource.RLIMIT_MEMLOCK: 64 << 10}


class TraceFull(Fault):
    """The disk of the traces has some pages only: the run is worth more than its trace."""
    name, folder_full, says = "disk full for traces", True, r"rank \d+ on \S+"
    launchers = ("uatrun",)

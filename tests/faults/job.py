# SPDX-License-Identifier: MIT
"""A run in progress."""
import os
import resource
import signal
import subprocess
import threading
import time
from pathlib import Path

from descendants import MARK, Descendants


class Run:
    """A run in progress. starter: the launcher that started the run."""

    def __init__(self, plan, build, transport, starter, folder):
        self.plan, self.starter = plan, starter
        self.mark = f"{os.getpid()}-{plan.index}-{time.monotonic_ns()}"
        self.descendants = Descendants(self.mark)  # the run's processes on this host
        program = [str(Path(build) / plan.command[0]), *plan.command[1:], "--json"]
        environment = {**os.environ, **starter.own_settings, **plan.settings, "UAT_TRANSPORT": transport, MARK: self.mark}
        if len(starter.hosts) == 1:
            environment["TMPDIR"] = folder
        if plan.fault.folder_full:
            environment["UAT_TRACE"] = str(Path(folder) / "full" / "trace.json")
        self.launcher = subprocess.Popen(
            [*starter.command(plan.workers), *program], env=environment, text=True, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True, preexec_fn=self._limit)
        self.output = self.errors = ""
        self.reader = threading.Thread(target=self._read)
        self.reader.start()
        self.hit = bool(plan.fault.limits or plan.fault.folder_full)  # these faults apply from the start

    def _limit(self):
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # a shell makes its background processes ignore SIGINT
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        for which, value in self.plan.fault.limits.items():
            resource.setrlimit(which, (value, value))

    def _read(self):
        listener = threading.Thread(target=self._listen)
        listener.start()
        self.output = self.launcher.stdout.read()
        listener.join()
        self.launcher.wait()

    def _listen(self):
        for line in self.launcher.stderr:
            self.errors += line

    def worker(self):
        """The process that the fault hits, if all workers are on this host."""
        return self.descendants.workers().get(self.plan.rank)

    def to_worker(self, rank, number):
        host = self.starter.host_of(rank, self.plan.workers)
        return host.to_worker(self.mark, rank, number)

    def all_there(self):
        """Whether all workers have passed their execve()."""
        return sum(host.workers(self.mark) for host in self.starter.hosts) == self.plan.workers

    def wait(self, seconds):
        """Wait at most `seconds` until the launcher has ended and its output is complete. Returns whether it has."""
        self.reader.join(max(seconds, 0))
        return not self.reader.is_alive()

    def lingering(self, seconds):
        """Processes that should have ended, on any host."""
        return [text for host in self.starter.hosts for text in host.lingering(self.mark, seconds)]

    def ask(self):
        """Let each worker say on stderr what it is doing."""
        for rank in range(self.plan.workers):
            self.to_worker(rank, signal.SIGUSR1)
        time.sleep(1)

    def kill(self):
        """Kill what is left of a run that has failed its trial."""
        for host in self.starter.hosts:
            host.kill(self.mark)
        self.reader.join(10)

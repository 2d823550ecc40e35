# SPDX-License-Identifier: MIT
"""The processes of one run, which have the run's mark in their environment."""
import os
import shutil
import signal
import subprocess
from pathlib import Path

MARK = "FAULTS_MARK"
STACKS = 60  # seconds allowed for a debugger, also in a slow guest


def _environment(pid):
    try:
        return Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return []


def _lines(path):
    try:
        return Path(path).read_text(errors="replace").splitlines()
    except OSError:
        return []


def _status(pid):
    """The process's command, state and parent, or None."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(errors="replace")
    except OSError:
        return None
    command, rest = text[text.index("(") + 1:text.rindex(")")], text[text.rindex(")") + 2:].split()
    return command, rest[0], int(rest[1])


def stacks(pid):
    """Stack traces of a process's threads, if there is a debugger. They show what a silent process is doing."""
    if not shutil.which("gdb"):
        return []
    command = ["gdb", "-batch", "-nx", "-p", str(pid), "-ex", "set debuginfod enabled off", "-ex", "thread apply all bt 16"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=STACKS, check=False,
                              stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return ["the debugger took too long"]
    frames = [line for line in done.stdout.splitlines() if line.startswith(("Thread ", "#"))]
    return [line[:200] for line in frames or done.stderr.splitlines()]


class Descendants:
    """The processes with one mark. uatrun has two processes: the one that was started, and the one that runs the
    job."""

    def __init__(self, mark):
        self.mark = f"{MARK}={mark}".encode()

    def members(self):
        pids = [int(name) for name in os.listdir("/proc") if name.isdigit()]
        return [pid for pid in pids if pid != os.getpid() and self.mark in _environment(pid)]

    @staticmethod
    def describe(pid):
        """Name, rank and state of a process, and the kernel function in which it waits."""
        command, letter, _ = _status(pid) or ("?", "?", 0)
        rank = [entry.decode() for entry in _environment(pid) if entry.startswith((b"PMIX_RANK=", b"UATRUN_RANK="))]
        return " ".join([f"process {pid}: {command}", *rank, f"state {letter}", *_lines(f"/proc/{pid}/stack")[:4]])

    def workers(self):
        """{rank: pid} of the workers that have passed their execve()."""
        found = {}
        for pid in self.members():
            ranks = [entry for entry in _environment(pid) if entry.startswith((b"PMIX_RANK=", b"UATRUN_RANK="))]
            if ranks:
                found[int(ranks[0].split(b"=")[1])] = pid
        return found

    def job_process(self, launcher):
        """The uatrun process that is the workers' parent; None if it does not exist yet."""
        for pid in self.members():
            status = _status(pid)
            if status and status[2] == launcher and status[0].startswith("uatrun"):
                return pid
        return None


def state(pid):
    """The letter that ps shows as the state, or None."""
    status = _status(pid)
    return status[1] if status else None


def _has(pid, mask, number):
    """Whether the signal is in this mask of the process, as named in /proc/PID/status."""
    try:
        line = next(line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith(f"{mask}:"))
    except (OSError, StopIteration):
        return False
    return bool(int(line.split()[1], 16) >> (number - 1) & 1)


def ready(launcher):
    """Whether uatrun already handles its signals. From that moment on uatrun also ignores SIGPIPE, so this function
    looks at SIGPIPE. The masks do not show signals that sigwait() takes."""
    return _has(launcher, "SigIgn", signal.SIGPIPE)


def takes(pid, number):
    """Whether the process catches this signal. The answer is reliable only once the process has its segment: before
    that, the process executes itself again."""
    try:
        segment = "uat-segment" in Path(f"/proc/{pid}/maps").read_text()
    except OSError:
        return False
    return segment and _has(pid, "SigCgt", number)


def send(pid, number):
    """Send a signal. Returns whether the process existed and was alive."""
    if state(pid) in (None, "Z", "X"):
        return False
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return False
    return True

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The machines on which a run has processes: this machine, and the other guest, which answers the same calls. usage on
the other guest: host.py FOLDER (questions and answers are exchanged in FOLDER)"""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from descendants import Descendants, send, takes
from leftover import Leftover

SHARED = "/run/uat-vm"  # the guests' shared folder; see tests/vm
POLL = 0.01  # seconds
LOST = "52:54:00:00:00:99"  # an address that no network interface has


class Here:
    """This machine."""

    name = "node1"

    def close(self):
        """Called when no further calls will follow."""

    def workers(self, mark):
        """The number of workers that have passed their execve()."""
        return len(Descendants(mark).workers())

    def to_worker(self, mark, rank, number):
        """Send a signal to a worker. Returns whether it was sent. A real-time signal is sent only once test-doomed
        catches it."""
        pid = Descendants(mark).workers().get(rank)
        return pid is not None and (number < signal.SIGRTMIN or takes(pid, number)) and send(pid, number)

    def kill(self, mark):
        for pid in Descendants(mark).members():
            send(pid, signal.SIGKILL)

    def files(self):
        return sorted(Leftover.files())

    def lingering(self, mark, seconds):
        """Processes that should have ended."""
        leftover = Leftover(before=())
        leftover.wait_for(Descendants(mark), seconds)
        return leftover.found

    def left(self, before, isolated, seconds):
        """New files and sockets that should have disappeared."""
        leftover = Leftover(before=before, isolated=isolated)
        leftover.look(seconds)
        return leftover.found

    def link(self, how):
        """Set the network interface of the RDMA device down or up."""
        return subprocess.run(["ip", "link", "set", os.environ["VM_NETDEV"], how], check=False).returncode == 0

    def cut(self, peer):
        """From now on all packets to `peer` are lost, although the link is up."""
        command = ["ip", "neigh", "replace", peer, "lladdr", LOST, "dev", os.environ["VM_NETDEV"], "nud", "permanent"]
        return subprocess.run(command, check=False).returncode == 0

    def join(self, peer):
        """Undo cut()."""
        command = ["ip", "neigh", "del", peer, "dev", os.environ["VM_NETDEV"]]
        return subprocess.run(command, check=False, stderr=subprocess.DEVNULL).returncode == 0


class Other:
    """Guest node2. Calls reach it even while the network between the guests is cut. One process on node2 answers all
    calls. (The command node2 would start a process for each call, which takes half a second.)"""

    name = "node2"

    def __init__(self):
        self.room = Path(tempfile.mkdtemp(prefix="faults.", dir=SHARED))
        self.server = subprocess.Popen(["node2", sys.executable, str(Path(__file__).resolve()), str(self.room)])
        self.number = 0

    def _ask(self, question):
        self.number += 1
        answer = self.room / f"answer.{self.number}"
        _write(self.room / f"question.{self.number}", question)
        while not answer.exists():
            if self.server.poll() is not None:
                raise SystemExit("node2 has ended")
            time.sleep(POLL)
        return json.loads(answer.read_text())

    def __getattr__(self, method):
        return lambda *arguments: self._ask([method, arguments])

    def close(self):
        self._ask([])
        self.server.wait()
        shutil.rmtree(self.room)


def _write(path, value):
    """Write a file so that a reader sees all of it or none."""
    draft = path.with_name(f"draft.{path.name}")
    draft.write_text(json.dumps(value))
    draft.rename(path)


def serve(room):
    """Runs on node2: answer the questions in order, until an empty one arrives."""
    here, number, question = Here(), 0, None
    while question != []:
        number += 1
        path = room / f"question.{number}"
        while not path.exists():
            time.sleep(POLL)
        question = json.loads(path.read_text())
        _write(room / f"answer.{number}", getattr(here, question[0])(*question[1]) if question else None)


if __name__ == "__main__":
    serve(Path(sys.argv[1]))

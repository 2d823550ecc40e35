# SPDX-License-Identifier: MIT
"""What a run leaves on its hosts, except processes."""
import os

from leftover import ISOLATED, Leftover


# seconds; a slurmstepd that was cut off first reports to slurmctld, and only afterwards ends and removes its files
SLURM_GONE = 40


class Traces:
    """Created before the run. On one host the run has a private temporary folder. Two hosts are guests, where all files
    belong to the campaign."""

    def __init__(self, hosts, folder):
        self.hosts = hosts if len(hosts) > 1 else []
        self.own = Leftover(folder, isolated=os.environ.get(ISOLATED, "")) if len(hosts) == 1 else None
        self.before = [host.files() for host in self.hosts]

    def left(self):
        if self.own:
            self.own.look()
            return self.own.found
        return [f"{host.name}: {text}" for host, before in zip(self.hosts, self.before)
                for text in host.left(before, "/tmp /dev/shm", SLURM_GONE)]

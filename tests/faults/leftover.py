# SPDX-License-Identifier: MIT
"""What a run may leave behind: processes, files, shared memory objects, sockets."""
import os
import time
from pathlib import Path

from descendants import stacks

GONE = 5  # seconds allowed for the last processes to end
SOURCE = Path(__file__).resolve().parent.parent.parent


def shows_host(place):
    """In a guest: whether that place belongs to the host, that is, contains the sources or the build. Other processes
    of the host also write there."""
    below = [SOURCE, Path(os.environ.get("VM_BUILD") or SOURCE)]
    return "VM_NODE" in os.environ and any(path.is_relative_to(place) for path in below)


COMMON = [place for place in ("/dev/shm", "/tmp", "/dev/mqueue") if not shows_host(place)]
ISOLATED = "FAULTS_ISOLATED"  # environment variable: lists the common places that no other process uses
OURS = ("uat", "pmix", "ompi", "faults")


class Leftover:
    """Compares the state before and after a run. In the common places, which other processes also use, it counts only
    files with our names."""

    def __init__(self, folder=None, before=None, isolated=""):
        self.folder, self.found, self.alone = folder, [], isolated.split()
        self.before = self.files() if before is None else set(before)

    @staticmethod
    def files():
        files = set()
        for place in COMMON:
            if os.path.isdir(place):
                files.update(f"{place}/{name}" for name in os.listdir(place))
        return files

    def wait_for(self, descendants, seconds=GONE):
        """Wait for the processes to end. Processes that remain are left over."""
        limit = time.monotonic() + seconds
        while descendants.members() and time.monotonic() < limit:
            time.sleep(0.01)
        for pid in descendants.members():
            self.found += [f"left: {descendants.describe(pid)}", *(f"    {line}" for line in stacks(pid))]

    def _sockets(self):
        words = [self.folder] if self.folder else OURS
        names = [line.split()[-1] for line in Path("/proc/net/unix").read_text(errors="replace").splitlines()]
        return [f"socket {name}" for name in names if "/" in name and any(word in name for word in words)]

    def _new(self):
        new = [path for path in self.files() - self.before
               if os.path.dirname(path) in self.alone or any(word in os.path.basename(path) for word in OURS)]
        return sorted(new) + [str(path) for path in (Path(self.folder).iterdir() if self.folder else [])] + self._sockets()

    def look(self, seconds=GONE):
        """Look for leftovers. Call this when all processes have ended. In the common places, other users' files may
        disappear a little later."""
        limit = time.monotonic() + seconds
        while self._new() and time.monotonic() < limit:
            time.sleep(0.1)
        self.found += [f"left: {what}" for what in self._new()]

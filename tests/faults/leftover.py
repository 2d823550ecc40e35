# SPDX-License-Identifier: MIT
"""What a run may leave behind: processes, files, shared memory objects, sockets."""
import os
import time
from pathlib import Path

GONE = 5  # seconds that the last processes may take to go
COMMON = ["/dev/shm", "/tmp", "/dev/mqueue"]
ISOLATED = "FAULTS_ISOLATED"  # in the environment: the common places that nobody else uses
OURS = ("uat", "pmix", "ompi", "faults")


class Leftover:
    """Looks before and after. In the common places, which others use as well, it counts what bears a name of ours."""

    def __init__(self, folder):
        self.folder, self.found = folder, []
        self.before = self._files()

    @staticmethod
    def _files():
        files = set()
        for place in COMMON:
            if os.path.isdir(place):
                files.update(f"{place}/{name}" for name in os.listdir(place))
        return files

    def wait_for(self, family):
        """The processes are given a little time; then they are left over."""
        limit = time.monotonic() + GONE
        while family.members() and time.monotonic() < limit:
            time.sleep(0.01)
        self.found += [f"left: process {pid}" for pid in family.members()]

    def _new(self):
        alone = os.environ.get(ISOLATED, "").split()
        new = [path for path in self._files() - self.before
               if os.path.dirname(path) in alone or any(word in os.path.basename(path) for word in OURS)]
        return sorted(new) + [str(path) for path in Path(self.folder).iterdir()]

    def look(self):
        """Once all processes are gone. What other users of the common places have there is gone a little later."""
        limit = time.monotonic() + GONE
        while self._new() and time.monotonic() < limit:
            time.sleep(0.1)
        self.found += [f"left: {path}" for path in self._new()]
        sockets = Path("/proc/net/unix").read_text(errors="replace")
        self.found += [f"left: socket {line.split()[-1]}" for line in sockets.splitlines() if self.folder in line]

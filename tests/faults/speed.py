# SPDX-License-Identifier: MIT
"""How much slower a process runs now than on an idle machine, because other processes use the processors."""
import os
import time

SAMPLE, MOST = 0.03, 10  # processor seconds per measurement; maximum factor
GUEST = 2  # factor for an emulated guest, which does not see the other load of its host


def slowness():
    """The ratio of wall time to processor time of a loop: 1 on an idle machine."""
    began, used = time.monotonic(), time.process_time()
    while time.process_time() - used < SAMPLE:
        pass
    factor = min(MOST, max(1.0, (time.monotonic() - began) / (time.process_time() - used)))
    return max(factor, GUEST) if "VM_GUESTS" in os.environ else factor

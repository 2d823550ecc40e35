# SPDX-License-Identifier: MIT
"""How much slower a process runs now than on an idle machine, because others use its processors."""
import os
import time

SAMPLE, MOST = 0.03, 10  # processor seconds of a measurement; the largest factor
GUEST = 2  # factor of an emulated guest, which does not see its host's other load


def slowness():
    """The ratio of wall time to processor time of a loop: 1 on an idle machine."""
    began, used = time.monotonic(), time.process_time()
    while time.process_time() - used < SAMPLE:
        pass
    factor = min(MOST, max(1.0, (time.monotonic() - began) / (time.process_time() - used)))
    return max(factor, GUEST) if "VM_GUESTS" in os.environ else factor

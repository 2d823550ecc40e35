# SPDX-License-Identifier: MIT
"""The cases of bad-input: programs that do one thing wrong, and how each must end."""


class Case:
    """A fault of a test program or of the settings, and what the line about the fault must say."""

    def __init__(self, name, says, settings=None, fault="large-result", workers=2, status=None, address_space=None,
                 sound=False):
        self.name, self.says, self.settings, self.fault = name, says, settings or {}, fault
        self.workers, self.status, self.address_space = workers, status, address_space
        self.sound = sound  # a sound case ends with status 0, and with exactly one line if `says` is set

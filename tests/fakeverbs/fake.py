# SPDX-License-Identifier: MIT
"""What the tests in this folder share: it runs programs with simulated verbs devices."""
import os
import subprocess
import tempfile
from pathlib import Path

DEVICES = Path(__file__).resolve().parent / "devices"
SECONDS = 120  # limit for a run, which normally takes about one second


class Run:
    """A job under `fakeverbs`: status, standard output, lines on standard error, and {call: (total, maximum per
    worker)}."""

    def __init__(self, build, workers, program, devices=("one",), hosts=1, fail=(), apart=False, **settings):
        """devices: files of the folder `devices`, or their text. fail: as in --fail. apart: as --apart. settings: UAT_
        variables without that prefix."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith("UAT_")}
        environment |= {f"UAT_{name}": value for name, value in ({"TRANSPORT": "ibv"} | settings).items()}
        with tempfile.TemporaryDirectory() as folder:
            counts = Path(folder) / "counts"
            command = [build / "tests/fakeverbs/fakeverbs", "--hosts", str(hosts), "--count", counts]
            for i, text in enumerate(devices):
                path = DEVICES / text
                if "\n" in text:
                    path = Path(folder) / f"devices{i}"
                    path.write_text(text)
                command += ["--devices", path]
            if apart:
                command.append("--apart")
            for text in fail:
                command += ["--fail", text]
            command += ["--", build / "tests/pmix/uatrun-pmix", "-n", str(workers), "--timeout", str(SECONDS), *program]
            done = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                  timeout=2 * SECONDS, check=False)
            self.count = {words[0]: (int(words[1]), int(words[2]))
                          for words in map(str.split, counts.read_text().splitlines())} if counts.exists() else {}
        self.status, self.out, self.lines = done.returncode, done.stdout, done.stderr.splitlines()

    def __str__(self):
        return "\n".join([f"status {self.status}", self.out, *self.lines])


def fib(build, n):
    """The program that most tests run: the n-th Fibonacci number."""
    return [build / "perf/uat-fib", str(n)]


def expect(condition, what):
    if not condition:
        raise SystemExit(f"not as expected: {what}")

# SPDX-License-Identifier: MIT
"""Common parts of the scripts that measure: options, runs, turns, medians, tables. An error is reported in one line."""
import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

# As Open MPI takes them; others ignore them. There may be more ranks than cores, and the user may be root.
MPI_SETTINGS = {"OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
Refused = argparse.ArgumentTypeError  # an option that cannot be used


class Parser(argparse.ArgumentParser):
    def __init__(self, **settings):
        super().__init__(formatter_class=argparse.RawDescriptionHelpFormatter, **settings)

    def error(self, message):
        self.exit(2, f"{self.prog}: {message}; see --help\n")

    def add_build(self):
        self.add_argument("--build", default=os.environ.get("VM_BUILD", "build"), type=build_folder, help="build folder (build)")

    def add_number(self, name, default, meaning):
        self.add_argument(name, type=number, default=default, help=f"{meaning} ({default})")

    def add_words(self, name, meaning, needed=False):
        self.add_argument(name, nargs="+" if needed else "*", help=f"{meaning}, after --")


def build_folder(text):
    if not (Path(text) / "launcher" / "uatrun").exists():
        raise Refused(f"{text} is not a folder where uat is built")
    return Path(text).resolve()


def number(text):
    if not text.isdecimal() or int(text) < 1:
        raise Refused(f"'{text}' is not a whole number above 0")
    return int(text)


def seconds_of_task(settings):
    """The time of a task that UAT_SIM_TASK sets."""
    parts = settings.get("UAT_SIM_TASK", "").split(",")
    time = next((part.removeprefix("time=") for part in parts if part.startswith("time=") or (part and "=" not in part)), "1us")
    count, unit = re.fullmatch(r"(\d+)(ns|us|ms|s|min|)", time).groups()
    return int(count) * {"ns": 1e-9, "": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1, "min": 60}[unit]


def numbers(text):
    return [number(part) for part in text.split(",")]


def words_of(allowed):
    """The type of an option that takes some of these words, separated by commas."""
    def words(text):
        for word in text.split(","):
            if word not in allowed:
                raise Refused(f"'{word}' is none of {', '.join(allowed)}")
        return text.split(",")
    return words


def need_program(word, name=""):
    if not shutil.which(word):
        raise Refused(f"{name}{word} does not exist or is not executable")


def fail(message):
    sys.exit(f"{Path(sys.argv[0]).name}: {message}")


def run(command, settings=None):
    """Run the command with `settings` added to the environment, and return the completed process. If the command fails,
    print the command's last lines of output and exit."""
    command = [str(word) for word in command]
    said = " ".join([*(f"{name}={value}" for name, value in (settings or {}).items()), *command])
    try:
        done = subprocess.run(command, env={**os.environ, **(settings or {})}, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              check=False)
    except OSError as error:
        fail(f"{command[0]} cannot be started: {error.strerror}")
    if done.returncode:
        fail(f"status {done.returncode} of {said}: {done.stderr.strip()[-2000:]}")
    return done


def report_of(done):
    """The report that a benchmark has printed because of --json."""
    try:
        return json.loads(done.stdout)
    except ValueError:
        return fail(f"no report of {' '.join(done.args)}")


def uatrun(build, workers, program, *arguments, before=(), **settings):
    """Run a program of the build, such as perf/uat-fib, with `workers` workers. Returns its report. before: words in front of the command."""
    return report_of(run([*before, build / "launcher" / "uatrun", "-n", workers, build / program, *arguments, "--json"], settings))


def in_turn(rounds, names, measure):
    """{name: [measure(name) of each round]}. Each round measures all names, so that a change in the machine's speed affects all of them alike."""
    taken = {name: [] for name in names}
    for _ in range(rounds):
        for name in names:
            taken[name].append(measure(name))
    return taken


def spread(values, form=".3g"):
    """The median, the minimum and the maximum."""
    return f"{statistics.median(values):{form}} [{min(values):{form}}, {max(values):{form}}]"


def print_cells(cells):
    """Print a line of a table in the form that the documents use."""
    print("| " + " | ".join(cells) + " |", flush=True)


def print_titles(titles):
    print_cells(titles)
    print_cells(["---"] * len(titles))


class Table:
    """Aligned columns: (title, format). None is shown as a dash."""

    def __init__(self, columns):
        self.columns = [(form, max(len(title), int(re.match(r"<?(\d+)", form)[1]))) for title, form in columns]
        self.print(title for title, _ in columns)

    def print(self, cells):
        sides = [(cell, "<" if form.startswith("<") else ">", width) for cell, (form, width) in zip(cells, self.columns)]
        print(" ".join(f"{cell:{side}{width}}" for cell, side, width in sides).rstrip(), flush=True)

    def row(self, values):
        self.print("-" if value is None else f"{value:{form}}" for value, (form, _) in zip(values, self.columns))

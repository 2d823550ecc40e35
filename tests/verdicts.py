# SPDX-License-Identifier: MIT
"""Keeps the verdicts of tests whose outcome depends on nothing but files, and says which tests ./check leaves to ./check --all.

The rows of plan.toml say on which files a test depends. If a test has passed, a hash of these files is kept in the build folder. As long as
the hash stays the same, ./check does not run the test again. ./check --all runs every test.
"""
import fnmatch
import hashlib
import json
import subprocess
import tomllib
from functools import cache
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent
PLAN = Path(__file__).resolve().with_name("plan.toml")
KEYS = {"tests", "files", "tools", "programs", "first", "quick", "why"}
RUN, KEPT, LEFT = "run", "kept", "left"


def rows_of(path=PLAN):
    """The rows of the plan."""
    rows = list(tomllib.loads(path.read_text(encoding="utf-8")).values())
    for row in rows:
        if not {"tests", "why"} <= set(row) <= KEYS:
            raise ValueError(f"{path.name}: wrong keys: {', '.join(row)}")
    return rows


@cache
def hash_of_file(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


@cache
def version_of(tool):
    """What the tool says about itself, or that it is missing."""
    try:
        done = subprocess.run(tool.split(), text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    except FileNotFoundError:
        return "missing"
    return done.stdout


def is_source(path):
    return path.is_file() and path.suffix != ".pyc" and not any(part == ".git" or part.startswith("build") for part in path.relative_to(SOURCE).parts[:-1])


def files_of(row):
    """The files that the row names; a folder stands for all files in it."""
    found = set()
    for pattern in row.get("files", []):
        for path in SOURCE.glob(pattern):
            found |= set(path.rglob("*")) if path.is_dir() else {path}
    return sorted(path for path in found if is_source(path))


def is_edited(row):
    """Whether git says that a file of the row differs from the upstream branch, or from the last commit if there is none."""
    def git(*words):
        return subprocess.run(["git", "-C", str(SOURCE), *words], text=True, stdin=subprocess.DEVNULL, capture_output=True, check=False)

    if git("rev-parse", "--is-inside-work-tree").stdout.strip() != "true":
        return False
    files = [f":(glob){pattern}" for pattern in row["files"]]
    base = "@{upstream}" if git("rev-parse", "--verify", "@{upstream}").returncode == 0 else "HEAD"
    return git("diff", "--quiet", base, "--", *files).returncode == 1 or bool(
        git("ls-files", "--others", "--exclude-standard", "--", *files).stdout)


def fits(row, name):
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in row["tests"])


def row_of(rows, name):
    """The row of the test BUILD/SUITE/NAME, or None."""
    return next((row for row in rows if row.get("quick", True) and fits(row, name)), None)


def is_left_by_quick(rows, name):
    """Whether ./check --quick leaves the test to ./check."""
    return any(not row.get("quick", True) and fits(row, name) for row in rows)


def is_for_all(rows, name):
    """Whether only ./check --all runs the test."""
    return "files" not in (row_of(rows, name) or {"files": []})


class Verdicts:
    """The kept verdicts of a build, whose programs and shared libraries are named."""

    def __init__(self, name, folder, rows, programs=()):
        self.name, self.file, self.rows, self.programs = name, folder / "check-verdicts.json", rows, programs
        self.kept = json.loads(self.file.read_text()) if self.file.exists() else {}

    def row(self, suite, test):
        return row_of(self.rows, f"{self.name}/{suite}/{test['name']}")

    def key(self, row, test):
        """A hash of everything on which the row says that the test depends."""
        text = hashlib.sha256(json.dumps([test["cmd"], test["env"]]).encode())
        programs = self.programs if row.get("programs") else ()
        for path in [*files_of(row), *(path for path in programs if path.exists())]:
            text.update(f"{path} {hash_of_file(path)}\n".encode())
        for tool in row.get("tools", []):
            text.update(version_of(tool).encode())
        return text.hexdigest()

    def decide(self, suite, test, everywhere):
        """RUN, KEPT or LEFT: what ./check does with the test. `everywhere`: the rows that say first = "all" run now."""
        row = self.row(suite, test)
        if not row:
            return RUN
        kept = self.kept.get(f"{suite}/{test['name']}")
        if kept is None:
            due = "first" not in row or (everywhere and row["first"] == "all")
            return RUN if due or is_edited(row) else LEFT
        return KEPT if kept == self.key(row, test) else RUN

    def note(self, suite, test, key, passed):
        """Remember that the test has passed with the inputs of this key, or has failed. A test that fails runs until it passes."""
        self.kept[f"{suite}/{test['name']}"] = key if passed else "failed"
        self.file.write_text(json.dumps(self.kept, indent=1))

# SPDX-License-Identifier: MIT
"""A profile, read from its file: the names and lines of its code addresses, and the tasks by name."""
import json
import re
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from report_timeline import Refused

OWN = re.compile(r"/(include/)?uat(\.hpp?|/[\w/]*\.hpp?)$|/pattern/\w+\.c$")  # files of the library, not of the program
GENERATED = re.compile(r"_(group_)?(spawn|join|run)(_on)?$")  # functions that UAT_TASK defines, at the line of the macro
SUFFIX = re.compile(r"_uat_(body|alone|loop)$")
SUMS = ["count", "own_ns", "work_ns", "span_ns", "burdened_ns", "waits", "wait_ns", "far_calls", "far_ns", "near_bytes", "cached_bytes",
        "far_bytes"]


@dataclass
class Place:
    """A line of the program."""
    function: str = "?"
    file: str = "?"
    line: int = 0

    def __str__(self):
        return f"{Path(self.file).name}:{self.line}" if self.line else "unknown line"


@dataclass
class Kind:
    """All tasks of one name."""
    name: str
    place: Place
    sums: dict = field(default_factory=lambda: dict.fromkeys(SUMS, 0.0))
    path_ns: float = 0.0  # its part of the span
    longest: dict = field(default_factory=lambda: {"ns": 0.0, "from": 0, "to": 0})


class Lines:
    """The places of code addresses, by addr2line."""

    def __init__(self, modules):
        self.modules, self.known, self.tool = modules, {}, shutil.which("addr2line")

    def module(self, address):
        return next((m for m in self.modules if m["low"] <= address < m["high"]), None)

    def find(self, addresses):
        """Ask for many addresses at once. An answer has a line for each inlined call, the innermost first."""
        for module in self.modules:
            mine = sorted({a for a in addresses if a not in self.known and self.module(a) is module})
            if not mine or not self.tool or not Path(module["file"]).exists():
                continue
            asked = "\n".join(f"{a - module['base']:#x}" for a in mine)
            answer = subprocess.run([self.tool, "-a", "-f", "-i", "-C", "-e", module["file"]], input=asked, text=True,
                                    capture_output=True, timeout=120).stdout
            for address, lines in zip(mine, re.split(r"^0x[0-9a-f]+\n", answer, flags=re.M)[1:]):
                pairs = lines.splitlines()
                self.known[address] = [self.place(*pair) for pair in zip(pairs[::2], pairs[1::2])]

    @staticmethod
    def place(function, where):
        file, _, line = where.rpartition(":")
        number = line.split(" ")[0]
        return Place(SUFFIX.sub("", function), file, int(number) if number.isdigit() else 0)

    def inner(self, address):
        """The function at an address."""
        frames = self.known.get(address, [])
        return frames[0] if frames else Place()

    def of(self, address):
        """The innermost line of the program itself: not one of the library's headers."""
        frames = self.known.get(address, [])
        mine = [f for f in frames if f.line and not OWN.search(f.file)]
        return next((f for f in mine[:-1] if not GENERATED.search(f.function)), mine[-1] if mine else self.inner(address))


def name_of(row, lines):
    """A task's name and place. In C the function has both. In C++ one function of the library runs many bodies, so the
    place of the spawn tells them apart."""
    inner, site = lines.inner(row["fn"]), lines.of(row["site"] - 1)
    if inner.function.startswith("void uat::detail::body") or "uat::detail::" in inner.function:
        return f"task of {site.function.split('(')[0]}", site
    return inner.function, lines.of(row["fn"])


class Profile:
    def __init__(self, document):
        if not isinstance(document, dict) or document.get("uat_profile") != 1:
            raise Refused("it is not a profile of this version of uat")
        self.raw = document
        self.lines = Lines(document["modules"])
        rows = document["names"]
        stretches = [r["longest"] for r in rows] + [document["longest"]]
        self.lines.find({r["fn"] for r in rows} | {r["site"] - 1 for r in rows} | {s["from"] for s in stretches}
                        | {s["from"] - 1 for s in stretches} | {s["to"] - 1 for s in stretches})
        self.kinds, self.key = {}, {}
        for row in rows:
            self.add(row)
        for part in document["path"]:
            if part["key"] in self.key:
                self.key[part["key"]].path_ns += part["ns"]
        for name in ("workers", "elapsed_ns", "work_ns", "span_ns", "burdened_ns", "burden_ns", "spawn_ns", "tasks"):
            setattr(self, name, document[name])

    def add(self, row):
        name, place = name_of(row, self.lines)
        kind = self.kinds.setdefault((name, place.file, place.line), Kind(name, place))
        self.key[row["key"]] = kind
        for value in SUMS:
            kind.sums[value] += row[value]
        if row["longest"]["ns"] > kind.longest["ns"]:
            kind.longest = row["longest"]

    def sorted(self):
        return sorted(self.kinds.values(), key=lambda kind: -kind.sums["own_ns"])

    def total(self, value):
        return sum(kind.sums[value] for kind in self.kinds.values())

    def stretch(self, longest):
        """Where a stretch of serial code begins and ends."""
        begin = self.lines.of(longest["from"] - 1) if longest["from"] not in {r["fn"] for r in self.raw["names"]} else \
            self.lines.of(longest["from"])
        end = self.lines.of(longest["to"] - 1) if longest["to"] else None
        return begin, end


def read(path):
    with open(path, encoding="utf-8") as file:
        return Profile(json.load(file))

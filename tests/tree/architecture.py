#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Description: the table of docs/architecture.md allows every #include (an arrow from file to file), and the arrows
have no cycle.

usage: architecture.py SOURCE-FOLDER

The table lists the lowest room first. A row may name only rows above it and files in their folders, so the table itself
has no cycle. The rule for files is stricter: a header, its part in detail/ and its source are one unit, and no units
form a cycle. The table has at most 20 rows, because a longer table would be too long to remember. The test also runs on
trees with one fault each, which it must find.
"""
import posixpath
import re
import sys
from pathlib import Path

TABLE = re.compile(r"^\| room \|.*\n\| ---.*\n((?:\|.*\n)+)", re.M)
QUOTED = re.compile(r"`([^`]+)`")
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)
SOURCES = ("*.c", "*.h", "*.hpp", "*.S", "*.cc")
EVERYTHING = "all above"
MOST_ROWS = 20


class Table:
    """The rooms, each with the headers that it may include."""

    def __init__(self, page):
        self.rows, self.level, self.faults = {}, {}, []
        found = TABLE.search(page)
        if not found:
            self.faults.append("docs/architecture.md has no table of rooms")
            return
        lines = found.group(1).splitlines()
        if len(lines) > MOST_ROWS:
            self.faults.append(f"the table has {len(lines)} rows, more than {MOST_ROWS}: rooms with the same arrows share a row")
        for line in lines:
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            rooms, allowed = QUOTED.findall(cells[0]), QUOTED.findall(cells[-1])
            above = set(self.rows)
            if cells[-1] == EVERYTHING:
                allowed = sorted(above)
            self.faults += [f"the table's row {cells[0]} names {name}, which has no row above it" for name in allowed
                            if (name if name.endswith("/") else posixpath.dirname(name) + "/") not in above]
            self.rows |= {room: set(allowed) for room in rooms}
            self.level |= dict.fromkeys(rooms, len(set(self.level.values())))

    def room_of(self, path):
        """Returns the row that applies to a file: the row of the nearest folder above the file that has a row."""
        folder = posixpath.dirname(path)
        while folder and folder + "/" not in self.rows:
            folder = posixpath.dirname(folder)
        return folder + "/" if folder else None

    def allows(self, source, target):
        here, there = self.room_of(source), self.room_of(target)
        return here == there or there in self.rows[here] or target in self.rows[here]


def arrows_of(tree, faults):
    """All (file, file) arrows. Public headers are included as users include them: from include/, or from beside each other."""
    for path, text in sorted(tree.items()):
        for name in INCLUDE.findall(text):
            places = [name, "include/" + name]
            if path.startswith("include/"):
                places.append(posixpath.normpath(posixpath.join(posixpath.dirname(path), name)))
            target = next((place for place in places if place in tree), None)
            if target:
                yield path, target
            else:
                faults.append(f'{path} includes "{name}", which is no path from the top of the tree')


def unit_of(path):
    """The unit of a file. A header and its source are one unit. X_internal.h, the second header of X, belongs to the
    unit of X. A header for C++ lies above the C header of the same name."""
    stem, suffix = posixpath.splitext(path.replace("uat/detail/uat.h", "uat.h"))
    return path.replace("/detail/", "/") if suffix == ".hpp" else stem.removesuffix("_internal").replace("/detail/", "/")


def circles_of(arrows):
    """Circles of (unit, unit) arrows: strongly connected components of more than one unit (Tarjan 1972)."""
    above = {}
    for a, b in arrows:
        above.setdefault(a, set())
        above.setdefault(b, set())
        if a != b:
            above[a].add(b)
    number, low, stack, circles = {}, {}, [], []

    def visit(unit):
        number[unit] = low[unit] = len(number)
        stack.append(unit)
        for other in sorted(above[unit]):
            if other not in number:
                visit(other)
                low[unit] = min(low[unit], low[other])
            elif other in stack:
                low[unit] = min(low[unit], number[other])
        if low[unit] == number[unit]:
            at = stack.index(unit)
            if len(stack) - at > 1:
                circles.append(sorted(stack[at:]))
            del stack[at:]

    for unit in sorted(above):
        if unit not in number:
            visit(unit)
    return circles


def faults_of(tree, page):
    """Returns everything that is wrong with a tree, {path: text}; and the number of arrows, for the report."""
    table = Table(page)
    faults = list(table.faults)
    homeless = sorted({posixpath.dirname(path) + "/" for path in tree if not table.room_of(path)})
    faults += [f"{folder} has no row in the table of docs/architecture.md; add one where it belongs" for folder in homeless]
    arrows = list(arrows_of(tree, faults))
    if not homeless:
        faults += [f"{source} includes {target}: docs/architecture.md allows no arrow from {table.room_of(source)} "
                   f"to {table.room_of(target)}" for source, target in arrows if not table.allows(source, target)]
    faults += ["a circle: " + ", ".join(circle) for circle in circles_of((unit_of(a), unit_of(b)) for a, b in arrows)]
    return faults, len(arrows)


# A tree of three levels, and the fault that must be found after one change: (file, its new text, words of the fault).
PAGE = """
| room | what | may include |
| --- | --- | --- |
| `low/` | | |
| `middle/` | | `low/` |
| `top/` | | `middle/only.h` |
"""
TREE = {"low/a.h": "", "low/b.c": '#include "low/a.h"', "middle/only.h": '#include "low/a.h"', "middle/other.h": "",
        "top/c.c": '#include "middle/only.h"', "top/c.h": ""}
MUTANTS = [
    ("low/b.c", '#include "middle/only.h"', "low/b.c includes middle/only.h"),
    ("top/c.c", '#include "middle/other.h"', "top/c.c includes middle/other.h"),
    ("top/c.c", '#include "low/a.h"', "top/c.c includes low/a.h"),
    ("low/b.c", '#  include "a.h"', "no path from the top"),
    ("new/d.c", "", "new/ has no row"),
]


def self_check():
    """Returns the faults that this test would fail to find."""
    missed = [f"a sound tree is refused: {fault}" for fault in faults_of(TREE, PAGE)[0]]
    for path, text, words in MUTANTS:
        found = faults_of(TREE | {path: text}, PAGE)[0]
        if words and not any(words in fault for fault in found):
            missed.append(f"the self-check's {path} with {text!r} is not refused")
    both = TREE | {"low/b.h": '#include "low/a.h"', "low/a.c": '#include "low/b.h"'}
    if not any(fault == "a circle: low/a, low/b" for fault in faults_of(both, PAGE)[0]):
        missed.append("the self-check's circle of two units is not refused")
    upward = PAGE.replace("| `low/` | | |", "| `low/` | | `top/` |")
    if not any("names top/" in fault for fault in faults_of(TREE, upward)[0]):
        missed.append("the self-check's upward row is not refused")
    long = PAGE + "".join(f"| `more{number}/` | | |\n" for number in range(MOST_ROWS - 2))
    if not any(f"has {MOST_ROWS + 1} rows" in fault for fault in faults_of(TREE, long)[0]):
        missed.append("the self-check's long table is not refused")
    if not faults_of(TREE, "no table")[0]:
        missed.append("the self-check's page without a table is not refused")
    return missed


def main():
    root = Path(sys.argv[1])
    tree = {}
    for pattern in SOURCES:
        for path in root.rglob(pattern):
            name = path.relative_to(root)
            if not name.parts[0].startswith(("build", ".")) and name.parts[0] != "docs":
                tree[name.as_posix()] = path.read_text(encoding="utf-8")
    faults, count = faults_of(tree, (root / "docs/architecture.md").read_text(encoding="utf-8"))
    faults += self_check()
    print("\n".join(faults) or f"{count} includes in {len(tree)} files keep to the table, and there is no circle")
    return 1 if faults or not count else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Description: the objects of the libraries use each other only as the table of docs/architecture.md allows, and form no new circle.

usage: objects.py SOURCE-FOLDER BUILD-FOLDER NM

The test `architecture` reads includes. This test reads what was compiled: an object uses another one if it needs a symbol that the other
one defines, by a call or by an address, weak or not. Such a use needs no #include, because a source can declare the symbol itself, or reach
it through the headers of its headers. So a callback is a use by the object that passes it, not by the object that calls it.

- A use may not lead to a room of a later row of the table. The room must be one that the user's room may include; or else a header that
  the user's room may include must name the symbol outside of comments.
- Rooms form no circle, not even rooms of one row. Objects form only the circles of CIRCLES, and each of these is still as large.
- BY_NAME lists the uses that both rules leave out. The test refuses a row of BY_NAME that leaves out nothing.
- The test changes what it has read by one fault at a time, and must find each of them.
"""
import json
import re
import subprocess
import sys
from pathlib import Path

from architecture import Table, circles_of

LIBRARIES = re.compile(r"(include/libuat\.(a|so[.\d]*)|include/libuat-adaptive\.a|include/libinspect\.a|papers/libpapers\.a)\.p/")
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
SYMBOL = re.compile(r"\buat_\w+")
# (user, symbol, object that defines it: as regular expressions; the reason).
BY_NAME = [
    (r"asm/.*/spawn\.S", r"uat_task_(check|pushed|returned)", r"runtime/sched/spawn\.c", "slow paths of a spawn; a pointer would cost a load"),
    (r"asm/.*/switch\.S", r"uat_schedule_next", r"runtime/sched/scheduler\.c", "a task that leaves lets the scheduler choose the next one"),
    (r"asm/.*/generator\.S", r"uat_generator_report", r"runtime/generator\.c", "what a generator does if it may not return"),
    (r"asm/.*", r"uat_worker", r"runtime/task/worker\.c", "the words of the switch; asm/offsets.h has their places"),
    (r".*", r"uat_\w+_settings", r"runtime/settings\.c", "one table defines the settings of all parts"),
    (r"runtime/.*", r"uat_[a-z]+_room", r"runtime/.*room\.c", "the descriptor of a room has its name and its areas"),
    (r"runtime/adaptive/request\.c", r"uat_time_ns", r"runtime/query\.c", "libuat-adaptive calls public functions, as programs do"),
]
# Circles that may exist, each with the reason. Shorten the list with the circle. There is none.
CIRCLES = []


class Objects:
    """What the objects define and need: {source: symbols}, and the headers that name a symbol."""

    def __init__(self, defined, needed, headers):
        self.defined, self.needed, self.named = defined, needed, {}
        for header, text in headers.items():
            for symbol in SYMBOL.findall(COMMENT.sub(" ", text)):
                self.named.setdefault(symbol, set()).add(header)

    def uses(self):
        """All uses (source, symbol, source that defines it)."""
        places = {}
        for source, symbols in self.defined.items():
            for symbol in symbols:
                places.setdefault(symbol, set()).add(source)
        for source, symbols in sorted(self.needed.items()):
            for symbol in sorted(symbols):
                yield from ((source, symbol, place) for place in sorted(places.get(symbol, ())) if place != source)


def read_objects(root, build, nm):
    """Reads the objects of the libraries in a build folder. compile_commands.json knows which source became which object."""
    sources, defined, needed = {}, {}, {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        if LIBRARIES.match(entry["output"]):
            sources[entry["output"]] = (build / entry["file"]).resolve().relative_to(root).as_posix()
    listing = subprocess.run([nm, "-P", "-A", "-g", *sources], cwd=build, stdout=subprocess.PIPE, text=True, check=True).stdout
    for line in listing.splitlines():
        name, symbol, kind = line.split()[:3]
        (needed if kind in "Uw" else defined).setdefault(sources[name.rstrip(":")], set()).add(symbol)
    headers = {path.relative_to(root).as_posix(): path.read_text(encoding="utf-8") for path in root.rglob("*.h")}
    return Objects(defined, needed, {name: text for name, text in headers.items() if not name.startswith(("build", ".", "tests/"))})


def is_allowed(table, objects, source, symbol, place):
    here, there = table.room_of(source), table.room_of(place)
    return table.level[there] <= table.level[here] and (
        table.allows(source, place) or any(table.allows(source, header) for header in objects.named.get(symbol, ())))


def faults_of(objects, table, by_name, listed):
    """Returns everything that is wrong with the objects; and the number of uses, for the report."""
    faults, arrows, left_out = list(table.faults), set(), set()
    uses = list(objects.uses())
    for source, symbol, place in uses:
        row = next((row for row in by_name if all(map(re.fullmatch, row, (source, symbol, place)))), None)
        left_out.add(row)
        if not row:
            arrows.add((source, place))
            if not is_allowed(table, objects, source, symbol, place):
                faults.append(f"{source} uses {symbol} of {place}: docs/architecture.md allows no such use from {table.room_of(source)}")
    faults += [f"BY_NAME: nothing is like {row[:3]}" for row in by_name if row not in left_out]
    faults += ["a circle of rooms: " + ", ".join(circle) for circle in circles_of({tuple(map(table.room_of, arrow)) for arrow in arrows})]
    circles = [set(circle) for circle in circles_of(arrows)]
    faults += ["a new circle of objects: " + ", ".join(sorted(circle)) for circle in circles if not any(circle <= set(known) for known in listed)]
    faults += ["CIRCLES: no longer a circle of this size: " + ", ".join(known) for known in listed
               if set(known) <= objects.defined.keys() and set(known) not in circles]
    return faults, len(uses)


def self_check(objects, table):
    """Returns the faults that this test would fail to find: uses that are added to the true ones, with words of the fault."""
    missed = []

    def expect(words, uses, by_name=BY_NAME, listed=CIRCLES):
        needed = {source: symbols | {symbol for user, symbol in uses if user == source} for source, symbols in objects.needed.items()}
        changed = Objects(objects.defined, needed, {})
        changed.named = objects.named
        if not any(words in fault for fault in faults_of(changed, table, by_name, listed)[0]):
            missed.append(f"the self-check finds no fault with {words!r}")

    expect("base/log.c uses uat_near of", [("base/log.c", "uat_near")])
    expect("runtime/segment/heap.c uses uat_mutex_lock of", [("runtime/segment/heap.c", "uat_mutex_lock")])
    expect("runtime/checkpoint/runs.c uses uat_flow_look_anew of", [("runtime/checkpoint/runs.c", "uat_flow_look_anew")])
    expect("a circle of rooms: runtime/flow/, runtime/sync/", [("runtime/sync/mutex.c", "uat_flow_begin")])
    expect("a new circle of objects: deque/inbox.c, deque/ready.c", [("deque/inbox.c", "uat_ready_push_slow"), ("deque/ready.c", "uat_inbox_take")])
    expect("BY_NAME: nothing is like", [], by_name=[*BY_NAME, ("base/.*", "uat_nothing", ".*", "")])
    expect("no longer a circle of this size: base/log.c, base/text.c", [], listed=[*CIRCLES, ("base/log.c", "base/text.c")])
    for row in BY_NAME:
        expect(re.sub(r"\W.*", "", row[0]), [], by_name=[other for other in BY_NAME if other != row])
    return missed


def main():
    root = Path(sys.argv[1]).resolve()
    table = Table((root / "docs/architecture.md").read_text(encoding="utf-8"))
    objects = read_objects(root, Path(sys.argv[2]), sys.argv[3])
    faults, count = faults_of(objects, table, BY_NAME, CIRCLES)
    faults = faults or self_check(objects, table)
    print("\n".join(faults) or f"{count} uses of {len(objects.defined)} objects keep to the table; known circles: {len(CIRCLES)}")
    return 1 if faults or not count else 0


if __name__ == "__main__":
    sys.exit(main())

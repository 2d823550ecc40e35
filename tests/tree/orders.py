#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Description: the table of orders in docs/protocol.md has a row for every source file that accesses a word by an atomic or calls a fence. A
load that acquires, or a store that releases, is one of base/cpu.h, unless no adapter changes the word.

usage: orders.py SOURCE-FOLDER

Every file that the table or a litmus test names exists. The test tries its own pattern on lines that it must find.
"""
import re
import sys
from pathlib import Path

# Each of these accesses is ordered for processors only, not for adapters. A word that an adapter changes needs uat_cpu_load_acquire() or
# uat_cpu_store_release().
PROCESSORS_ONLY = re.compile(r"__atomic_load_n\([^;]*__ATOMIC_(?:ACQUIRE|SEQ_CST)\)|__atomic_store_n\([^;]*__ATOMIC_(?:RELEASE|SEQ_CST)\)")
NO_ADAPTER = {
    "runtime/job/neighbour.c": "pairs with a signal handler of this process",
    "include/uat/detail/global.h": "words that only CPUs change",
    "runtime/job/relay.c": "processes of one host share an object",
    "runtime/job/meeting.c": "processes of one host share an object",
    "transport_ibv/share.c": "processes of one host share a device",
}
ATOMIC = re.compile(r"__atomic_\w+\(|\buat_cpu_(?:fence|fence_atomic|fence_read|store_release|load_acquire)\(")
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
FOUND = ["x = __atomic_load_n(&w, __ATOMIC_RELAXED);", "uat_cpu_fence();", "    uat_cpu_store_release(&w->still, 1);"]
SECTION = "## What keeps the order on each processor"
ROOMS = ["base", "deque", "include", "pattern", "runtime", "transport", "transport_ibv", "transport_shm", "transport_sim", "launcher"]
# Beginnings of paths that need no row, each with the reason.
EXEMPT = {
    "base/cpu": "what the rows name",
    "base/virtual.h": "calls what base/cpu.h has, for the callers in the table",
    "transport_sim/": "the simulation: processes of one host that pass a token on",
    "launcher/info/": "measures orders of its own, and says which",
}


def table_of(text):
    section = text[text.index(SECTION):]
    section = section[:section.index("\n## ", 1)]
    return "\n".join(line for line in section.splitlines() if line.startswith("|"))


def main():
    root = Path(sys.argv[1])
    faults = [f"the pattern misses {line!r}" for line in FOUND if not ATOMIC.search(line)]
    table = table_of((root / "docs/protocol.md").read_text(encoding="utf-8"))
    named = set(re.findall(r"`([a-z_]+/[\w/]+\.[chS])`", table))
    faults += [f"docs/protocol.md names {name}, which does not exist" for name in sorted(named) if not (root / name).exists()]
    count = 0
    for path in sorted(path for room in ROOMS for path in (root / room).rglob("*") if path.suffix in (".c", ".h", ".hpp")):
        name = path.relative_to(root).as_posix()
        text = COMMENT.sub("", path.read_text(encoding="utf-8"))
        if name.startswith(tuple(EXEMPT)) or not ATOMIC.search(text):
            continue
        count += 1
        if found := PROCESSORS_ONLY.search(text) if name not in NO_ADAPTER else None:
            faults.append(f"{name}: {found[0]} does not order against adapters: uat_cpu_load_acquire() and uat_cpu_store_release() do")
        if name not in named:
            faults.append(f"{name} has an atomic access or a fence, and no row in the table '{SECTION[3:]}' of docs/protocol.md")
    for path in sorted((root / "tests/litmus").glob("*.litmus")):
        text = path.read_text(encoding="utf-8")
        sources = re.findall(r"\b((?:deque|runtime|transport\w*|include)/[\w/]+\.[ch])\b", text)
        faults += [f"{path.name} names {name}, which does not exist" for name in sources if not (root / name).exists()]
        if not sources:
            faults.append(f"{path.name} names no source file")
    faults += [f"{name} is exempt and does not exist" for name in [*EXEMPT, *NO_ADAPTER] if not list(root.glob(name + "*"))]
    print("\n".join(faults) or f"{count} files with atomics or fences have a row")
    return 1 if faults or not count else 0


if __name__ == "__main__":
    sys.exit(main())

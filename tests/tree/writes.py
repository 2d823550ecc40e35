#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Description: in library and launcher only base/output.c opens files for writing. /dev/null does not count. Memory
objects do not count either: they have no name in a file system.
usage: writes.py ROOT [--test]"""
import re
import sys
from pathlib import Path

ROOMS = ["asm", "base", "deque", "include", "launcher", "pattern", "runtime", "transport", "transport_ibv", "transport_shm", "transport_sim"]
OUTPUT = "base/output.c"
# Files that open another process's memory object, at a path below /proc, or a stream into one, with the text of that line.
OBJECT = "open(path, O_RDWR | O_CLOEXEC"
OBJECTS = {"transport/attach_info.c": OBJECT, "runtime/global/memobj.c": OBJECT, "runtime/job/meeting.c": OBJECT,
           "transport_sim/bulk_effect.c": OBJECT, "runtime/checkpoint/copy.c": 'fdopen(other, "w")'}
CALLS = re.compile(r"\b(creat|creat64|freopen|mkstemp|mkostemp|mkstemps|mkostemps|tmpfile|tmpnam|tempnam|mknod|mkfifo|symlink|link|rename|renameat|"
                   r"truncate|open_by_handle_at|shm_open|sem_open|mq_open)\s*\(")
FOPEN = re.compile(r"\b(?:fopen|fopen64|fdopen|popen)\s*\(([^;]*)\)")
WRITES = re.compile(r"\bO_(WRONLY|RDWR|CREAT|TRUNC|APPEND|TMPFILE)\b")


def fault_of(name, line):
    """Returns what is wrong with this line, or None."""
    if name == OUTPUT or OBJECTS.get(name, "\n") in line:
        return None
    if call := CALLS.search(line):
        return f"{call[1]}()"
    if (call := FOPEN.search(line)) and not re.search(r'"r[be]*"', call[1]):
        return "a stream that is not only read"
    if (flag := WRITES.search(line)) and "/dev/null" not in line:
        return flag[0]
    return None


def code_of(text):
    """The lines, without their comments."""
    text = re.sub(r"/\*.*?\*/", lambda comment: "\n" * comment[0].count("\n"), text, flags=re.S)
    return [line.partition("//")[0] for line in text.splitlines()]


def check_itself():
    for line in ('fopen(path, "we")', 'fopen(path, mode)', "open(p, O_RDWR | O_CLOEXEC)", 'open("/tmp/x", O_WRONLY)', "creat(p, 0600)",
                 "rename(a, b)", "open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK)"):
        assert fault_of("launcher/job.c", line), line
    for line in ('fopen(path, "re")', 'open("/dev/null", O_WRONLY)', "open(path, O_RDONLY | O_CLOEXEC)"):
        assert not fault_of("launcher/job.c", line), line


def main():
    root, failed, files = Path(sys.argv[1]), 0, 0
    check_itself()
    for room in ROOMS:
        for path in sorted((root / room).rglob("*")):
            if path.suffix not in {".c", ".h", ".hpp", ".S"}:
                continue
            files += 1
            name = str(path.relative_to(root))
            for number, line in enumerate(code_of(path.read_text()), 1):
                if fault := fault_of(name, line):
                    print(f"{name}:{number}: {fault}: files are written by {OUTPUT} alone")
                    failed += 1
    print(f"{files} files, {failed} faults")
    return 1 if failed or files < 100 else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Description: no source file outside asm/ and base/ names a processor, its instructions or its registers.

usage: processors.py SOURCE-FOLDER

These are exempt: the build's choice of the folder, the inline switch of a public header, tests of one processor, and rivals. The test
tries its own pattern on lines that it must find.
"""
import re
import sys
from pathlib import Path

WORDS = re.compile(r"x86|amd64|aarch64|arm64|rdtsc|__builtin_ia32|immintrin|mxcsr|\bavx|%r[sb]p|%%fs|\bREG_R[A-Z]+|cntvct|"
                   r"\bdmb\b|__ARM_|\b[ml]fence\b|\bldaxr\b|locked instruction", re.I)
# Each match has one of these in it, in small letters. Almost no file has, and the pattern takes long.
PARTS = [max(re.split(r"\\b|\[.*?\]\+?", part), key=len).lower() for part in WORDS.pattern.split("|")]
SUFFIXES = {".c", ".h", ".hpp", ".cpp", ".cc", ".S"}
# Beginnings of paths that may name processors, each with the reason.
EXEMPT = {
    "asm/": "the context switch",
    "base/": "the processor's header",
    "meson.build": "chooses the folder of asm/",
    "include/uat/generator.h": "refuses other processors than those of its inline switch",
    "include/uat/detail/generator.h": "that switch, which is installed",
    "include/uat/detail/registers.h": "the registers that it does not preserve",
    "include/uat/detail/spawn.h": "the inline spawn of one processor, which is installed",
    "include/meson.build": "what programs need on one processor",
    "perf/rivals/": "code of others, for one processor",
    "tests/aarch64/": "tests of one processor",
    "tests/meson.build": "names that folder",
    "transport_sim/memory.h": "says which processor's store buffer is simulated",
    "tests/model/": "says which processor's store buffer is modelled",
}
FOUND = ["#if defined(__x86_64__)", "asm volatile(\"dmb ish\")", "movq %rbp", "an MFENCE", "__ARM_NEON", "REG_RIP", "mcontext.gregs[REG_RSP]", "see asm/aarch64/spawn.S"]


def places_of(text):
    """The lines that name a processor."""
    low = text.lower()
    if any(part in low for part in PARTS):
        yield from (f"{number}: {line.strip()}" for number, line in enumerate(text.splitlines(), 1) if WORDS.search(line))


def main():
    root = Path(sys.argv[1])
    faults = [f"the pattern misses {line!r}" for line in FOUND if not list(places_of(line))]
    count = 0
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if (path.suffix not in SUFFIXES and path.name != "meson.build") or name.startswith(("build", ".", *EXEMPT)):
            continue
        count += 1
        faults += [f"{name}:{place}" for place in places_of(path.read_text(encoding="utf-8"))]
    faults += [f"{name} is exempt and does not exist" for name in EXEMPT if not (root / name).exists()]
    print("\n".join(faults) or f"{count} files name no processor")
    return 1 if faults or not count else 0


if __name__ == "__main__":
    sys.exit(main())

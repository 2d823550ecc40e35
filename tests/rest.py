#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Description: sources in C and C++ that a build folder has not compiled are well formed, too. The compiler only checks
them, which takes less time than compiling them.

usage: rest.py BUILD
"""
import json
import os
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

PAIRED = {"-o", "-MF", "-MQ"}  # options about the files that a compiler writes; the next word is the file


def check(build, entry):
    """Let the compiler check one source. Returns its output, or an empty text if the source is well formed."""
    words, kept = shlex.split(entry["command"]), []
    while words:
        word = words.pop(0)
        if word in PAIRED:
            words.pop(0)
        elif word not in ("-MD", "-c"):
            kept.append(word)
    done = subprocess.run([*kept, "-fsyntax-only"], cwd=build, text=True, errors="replace", stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return f"{entry['file']}: status {done.returncode}\n{done.stdout}" if done.returncode else ""


def main():
    build = Path(sys.argv[1])
    entries = json.loads((build / "compile_commands.json").read_text())
    rest = [entry for entry in entries if not entry["file"].endswith((".S", ".s")) and not (build / entry["output"]).exists()]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        faults = [said for said in pool.map(lambda entry: check(build, entry), rest) if said]
    print("\n".join([*faults, f"{len(rest)} of {len(entries)} sources were only checked, {len(faults)} of them are not well formed"]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

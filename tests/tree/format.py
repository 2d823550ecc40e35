#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Description: clang-format would leave every C and C++ file as it is. No line of a comment is longer than 120 characters;
clang-format does not check this. The rules are in .clang-format, for version 14.

usage: format.py SOURCE-FOLDER

Versions apply the same rules differently, so without this version the test is skipped. It also runs on a file that needs a change.
"""
import re
import shutil
import subprocess
import sys
from pathlib import Path

from hygiene import files_of

VERSION = "14"
SUFFIXES = {".c", ".h", ".cpp", ".hpp"}
CROOKED = "int  main( void ){return 0;}\n"
COLUMNS = 120


def command_of():
    for name in (f"clang-format-{VERSION}", "clang-format"):
        if shutil.which(name):
            said = subprocess.run([name, "--version"], capture_output=True, text=True).stdout
            if re.search(rf"version {VERSION}\.", said):
                return name
    return None


def too_long(root, file):
    """The lines of comments that are too long, as FILE:LINE. clang-format leaves some lines of macros longer."""
    lines = (root / file).read_text(encoding="utf-8").splitlines()
    return [f"{file}:{number}" for number, line in enumerate(lines, 1) if len(line) > COLUMNS and re.match(r"\s*(/\*|\*|//)", line)]


def main():
    root = Path(sys.argv[1])
    command = command_of()
    if not command:
        print(f"no clang-format {VERSION}: apt-get install --no-install-recommends clang-format")
        return 77
    crooked = subprocess.run([command, f"--assume-filename={root}/x.c", "--dry-run", "-Werror"], input=CROOKED, text=True,
                             capture_output=True, cwd=root)
    files = [str(path.relative_to(root)) for path in files_of(root) if path.suffix in SUFFIXES]
    run = subprocess.run([command, "--dry-run", "-Werror", *files], capture_output=True, text=True, cwd=root)
    places = re.findall(r"^(\S+:\d+):\d+: error", run.stderr, re.M)
    print("\n".join(sorted(set(places))) or run.stderr.strip())
    if places:
        print(f"mend it by: {command} -i FILE")
    long = [place for file in files for place in too_long(root, file)]
    print("".join(f"{place}: a comment of more than {COLUMNS} columns\n" for place in long), end="")
    if crooked.returncode == 0:
        print("a file that needs a change was not noticed")
    print(f"{len(files)} files")
    return 1 if run.returncode or long or crooked.returncode == 0 or not files else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Description: README's table of options names the same variables, with the same defaults, as uatrun --help does."""
import re
import subprocess
import sys
from pathlib import Path

HELP = re.compile(r"^\s*(UAT_[A-Z_]+)\s+(\S+)", re.M)
README = re.compile(r"^\|\s*`(UAT_[A-Z_]+)`\s*\|\s*`?([^|`]*?)`?\s*\|", re.M)


def main():
    root, uatrun = Path(sys.argv[1]), sys.argv[2]
    program = dict(HELP.findall(subprocess.run([uatrun, "--help"], check=True, capture_output=True, text=True).stdout))
    table = dict(README.findall((root / "README.md").read_text()))
    faults = [f"{name} is in uatrun --help but not in README.md" for name in program.keys() - table.keys()]
    faults += [f"{name} is in README.md but not in uatrun --help" for name in table.keys() - program.keys()]
    faults += [f"{name}: the default is {program[name]} in uatrun --help, {table[name]} in README.md"
               for name in program.keys() & table.keys() if program[name] != table[name]]
    print("\n".join(sorted(faults)) or f"{len(table)} options agree")
    return 1 if faults or not program else 0


if __name__ == "__main__":
    sys.exit(main())

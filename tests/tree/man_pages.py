#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Description: the manual pages are sound mdoc, uat(7) knows the settings that README.md has, with their defaults,
uat_run(3) and uat_spawn(3) all functions of uat.h, and uatrun(1) the options of uatrun --help.

usage: man_pages.py SOURCE-FOLDER UATRUN
"""
import re
import shutil
import subprocess
import sys
from pathlib import Path

SETTING = re.compile(r"^\|\s*`(UAT_[A-Z_]+)`\s*\|\s*`?([^|`]*?)`?\s*\|", re.M)
ITEM = re.compile(r"^\.It Ev (UAT_[A-Z_]+)\n(?:(?!\.It|Default).*\n)*(?:Default: (.*)\.\n)?", re.M)


def faults_of_settings(root, page):
    table = dict(SETTING.findall((root / "README.md").read_text()))
    items = {name: default.replace("\\e", "\\") for name, default in ITEM.findall(page)}
    for name in table.keys() | items.keys():
        if table.get(name) != items.get(name):
            yield f"uat(7): {name}: default {items.get(name)}, in README.md {table.get(name)}"


def faults_of_functions(root, pages):
    header = re.sub(r"/\*.*?\*/", "", (root / "include/uat.h").read_text() + (root / "include/uat/stats.h").read_text(),
                    flags=re.S)
    public = set(re.findall(r"^[a-z].*?\*?(uat_[a-z_]+)\([^)]*\)(?:;|\n\{)", header, re.M)) - {"uat_join_wait"}
    for name in public:
        if not re.search(rf"^\.Fn {name}\b", pages, re.M):
            yield f"{name}() of uat.h has no page"
    if len(public) < 10:
        yield f"only {len(public)} functions found in uat.h"


def faults_of_options(uatrun, page):
    text = subprocess.run([uatrun, "--help"], check=True, capture_output=True, text=True).stdout
    options = set(re.findall(r"^ +(?:-\w, )?--([a-z]+)", text, re.M))
    for option in options:
        if not re.search(rf"Fl (?:\w , )?-{option}\b|, -{option}\b", page):
            yield f"uatrun(1): --{option} is missing"
    if not options:
        yield "uatrun --help shows no option"


def main():
    root, uatrun = Path(sys.argv[1]), sys.argv[2]
    if not shutil.which("mandoc"):
        print("missing Debian package: apt-get install --no-install-recommends mandoc")
        return 77
    pages = {path.name: path for path in (root / "docs/man").glob("*.[1-9]")}
    lint = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", *map(str, pages.values())], capture_output=True,
                          text=True)
    faults = lint.stdout.splitlines()
    if lint.returncode and not faults:
        faults.append(f"mandoc: status {lint.returncode}: {lint.stderr}")
    faults += faults_of_settings(root, pages["uat.7"].read_text())
    faults += faults_of_functions(root, pages["uat_run.3"].read_text() + pages["uat_spawn.3"].read_text())
    faults += faults_of_options(uatrun, pages["uatrun.1"].read_text())
    print("\n".join(sorted(faults)) or f"{len(pages)} pages are sound")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Description: the manual pages are sound mdoc, also the one that uatrun --help=man prints; every public function has a page and
can be looked up by its name; pages refer to pages that exist; uatrun(1) knows the options of uatrun --help.

usage: man_pages.py SOURCE-FOLDER UATRUN
"""
import re
import shutil
import subprocess
import sys
from pathlib import Path


def functions_of(header):
    """The functions that a public header declares. uat/detail/ has those that only inline functions and macros call."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*|^#.*?(?<!\\)$", "", header, flags=re.S | re.M)
    return set(re.findall(r"^(?!typedef)[a-zU][\w ]*?[ *](uat_[a-z_]+)\([^;{]*\);", text, re.M))


def faults_of_functions(root, pages, names):
    public = {name for header in ("uat.h", *(f"uat/{part}.h" for part in ("stats", "global", "sync", "pattern", "reducer", "adaptive", "checkpoint", "dataflow", "generator")))
              for name in functions_of((root / "include" / header).read_text())}
    for name in sorted(public):
        if not re.search(rf"^\.Fn {name}\b", pages, re.M):
            yield f"{name}() has no page"
        if name not in names:
            yield f"man {name} finds nothing: docs/man/meson.build has no such name"
    if len(public) < 80:
        yield f"only {len(public)} functions found in the public headers"


def faults_of_references(root, pages):
    known = {path.name for path in (root / "docs/man").glob("*.[1-9]")} | {"uat_settings.7"}
    for name, section in set(re.findall(r"^\.Xr (uat\S*) (\d)", pages, re.M)):
        if f"{name}.{section}" not in known:
            yield f"a page refers to {name}({section}), which does not exist"


def faults_of_options(uatrun, page):
    text = subprocess.run([uatrun, "--help"], check=True, capture_output=True, text=True).stdout
    options = set(re.findall(r"^ +(?:-\w, )?--([a-z]+)", text, re.M))
    for option in options:
        if not re.search(rf"Fl (?:\w , )?-{option}\b|, -{option}\b", page):
            yield f"uatrun(1): --{option} is missing"
    if not options:
        yield "uatrun --help shows no option"


def faults_of_lint(files, text=None):
    lint = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", *files], capture_output=True, text=True, input=text)
    faults = lint.stdout.splitlines()
    if lint.returncode and not faults:
        faults.append(f"mandoc: status {lint.returncode}: {lint.stderr}")
    return faults


def main():
    root, uatrun = Path(sys.argv[1]), sys.argv[2]
    if not shutil.which("mandoc"):
        print("missing Debian package: apt-get install --no-install-recommends mandoc")
        return 77
    pages = {path.name: path for path in (root / "docs/man").glob("*.[1-9]")}
    printed = subprocess.run([uatrun, "--help=man"], check=True, capture_output=True, text=True).stdout
    faults = faults_of_lint(map(str, pages.values())) + faults_of_lint([], printed)
    text = "".join(path.read_text() for path in pages.values())
    names = set(re.findall(r"'(uat_[a-z_]+)'", (root / "docs/man/meson.build").read_text())) | {path.stem for path in pages.values()}
    faults += [*faults_of_functions(root, text, names), *faults_of_references(root, text)]
    faults += faults_of_options(uatrun, pages["uatrun.1"].read_text())
    print("\n".join(sorted(faults)) or f"{len(pages)} pages are sound")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

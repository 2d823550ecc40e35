#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Description: the manual pages are sound mdoc, also the one that uatrun --help=man prints; every public function and C++ name has
a page and can be looked up by its name, and so can each C++ name of a page; pages refer to pages that exist; uatrun(1) knows the options of uatrun --help.

usage: man_pages.py SOURCE-FOLDER UATRUN
"""
import re
import shutil
import subprocess
import sys
from pathlib import Path

NOT_FOR_PROGRAMS = {"uat::biased_t"}  # the type of uat::biased


def functions_of(header):
    """The functions that a public header declares. uat/detail/ has those that only inline functions and macros call."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*|^#.*?(?<!\\)$", "", header, flags=re.S | re.M)
    return set(re.findall(r"^(?!typedef)[a-zU][\w ]*?[ *](uat_[a-z_]+)\([^;{]*\);", text, re.M))


def names_of(header):
    """The classes, aliases and functions of namespace uat that a public C++ header declares."""
    text = re.sub(r"/\*.*?\*/|^namespace detail\n.*?^\} // namespace detail", "", header, flags=re.S | re.M)
    text = re.sub(r"^#(?:.*\\\n)*.*|//.*", "", text, flags=re.M)
    head = r"^(?:template <.*> ?\n?)?"
    return set(re.findall(head + r"(?:class|struct|enum class) (?:\[\[.*\]\] )?(\w+)(?! *<)\b", text, re.M)
               + re.findall(head + r"(?:using|inline constexpr \w+) (\w+)(?: =|\{)", text, re.M)
               + re.findall(head + r"(?:[\w:<>*&]+ )+[*&]?(\w+)\(", text, re.M))


def faults_of_names(root, pages, names):
    include = root / "include"
    public = {name for path in (include / "uat.h", *include.glob("uat/*.h")) for name in functions_of(path.read_text())}
    public |= {f"uat::{name}" for path in include.glob("uat/*.hpp") for name in names_of(path.read_text())} - NOT_FOR_PROGRAMS
    for name in sorted(public):
        if not re.search(rf"^\.(?:It |Fn.*, )?(?:Fn|Vt|Dv) (?:\"[^\"]*)?{name}\b|, Fn {name}\b", pages, re.M):
            yield f"{name} has no page"
    for name in sorted((public | set(re.findall(r"\buat::[a-z_]+", pages))) - names):
        yield f"man {name} finds nothing: docs/man/meson.build has no such name"
    if len(public) < 250:
        yield f"only {len(public)} names found in the public headers"


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
    names = set(re.findall(r"'(uat(?:_|::)[a-z_]+)'", (root / "docs/man/meson.build").read_text())) | {path.stem for path in pages.values()}
    faults += [*faults_of_names(root, text, names), *faults_of_references(root, text)]
    faults += faults_of_options(uatrun, pages["uatrun.1"].read_text())
    print("\n".join(sorted(faults)) or f"{len(pages)} pages are sound")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

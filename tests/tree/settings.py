#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Description: docs/settings.md equals the output of uatrun --help=md; --help and the manual page have the same settings and defaults;
no document and no script sets a variable that does not exist. There are at most 30 settings.

usage: settings.py SOURCE-FOLDER UATRUN
"""
import difflib
import re
import subprocess
import sys
from pathlib import Path

HELP = re.compile(r"^  (UAT_[A-Z_]+)\s+(\S+)", re.M)
MARKDOWN = re.compile(r"^\| `(UAT_[A-Z_]+)` \| `([^`]*)` \|", re.M)
MAN = re.compile(r"^\.It Ev (UAT_[A-Z_]+)\n(?:(?!\.It|Default).*\n)*Default: (.*)\.$", re.M)
USED = re.compile(r"\b(UAT_[A-Z_]+)=|^\.Ev (UAT_[A-Z_]*[A-Z])\b", re.M)
MOST = 30  # more are too many to choose from
OF_PAPERS = {"UAT_STACKS": ""}  # unlisted: only programs that link papers/ use it
USERS = ("*.md", "docs/**/*", "perf/**/*", "examples/*", "quickstart", "check")


def print_of(uatrun, form):
    return subprocess.run([uatrun, form], check=True, capture_output=True, text=True).stdout


def faults_of_page(root, text):
    page = (root / "docs/settings.md").read_text().splitlines()
    difference = list(difflib.unified_diff(page, text.splitlines(), "docs/settings.md", "uatrun --help=md", lineterm="", n=0))
    if difference:
        yield from difference
        yield "docs/settings.md is out of date: build/launcher/uatrun --help=md > docs/settings.md"


def faults_of_users(root, known):
    for path in sorted({path for pattern in USERS for path in root.glob(pattern)}):
        if path.is_file() and path.name not in ("CHANGELOG.md", "settings.md") and path.suffix != ".svg":
            for names in USED.findall(path.read_text(encoding="utf-8")):
                name = names[0] or names[1]
                if name not in known:
                    yield f"{path.relative_to(root)} names {name}, which is no setting"


def main():
    root, uatrun = Path(sys.argv[1]), sys.argv[2]
    page = print_of(uatrun, "--help=md")
    lists = {form: dict(pattern.findall(text)) for form, pattern, text in
             (("--help", HELP, print_of(uatrun, "--help")), ("--help=md", MARKDOWN, page), ("--help=man", MAN, print_of(uatrun, "--help=man")))}
    faults = [*faults_of_page(root, page), *faults_of_users(root, lists["--help"] | OF_PAPERS)]
    faults += [f"uatrun {form} and uatrun --help do not list the same settings and defaults: {set(found.items()) ^ set(lists['--help'].items())}"
               for form, found in lists.items() if found != lists["--help"]]
    count = len(lists["--help"])
    if count > MOST:
        faults.append(f"there are {count} settings, more than {MOST}: make the new one a part of another")
    print("\n".join(faults) or f"{count} settings agree")
    return 1 if faults or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())

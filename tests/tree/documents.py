#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Description: README.md stays short and leads to every page of docs/. Every link of the documents leads to a file and a heading that
exist. Each page starts with a sentence that says what it is for. docs/performance.md lists all programs of perf/. meson.build, uat.h and
CHANGELOG.md state the same version. In the tables of docs/architecture.md and docs/kernel.md each function is in the file named after it.

usage: documents.py SOURCE-FOLDER
"""
import re
import sys
from pathlib import Path

README_LINES = 130
LINK = re.compile(r"\]\(([^)\s]+)\)")
CODE = re.compile(r"^```.*?^```|^    .*?$|`[^`\n]*`", re.S | re.M)
START = re.compile(r"# .+\n\nThis page ")


def anchors_of(text):
    """The anchors that GitHub makes from headings."""
    headings = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```", "", text, flags=re.S | re.M), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def faults_of(documents, exists):
    """documents: {path: text}; exists: whether a path is in the tree."""
    for path, text in documents.items():
        for link in LINK.findall(CODE.sub("", text)):
            if re.match(r"[a-z]+:", link):
                continue
            name, _, anchor = link.partition("#")
            target = (path.parent / name if name else path)
            parts = []
            for part in target.parts:
                parts = parts[:-1] if part == ".." else parts + [part]
            target = Path(*parts)
            if not exists(target):
                yield f"{path}: the link {link} leads nowhere"
            elif anchor and anchor not in anchors_of(documents.get(target, "")):
                yield f"{path}: {target} has no heading #{anchor}"
        if path.parts[0] == "docs" and not START.match(text):
            yield f"{path}: starts with no line \"This page ...\" that says what it is for"
    readme = documents.get(Path("README.md"), "")
    if readme.count("\n") > README_LINES:
        yield f"README.md has {readme.count(chr(10))} lines, {README_LINES} are the most"
    for path in documents:
        if path.parts[0] == "docs" and f"]({path}" not in readme:
            yield f"README.md does not lead to {path}"


def faults_of_benchmarks(build, measure, page):
    """The programs that the page does not list, although perf/meson.build builds or installs them, or perf/measure measures them."""
    names = set(re.findall(r"'(uat-[a-z]+)'", build))
    names |= {f"perf/measure {what}" for what in re.findall(r'"([a-z-]+)"', re.search(r"^WHAT = \[(.*?)\]", measure, re.M | re.S)[1])}
    rows = "".join(line for line in page.splitlines(True) if line.startswith("| `"))
    return [f"docs/performance.md does not list {name}" for name in sorted(names) if f"`{name}`" not in rows] + (
        ["no program found in perf/"] if len(names) < 10 else [])


def faults_of_versions(build, header, changelog):
    """Compare the build's version and the header's. They must be the changelog's topmost release; or the next minor version, if the
    changelog says under Unreleased that the interface has changed."""
    found = [re.search(pattern, text, re.M) for pattern, text in ((r"^  version: '(.*?)'", build), (r'^#define UAT_VERSION "(.*)"', header),
                                                                  (r"^## \[(\d.*?)\] - \d{4}-\d\d-\d\d$", changelog))]
    stated = [place[1] if place else "none" for place in found]
    if found[2] and "\n### Old and new names\n" in changelog.partition("\n## [Unreleased]")[2].partition("\n## [")[0]:
        major, minor, _ = stated[2].split(".")
        stated[2] = f"{major}.{int(minor) + 1}.0"
    return [] if len(set(stated)) == 1 else ["versions: meson.build {}, uat.h {}, CHANGELOG.md {}".format(*stated)]


def faults_of_places(name, page, text_of):
    """If a table of the page `name` says "`f()` and `g()`, `file`", both functions must be in that file. text_of: a file's
    text, or None."""
    pairs = 0
    for row in re.findall(r"^\|.*", page, re.M):
        functions = []
        for word in re.findall(r"`([^`]+)`", row):
            if re.fullmatch(r"\w+\(\)", word):
                functions.append(word[:-2])
            elif re.fullmatch(r"[\w/]+\.[chS]", word):
                text = text_of(word) or ""
                yield from (f"docs/{name}: {function}() is not in {word}" for function in functions if not re.search(rf"\b{function}\b", text))
                pairs += len(functions)
                functions = []
    if pairs < 30:
        yield f"docs/{name}: only {pairs} functions found in its tables"


PAGE = "# A\n\nThis page is for a test.\n\n## Some: \"words\"\n"
SOUND = {Path("README.md"): "[a](docs/a.md#some-words)", Path("docs/a.md"): PAGE}
FAULTY = [({Path("README.md"): "[a](docs/a.md) [b](docs/b.md)"}, "leads nowhere"), ({Path("README.md"): "[a](docs/a.md#other)"}, "no heading"),
          ({Path("README.md"): ""}, "does not lead to"), ({Path("docs/a.md"): "# A\n\nPage."}, "starts with no line"),
          ({Path("README.md"): "[a](docs/a.md)\n" + "\n" * README_LINES}, "are the most")]


def self_check():
    found = list(faults_of(SOUND, lambda path: path in SOUND))
    for change, words in FAULTY:
        tree = SOUND | change
        if not any(words in fault for fault in faults_of(tree, lambda path: path in SOUND)):
            found.append(f"the self-check's {words!r} was not found")
    if not any("g() is not in a.c" in fault for fault in faults_of_places("page", "| `f()` and `g()`, `a.c` |", lambda name: "void f(void)")):
        found.append("the self-check's function in another file was not found")
    return found


def main():
    root = Path(sys.argv[1])
    paths = [path.relative_to(root) for path in [*root.glob("*.md"), *(root / "docs").glob("*.md")]]
    documents = {path: (root / path).read_text(encoding="utf-8") for path in paths}
    faults = list(faults_of(documents, lambda path: (root / path).exists())) + self_check()
    faults += faults_of_benchmarks(*((root / name).read_text(encoding="utf-8") for name in ("perf/meson.build", "perf/measure", "docs/performance.md")))
    faults += faults_of_versions(*((root / name).read_text(encoding="utf-8") for name in ("meson.build", "include/uat.h", "CHANGELOG.md")))
    sources = {name: path for path in (root / "asm/x86_64").iterdir() for name in (path.name, str(path.relative_to(root)))}
    for page in ("architecture.md", "kernel.md"):
        faults += faults_of_places(page, documents[Path("docs") / page], lambda name: (
            path.read_text(encoding="utf-8") if (path := sources.get(name, root / name)).exists() else None))
    print("\n".join(faults) or f"{len(documents)} documents")
    return 1 if faults or len(documents) < 5 else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Description: rules for every file of the tree: licence line, description of tests, no leftovers, white space.

No static function has the name of a public function: otherwise the order of includes would decide which one is called.
Some test of tests/model checks each model. The library and its tools have at most MOST_SMALL small files: a header with one
declaration belongs into the header of its noun. For long files and lines this test only prints a warning.
"""
import re
import shutil
import subprocess
import sys
from pathlib import Path

SOURCES = {".c", ".h", ".S", ".py", ".sh", ".pml"}
LEFTOVERS = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b|^\s*#\s*if\s+0\b")
STATIC = re.compile(r"static [^=;]*\b(uat_\w+)\(")
CONFLICT = re.compile(r"(<{7}|>{7})( |$)")  # left by a merge where two changes collide
LONG_FILE = 400
SMALL_FILE = 25
MOST_SMALL = 40
LIBRARY = {"asm", "base", "deque", "include", "launcher", "pattern", "runtime", "transport", "transport_ibv", "transport_shm", "transport_sim"}
LONG_LINE = 120


def files_of(root):
    """The files under version control; without git or in an unpacked archive, all but the build folders."""
    if shutil.which("git"):
        listing = subprocess.run(["git", "-C", str(root), "ls-files", "-z"], capture_output=True, text=True)
        if listing.returncode == 0 and listing.stdout:
            return [root / name for name in listing.stdout.split("\0") if name and (root / name).is_file()]
    return [path for path in root.rglob("*") if path.is_file()
            and not path.relative_to(root).parts[0].startswith(("build", ".git"))]


def faults_of(path, text, public):
    lines = text.splitlines()
    script = text.startswith("#!")
    source = path.suffix in SOURCES or script
    if source and not any("SPDX-License-Identifier: MIT" in line for line in lines[:2]):
        yield 1, "no SPDX-License-Identifier line on top"
    test = path.suffix == ".c" and "tests" in path.parts and "\nint main(" in text
    if test and not any("Description:" in line for line in lines[:12]):
        yield 1, "a test begins with a Description: comment"
    for number, line in enumerate(lines, 1):
        if path.suffix in SOURCES and (named := STATIC.match(line)) and named[1] in public:
            yield number, f"a static function has the name of the public {named[1]}()"
        if source and path.name != "hygiene.py" and LEFTOVERS.search(line):
            yield number, "leftover: " + line.strip()
        if CONFLICT.match(line):
            yield number, "a merge left a conflict mark: " + line.strip()
        if source and line != line.rstrip() and path.suffix in SOURCES:
            yield number, "white space at the end of the line"
    if text and not text.endswith("\n"):
        yield len(lines), "no newline at the end of the file"


def unchecked_models(root):
    """The models that no test checks. A model that another model includes needs no check."""
    folder = root / "tests/model"
    models = {path.stem: path.read_text(encoding="utf-8") for path in folder.glob("*.pml")}
    included = {name for text in models.values() for name in re.findall(r'#include "(\w+)\.pml"', text)}
    return models.keys() - included - set(re.findall(r"'(\w+)'", (folder / "meson.build").read_text(encoding="utf-8")))


def main():
    root = Path(sys.argv[1])
    count = failed = 0
    small = []
    public = {name for path in (root / "include").glob("*.map") for name in re.findall(r"\buat_\w+", path.read_text(encoding="utf-8"))}
    for path in files_of(root):
        if "corpus" in path.parts:
            continue  # the fuzzers' inputs are arbitrary bytes
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        count += 1
        name = path.relative_to(root)
        for number, fault in faults_of(name, text, public):
            print(f"{name}:{number}: {fault}")
            failed += 1
        length = text.count("\n")
        if name.parts[0] in LIBRARY and name.suffix in {".c", ".h", ".hpp", ".S"} and length <= SMALL_FILE:
            small.append(name.as_posix())
        if name.suffix in SOURCES and length > LONG_FILE:
            print(f"warning: {name} has {length} lines")
        if name.suffix in SOURCES and (long := sum(len(line) > LONG_LINE for line in text.splitlines())):
            print(f"warning: {name} has {long} lines of more than {LONG_LINE} characters")
    for name in sorted(unchecked_models(root)):
        print(f"tests/model/{name}.pml: no test in tests/model/meson.build checks this model")
        failed += 1
    if len(small) > MOST_SMALL:
        print(f"{len(small)} files of the library have at most {SMALL_FILE} lines, more than {MOST_SMALL}: {', '.join(sorted(small))}")
        failed += 1
    print(f"{count} files, {len(small)} small ones, {failed} faults")
    return 1 if failed or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())

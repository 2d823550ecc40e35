# SPDX-License-Identifier: MIT
"""The verdicts of tests/mutants/run that need not be found again."""
import hashlib
import json
import os
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parent.parent
sys.path.insert(0, str(SOURCE / "tests"))
from verdicts import hash_of_file, version_of  # noqa: E402


class Kept:
    """The verdicts in a file: one stays valid as long as the mutant, its source file, and the judge's programs are the same."""

    def __init__(self, file, build):
        self.file, self.build, self.texts = file, build, {}
        self.keys = json.loads(file.read_text()) if file.exists() else {}
        self.shared = [file for file in build.files if re.search(r"/libuat\.so[.0-9]*$", file)]

    def text(self, mutant, judge):
        """A hash of everything on which the verdict depends. Of a static library a program has only what it links."""
        build, test = self.build, self.build.tests.get(getattr(judge, "test", ""), {})
        words = [Path(os.path.join(build.folder, word)) for word in test.get("cmd", [])]
        # A script's folder has what the script includes.
        scripts = {path.parent for path in words if path.is_file() and path.is_relative_to(SOURCE) and not path.is_relative_to(build.folder)}
        scripts |= {SOURCE / "tests/security"} if judge.name.startswith("words ") else set()
        if judge.name.startswith("races-"): # these compile programs
            scripts |= {SOURCE / name for name in ("include", "examples/small", "tests/adaptive", "tests/programs")}
        scripts |= {(SOURCE / word).parent for text in getattr(judge, "runs", None) or [] for word in text.split() if (SOURCE / word).is_file()}
        sources = {SOURCE / change["file"] for change in [*judge.changes, mutant.change]} | {HERE / "run", SOURCE / "tests/programs/programs.py"}
        files = {*sources, *(path for folder in scripts for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc")}
        files |= {build.folder / file for file in ["launcher/uatrun", *self.shared, *judge.targets(build)]}
        hashes = [f"{path} {hash_of_file(path)}" for path in sorted(files) if path.is_file()]
        settings = [mutant.row, judge.name, vars(judge), test.get("cmd"), test.get("env"), version_of("gcc --version")]
        return hashlib.sha256(json.dumps([settings, hashes], default=str).encode()).hexdigest()

    def split(self, share):
        """Take the judges whose verdicts are kept out of {mutant: its judges}. Returns how many."""
        count = 0
        for mutant, judges in list(share.items()):
            for judge in list(judges):
                name = f"{mutant.name} {judge.name}"
                self.texts[name] = self.text(mutant, judge)
                if self.keys.get(name) == self.texts[name]:
                    judges.remove(judge)
                    count += 1
            if not judges:
                del share[mutant]
        return count

    def note(self, name):
        """Keep that the verdict on MUTANT by JUDGE is as the tables say."""
        self.keys[name] = self.texts[name]
        self.file.write_text(json.dumps(self.keys, indent=1))

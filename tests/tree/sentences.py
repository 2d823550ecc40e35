#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draw sentences at random, for a reader who judges which of them must be read twice.

usage: sentences.py [--seed N] [--comments N] [--documents N]

Prints each sentence with its file and line. The same seed draws the same sentences from the same sources. This is a tool, not a test: only a
reader can judge. A comment counts if it has at least five words. Tables, lists of options and code are left out.
"""
import argparse
import random
import re
from pathlib import Path

from hygiene import files_of

ROOT = Path(__file__).resolve().parent.parent.parent
CODE = {".c": "c", ".h": "c", ".S": "c", ".cpp": "c", ".hpp": "c", ".pml": "c", ".py": "hash", ".sh": "hash", ".toml": "hash", ".build": "hash"}
BLOCK = re.compile(r"/\*(?s:.*?)\*/|(?:^[ \t]*//.*\n?)+", re.M)
HASHES = re.compile(r"(?:^[ \t]*#(?!!).*\n?)+|^[ \t]*\"\"\"(?s:.*?)\"\"\"", re.M)
PARAGRAPH = re.compile(r"(?:^(?!\||    |```|#|\.[A-Z\\]|!).+\n?)+", re.M)
SIGNS = re.compile(r"^[ \t]*(?:/\*+|\*/|\*(?= |$)|//+|#+|\"\"\"|- )?[ \t]*", re.M)
ROW = re.compile(r"\S {2,}\S|^usage:|^ *-{1,2}\w|[;{}]$", re.M)
END = re.compile(r"(?<=[.?!])\s+(?=[A-Z`\"'(])")


def sentences(text, pattern):
    """(line, sentence) of all sentences of the parts that match the pattern."""
    for part in pattern.finditer(text):
        body = SIGNS.sub("", part.group()).removesuffix("*/").removesuffix('"""')
        at = 0
        for sentence in END.split(body):
            line = text.count("\n", 0, part.start()) + body.count("\n", 0, body.index(sentence, at)) + 1
            at = body.index(sentence, at) + len(sentence)
            if ROW.search(sentence):  # a table, a list of options or code
                continue
            words = " ".join(sentence.split())
            if len(words.split()) >= 5 and "SPDX" not in words and re.search(r"[a-z]{3}", words):
                yield line, words


def all_sentences():
    """The sentences of comments, and the sentences of documents."""
    comments, documents = [], []
    for path in sorted(files_of(ROOT)):
        name = path.relative_to(ROOT).as_posix()
        kind = CODE.get(path.suffix) or ("hash" if path.suffix == "" and path.read_bytes()[:2] == b"#!" else None)
        if path.suffix in (".md", ".1", ".3", ".7"):
            documents += [(name, *found) for found in sentences(path.read_text(), PARAGRAPH)]
        elif kind and "corpus" not in path.parts:
            comments += [(name, *found) for found in sentences(path.read_text(), BLOCK if kind == "c" else HASHES)]
    return comments, documents


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--comments", type=int, default=90)
    parser.add_argument("--documents", type=int, default=60)
    options = parser.parse_args()
    chance = random.Random(options.seed)
    comments, documents = all_sentences()
    for kind, pool, count in (("comment", comments, options.comments), ("document", documents, options.documents)):
        print(f"{len(pool)} sentences of {kind}s, {count} drawn with seed {options.seed}:")
        for name, line, sentence in chance.sample(pool, count):
            print(f"{name}:{line}: {sentence}")


if __name__ == "__main__":
    main()

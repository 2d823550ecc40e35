#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Description: comments, documents and messages avoid the phrases that made readers read a sentence twice.

usage: english.py SOURCE-FOLDER [--update | --list]

english.toml says how many such phrases each folder of the top may still have. A folder with more phrases fails the
test. --update lowers the numbers to the present counts and never raises one; --list shows every place. Text is searched
across line breaks, with comment signs removed. The test tries itself on sentences that it must find and on sentences
that it must leave alone.
"""
import bisect
import re
import sys
import tomllib
from collections import Counter
from pathlib import Path

from hygiene import files_of

TEXT = {".c", ".h", ".S", ".cc", ".cpp", ".hpp", ".py", ".sh", ".md", ".pml", ".toml", ".1", ".3", ".7", ".build", ".txt", ".promela", ""}
SKIPPED = {"LICENSE", "CHANGELOG.md", "tests/tree/english.py", "tests/tree/english.toml"}
SIGNS = re.compile(r"^[ \t]*(?:\* |\*$|//+|/\*+|#+ |\.\\\" )?[ \t]*", re.M)

# Each phrase with what to write instead. A phrase that takes long to search for also has words: a text without any of them is skipped.
START = r"(?:^|[.;:(] |\n\n)"
VERBS = ["Published", "Tested", "Measured", "Checked", "Compared", "Counted", "Written", "Reported", "Needed", "Missing"]
PHRASES = [
    (r"\bthe own\b", "its own, the local"),
    (r"\b[Bb]ehind\b(?! (?:a|the) (?:switch|router|firewall|bridge|proxy))", "after, following; what lies in the back of something may stay", "ehind"),
    (START + r"[Ww]ho (?!has |is |does |may |can |should |must )\w+(?![^.;]*\?)|" + START + r"Who (?:has|is|does|may|can)\b(?![^.;]*\?)",
     "name the one: the worker that, the thief, the caller", "ho "),
    (r"\b(?:to|from|for|by|of|with|answers?) who\b", "name the one: the worker that, the thief, the caller", " who"),
    (r"\b(?:at|from|since|before|until|by) (?:the|its|their) begin\b|\b(?:[Tt]he|its|their) begin of\b|\bbegin and end of\b", "start", "begin"),
    (r"\bfor ever\b", "forever"),
    (r"\b[Ll]ikewise\b", "name the thing", "ikewise"),
    (START + r"The same (?:with|without|for|in|of|to|on|from|by)\b", "name the thing that is the same", "The same "),
    (r"\b[Ss]o (?:many|long|often|few)\b(?!,? (?:that|as))", "the number: up to N, every K-th", "o many", "o long", "o often", "o few"),
    (r"\bof no use\b", "unused, useless"),
    (START + rf"(?:{'|'.join(VERBS)}) (?:is|are|was|were)\b", "subject, verb, object", *VERBS),
]
PHRASES = [(re.compile(pattern), advice, words) for pattern, advice, *words in PHRASES]
# Places where such words are right.
ALLOWED = re.compile(r"(?:\b(?:le(?:ave|aves|aving|ft)|fall|falls|fell|lag|lags)\b[^.;]{0,40}) behind\b")

FOUND = ["It is put into the own segment.", "The READ stands behind the WRITE.", "Who takes an entry claims it.", "It waits. Who holds it waits, too.",
         "A try answers who asks.", "It is set at the begin.", "The begin of a run acquires.", "It waits for ever.", "So it is likewise below.",
         "It is set. The same without waiting.", "up to so many of them", "That is of no use here.", "Published is the median.",
         "/* The READ stands\n * behind the WRITE. */"]
LEFT_ALONE = ["It keeps its own segment.", "It leaves nothing behind.", "The host is behind a router.", "Who steals from whom?", "The worker who asked",
              "It begins at the start.", "so long as it holds", "so many that it overflows", "The same worker resumes it."]


def plain(text):
    """The text with comment signs removed and lines joined, and where each line begins in it."""
    parts, starts, length = [], [], 0
    for line in SIGNS.sub("", text).split("\n"):
        line = line.rstrip().removesuffix("*/").rstrip()
        starts.append(length)
        parts.append(line if line else "\n")
        length += len(parts[-1]) + 1
    return " ".join(parts), starts


def places_of(text):
    """(line, phrase, advice) for every phrase that should be replaced."""
    joined, starts = plain(text)
    for pattern, advice, words in PHRASES:
        for hit in pattern.finditer(joined) if not words or any(word in joined for word in words) else ():
            around = joined[max(0, hit.start() - 60):hit.end()]
            if not (ALLOWED.search(around) and ALLOWED.search(around).end() == len(around)):
                yield bisect.bisect_right(starts, hit.end() - 1), " ".join(hit.group().split()), advice


def texts_of(root):
    for path in sorted(files_of(root)):
        name = path.relative_to(root).as_posix()
        if name not in SKIPPED and path.suffix in TEXT and "corpus" not in path.parts:
            yield name, path


def self_check():
    return [f"not found: {text!r}" for text in FOUND if not list(places_of(text))] + [
        f"found for no reason: {text!r}" for text in LEFT_ALONE if list(places_of(text))]


def main():
    root, option = Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else ""
    table = root / "tests/tree/english.toml"
    limits = tomllib.loads(table.read_text())["limits"]
    counts, places, files = Counter(), [], 0
    for name, path in texts_of(root):
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        files += 1
        folder = name.partition("/")[0] if "/" in name else "."
        for line, phrase, advice in places_of(text):
            counts[folder] += 1
            places.append((folder, f"{name}:{line}: \"{phrase}\": {advice}"))
    faults = self_check()
    over = {folder for folder in counts if counts[folder] > limits.get(folder, 0)}
    for folder in sorted(over):
        faults.append(f"{folder}: {counts[folder]} phrases, english.toml allows {limits.get(folder, 0)}")
    print("\n".join(place for folder, place in places if option == "--list" or folder in over))
    if option == "--update":
        kept = {folder: min(limit, counts[folder]) for folder, limit in limits.items() if counts[folder]}
        head = table.read_text().partition("[limits]\n")[0]
        table.write_text(head + "[limits]\n" + "".join(f'"{folder}" = {limit}\n' for folder, limit in sorted(kept.items())))
    print("\n".join(faults))
    print(f"{files} files, {sum(counts.values())} phrases, {sum(limits.values())} allowed, {len(faults)} faults")
    return 1 if faults or not files else 0


if __name__ == "__main__":
    sys.exit(main())

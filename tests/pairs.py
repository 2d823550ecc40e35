# SPDX-License-Identifier: MIT
"""Chooses the tests that ./check runs of a product of variants, so that every pair of values occurs in some test.

Most tests of the suites `programs` and `sim` are one program under several protocols, torture modes, transports and numbers of workers. A
fault seldom needs more than two of these values together. So ./check runs rows that have every pair, and ./check --all runs the whole product.
"""
import itertools
import re

PROTOCOLS = {"lock", "claim", "message"}
MODES = ("evacuate", "steal", "order", "fence", "delay")
TORTURE = re.compile(rf"none|({'|'.join(MODES)})(=\d+)?(,({'|'.join(MODES)})(=\d+)?)*")
SETTING = re.compile(r"(UAT_[A-Z_]+)=(.*)")
USUAL = {"UAT_DEQUE": "claim", "UAT_TORTURE": "none", "UAT_TRANSPORT": "shm", "UAT_GLOBAL_HOSTS": "1"}
OPTIONS = {"--deque": "UAT_DEQUE", "--torture": "UAT_TORTURE", "-n": "workers", "--workers": "workers"}
SILENT = {"--env", "--set"}


def crowd(workers):
    """Numbers of workers that can be told apart: one has no thief, two have one victim, and three may meet at a victim."""
    return workers if workers in ("1", "2") else "some" if workers.isdigit() and int(workers) < 8 else "many"


def values_of(test):
    """{parameter: value} of a test of meson's list. What is no known parameter is the program."""
    values, program = dict(USUAL), []
    words = [*test["cmd"], *(f"{name}={value}" for name, value in sorted(test["env"].items()))]
    words = iter(words)
    for word in words:
        setting = SETTING.fullmatch(word)
        if word in OPTIONS:
            values[OPTIONS[word]] = next(words)
        elif setting:
            values[setting[1]] = setting[2]
        elif word in PROTOCOLS:
            values["UAT_DEQUE"] = word
        elif TORTURE.fullmatch(word):
            values["UAT_TORTURE"] = word
        elif word not in SILENT:
            program.append(word)
    torture = values.pop("UAT_TORTURE")
    values.update((mode, str(mode in torture)) for mode in MODES)  # without the seed of `delay`
    values["workers"] = crowd(values.get("workers", ""))
    return {**values, "program": " ".join(program)}


def pairs_of(test):
    """All pairs of values of a test."""
    return set(itertools.combinations(sorted(values_of(test).items()), 2))


def cover(tests, missing):
    """A small part of the tests that has all pairs in `missing`. The test with the most of them is taken first; of equal ones, the one with
    the most usual values, and then the first."""
    left, chosen = {number: pairs_of(test) for number, test in enumerate(tests)}, []
    usual = [len(USUAL.items() & values_of(test).items()) for test in tests]
    while missing:
        best = max(left, key=lambda number: (len(left[number] & missing), usual[number], -number))
        chosen.append(tests[best])
        missing = missing - left.pop(best)
    return chosen


def choose(tests):
    """The part of the tests that ./check runs, in their order."""
    chosen = cover(tests, set().union(*map(pairs_of, tests)))
    return [test for test in tests if test in chosen]

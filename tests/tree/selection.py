#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Description: ./check leaves no pair of settings out, keeps a verdict only while the test's inputs stay the same, and ./check --all runs
every test. Each row of plan.toml fits the tests and the sources.

usage: selection.py BUILD"""
import subprocess
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import pairs  # noqa: E402
import runner  # noqa: E402
import verdicts  # noqa: E402


def test_of(*command, **settings):
    return {"name": " ".join(command), "cmd": list(command), "env": settings, "suite": ["uat:programs"]}


def check_pairs(tests):
    """Whether the tests that are chosen have every pair of all, and no test that the others make useless. Yields what is wrong."""
    for suite in runner.PAIRED:
        part = [test for test in tests if runner.suites_of(test)[0] == suite]
        chosen = pairs.choose(part)
        lost = set().union(*map(pairs.pairs_of, part)) - set().union(*map(pairs.pairs_of, chosen))
        if lost or not chosen:
            yield f"{suite}: {len(chosen)} tests; nowhere are {sorted(lost)[:3]}"
    values = pairs.values_of(test_of("uatrun", "-n", "5", "--env", "UAT_TORTURE=steal,delay=3", "p", "lock", UAT_STACKS="iso"))
    if {name: values[name] for name in ("steal", "delay", "evacuate", "UAT_DEQUE", "UAT_STACKS", "workers", "program")} != {
            "steal": "True", "delay": "True", "evacuate": "False", "UAT_DEQUE": "lock", "UAT_STACKS": "iso", "workers": "some", "program": "uatrun p"}:
        yield f"the values of a test are read as {values}"
    product = [test_of(program, "-n", workers, "--deque", deque, "--torture", torture) for program in "ab" for workers in "12"
               for deque in ("lock", "claim") for torture in ("none", "steal")]
    if not 4 <= len(pairs.choose(product)) <= 8:
        yield f"of {len(product)} tests of four values {len(pairs.choose(product))} are chosen"


def check_plan(tests):
    """Yields the rows of the plan that name no test or no file, and the tests that --all would not run."""
    def names_of(mode):
        return {f"{build.name}/{runner.suites_of(test)[0]}/{test['name']}" for build in runner.FULL for test in tests if runner.is_run(build, test, mode)}

    names, quick = names_of(runner.ALL), names_of(runner.QUICK)
    for row in verdicts.rows_of():
        for pattern in row["tests"]:
            if not any(verdicts.fits({"tests": [pattern]}, name) for name in (names if row.get("quick", True) else quick)):
                yield f"plan.toml: no test fits {pattern}"
        for pattern in row.get("files", []):
            if not verdicts.files_of({"files": [pattern]}):
                yield f"plan.toml: no file fits {pattern}"
    for test in tests:
        if f"gcc/{runner.suites_of(test)[0]}/{test['name']}" not in names:
            yield f"{test['name']}: ./check --all does not run it with gcc"


def check_verdicts(folder):
    """A made-up test whose inputs change. Yields what is wrong."""
    verdicts.SOURCE = folder
    (folder / "sources").mkdir()
    (folder / "sources/a.c").write_text("1")
    program = folder / "program"
    rows = [{"tests": ["gcc/s/t"], "files": ["sources", "*.build"], "programs": True}, {"tests": ["gcc/s/later"], "files": ["sources"], "first": "all"},
            {"tests": ["gcc/s/last"], "files": ["sources"], "first": "whole"}]
    test, later, last = test_of("t"), test_of("later"), test_of("last")

    def decide(one, everywhere=False):
        verdicts.hash_of_file.cache_clear()
        return verdicts.Verdicts("gcc", folder, rows, [program]).decide("s", one, everywhere)

    def run(one, passed=True):
        verdicts.hash_of_file.cache_clear()
        now = verdicts.Verdicts("gcc", folder, rows, [program])
        now.note("s", one, now.key(now.row("s", one), one), passed)

    def expect(what, one, wanted, everywhere=False):
        if (got := decide(one, everywhere)) != wanted:
            wrong.append(f"{what}: {got} instead of {wanted}")

    wrong = []
    expect("no verdict", test, verdicts.RUN)
    run(test)
    expect("nothing has changed", test, verdicts.KEPT)
    for what, path in {"a file": folder / "sources/a.c", "a new file": folder / "sources/b.c", "a program": program, "a build file": folder / "x.build"}.items():
        path.write_text("2")
        expect(f"{what} has changed", test, verdicts.RUN)
        run(test)
        expect(f"{what} has changed, and the test has passed", test, verdicts.KEPT)
    expect("another command", {**test, "cmd": ["u"]}, verdicts.RUN)
    run(test, passed=False)
    expect("the test has failed", test, verdicts.RUN)
    expect("no first verdict, and no git", later, verdicts.LEFT)
    for command in (["init", "-q"], ["add", "sources"], ["-c", "user.name=a", "-c", "user.email=a", "commit", "-qm", "a"]):
        subprocess.run(["git", "-C", str(folder), *command], check=True)
    expect("no first verdict, and nothing is edited", later, verdicts.LEFT)
    (folder / "sources/c.c").write_text("new")
    expect("no first verdict, and a new file", later, verdicts.RUN)
    (folder / "sources/c.c").unlink()
    (folder / "sources/a.c").write_text("edited")
    expect("no first verdict, and an edited file", later, verdicts.RUN)
    (folder / "sources/a.c").write_text("2")
    expect("no first verdict, and an edit that was undone", later, verdicts.LEFT)
    expect("no first verdict, in continuous integration", later, verdicts.RUN, True)
    expect("no first verdict, and too long for continuous integration", last, verdicts.LEFT, True)
    run(later)
    expect("a first verdict", later, verdicts.KEPT)
    (folder / "sources/a.c").write_text("3")
    expect("a change after the first verdict", later, verdicts.RUN)
    run(later, passed=False)
    expect("a change after which the test has failed", later, verdicts.RUN)
    expect("no row", test_of("other"), verdicts.RUN)
    rows.insert(0, {"tests": ["gcc/s/*"], "quick": False})
    if verdicts.row_of(rows, "gcc/s/t") is not rows[1]:
        wrong.append("a row with quick = false hides another one")
    left = [name for name in ("gcc/s/t", "clang/s/t") if verdicts.is_left_by_quick(rows, name)]
    if left != ["gcc/s/t"]:
        wrong.append(f"--quick leaves {left}")
    return wrong


def main():
    build = SimpleNamespace(folder=Path(sys.argv[1]))
    tests = [test for test in runner.introspect(build, "tests") if "sanitize" not in runner.suites_of(test)]
    wrong = [*check_pairs(tests), *check_plan(tests)]
    with tempfile.TemporaryDirectory() as folder:
        wrong += check_verdicts(Path(folder))
    print("".join(f"{line}\n" for line in wrong), end="")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

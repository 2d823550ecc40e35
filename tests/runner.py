# SPDX-License-Identifier: MIT
"""The work of ./check: builds, runs meson's suites, prints one line per test and counts them.

Every test is a meson test; this file only decides which suites run in which build, and jobs.py when each test runs.
"""
import argparse
import json
import os
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pairs
from jobs import PROCESSORS, run_jobs
from verdicts import KEPT, LEFT, RUN, Verdicts, is_for_all, is_left_by_quick, rows_of

SOURCE = Path(__file__).resolve().parent.parent
BUILDS = SOURCE / "build-check"
PATIENCE = 3  # factor for the tests' time limits, which suit a quiet machine; only a hang should reach the limit
TAIL = 40  # lines shown of a failed test
AGAIN = 8  # lines of a failed test that are shown again at the end; continuous integration may cut a log's middle

# The order in which suites run. Suites that fail fast come first. A suite not named here comes last.
ORDER = ["tree", "unit", "header", "install", "programs", "papers", "examples", "fakeverbs", "sanitize", "launcher", "security", "model",
         "mutants", "sim", "stress", "fuzz", "faults", "soak", "slurm", "package", "aarch64", "vm", "ibv"]
# ./check runs the suites up to this one first, so that it fails fast, and then all others. ./check --quick has none of the others.
LAST_OF_FIRST = "sanitize"
OUTCOMES = {"OK": "pass", "SKIP": "skip"}
PAIRED = {"programs", "sim"}  # suites of which ./check runs only the tests that pairs.py chooses
QUICK, USUAL, ALL = "quick", "usual", "all"
LONGEST = 10  # tests that are named at the end


class Build:
    """One configuration: its folder, compiler, meson options, and the suites that run in it (None: all)."""

    def __init__(self, name, compiler, options=(), suites=None, programs=None, whole=True, rest=False, folder=None):
        self.name, self.compiler, self.options, self.suites = name, compiler, list(options), suites
        self.folder = BUILDS / (folder or name)
        self.programs = programs  # in the suite `programs`, run only short tests whose names start with these (None: all)
        self.whole = whole  # True: build everything; False: build only what the tests need
        self.rest = rest  # True: check that the sources that were not compiled are well formed


# No test debugs a program in C++, and debug information takes a quarter of the time to compile C++.
NO_DEBUG = "-Dcpp_args=-g0"
# gold links in half of the time. The suite `package` builds with the usual linker, as users do.
LINKER = {"CC_LD": "gold", "CXX_LD": "gold"} if shutil.which("ld.gold") else {}

FULL = [
    # As Debian compiles, but for the linker. clang has the optimization that meson.build chooses.
    Build("gcc", "gcc", [NO_DEBUG, "-Doptimization=2"]),
    # All `programs` run with gcc. Only those that depend on code generation also run with clang: switches, registers,
    # inline paths, C++.
    Build("clang", "clang", [NO_DEBUG], ["unit", "programs"], programs=[
        "aligned", "api", "backtrace", "cpp", "exceptions", "forks", "generator", "global-objects", "global-order", "micro", "modes",
        "pattern", "random-trees", "small", "stack-protector", "strand", "sync", "wavefront"], whole=False, rest=True),
    Build("asan", "gcc", ["-Db_sanitize=address,undefined", "-Db_lundef=false", "-Doptimization=1"], ["unit", "sanitize"], whole=False),
]
# --quick has a build of its own: half of its time goes into the build, and a third of the time to compile C into debug information and
# the optimizations of -O2. Without these, gcc warns of variables that have a value wherever they are read.
SURE = "-Wno-maybe-uninitialized"
SHORT = [Build("gcc", "gcc", [f"-Dcpp_args={SURE}", f"-Dc_args={SURE}", "-Doptimization=1", "-Ddebug=false"], whole=False, folder="quick")]


class Tally:
    """Counts the tests and prints their lines."""

    def __init__(self):
        self.passed = self.failed = self.skipped = self.kept = self.left = 0
        self.failures, self.times = [], []

    def count(self, outcome):
        if outcome == "pass":
            self.passed += 1
        elif outcome == "skip":
            self.skipped += 1
        else:
            self.failed += 1

    def show(self, name, said, result=""):
        """Print what a failed test said, and keep its end for close()."""
        print(f"      {name}: {result}\n{last_lines(said)}" if result else last_lines(said), end="")
        self.failures.append(f"{name}\n{last_lines(said, AGAIN)}")

    def line(self, outcome, name, seconds):
        self.times.append((seconds, name))
        print(f"{outcome:4}  {name:50} {seconds:7.1f} s", flush=True)

    def keep(self, name):
        """A test has passed with the same inputs, and does not run again."""
        self.passed += 1
        self.kept += 1
        print(f"pass  {name:50}    kept: nothing on which it depends has changed", flush=True)

    def close(self):
        for seconds, name in sorted(self.times, reverse=True)[:LONGEST]:
            print(f"==> {seconds:7.1f} s  {name}")
        print(f"==> {self.kept} verdicts kept from an earlier check; {self.left} tests left to ./check --all")
        print("".join(f"==> failed: {failure}" for failure in self.failures), end="")
        print(f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped", flush=True)
        return 1 if self.failed else 0


def last_lines(text, count=TAIL):
    return "".join(f"      | {line}\n" for line in text.splitlines()[-count:])


def run(build, command):
    """Run a command of the build. Returns success and output."""
    done = subprocess.run(command, env={**os.environ, **LINKER, "CC": build.compiler}, text=True, errors="replace",
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return not done.returncode, done.stdout


def compile_in(build, mode):
    """Configure the build if necessary, and compile everything or what the tests need. Returns success and output."""
    output = ""
    if not (build.folder / "build.ninja").exists():
        good, output = run(build, ["meson", "setup", "-Dwerror=true", "-Dtests=enabled", *build.options, str(build.folder), str(SOURCE)])
    else:  # the lists of tests and files must be those of today's sources
        good, output = run(build, ["ninja", "-C", str(build.folder), "build.ninja"])
    if not good:
        return False, output
    good, said = run(build, ["ninja", "-C", str(build.folder), *([] if build.whole else files_needed(build, mode))])
    if good and build.rest:
        good, checked = run(build, [sys.executable, str(SOURCE / "tests/rest.py"), str(build.folder)])
        said += checked
    return good, output + said


def introspect(build, what):
    """What `meson introspect --WHAT` would say about a build, whose start takes longer than to read this file."""
    return json.loads((build.folder / "meson-info" / f"intro-{what}.json").read_text(encoding="utf-8"))


def is_quick(test):
    """Whether --quick includes this test of meson's list. A test in both `quick` and `slow` may run with clang, but
    not in --quick."""
    return "slow" not in suites_of(test) and bool({"quick", "unit", "tree", "header"} & set(suites_of(test)))


def is_run(build, test, mode):
    """Whether the build runs this test of meson's list, with --all if not otherwise. A test belongs to the first of its suites."""
    name, names = test["name"], suites_of(test)
    if (mode == QUICK and not is_quick(test)) or (build.suites is not None and names[0] not in build.suites):
        return False
    return names[0] != "programs" or build.programs is None or ("quick" in names and name.startswith(tuple(build.programs)))


def suites_of(test):
    return [suite.split(":")[-1] for suite in test["suite"]] or ["other"]


def tests_of(build, mode):
    """The build's tests that run, and the number of those that are left to --all."""
    tests = [test for test in introspect(build, "tests") if is_run(build, test, mode)]
    if mode == ALL:
        return tests, 0
    rows, chosen = rows_of(), []
    if mode == QUICK:
        tests = [test for test in tests if not is_left_by_quick(rows, f"{build.name}/{suites_of(test)[0]}/{test['name']}")]
    for suite in dict.fromkeys(suites_of(test)[0] for test in tests):
        part = [test for test in tests if suites_of(test)[0] == suite and not is_for_all(rows, f"{build.name}/{suite}/{test['name']}")]
        chosen += pairs.choose(part) if suite in PAIRED else part
    return chosen, len(tests) - len(chosen)


def files_needed(build, mode):
    """The files of all targets that the tests of this build need."""
    needed = {target for test in tests_of(build, mode)[0] for target in test["depends"]}
    return [os.path.relpath(file, build.folder) for target in introspect(build, "targets") if target["id"] in needed
            for file in target["filename"]]


def make(build, mode, tally):
    """Build; this counts as one test. Returns False if it failed."""
    started = time.monotonic()
    # A folder that was moved, or made for another compiler or other options, cannot be used.
    marker = build.folder / "check.configuration"
    configuration = f"{SOURCE} {build.compiler} {' '.join(build.options)}\n"
    fresh = not build.folder.exists()
    if not fresh and (not marker.exists() or marker.read_text() != configuration):
        shutil.rmtree(build.folder)
        fresh = True
    good, output = compile_in(build, mode)
    if not good and not fresh and "rebuilding 'build.ninja'" in output:
        shutil.rmtree(build.folder)
        good, output = compile_in(build, mode)
    if (build.folder / "build.ninja").exists():
        marker.write_text(configuration)
    outcome = "pass" if good else "FAIL"
    tally.count(outcome)
    tally.line(outcome, f"{build.name}/build", time.monotonic() - started)
    if not good:
        tally.show(f"{build.name}/build", output)
    return good


def suites_to_run(build, mode, tally):
    """Returns the tests of a build as {suite: [test]}, and their verdicts so far."""
    suites, (tests, left) = {}, tests_of(build, mode)
    verdicts = Verdicts(build.name, build.folder, rows_of(), programs_of(build))
    missing = {begin for begin in build.programs or [] if not any(test["name"].startswith(begin) for test in introspect(build, "tests"))}
    if missing:
        tally.count("FAIL")
        tally.show(f"{build.name}", f"tests/runner.py: no test has a name that begins with {', '.join(sorted(missing))}")
    tally.left += left
    for test in tests:
        suite = suites_of(test)[0]
        what = RUN if mode != USUAL else verdicts.decide(suite, test, on_integration())
        if what == KEPT:
            tally.keep(f"{build.name}/{suite}/{test['name']}")
        elif what == LEFT:
            tally.left += 1
        else:
            suites.setdefault(suite, []).append(test)
    return dict(sorted(suites.items(), key=lambda item: ORDER.index(item[0]) if item[0] in ORDER else len(ORDER))), verdicts


def programs_of(build):
    """All programs and shared libraries of a build."""
    return sorted({Path(file) for target in introspect(build, "targets") if target["type"] in ("executable", "shared library", "shared module")
                   for file in target["filename"]})


def rounds_of(suites, mode):
    """Split {suite: [test]} into lists of tests that run together."""
    last = len(ORDER) if mode == QUICK else ORDER.index(LAST_OF_FIRST)
    rounds = ([], [])
    for suite, tests in suites.items():
        rounds[suite not in ORDER[:last + 1]].extend(tests)
    return [tests for tests in rounds if tests]


def run_tests(build, tests, verdicts, tally):
    """Run the tests. Each test's line appears when it ends, and its output goes to the log of its suite."""
    keys = {test["name"]: verdicts.key(row, test) for test in tests if "files" in ((row := verdicts.row(suites_of(test)[0], test)) or {})}
    for job in run_jobs(tests, build.folder, PATIENCE):
        suite = suites_of(job.test)[0]
        name, outcome = f"{build.name}/{suite}/{job.test['name']}", outcome_of(suite, job.result)
        said = job.output.decode(errors="replace")
        tally.count(outcome)
        tally.line(outcome, name, job.seconds)
        if job.test["name"] in keys:
            verdicts.note(suite, job.test, keys[job.test["name"]], outcome == "pass")
        with open(build.folder / "meson-logs" / f"check-{suite}.txt", "a", encoding="utf-8") as log:
            log.write(f"==> {job.test['name']}: {job.result}, status {job.status}, {job.seconds:.2f} s, {job.processor:.2f} s of processor time, "
                      f"{job.cores} cores\n$ {shlex.join(job.test['cmd'])}\n{said}\n")
        if outcome == "skip":
            print(f"      {suite}/{job.test['name']} skipped: {(said.strip().splitlines() or ['no reason given'])[-1]}", flush=True)
        elif outcome != "pass":
            tally.show(name, said, f"{job.result}, status {job.status}")
            sys.stdout.flush()


def on_integration():
    """Whether continuous integration runs this."""
    return os.environ.get("CI", "") not in ("", "0", "false")


def outcome_of(suite, result):
    """Continuous integration has everything that guests and Slurm need, so a skipped test is an error there."""
    outcome = OUTCOMES.get(result, "FAIL")
    if outcome == "skip" and suite in {"vm", "slurm", "ibv", "aarch64"} and on_integration():
        return "FAIL"
    return outcome


def main():
    parser = argparse.ArgumentParser(description="the work of ./check")
    parser.add_argument("--quick", dest="mode", action="store_const", const=QUICK, default=USUAL)
    parser.add_argument("--all", dest="mode", action="store_const", const=ALL)
    mode = parser.parse_args().mode
    started = time.monotonic()
    # A user's settings must not change what is tested.
    for name in [name for name in os.environ if name.startswith("UAT_")]:
        del os.environ[name]
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    BUILDS.mkdir(exist_ok=True)
    tally = Tally()
    for build in SHORT if mode == QUICK else FULL:
        if make(build, mode, tally):
            for log in (build.folder / "meson-logs").glob("check-*"):
                log.unlink()
            if mode == ALL:
                for name in ("check-verdicts.json", "mutants-verdicts.json"):
                    (build.folder / name).unlink(missing_ok=True)
            suites, verdicts = suites_to_run(build, mode, tally)
            for tests in rounds_of(suites, mode):
                run_tests(build, tests, verdicts, tally)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"==> {time.monotonic() - started:.0f} s, {used.ru_utime + used.ru_stime:.0f} s of processor time on {PROCESSORS} processors; "
          "logs: build-check/*/meson-logs")
    return tally.close()


def interrupted(number, _frame):
    """Turn a signal into an exit, so that Ctrl-C and kill also end the tests: see run_jobs()."""
    raise SystemExit(128 + number)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, interrupted)
    signal.signal(signal.SIGINT, interrupted)
    sys.exit(main())

# SPDX-License-Identifier: MIT
"""The work of ./check: builds, runs meson's suites, prints one line per test and counts them.

Every test is a meson test; this file only decides which suites run in which build.
"""
import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent
BUILDS = SOURCE / "build-check"
PATIENCE = "3"  # factor for the tests' time limits, which suit a quiet machine; only a hang should reach the limit
TAIL = 40  # lines shown of a failed test
AGAIN = 8  # lines of a failed test that are shown again at the end; continuous integration may cut a log's middle

# The order in which suites run. Suites that fail fast come first. A suite not named here comes last.
ORDER = ["tree", "unit", "header", "install", "programs", "examples", "fakeverbs", "sanitize", "launcher", "security", "model",
         "mutants", "sim", "stress", "fuzz", "faults", "soak", "slurm", "package", "aarch64", "vm", "ibv"]
# Several tests of one of these suites may run at once, because each keeps one core busy, or waits. Tests of `programs` may also run
# at once, unless meson.build says is_parallel: false.
PARALLEL = {"tree", "unit", "header", "programs", "model", "mutants", "fuzz", "slurm", "package", "sim", "vm", "aarch64", "faults"}
# Tests of these suites run together. With `slurm` among them, one more test than there are processors runs at a time,
# because tests of Slurm often wait.
TOGETHER = ["model", "mutants", "fuzz", "slurm", "package", "sim", "aarch64"]
OUTCOMES = {"OK": "pass", "EXPECTEDFAIL": "pass", "SKIP": "skip"}
LINE = re.compile(r"^\s*\d+/\d+ (?:\S+ / )?(\S.*?)\s+(OK|FAIL|SKIP|TIMEOUT|ERROR|EXPECTEDFAIL|UNEXPECTEDPASS|INTERRUPT)"
                  r"\s+([\d.]+)s")


class Build:
    """One configuration: its folder, compiler, meson options, and the suites that run in it (None: all)."""

    def __init__(self, name, compiler, options=(), suites=None, programs=None, whole=True, rest=False):
        self.name, self.compiler, self.options, self.suites = name, compiler, list(options), suites
        self.folder = BUILDS / name
        self.programs = programs  # in the suite `programs`, run only short tests whose names start with these (None: all)
        self.whole = whole  # True: build everything; False: build only what the tests need
        self.rest = rest  # True: check that the sources that were not compiled are well formed


# No test debugs a program in C++, and debug information takes a quarter of the time to compile C++.
NO_DEBUG = "-Dcpp_args=-g0"

FULL = [
    Build("gcc", "gcc", [NO_DEBUG]),
    # All `programs` run with gcc. Only those that depend on code generation also run with clang: switches, registers,
    # inline paths, C++.
    Build("clang", "clang", [NO_DEBUG], ["unit", "programs"], programs=[
        "aligned", "api", "backtrace", "cpp", "exceptions", "forks", "generator", "global-objects", "global-order", "micro", "modes",
        "pattern", "random-trees", "small", "stack-protector", "strand", "sync", "wavefront"], whole=False, rest=True),
    Build("asan", "gcc", ["-Db_sanitize=address,undefined", "-Db_lundef=false", "-Doptimization=1"], ["unit", "sanitize"], whole=False),
]


class Tally:
    """Counts the tests and prints their lines."""

    def __init__(self):
        self.passed = self.failed = self.skipped = 0
        self.failures = []

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

    @staticmethod
    def line(outcome, name, seconds, reason=""):
        print(f"{outcome:4}  {name:50} {seconds:7.1f} s{reason}", flush=True)

    def close(self):
        print("".join(f"==> failed: {failure}" for failure in self.failures), end="")
        print(f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped", flush=True)
        return 1 if self.failed else 0


def last_lines(text, count=TAIL):
    return "".join(f"      | {line}\n" for line in text.splitlines()[-count:])


def run(build, command):
    """Run a command of the build. Returns success and output."""
    done = subprocess.run(command, env={**os.environ, "CC": build.compiler}, text=True, errors="replace",
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return not done.returncode, done.stdout


def compile_in(build, quick):
    """Configure the build if necessary, and compile everything or what the tests need. Returns success and output."""
    output = ""
    if not (build.folder / "build.ninja").exists():
        good, output = run(build, ["meson", "setup", "-Dwerror=true", "-Dtests=enabled", *build.options, str(build.folder), str(SOURCE)])
        if not good:
            return False, output
    good, said = run(build, ["ninja", "-C", str(build.folder), *(files_needed(build, quick) if quick or not build.whole else [])])
    if good and build.rest:
        good, checked = run(build, [sys.executable, str(SOURCE / "tests/rest.py"), str(build.folder)])
        said += checked
    return good, output + said


def introspect(build, what):
    """Ask meson about a build."""
    return json.loads(subprocess.run(["meson", "introspect", what, str(build.folder)], check=True, text=True,
                                     stdout=subprocess.PIPE).stdout)


def is_quick(test):
    """Whether --quick includes this test of meson's list. A test in both `quick` and `slow` may run with clang, but
    not in --quick."""
    return "slow" not in suites_of(test) and bool({"quick", "unit", "tree", "header"} & set(suites_of(test)))


def is_run(build, test, quick):
    """Whether the build runs this test of meson's list. A test belongs to the first of its suites."""
    name, names = test["name"], suites_of(test)
    if (quick and not is_quick(test)) or (build.suites is not None and names[0] not in build.suites):
        return False
    return names[0] != "programs" or build.programs is None or ("quick" in names and name.startswith(tuple(build.programs)))


def suites_of(test):
    return [suite.split(":")[-1] for suite in test["suite"]] or ["other"]


def files_needed(build, quick):
    """The files of all targets that the tests of this build need."""
    needed = {target for test in introspect(build, "--tests") if is_run(build, test, quick) for target in test["depends"]}
    return [os.path.relpath(file, build.folder) for target in introspect(build, "--targets") if target["id"] in needed
            for file in target["filename"]]


def make(build, quick, tally):
    """Build; this counts as one test. Returns False if it failed."""
    started = time.monotonic()
    # A folder that was moved, or made for another compiler or other options, cannot be used.
    marker = build.folder / "check.configuration"
    configuration = f"{SOURCE} {build.compiler} {' '.join(build.options)}\n"
    fresh = not build.folder.exists()
    if not fresh and (not marker.exists() or marker.read_text() != configuration):
        shutil.rmtree(build.folder)
        fresh = True
    good, output = compile_in(build, quick)
    if not good and not fresh and "rebuilding 'build.ninja'" in output:
        shutil.rmtree(build.folder)
        good, output = compile_in(build, quick)
    if (build.folder / "build.ninja").exists():
        marker.write_text(configuration)
    outcome = "pass" if good else "FAIL"
    tally.count(outcome)
    tally.line(outcome, f"{build.name}/build", time.monotonic() - started)
    if not good:
        tally.show(f"{build.name}/build", output)
    return good


def tests_of(build, quick, tally):
    """Returns the tests of a build as {suite: [name]}. --quick leaves out the suite `slow`."""
    suites, missing = {}, set(build.programs or [])
    for test in introspect(build, "--tests"):
        if is_run(build, test, quick):
            suites.setdefault(suites_of(test)[0], []).append(test["name"])
            missing -= {begin for begin in missing if test["name"].startswith(begin)}
    if missing:
        tally.count("FAIL")
        tally.show(f"{build.name}", f"tests/runner.py: no test has a name that begins with {', '.join(sorted(missing))}")
    return dict(sorted(suites.items(), key=lambda item: ORDER.index(item[0]) if item[0] in ORDER else len(ORDER)))


def groups_of(suites):
    """Split {suite: [name]} into groups that run together, in the order of their first suites."""
    groups = {}
    for suite, names in suites.items():
        groups.setdefault(TOGETHER[0] if suite in TOGETHER else suite, {})[suite] = names
    return list(groups.values())


def run_suites(build, suites, tally):
    """Run the tests of {suite: [name]}. Each test's line appears when it ends; the counts come from meson's own log."""
    base = "check-" + "-".join(suites)
    log = build.folder / "meson-logs" / f"{base}.json"
    log.unlink(missing_ok=True)
    suite_of = {name: suite for suite, names in suites.items() for name in names}
    order = [test["name"] for test in introspect(build, "--tests")]  # meson test keeps the order of its arguments, not that of priorities
    processes = (os.cpu_count() or 1) + ("slurm" in suites) if suites.keys() <= PARALLEL else 1
    command = ["meson", "test", "-C", str(build.folder), "--no-rebuild", "--logbase", base, "--num-processes", str(processes), "--timeout-multiplier", PATIENCE,
               *(f"--suite={suite}" for suite in suites), *sorted(suite_of, key=order.index)]
    output = stream(command, lambda name, result, seconds: tally.line(
        outcome_of(suite_of[name], result), f"{build.name}/{suite_of[name]}/{name}", seconds))
    results = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
    for result in results:
        name = result["name"].split(" / ")[-1]
        suite = suite_of[name]
        outcome = outcome_of(suite, result["result"])
        tally.count(outcome)
        said = result.get("stdout", "") + result.get("stderr", "")
        if outcome == "skip":
            print(f"      {suite}/{name} skipped: {(said.strip().splitlines() or ['no reason given'])[-1]}")
        elif outcome != "pass":
            tally.show(f"{build.name}/{suite}/{name}", said, f"{result['result']}, status {result['returncode']}")
    if len(results) < len(suite_of):
        tally.show(f"{build.name}/{'+'.join(suites)}", output, f"{len(suite_of) - len(results)} tests did not run; meson said")
        tally.failed += len(suite_of) - len(results)
    sys.stdout.flush()


def stream(command, show):
    """Run meson test, and call show(name, result, seconds) for each test that ends. Returns meson's output."""
    # meson prints a test's line when it ends; its log is complete only when all have ended.
    with subprocess.Popen(command, text=True, errors="replace", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, start_new_session=True) as process:
        try:
            output = ""
            for line in process.stdout:
                output += line
                match = LINE.match(line)
                if match:
                    show(match[1], match[2], float(match[3]))
        except BaseException:
            os.killpg(process.pid, signal.SIGINT)
            raise
    return output


def outcome_of(suite, result):
    """Continuous integration has everything that guests and Slurm need, so a skipped test is an error there."""
    outcome = OUTCOMES.get(result, "FAIL")
    if outcome == "skip" and suite in {"vm", "slurm", "ibv", "aarch64"} and os.environ.get("CI", "") not in ("", "0", "false"):
        return "FAIL"
    return outcome


def main():
    parser = argparse.ArgumentParser(description="the work of ./check")
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    started = time.monotonic()
    # A user's settings must not change what is tested.
    for name in [name for name in os.environ if name.startswith("UAT_")]:
        del os.environ[name]
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    BUILDS.mkdir(exist_ok=True)
    tally = Tally()
    for build in FULL[:1] if quick else FULL:
        if make(build, quick, tally):
            for suites in groups_of(tests_of(build, quick, tally)):
                run_suites(build, suites, tally)
    print(f"==> {time.monotonic() - started:.0f} s; logs: build-check/*/meson-logs")
    return tally.close()


def interrupted(number, _frame):
    """Turn a signal into an exit, so that Ctrl-C and kill also end the tests: see stream()."""
    raise SystemExit(128 + number)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, interrupted)
    signal.signal(signal.SIGINT, interrupted)
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Description: the litmus tests of uat_info. On a device that keeps all rules, no forbidden outcome is seen. On devices that break a rule,
the tests that can show this see the outcome; a device that takes a liberty which the rules allow shows it, too. No device shows the
outcomes of NEVER. Addition through two adapters is not counted if the second one cannot be used, or fails. The tests also run between two
made-up hosts.

usage: test_litmus.py BUILD
"""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from fake import DEVICES, expect

BUILD, TRIALS = Path(sys.argv[1]), 300
TRIALS_HOSTS = 20  # between two hosts, where a trial takes longer
ATTEMPTS = 8  # maximum number of attempts to see outcomes, which need races
TORN = {"read-line", "read-lines"}  # shown by each device, because a READ takes time
SHOWN = {"load_store": {"cpu-adapter", "two-adapters", "unlock-write", "write-cmp_swap"},  # lost, if an atomic is a load and a store
         "late_writes": {"write-fetch_add", "write-read"},
         "early_reads": {"cmp_swap-read", "claim-pop", "swap-add", "write-read"}}
NEVER = {"store-read", "adapter-adapter", "completion-load", "unlock-swap", "read-read", "read-write", "read-atomic", "write-write",
         "atomic-write", "atomic-atomic", "write-lines", "completion-read"}


def device(*lines, number=0, port=()):
    """The text of a made-up device with these lines. port: lines of its port, instead of an InfiniBand port's."""
    port = port or (f"lid {16 + number}", f"gid 0 ib fe80::2:c903:0:{1 + number}")
    return "\n".join([f"device fake{number}", *lines, "port", *port, "pkey 0xffff", ""])


def report_of(*devices, trials=TRIALS, launcher=(), hosts=1):
    """The report on hosts with these devices, the exit status, and the lines on standard error."""
    with tempfile.NamedTemporaryFile("w") as file:
        file.write("".join(devices))
        file.flush()
        command = [BUILD / "tests/fakeverbs/fakeverbs", "--devices", file.name, "--hosts", str(hosts), "--", *launcher,
                   BUILD / "launcher/info/uat_info", "--json", f"--litmus={trials}"]
        environment = {name: value for name, value in os.environ.items() if not name.startswith("UAT_")}
        done = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False)
    expect(done.stdout.startswith("{"), done)
    return json.loads(done.stdout), done.returncode, done.stderr.splitlines()


def results_of(report):
    return {result["test"]: result for result in report["litmus"]}


def run(*devices, trials=TRIALS):
    """{name: result} of all tests on one host, the exit status, and the lines on standard error."""
    report, status, lines = report_of(*devices, trials=trials)
    return results_of(report), status, lines


def seen(results):
    return {name for name, result in results.items() if result["seen"]}


def not_tried(results):
    return {name for name, result in results.items() if not result["trials"]}


def test_second():
    """two-adapters takes any other adapter that can be used, and is not counted without one."""
    results, status, lines = run(device(), trials=5)
    expect(not_tried(results) == {"two-adapters"} and status == 0 and not lines, (results, lines))
    # The first adapter alone has as many addresses as a worker keeps. The second adapter cannot be used, the third can.
    ports = [["link ethernet", "lid 0", "gid_tbl_len 16", *(f"gid {i} v2 ::ffff:10.9.{n}.{1 + i}" for i in range(16))] for n in range(3)]
    results, status, lines = run(device(port=ports[0]), device("has_rc 0", number=1, port=ports[1]), device(number=2, port=ports[2]), trials=5)
    expect(not not_tried(results) and status == 0 and not lines, (results, lines))
    results, status, lines = run(device(), device("relaxed_only 1", number=1), trials=5)
    expect(not_tried(results) == {"two-adapters"} and status == 0, results)
    expect(len(lines) == 1 and "no second adapter for the litmus test two-adapters: fake1 cannot be used" in lines[0], lines)
    # An addition that fails may have changed the word. The start of the second adapter takes up to 800 requests.
    for _ in range(ATTEMPTS):
        results, status, lines = run(device(), device("answers 1000", number=1))
        failed = "retry counter exceeded" in "".join(lines)
        expect(not_tried(results) == ({"two-adapters"} if failed else set()) and status == 0, (results["two-adapters"], lines))
        if failed:
            break
    expect(failed, "the second adapter has answered all requests")


def test_hosts(forbidden):
    """Between two hosts all tests run, and a device whose READs pass atomics is found. Here one outcome is not a matter of luck."""
    for lines, broken in ((), set()), (("early_reads 1",), {"cmp_swap-read"}):
        report, status, _ = report_of(device(*lines), device(*lines, number=1), trials=TRIALS_HOSTS, hosts=2,
                                      launcher=(BUILD / "tests/pmix/uatrun-pmix", "-n", "2"))
        results = results_of(report)
        expect(report["litmus_hosts"] == ["fake0", "fake1"] and not_tried(results) <= {"two-adapters"}, report)
        expect(all(result["trials"] >= TRIALS_HOSTS for name, result in results.items() if name != "two-adapters"), report)
        expect(broken <= seen(results) & forbidden <= SHOWN["early_reads"] and bool(broken) == bool(seen(results) & forbidden) == bool(status), report)


def main():
    results, status, _ = run(device(), device(number=1))
    forbidden = {name for name, result in results.items() if result["verdict"] == "forbidden"}
    expect(len(results) == 23 and len(forbidden) == 7 and status == 0 and not seen(results) & forbidden, results)
    expect(all(result["trials"] >= TRIALS and result["rule"] for result in results.values()), results)
    # This device carries out requests in the order of posting, and its atomics are those of the processor.
    expect(seen(results) <= TORN, sorted(seen(results)))
    expect(NEVER == results.keys() - TORN - set().union(*SHOWN.values()), sorted(results))
    test_second()

    for key, outcomes in SHOWN.items():
        shown = set()
        for _ in range(ATTEMPTS):
            results, status, _ = run(device(f"{key} 1"), device(f"{key} 1", number=1))
            broken = {name for name, result in results.items() if result["verdict"] == "BROKEN"}
            expect(seen(results) <= outcomes | TORN and broken == seen(results) & forbidden and status == bool(broken), (key, status, results))
            shown |= seen(results)
            if outcomes <= shown:
                break
        expect(outcomes <= shown, (key, sorted(shown)))
    test_hosts(forbidden)
    print(f"{len(results)} tests")


main()

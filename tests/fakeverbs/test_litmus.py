#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Description: the litmus tests of uat_info. On a device that keeps all rules, no forbidden outcome is seen. On devices that break a rule,
each test that can show this sees the outcome. Where the rules allow an outcome, a device that takes this liberty shows it.

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
ATTEMPTS = 8  # maximum number of attempts to show lost WRITEs, which need a race
LOST = {"cpu-adapter", "two-adapters", "unlock-write", "write-cmp_swap"}  # lost changes, if an atomic is a load and a store


def run(*keys, second=True):
    """{name: result} of all tests on a device with these keys, and the exit status. second: the host has another such device."""
    one = (DEVICES / "one").read_text().replace("port\n", "".join(f"{key} 1\n" for key in keys) + "port\n", 1)
    other = one.replace("fake0", "fake1").replace("lid 16", "lid 17").replace("fe80::2:c903:0:1", "fe80::2:c903:0:2")
    with tempfile.NamedTemporaryFile("w") as file:
        file.write(one + (other if second else ""))
        file.flush()
        command = [BUILD / "tests/fakeverbs/fakeverbs", "--devices", file.name, "--", BUILD / "launcher/info/uat_info", "--json",
                   f"--litmus={TRIALS}"]
        environment = {name: value for name, value in os.environ.items() if not name.startswith("UAT_")}
        done = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False)
    expect(done.stdout.startswith("{"), done)
    return {result["test"]: result for result in json.loads(done.stdout)["litmus"]}, done.returncode


def seen(results):
    return {name for name, result in results.items() if result["seen"]}


def main():
    results, status = run()
    forbidden = {name for name, result in results.items() if result["verdict"] == "forbidden"}
    expect(len(results) == 23 and len(forbidden) == 7 and status == 0 and not seen(results) & forbidden, results)
    expect(all(result["trials"] >= TRIALS and result["rule"] for result in results.values()), results)
    # This device carries out requests in the order of posting, and its atomics are those of the processor. A READ takes time.
    expect(seen(results) <= {"read-line", "read-lines"}, sorted(seen(results)))

    results, status = run(second=False)
    expect({name for name, result in results.items() if not result["trials"]} == {"two-adapters"} and status == 0, results)

    lost = set()
    for _ in range(ATTEMPTS):
        results, status = run("load_store")
        expect(seen(results) <= LOST | {"read-line", "read-lines"} and status == 0, sorted(seen(results)))
        lost |= seen(results)
        if LOST <= lost:
            break
    expect(LOST <= lost, sorted(lost))

    for key, broken, shown in ("late_writes", {"write-fetch_add"}, {"write-read"}), ("early_reads", {"cmp_swap-read", "swap-add"}, {"write-read"}):
        results, status = run(key)
        expect(broken <= {name for name, result in results.items() if result["verdict"] == "BROKEN"} and status == 1, (key, sorted(seen(results))))
        expect(shown <= seen(results), (key, sorted(seen(results))))
    print(f"{len(results)} tests")


main()

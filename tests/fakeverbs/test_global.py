#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Description: on hosts whose workers use two adapters, each adapter carries its share of the bytes of global memory, no atomic of a worker is
lost, and random programs give right answers. A checkpoint of such a job restarts on other numbers of hosts, adapters and workers. With one and
with two adapters per host, workers make the queue pairs and regions that docs/global.md states, and first workers make queue pairs side by side.

usage: test_global.py BUILD
"""
import sys
import tempfile
from pathlib import Path

from fake import Run, expect

PORT = "port\nlid {}\ngid 0 ib fe80::2:c903:{}:1\npkey 0xffff\n"
DEVICES = "".join(f"device fake{i}\n" + PORT.format(16 + 32 * i, i) for i in range(2))
WORKERS, HOSTS = 8, 2
TAKE = 'UAT_NET_DEVICES=fake$((PMIX_RANK / {hosts} % {adapters})) exec "$0" "$@"'  # rank modulo hosts is the host
SMALL = {"GLOBAL_SIZE": "1m", "CACHE_SIZE": "512k"}


def job(build, adapters, program, workers=WORKERS, hosts=HOSTS, devices=DEVICES, **settings):
    """Run a program. The workers of each host take this number of adapters in turn."""
    path, *arguments = program.split()
    words = ["sh", "-c", TAKE.format(hosts=hosts, adapters=adapters), build / path, *arguments]
    return Run(build, workers, words, devices=[devices], hosts=hosts, **SMALL | settings)


def check_counts(build, adapters):
    # A call for a queue pair takes 2 ms.
    run = job(build, adapters, "perf/uat-cilksort 500000 --rounds 1", devices=DEVICES.replace("\nport", "\npair_us 2000\nport"))
    expect(run.status == 0 and "500000 integers" in run.out, run)
    # A home is the group of a host's workers that use one adapter. For the segments, each worker has a queue pair to
    # each home, and three regions. For global memory, a home's first worker registers the home's memory, and has a queue
    # pair to each worker. Each other worker has one to each home's first worker. A worker's cache is one region.
    homes, count = HOSTS * adapters, run.count
    expect(count["create_qp"] == (WORKERS * homes + homes * WORKERS + (WORKERS - homes) * homes, homes + WORKERS), (adapters, count))
    # A home's first worker makes these calls in up to 8 threads, and other workers in one.
    expect(1 < count["pairs_at_once"][1] <= 8 and count["pairs_at_once"][0] <= 8 * homes + WORKERS - homes, (adapters, count))
    # Three arrays have a region on each home. A fourth array has one chunk, and so one region.
    expect(count["reg_mr"] == (4 * WORKERS + 3 * homes + 1, 8) == count["dereg_mr"], (adapters, count))
    # The own segment and the cache have relaxed order, and what peers access has strict order.
    expect(count["mr_relaxed"] == (2 * WORKERS, 2), (adapters, count))
    served = {device: sum(count[f"served:{host}:{device}"][0] for host in range(HOSTS)) for device in ("fake0", "fake1")}
    share = served["fake1"] / sum(served.values())
    expect(share == 0 if adapters == 1 else .2 < share < .8, (adapters, served))
    print(f"{adapters} adapters of a host: {served}, {count['create_qp'][0]} queue pairs, {count['reg_mr'][0]} regions")


def check_checkpoints(build):
    """A job with two adapters per host makes checkpoints, and leaves the last one. Jobs of other shapes continue from
    that checkpoint and get the same answer."""
    with tempfile.TemporaryDirectory() as folder:
        answers = set()
        for workers, hosts, adapters, restart in (8, 2, 2, "no"), (8, 2, 1, "yes"), (3, 1, 2, "yes"), (8, 4, 2, "yes"):
            run = job(build, adapters, "tests/faults/test-generations 3 3 11 300 memory", workers, hosts, GLOBAL_SIZE="128m",
                      CHECKPOINT=f"{folder},restart={restart}")
            restarted = any(line.endswith(f"restarted {int(restart == 'yes')}") for line in run.lines)
            expect(run.status == 0 and restarted, (workers, hosts, adapters, str(run)))
            answers.add(run.out)
        expect(len(answers) == 1 and " errors 0\n" in answers.pop(), answers)


def main():
    build = Path(sys.argv[1])
    for adapters in 1, 2:
        check_counts(build, adapters)
    for program, settings in (("tests/global/global-atomics", {}), ("tests/global/global-atomics", {"TORTURE": "steal"}), ("tests/global/global-order 1 2", {}),
                              ("tests/global/global-order 1 3", {"TORTURE": "steal"}), ("tests/global/global-objects 1", {"TORTURE": "steal"}),
                              ("tests/global/global-temporary 1", {}), ("tests/global/global-atomics", {"GLOBAL_HOSTS": "3"}), ("tests/global/global-atomics", {"CONNECT": "worker"})):
        run = job(build, 2, program, **settings)
        expect(run.status == 0, (program, settings, str(run)))
    check_checkpoints(build)


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Description: global memory of hosts whose workers use two adapters: each of them carries its share of the bytes, atomics of all workers lose
nothing, and random programs give right answers. Hosts with one adapter make the queue pairs and regions that docs/global.md states.

usage: test_global.py BUILD
"""
import sys
from pathlib import Path

from fake import Run, expect

PORT = "port\nlid {}\ngid 0 ib fe80::2:c903:{}:1\npkey 0xffff\n"
DEVICES = "".join(f"device fake{i}\n" + PORT.format(16 + 32 * i, i) for i in range(2))
WORKERS, HOSTS = 8, 2
TAKE = 'UAT_NET_DEVICES=fake$((PMIX_RANK / 2 % %d)) exec "$0" "$@"'  # rank modulo HOSTS is the host


def job(build, adapters, program, **settings):
    """Run a program where the workers of each host take turns in this number of adapters."""
    words = ["sh", "-c", TAKE.replace("%d", str(adapters)), *program.split()]
    words[3] = build / words[3]
    return Run(build, WORKERS, words, devices=[DEVICES], hosts=HOSTS, GLOBAL_SIZE="1m", CACHE_SIZE="512k", **settings)


def check_counts(build, adapters):
    run = job(build, adapters, "perf/uat-cilksort 500000 --rounds 1")
    expect(run.status == 0 and "500000 integers" in run.out, run)
    # A home: the workers of a host that use one adapter. Its first worker registers its memory and has a queue pair to each worker.
    # Segments take a queue pair to each home, and three regions; the cache takes one.
    homes, count = HOSTS * adapters, run.count
    expect(count["create_qp"] == (WORKERS * homes + homes * WORKERS + (WORKERS - homes) * homes, homes + WORKERS), (adapters, count))
    # Three arrays are on all homes, and a fourth one has one chunk.
    expect(count["reg_mr"] == (4 * WORKERS + 3 * homes + 1, 8) == count["dereg_mr"], (adapters, count))
    served = {device: sum(count[f"served:{host}:{device}"][0] for host in range(HOSTS)) for device in ("fake0", "fake1")}
    share = served["fake1"] / sum(served.values())
    expect(share == 0 if adapters == 1 else .2 < share < .8, (adapters, served))
    print(f"{adapters} adapters of a host: {served}, {count['create_qp'][0]} queue pairs, {count['reg_mr'][0]} regions")


def main():
    build = Path(sys.argv[1])
    for adapters in 1, 2:
        check_counts(build, adapters)
    for program, settings in (("tests/global/global-atomics", {}), ("tests/global/global-atomics", {"TORTURE": "steal"}), ("tests/global/global-order 1 2", {}),
                              ("tests/global/global-order 1 3", {"TORTURE": "steal"}), ("tests/global/global-objects 1", {"TORTURE": "steal"}),
                              ("tests/global/global-temporary 1", {}), ("tests/global/global-atomics", {"GLOBAL_HOSTS": "3"}), ("tests/global/global-atomics", {"CONNECT": "worker"})):
        run = job(build, 2, program, **settings)
        expect(run.status == 0, (program, settings, str(run)))


main()

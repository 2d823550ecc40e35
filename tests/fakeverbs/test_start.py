#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Description: jobs over simulated verbs devices start, compute and end, with 2 to 128 workers on one or several hosts.
They make as many queue pairs and regions as docs/verbs.md states, also if one worker registers memory for its whole
host. Jobs give back everything that they take.

usage: test_start.py BUILD [WORKERS HOSTS]...
"""
import sys
from pathlib import Path

from fake import Run, expect, fib

GIVEN_BACK = {"open_device": "close_device", "reg_mr": "dereg_mr", "create_cq": "destroy_cq", "create_qp": "destroy_qp"}


def check(build, workers, hosts, shared=False):
    """shared: the first worker of each host registers the pool. In that case some host must have several workers."""
    connect = "host,regions=shared" if shared else "host"
    run = Run(build, workers, fib(build, 20), hosts=hosts, TRANSPORT="auto" if hosts > 1 else "ibv", CONNECT=connect)
    count = run.count
    expect(run.status == 0 and "6765 (correct)" in run.out and "transport    ibv" in run.out, run)
    # Per worker: one queue pair to a worker of each other host, and one to the worker itself.
    expect(count["create_qp"] == (workers * hosts, hosts), count)
    expect(count["modify_qp"] == (3 * workers * hosts, 3 * hosts), count)
    imports = workers if shared else 0  # even the first worker of a host, which imports its own domain as a test
    for taken, given in GIVEN_BACK.items():
        more = imports if taken == "open_device" else 0
        expect(count[taken][0] + more == count[given][0] and count[taken][0] >= workers, (taken, count))
    expect(count["import_device"][0] == count["import_pd"][0] == imports, count)
    domains = hosts if shared else workers
    expect(count["alloc_pd"][0] == domains and count["dealloc_pd"][0] == domains + count["alloc_parent_domain"][0], count)
    # Each worker has one region, its own segment. Each domain has two, the stacks and the words of the host's workers.
    expect(count["reg_mr"] == (workers + 2 * domains, 3), count)
    # Only the region of a worker's own segment has relaxed order: no peer uses this region.
    expect(count["mr_relaxed"] == (workers, 1), count)
    # A worker publishes two keys. On several hosts it publishes a third key, about the hosts that it has reached. The
    # first of several workers of a host also publishes where it relays.
    keys, relayers = 2 + (hosts > 1), hosts if workers > hosts else 0
    expect(count["pmix_put"] == (keys * workers + relayers, keys + (relayers > 0)) and count["pmix_put_bytes"][0] >= 256 * workers, count)
    # Each worker gets 8 facts about the job, and one value about connections. The first worker of each host gets what all workers have published, and the
    # others get the place where it relays this. Each worker gets the endpoints to which it connects, one for each host.
    # Rank 0 gets what the first workers of the other hosts say about their connections; the others get one such value,
    # or, on one host, their own endpoint.
    gets = 9 * workers + hosts * workers + (workers - hosts) + (workers * hosts + hosts - 1 if hosts > 1 else 0)
    expect(count["pmix_get"][0] == gets, (gets, count))
    # A worker reads identity and attach info of every worker in one value, and the endpoints to which it connects.
    expect(hosts > 1 or count["pmix_get_bytes"][1] <= 512 * workers + 4096, count)
    expect(count["requests"][0] >= workers and count["mr_pages"][0] >= count["mr_bytes"][0] // 4096, count)
    print(f"{workers} workers on {hosts} hosts{', shared' if shared else ''}: " + ", ".join(f"{call} {n[1]}" for call, n in count.items() if n[0]))


def check_fallback(build, fails, registering):
    """Workers that cannot use the first worker's domain register the pool themselves."""
    run = Run(build, 6, fib(build, 20), hosts=2, fail=fails, CONNECT="host,regions=shared")
    expect(run.status == 0 and "6765 (correct)" in run.out and not run.lines, run)
    expect(run.count["reg_mr"] == (6 + 2 * registering, 3) == run.count["dereg_mr"], run.count)


def main():
    build = Path(sys.argv[1])
    numbers = [int(text) for text in sys.argv[2:]]
    for workers, hosts in zip(numbers[::2], numbers[1::2]):
        check(build, workers, hosts)
        if workers > hosts:
            check(build, workers, hosts, shared=True)
    check_fallback(build, ["import_device:EINVAL"], 6)
    check_fallback(build, ["import_pd:EINVAL"], 6)
    check_fallback(build, ["3:import_device:EPERM"], 3)  # rank 1's host has ranks 1, 3 and 5


main()

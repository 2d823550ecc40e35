#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Description: jobs over made-up verbs devices start, compute and end, with 2 to 128 workers on one or several hosts. They make the queue
pairs that docs/verbs.md states, and give back all that they take.

usage: test_start.py BUILD [WORKERS HOSTS]...
"""
import sys
from pathlib import Path

from fake import Run, expect, fib

GIVEN_BACK = {"open_device": "close_device", "reg_mr": "dereg_mr", "create_cq": "destroy_cq", "create_qp": "destroy_qp"}


def check(build, workers, hosts):
    run = Run(build, workers, fib(build, 20), hosts=hosts, TRANSPORT="auto" if hosts > 1 else "ibv")
    count = run.count
    expect(run.status == 0 and "6765 (correct)" in run.out and "transport    ibv" in run.out, run)
    # One queue pair to a worker of each other host, and one to the worker itself.
    expect(count["create_qp"] == (workers * hosts, hosts), count)
    expect(count["modify_qp"] == (3 * workers * hosts, 3 * hosts), count)
    for taken, given in GIVEN_BACK.items():
        expect(count[taken] == count[given] and count[taken][0] >= workers, (taken, count))
    expect(count["dealloc_pd"][0] == count["alloc_pd"][0] + count["alloc_parent_domain"][0], count)
    # A region of the worker's own segment, and two of the segments of its host's workers.
    expect(count["reg_mr"] == (3 * workers, 3), count)
    # A worker publishes two keys, and a third one about the hosts that it has reached.
    keys = 2 + (hosts > 1)
    expect(count["pmix_put"] == (keys * workers, keys) and count["pmix_put_bytes"][0] >= 256 * workers, count)
    # What a worker reads of each other one: who it is, its segment and its endpoint.
    expect(hosts > 1 or count["pmix_get_bytes"][1] <= 512 * workers + 4096, count)
    expect(count["requests"][0] >= workers and count["mr_pages"][0] >= count["mr_bytes"][0] // 4096, count)
    print(f"{workers} workers on {hosts} hosts: " + ", ".join(f"{call} {n[1]}" for call, n in count.items() if n[0]))


def main():
    numbers = [int(text) for text in sys.argv[2:]]
    for workers, hosts in zip(numbers[::2], numbers[1::2]):
        check(Path(sys.argv[1]), workers, hosts)


main()

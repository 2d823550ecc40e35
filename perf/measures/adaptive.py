# SPDX-License-Identifier: MIT
"""A loop with skewed costs, a search, a prefix sum and a sort: by uat/pattern.h and by adaptive requests.

    perf/measure adaptive [-n 1,2] [--virtual 64,256,1024] [--rounds 3] [--iterations 1000] [--elements 8192] [--build build]

The tables show the seconds of uat-adaptive. -n: numbers of workers in real time. In real time the ways take turns in
each round, and the median over the rounds counts. --virtual: numbers of workers in virtual time, with 16 workers per
host and one run of each way. In virtual time each worker has --iterations iterations of 1 us, or --elements elements to
sort. In real time each worker has 100 times as many. `sort` is a merge sort whose passes are loops. `uat_sort()` is the
library's quicksort, which does not advance virtual time.
"""
import statistics
import time

import runs

APPS = {"loop": 0, "search": 1, "prefix": 2, "sort": 3}
REAL = 100  # a run in real time is this many times as large as one in virtual time
WAYS = {"pattern.h": 0, "concurrent": 1, "cooperative": 2, "uat_sort()": 4}


def add_options(parser):
    parser.add_argument("-n", type=runs.numbers, default=[1, 2], help="numbers of workers in real time (1,2)")
    parser.add_argument("--virtual", type=runs.numbers, default=[64, 256, 1024], help="numbers of workers in virtual time (64,256,1024)")
    parser.add_argument("--apps", type=runs.words_of(list(APPS)), default=list(APPS), help=f"({','.join(APPS)})")
    parser.add_number("--rounds", 3, "in real time: runs, of which the medians count")
    parser.add_number("--iterations", 1000, "iterations of a worker")
    parser.add_number("--elements", 8192, "elements of a worker, for the sort")
    parser.add_build()


def one(options, app, way, workers, **settings):
    size = (options.elements if app == "sort" else options.iterations) * (1 if settings else REAL)
    return runs.uatrun(options.build, workers, "perf/uat-adaptive", "--app", str(APPS[app]), "--by", str(WAYS[way]), "-n", str(max(100, size * workers)),
                       **settings)["seconds"]


def measure(options):
    began = time.monotonic()
    table = runs.Table({"program": "<8", "workers": "7", "time": "<7", **{way: "11.3f" for way in WAYS}}.items())
    for app in options.apps:
        ways = [way for way in WAYS if app == "sort" or way != "uat_sort()"]
        for workers in options.n:
            taken = runs.in_turn(options.rounds, ways, lambda way, n=workers, a=app: one(options, a, way, n))
            table.row([app, workers, "real", *(1e3 * statistics.median(taken[way]) if way in taken else None for way in WAYS)])
        for workers in options.virtual:
            found = {way: one(options, app, way, workers, UAT_TRANSPORT="sim", UAT_SIM_NETWORK="cx6-ideal,node=16") for way in ways if way != "uat_sort()"}
            table.row([app, workers, "virtual", *(1e3 * found[way] if way in found else None for way in WAYS)])
    print(f"Milliseconds. All in {time.monotonic() - began:.0f} s.")

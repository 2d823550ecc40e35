# SPDX-License-Identifier: MIT
"""Timelines with known pictures, in the format of UAT_TRACE."""
import json
import random


def line(name, worker, begin, duration, **args):
    event = {"ph": "X", "name": name, "cat": "worker", "pid": 0, "tid": worker, "ts": begin, "dur": duration}
    return json.dumps({**event, "args": args} if args else event)


def timeline(path, workers, events, dropped=0):
    names = [json.dumps({"ph": "M", "name": "thread_name", "pid": 0, "tid": w, "args": {"name": f"worker {w} on host{w % 2}"}})
             for w in range(workers)]
    tail = json.dumps({"workers": workers, "dropped": dropped, "version": "0"})
    path.write_text('{"displayTimeUnit":"ns","traceEvents":[\n' + ",\n".join(names + events) + '\n],"otherData":' + tail + "}\n")


def small(path):
    """
    Two workers and 1000 ms. Worker 0 runs all the time, and fetches far memory for 100 ms of it. Worker 1 is idle for 200 ms, steals for
    100 ms, runs for 500 ms, and is idle for 200 ms. So tasks run for 1400 ms. This is 1.40 workers on average, or 70.0 % of the time.
    20.0 % of the time is idle.
    """
    timeline(path, 2, [line("run", 0, 5000, 1e6), line("fetch", 0, 300000, 1e5, bytes=4096),
                       line("idle", 1, 5000, 2e5, failed=7), line("steal", 1, 205000, 1e5, bytes=480, **{"from": 0}),
                       line("peek", 1, 205000, 5e4), line("run", 1, 305000, 5e5), line("idle", 1, 805000, 2e5, failed=9)])


def large(path, workers=256, steals=12):
    """Many workers, which steal at random."""
    chance, events = random.Random(1), []
    for w in range(workers):
        at = 10.0 * w
        if w:
            events.append(line("idle", w, 0, at, failed=3))
        for _ in range(steals):
            run = chance.expovariate(1 / 900)
            events.append(line("run", w, at, run))
            events.append(line("idle", w, at + run, 30, failed=2))
            victim = chance.randrange(workers - 1)
            events.append(line("steal", w, at + run + 30, 12, bytes=600, **{"from": victim + (victim >= w)}))
            at += run + 42
    timeline(path, workers, events, dropped=12)


def flow(path):
    """
    Two workers, in ms. A task runs in place from 0 to 100 on worker 0. The unroller is on worker 1. It makes entry 64 from 50 to 60, and
    entry 128 from 60 to 70. The end of the first task, from 100 to 105, makes entry 64 ready. Entry 64 runs from 110 to 310, and fetches
    from 200 to 250. Its end makes room in the window, so the unroller continues at 330, and makes entry 64 again from 330 to 340. The new entry 64 is
    ready at once, and runs from 345 to 400. Entry 128 runs from 70 to 90 and is not on the path. So the path has: in place 100, hand-over
    10 + 5, tasks 150 + 55, fetches 50, window 20, unroller 10. The sum is 400.
    """
    ms = 1000.0
    timeline(path, 2, [line("run", 0, 0, 320 * ms), line("fetch", 0, 200 * ms, 50 * ms, bytes=9), line("run", 1, 50 * ms, 350 * ms),
                       line("flow spawn", 1, 50 * ms, 10 * ms, entry=64), line("flow spawn", 1, 60 * ms, 10 * ms, entry=128),
                       line("flow begin", 1, 70 * ms, 0, entry=128), line("flow end", 1, 90 * ms, 1 * ms, entry=128),
                       line("flow ready", 0, 104 * ms, 0, entry=64), line("flow end", 0, 100 * ms, 5 * ms, entry=192),
                       line("flow begin", 0, 110 * ms, 0, entry=64), line("flow end", 0, 310 * ms, 10 * ms, entry=64),
                       line("flow room", 1, 330 * ms, 0, entry=0), line("flow spawn", 1, 330 * ms, 10 * ms, entry=64),
                       line("flow begin", 1, 345 * ms, 0, entry=64), line("flow end", 1, 400 * ms, 0, entry=64)])

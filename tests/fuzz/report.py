#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Description: uat-report turns any timeline into a page, or refuses it in one line, within 1 GiB of address space and
60 seconds.
usage: report.py SECONDS [SEED]"""
import copy
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
TOOL = HERE.parent.parent / "perf" / "uat-report"
MEMORY = 1 << 30  # bytes of address space
sys.path.insert(0, str(HERE.parent / "report"))
import made  # noqa: E402

VALUES = [0, -1, 1, 2, 64, 65535, 65536, 99999999, 1 << 31, 1 << 63, -(1 << 63), 10 ** 400, 1e308, -1e308, 1e-308, 0.5, float("nan"),
          float("inf"), True, None, "", "1", "x" * 5000, "</script>", [], [[]], {}, {"a": 1}]


def spoil(events, chance):
    """Change or remove random values of random events, or replace an event by a value."""
    for _ in range(chance.randint(1, 4)):
        event = chance.choice(events)
        if chance.random() < 0.1:
            events[events.index(event)] = copy.deepcopy(chance.choice(VALUES))
            continue
        if not isinstance(event, dict):
            continue
        if isinstance(event.get("args"), dict) and event["args"] and chance.random() < 0.5:
            event = event["args"]
        key = chance.choice(list(event)) if event else "tid"
        if chance.random() < 0.15:
            event.pop(key, None)
        else:
            event[key] = copy.deepcopy(chance.choice(VALUES))


def timeline(chance):
    lines = [json.loads(text) for text in
             (made.line("run", 0, 5, 100), made.line("fetch", 0, 30, 10, bytes=64), made.line("steal", 1, 20, 10, bytes=480, **{"from": 0}),
              made.line("idle", 1, 40, 60, failed=2))]
    names = [{"ph": "M", "name": "thread_name", "pid": 0, "tid": w, "args": {"name": f"worker {w} on host"}} for w in range(2)]
    tail = {"workers": 2, "dropped": 0, "version": "0"}
    events = names + lines + [tail]
    spoil(events, chance)
    text = '{"displayTimeUnit":"ns","traceEvents":[\n' + ",\n".join(map(json.dumps, events[:-1])) + '\n],"otherData":' + \
        json.dumps(events[-1]) + "}\n"
    raw = bytearray(text.encode())
    if chance.random() < 0.2:
        for _ in range(chance.randint(1, 5)):
            raw[chance.randrange(len(raw))] = chance.randrange(256)
    if chance.random() < 0.03:
        raw = raw.replace(b'"run"', b"[" * 100000)
    return bytes(raw)


def fault_of(trace):
    done = subprocess.run([sys.executable, str(TOOL), str(trace)], capture_output=True, timeout=60, check=False, text=True,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)))
    page = trace.with_suffix(".html")
    if done.returncode == 0 and page.exists() and not done.stderr:
        page.unlink()
        return None
    if done.returncode == 1 and not page.exists() and done.stderr.count("\n") == 1 and done.stderr.startswith("uat-report: "):
        return None
    return f"status {done.returncode}: {done.stderr[-1000:]}"


def main():
    seconds, chance = int(sys.argv[1]), random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    end, tried = time.monotonic() + seconds, 0
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "trace.json"
        while time.monotonic() < end or tried < 20:
            trace.write_bytes(timeline(chance))
            tried += 1
            if fault := fault_of(trace):
                print(f"FAILED report: input {tried}: {fault}\n{trace.read_bytes()[:3000]!r}")
                return 1
    print(f"ok     report: {tried} inputs in {seconds} s", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

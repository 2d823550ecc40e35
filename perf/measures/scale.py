# SPDX-License-Identifier: MIT
"""How a benchmark scales, in virtual time: its efficiency at several numbers of workers.

    perf/measure scale -n 16,64,256 --idle -- build/perf/uat-uts -t 1 -a 3 -d 8 -b 4 -r 19
    perf/measure scale -n 64,256 --set UAT_DEQUE=claim --versus UAT_DEQUE=lock -- build/perf/uat-btc -d 14 -i 1
    perf/measure scale -n 256 --set UAT_SIM_NETWORK=cx6 --versus UAT_SIM_NETWORK=fx10 -- build/perf/uat-nqueens -n 10

The efficiency is tasks times UAT_SIM_TASK, divided by workers times seconds. --idle shows, from a timeline, the
fractions of all workers' time that were not work. `start` is the time before a worker's first task, and `tail` is the
time after its last task. Between them are `steals` (successful ones), `joins` (with a child or parent on another
worker) and `search` (nothing was found). `other` is the remaining time: start and end of the run on all workers, and
tasks that wait. `limits` names the largest of these fractions if it is 1 % or more. It names `adapter` if the busiest
adapter served requests for more than 60 % of the run. --cost shows the cost of the simulation itself: wall time and
processor time per step, without the start and the end of the processes. --json prints one JSON object per line, for
uat-plot.
"""
import json
import os
import re
import tempfile
from pathlib import Path

import runs

PARTS = ["start", "tail", "steals", "joins", "search", "other"]
ADAPTER_BUSY = 60  # percent
LEAST = 0.01  # fraction of the time: a smaller part limits nothing
COST = re.compile(r"simulated .* ([\d]+) steps, .* ([\d.]+) us of wall time and ([\d.]+) us of processor time each, "
                  r".* after ([\d.]+) s and take ([\d.]+) MiB each; the busiest adapter served for (\d+) %")


def setting(text):
    if "=" not in text:
        raise runs.Refused(f"'{text}' is not NAME=VALUE")
    return text


def settings_of(texts):
    return dict(text.split("=", 1) for text in texts)


def overlap(event, begin, end):
    return max(0.0, min(event["ts"] + event["dur"], end) - max(event["ts"], begin))


def idle_of(path, workers, report):
    """The fractions of the workers' time: one fraction for each of PARTS. None if the timeline is incomplete because
    its memory was full."""
    document = json.loads(Path(path).read_text())
    if document["otherData"]["dropped"]:
        return None
    spans = {}
    for event in document["traceEvents"]:
        if event["ph"] == "X" and event["cat"] == "worker":
            spans.setdefault(event["tid"], []).append(event)
    runs = {tid: [e for e in events if e["name"] == "run"] for tid, events in spans.items()}
    runs = {tid: events for tid, events in runs.items() if events}
    begin = min(events[0]["ts"] for events in runs.values())
    end = max(events[-1]["ts"] + events[-1]["dur"] for events in runs.values())
    sums = dict.fromkeys(PARTS, 0.0)
    sums["start"] = (workers - len(runs)) * (end - begin)
    for tid, events in runs.items():
        first, last = events[0]["ts"], events[-1]["ts"] + events[-1]["dur"]
        sums["start"] += first - begin
        sums["tail"] += end - last
        between = last - first - sum(e["dur"] for e in events)
        steals = sum(overlap(e, first, last) for e in spans[tid] if e["name"] == "steal")
        search = sum(overlap(e, first, last) for e in spans[tid] if e["name"] == "idle")
        sums["steals"] += steals
        sums["search"] += search
        sums["joins"] += max(0.0, between - steals - search)
    parts = {part: time * 1e-6 / (report["seconds"] * workers) for part, time in sums.items()}
    parts["other"] = max(0.0, 1 - report["efficiency"] - sum(parts.values()))
    return parts


def limit_of(report):
    if report["cost"] and report["cost"]["adapter"] > ADAPTER_BUSY:
        return "adapter"
    if not report["idle"]:
        return "-"
    part = max(PARTS, key=report["idle"].get)
    return part if report["idle"][part] >= LEAST else "nothing"


def report_of(options, label, settings, workers):
    with tempfile.TemporaryDirectory() as folder:
        environment = {"UAT_TRANSPORT": "sim", "UAT_LOG": "info", **settings}
        if options.idle:
            environment["UAT_TRACE"] = folder + "/trace.json"
        result = runs.run([options.uatrun, "-n", workers, *options.command, "--json"], environment)
        report = runs.report_of(result)
        if report.get("time") != "virtual":
            runs.fail(f"not a run in virtual time: {' '.join(result.args)}")
        task = runs.seconds_of_task({**os.environ, **settings})
        report["milliseconds"] = report["seconds"] * 1e3
        report["efficiency"] = report["tasks"] * task / (workers * report["seconds"])
        report["idle"] = idle_of(environment["UAT_TRACE"], workers, report) if options.idle else None
    cost = COST.search(result.stderr)
    names = ("steps", "wall", "processor", "start", "MiB", "adapter")
    report["cost"] = dict(zip(names, map(float, cost.groups()))) if cost else None
    return {**report, "benchmark": report["program"], "program": "scale", "settings": label, "limits": limit_of(report) if options.idle else ""}


def columns_of(options):
    """The requested columns: (title, format, the value's place in a report)."""
    columns = [("settings", "<24", "settings"), ("workers", "7", "workers"), ("ms, virtual", "12.4f", "milliseconds"),
               ("efficiency", "10.3f", "efficiency"), ("steals", "8", "steals"), ("attempts", "9", "steal_attempts"),
               ("trips", "6.2f", "round_trips_per_steal_mean")]
    if options.idle:
        columns += [(part, "7.3f", "idle", part) for part in PARTS] + [("limits", "<7", "limits")]
    if options.cost:
        columns += [("steps", "9.0f", "cost", "steps"), ("us/step, wall", "13.2f", "cost", "wall"), ("processor", "9.2f", "cost", "processor"),
                    ("s start", "7.2f", "cost", "start"), ("MiB each", "8.2f", "cost", "MiB")]
    return columns


def value_of(report, place):
    for key in place:
        report = report[key] if report else None
    return report


def add_options(parser):
    parser.add_argument("-n", type=runs.numbers, default="16,64,256", help="numbers of workers (16,64,256)")
    parser.add_argument("--set", type=setting, action="append", default=[], metavar="NAME=VALUE", help="a setting of the first series")
    parser.add_argument("--versus", type=setting, action="append", default=[], metavar="NAME=VALUE",
                        help="a setting of a second series, which overrides those of the first")
    parser.add_argument("--idle", action="store_true", help="show from a timeline why workers were idle and what limits")
    parser.add_argument("--cost", action="store_true", help="show the simulation's own time per step, start-up time and memory")
    parser.add_argument("--json", action="store_true", help="one JSON object per line")
    parser.add_argument("--uatrun", default=None, help="the launcher (that next to the program's folder, or in PATH)")
    parser.add_words("command", "a benchmark of perf/ with its arguments", needed=True)


def measure(options):
    runs.need_program(options.command[0])
    if options.uatrun:
        runs.need_program(options.uatrun, "--uatrun: ")
    else:
        beside = Path(options.command[0]).resolve().parent.parent / "launcher/uatrun"
        options.uatrun = str(beside) if beside.exists() else "uatrun"
    first = settings_of(options.set)
    series = {" ".join(options.set) or "as it is": first}
    if options.versus:
        series[" ".join(options.versus)] = {**first, **settings_of(options.versus)}
    columns = columns_of(options)
    table = None if options.json else runs.Table([column[:2] for column in columns])
    for label, settings in series.items():
        for workers in options.n:
            report = report_of(options, label, settings, workers)
            if table:
                table.row([value_of(report, place) for _, _, *place in columns])
            else:
                print(json.dumps(report), flush=True)

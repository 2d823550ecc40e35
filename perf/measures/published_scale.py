# SPDX-License-Identifier: MIT
"""Programs of Shiina and Taura (Cluster'22) in virtual time beside their published times. Part of perf/measure published."""
import json
import os
import statistics
import tempfile
from pathlib import Path

import runs
from measures.scale import COST

# MassiveThreads/DM, greedy joins, InfiniBand EDR, 36 cores a host: the public artifact's raw_results/ito-a, greedy_gc.
# {program: (program and arguments, UAT_SIM_TASK, {cores: (ms, efficiency, us of a steal, us of a failed one, busy)})}
# LCS: medians of the 11 or 20 runs; the efficiency is that of 340 us a block.
# The loops' figures are medians of 100 runs (576 cores: of the first 17 or 18), of the build with a profiler.
PROGRAMS = {
    "UTS T1L": (["perf/uat-uts", "-t", "1", "-a", "3", "-d", "13", "-b", "4", "-r", "29"], "1229ns",
                {36: (663, .976), 144: (162.07, .998), 576: (43.73, .925), 2304: (13.02, .777)}),
    "PFor 65536": (["perf/uat-pfor", "--kernel", "0", "-n", "65536"], "1ns",
                   {36: (96.2, .946, 19.7, 3.2, .957), 144: (29.2, .780, 32.7, 6.3, .793), 576: (12.8, .445, 35.7, 7.3, .466)}),
    "RecPFor 32768": (["perf/uat-pfor", "--kernel", "1", "-n", "32768"], "1ns",
                      {36: (716, .966, 19.1, 3.4, .977), 144: (198, .872, 25.7, 5.6, .883), 576: (78.0, .554, 32.5, 7.9, .564)}),
    "LCS 262144": (["perf/uat-lcs", "--levels", "9", "--side", "512", "--leaf", "340000"], "1ns",
                   {36: (2637, .939), 144: (817, .757), 576: (562, .619), 2304: (556, .626)}),
}
# How far tasks may run ahead of the other workers, in us, so that long runs take fewer switches.
QUANTUM_US = {"UTS T1L": {36: 50, 144: 20}, "LCS 262144": {36: 50, 144: 50}}


def steal_us(path):
    """The mean duration of a successful steal. None if there is none, or if the timeline's memory was full."""
    document = json.loads(Path(path).read_text())
    steals = [event["dur"] for event in document["traceEvents"] if event["ph"] == "X" and event["name"] == "steal"]
    return statistics.mean(steals) if steals and not document["otherData"]["dropped"] else None


def simulate(options, name, cores):
    """The cells for a simulated run."""
    (program, *arguments), task, _ = PROGRAMS[name]
    quantum = QUANTUM_US.get(name, {}).get(cores, 5)
    with tempfile.TemporaryDirectory() as folder:
        settings = {"UAT_TRANSPORT": "sim", "UAT_SIM_NETWORK": "cx6,node=36", "UAT_SIM_TASK": f"{task},quantum={quantum}us", "UAT_LOG": "info",
                    "UAT_TRACE": folder + "/trace.json", "UAT_RESULT_MAX": "4k" if "lcs" in program else "1k"}
        done = runs.run([options.build / "launcher" / "uatrun", "-n", cores, options.build / program, *arguments, "--json"], settings)
        steal = steal_us(settings["UAT_TRACE"])
    report, cost = runs.report_of(done), COST.search(done.stderr)
    efficiency = report.get("efficiency") or report["tasks"] * runs.seconds_of_task(settings) / (cores * report["seconds"])
    failed = report["steal_attempts"] - report["steals"]
    return [f"{report['seconds'] * 1e3:.4g}", f"{efficiency:.3f}", "-" if steal is None else f"{steal:.2f}",
            f"{report['round_trips_per_steal_mean']:.2f}", f"{failed} of {report['steal_attempts']}", *(f"{float(cost[i]):.2f}" for i in (5, 3))]


def measure_scale(options):
    print(f"virtual time, cx6, 36 cores a host, single runs; load {os.getloadavg()[0]:.1f}")
    runs.print_titles(["program", "cores", "published: ms", "efficiency", "steal, us", "failed, us", "busy", "simulated: ms", "efficiency",
                       "steal, us", "round trips", "failed attempts", "MiB a worker", "us of processor time a step"])
    for name, (_, _, published) in PROGRAMS.items():
        for cores in options.cores:
            cells = [f"{value:.4g}" for value in published.get(cores, ())]
            runs.print_cells([name, str(cores), *(cells + [""] * 5)[:5], *simulate(options, name, cores)])

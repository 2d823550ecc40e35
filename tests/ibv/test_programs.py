#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Description: fib, BTC, NQueens, UTS and programs that wait, over verbs, in one guest or two. They run with 4 workers
under each deque protocol, and some also with 2 workers under claim. Answers must be right. Every program must have
steals, with the round trips and the operations of its protocol. Random programs with adaptive requests also run. Then
the test runs part of tests/global/guests. Over two guests it also runs part of tests/programs/guests, and the litmus
tests between the guests. No forbidden outcome may be seen.

usage: test_programs.py VM_RUN BUILD GUESTS [RUNS]
"""
import json
import os
import shlex
import subprocess
import sys

VM_RUN, BUILD, GUESTS = sys.argv[1], sys.argv[2], int(sys.argv[3])
RUNS = int(sys.argv[4]) if len(sys.argv) > 4 else 1
TESTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
PROGRAMS = ["uat-fib 28", "uat-btc -d 16", "uat-nqueens -n 10", "uat-uts -r 0 -b 4 -a 3 -d 7"]
# Programs whose tasks wait; each runs once. The test checks their answers, and the round trips of operations on another
# worker's objects.
WAITING = ["uat-wavefront --blocks 6 --side 60 --seq", "uat-pipeline --items 30 --work 100 --seq",
           "uat-sync --members 10 --passes 40 --fibers 5 --depth 2 --batches 2"]
WITH_TWO = PROGRAMS[-1:] + WAITING  # run with two workers under claim
# one kind of connection for each start of all programs over two guests
CONNECT = ["host", "rdmacm,neighbours=adapter", "worker", "host,neighbours=adapter"]
TREE = 105178  # number of nodes of the tree
TRIALS = 100  # number of trials per litmus test


def programs(deque, workers):
    """All four programs under claim; the last one under the other protocols."""
    return WITH_TWO if workers == 2 else PROGRAMS if deque == "claim" else PROGRAMS[-1:]


def quoted(program):
    """The path of a program in the build folder, quoted for the shell, because it may contain blanks."""
    return shlex.quote(f"{BUILD}/{program}")


def script():
    """The commands to run in the guest. Each prints a line of JSON."""
    lines, starts = ["set -e"], 0
    for run in range(RUNS):
        for deque in ("lock", "claim", "message", "paper", "paper-message"):
            for workers in (2, 4) if deque == "claim" else (4,):
                start = (f"{quoted('launcher/uatrun')} -n {workers}" if GUESTS == 1 else
                         f"srun -N 2 --ntasks-per-node={workers // 2} --mpi=pmix")
                settings = f"UAT_TRANSPORT=ibv UAT_DEQUE={deque} UAT_SEED={run + 1}"
                if GUESTS == 2:
                    settings += " UAT_CONNECT=" + CONNECT[starts % len(CONNECT)]
                starts += 1
                lines += [f"{settings} {start} {quoted('perf/' + program)} {options} --json"
                          for program, options in (words.split(" ", 1) for words in programs(deque, workers))]
    for deque in ("claim", "message"):  # the program checks its answers, and exits with 1 if one is wrong
        start = f"{quoted('launcher/uatrun')} -n 4" if GUESTS == 1 else "srun -N 2 --ntasks-per-node=2 --mpi=pmix"
        lines.append(f"UAT_TRANSPORT=ibv UAT_DEQUE={deque} {start} {quoted('tests/adaptive/adaptive-random')} 2")
    if GUESTS == 2:
        # This is not piped, because a pipe would lose the status.
        lines += [f"srun -N 2 --ntasks-per-node=1 --mpi=pmix {quoted('launcher/info/uat_info')} --json --litmus={TRIALS} >/tmp/litmus",
                  "tr -d '\\n' </tmp/litmus", "echo"]
    for folder in ("global",) if GUESTS == 1 else ("global", "programs"):
        command = [os.path.join(TESTS, folder, "guests"), VM_RUN, BUILD, str(GUESTS), "--list"]
        lines += subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
    return "\n".join(lines)


def check_sync(report):
    trips = report["round_trips"]
    if trips["mutex_far"] != 1.0 or trips["channel_far"] != 1.5 or trips.get("future_far_wait", 2.0) != 2.0:
        sys.exit(f"wrong round trips: {json.dumps(report)}")
    print("uat-sync, median us:", {key: round(report[key]["median_ns"] / 1000) for key in report if key in
                                  ("channel_ping_pong", "mutex", "mutex_far", "channel_far", "future_far_wait")}, trips)


def check_litmus(reports):
    """Each litmus test ran between the two guests, and was reported once, by the first of the two processes."""
    if [report["litmus_hosts"] for report in reports] != ([["node1", "node2"]] if GUESTS == 2 else []):
        sys.exit(f"not one report of litmus tests between the guests: {json.dumps(reports)}")
    for result in reports[0]["litmus"] if reports else []:
        if (result["trials"] < TRIALS and result["test"] != "two-adapters") or result["verdict"] == "BROKEN":
            sys.exit(f"wrong: {json.dumps(result)}")


def check(report, totals):
    what = f"{report['program']} with {report['workers']} workers, {report['deque']}: {json.dumps(report)}"
    counters = report["counters"]
    if not report["correct"] or report["transport"] != "ibv":
        sys.exit(f"wrong: {what}")
    if report["program"] == "uat-uts" and report["result"] != TREE:
        sys.exit(f"not {TREE} nodes: {what}")
    if counters["steals"]:
        messages = report["deque"] == "message"
        least = {"lock": 3, "paper": 7, "paper-message": 7}.get(report["deque"], 2)
        swaps, adds = counters["ops_cmp_swap"], counters["ops_fetch_add"]
        if report["round_trips_per_steal"] < least or counters["ops_read"] < (1 if messages else 2) * counters["steals"]:
            sys.exit(f"a steal with too few round trips: {what}")
        # All workers of one guest are neighbours, so a peek needs no request. A claim needs requests for its atomic and
        # for the operations after the atomic. The check below does not hold for tasks that wait: there a READ needs a
        # request if it follows an atomic in flight to the same neighbour.
        if GUESTS == 1 and report["deque"] == "claim" and any(words.split()[0] == report["program"] for words in PROGRAMS) and (
                counters["steal_requests_read"] > 2 * counters["steals"] + 4 * counters["second_looks"]
                or counters["steal_ops_read"] < counters["steal_requests_read"] + counters["steals"]):
            sys.exit(f"peeks of neighbours through the adapter: {what}")
        if (adds if report["deque"] in ("lock", "paper") else swaps) < counters["steals"]:
            sys.exit(f"steals without atomics: {what}")
    totals[report["program"]] = totals.get(report["program"], 0) + counters["steals"]


def main():
    environment = {name: value for name, value in os.environ.items() if not name.startswith("UAT_")}
    command = [VM_RUN, "--quiet", "--build", BUILD, "--guests", str(GUESTS), "--timeout", str(max(900, 60 * RUNS))]
    command += ["--slurm"] if GUESTS == 2 else []
    done = subprocess.run(command + ["--", "sh", "-c", script()], env=environment, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True)
    if done.returncode:
        print(done.stdout, done.stderr)
        sys.exit(done.returncode)
    reports = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    check_litmus([report for report in reports if "litmus" in report])
    reports = [report for report in reports if "litmus" not in report]
    if len(reports) != RUNS * (len(PROGRAMS) + 4 + len(WITH_TWO)):
        sys.exit(f"{len(reports)} reports:\n{done.stdout}\n{done.stderr}")
    totals = {}
    for report in reports:
        if report["program"] == "uat-sync":
            check_sync(report)
        else:
            check(report, totals)
    print("steals:", totals)
    if not all(totals[words.split()[0]] for words in PROGRAMS):
        sys.exit("a program without steals")


main()

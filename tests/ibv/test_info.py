#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Description: uat_info on a machine without a device, and in a guest with a device. It gives the right table, JSON,
status and advice. It runs litmus tests of the guarantees that the protocols need. In the guest no forbidden outcome
is seen.

usage: test_info.py VM_RUN BUILD UAT_INFO
"""
import json
import os
import shlex
import subprocess
import sys

VM_RUN, BUILD, UAT_INFO = sys.argv[1:4]
TRIALS = 1000  # number of trials per litmus test
ATTEMPTS = 8  # maximum number of attempts to show lost updates, which need a race


def run(command):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("UAT_")}
    done = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=520)
    return done.returncode, done.stdout, done.stderr


def guests(*commands):
    """Run the commands in one guest. Returns (status, output, errors) of each command."""
    show = ("python3 -c 'import json, sys; print(json.dumps([int(sys.argv[1]), *(open(name).read() for name in sys.argv[2:])]))'"
            ' $status "$TMPDIR/out" "$TMPDIR/err"')
    script = "\n".join(f'{{ {shlex.join(command)}; }} >"$TMPDIR/out" 2>"$TMPDIR/err"; status=$?; {show}' for command in commands)
    status, out, error = run([VM_RUN, "--quiet", "--build", BUILD, "--cpus", "2", "--timeout", "500", "--", "sh", "-c", script])
    if status == 77:
        print(error)
        sys.exit(77)
    answers = [tuple(json.loads(line)) for line in out.splitlines()]
    expect(status == 0 and len(answers) == len(commands), f"{status}\n{out}\n{error}")
    return answers


def expect(condition, what):
    if not condition:
        sys.exit(f"not as expected: {what}")


def test_without_device():
    if os.path.exists("/sys/class/infiniband") and os.listdir("/sys/class/infiniband"):
        return  # this host has a device
    status, out, error = run([UAT_INFO, "--json"])
    info = json.loads(out)
    expect(status == 1 and "no verbs port can be used" in error and "rdma link add" in error, error)
    expect(info["auto"]["transport"] == "shm" and "no verbs device" in info["auto"]["why"], info["auto"])
    expect(info["ports"] == [] and "chosen" not in info and "OpenPMIx" in info["pmix"], info)
    status, out, _ = run([UAT_INFO])
    expect(status == 1 and "auto picks shm" in out and "PMIx" in out, out)
    with open("/dev/full", "w", encoding="ascii") as full:
        done = subprocess.run([UAT_INFO, "--json"], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    expect(done.returncode == 1 and "uat_info: cannot write: No space left" in done.stderr, done.stderr)
    for wrong in "--jsno", "--job=2", "--job=0x4", "--job=2x4x", "--job=2x-4":
        status, _, error = run([UAT_INFO, wrong])
        expect(status == 2 and "usage:" in error, error)


def test_device(status, out, error):
    info = json.loads(out)
    expect(status == 0 and not error, error)
    expect(info["auto"]["transport"] == "ibv", info["auto"])
    chosen, (port,) = info["chosen"], info["ports"]
    expect((chosen["device"], chosen["port"], chosen["gid_index"]) == ("rxe0", 1, 1), chosen)
    expect(port["usable"] and port["atomics"] == "HCA" and port["link_layer"] == "Ethernet", port)
    expect(port["mtu"] == 4096 and port["max_queue_pairs"] > 0, port)
    expect(any(gid["kind"] == "RoCE v2/IPv4" and gid["gid"] == "::ffff:10.9.0.1" and gid["network"] == "10.9.0.0/24"
               for gid in port["gids"]), port["gids"])
    queue = info["chosen"]["queue"]  # Soft-RoCE has no thread domains
    expect((queue["thread_domain"], queue["ordered_keys"]) == ("no", "yes") and queue["inline_bytes"] >= 64, queue)
    expect(info["processor"] in ("x86-64", "aarch64") and "obstacle" not in info, info)
    expect(info["memlock"]["unlimited"] and info["randomisation"]["can_be_turned_off"], info)


def test_wrong_gid(status, out, error):
    expect(status == 1 and "UAT_GID_INDEX=255" in error and "<- taken" in out, out + error)


def test_job(host, worker):
    """64 x 32 workers, connected host by host, and all to all. A job's log must have the same numbers: see
    test_log()."""
    for (status, out, error), kind, connections, neighbours in (host, "host", 64, 32), (worker, "worker", 2048, 1):
        job = json.loads(out)["job"]
        expect(status == 0 and not error, error)
        expect((job["hosts"], job["workers_per_host"]) == (64, 32), job)
        expect((job["connections"], job["regions"]) == (connections, 3), job)
        completions = min(512, 32 * connections)
        expect(job["pinned_queues_bytes"] == connections * 32 * 128 + completions * 64, job)
        expect(neighbours * 32 << 20 < job["pinned_segments_bytes"] < (neighbours + 1) * 40 << 20, job)
        expect(job["translated_pages"] == job["pinned_segments_bytes"] // 4096, job)
        expect(job["pinned_bytes"] == job["pinned_segments_bytes"] + job["pinned_queues_bytes"], job)
        expect(f"UAT_CONNECT={kind}" in job["why"], job)


def test_log(info, log):
    """The log of 3 workers must agree with what `uat_info --job=1x3` predicts."""
    job = json.loads(info[1])["job"]
    status, out, error = log
    expect(status == 0, error)
    expect(error.count(f"{job['connections']} connections for 3 workers (UAT_CONNECT=host): one to each of 1 groups") == 3, error)
    expect(error.count(f"{job['regions']} memory regions: ") == 3, error)
    expect(error.count(f"{job['pinned_bytes'] // 1024} KiB count as locked") == 3, error)


def test_litmus(status, out, error):
    """Check the litmus tests of a guest. Returns True if CPU atomics lost updates, which is allowed."""
    expect(status == 0 and out, f"status {status}: {out}{error}")
    results = {result["test"]: result for result in json.loads(out)["litmus"]}
    expect(len(results) == 23 and not results.pop("two-adapters")["trials"], results)  # the guest has one device
    expect(all(result["trials"] >= TRIALS for result in results.values()), results)
    forbidden = [result for result in results.values() if result["verdict"] == "forbidden"]
    expect(len(forbidden) == 7 and not any(result["seen"] for result in forbidden), results)
    expect(all(result["verdict"] in ("forbidden", "allowed") for result in results.values()), results)
    return results["cpu-adapter"]["seen"] > 0


def main():
    litmus = UAT_INFO, "--json", f"--litmus={TRIALS}"
    test_without_device()
    device, wrong, host, worker, three, log, first = guests(
        (UAT_INFO, "--json"), ("env", "UAT_GID_INDEX=255", UAT_INFO), (UAT_INFO, "--json", "--job=64x32"),
        ("env", "UAT_CONNECT=worker", UAT_INFO, "--json", "--job=64x32"), (UAT_INFO, "--json", "--job=1x3"),
        ("env", "UAT_TRANSPORT=ibv", "UAT_LOG=info", "uatrun", "-n", "3", "uat-fib", "5"), litmus)
    test_device(*device)
    test_wrong_gid(*wrong)
    test_job(host, worker)
    test_log(three, log)
    shown = test_litmus(*first)
    for attempt in range(1, ATTEMPTS):
        if not shown:
            print(f"attempt {attempt}: no update was lost")
            shown = test_litmus(*guests(litmus)[0])
    expect(shown, "CPU atomics against those of the adapter lost no update")


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Description: on a host with twelve adapters, a worker lists the adapters once, and opens only those about which /sys
has too little information. It takes the port that it would take after opening all adapters. A job runs within the
limits of each real device in `devices` that uat can use. uat_info shows the properties of the chosen adapter's queue
pairs and keys.

usage: test_devices.py BUILD
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from fake import DEVICES, Run, expect, fib

# Name, state, link layer, rate in Gb/s, atomics. fake4 is the best usable adapter.
ADAPTERS = [("fake0", "down", "infiniband", 400, "hca"), ("fake1", "active", "ethernet", 400, "hca"), ("fake2", "active", "infiniband", 100, "hca"),
            ("fake3", "active", "infiniband", 400, "none"), ("fake4", "active", "infiniband", 200, "hca")]
ADAPTERS += [(f"fake{i}", "active", "infiniband", 100, "hca") for i in range(5, 12)]
SPEED = {100: 32, 200: 64, 400: 128}  # codes of active_speed for width 4X
STATE = {"active": "4: ACTIVE", "down": "1: DOWN"}


def describe(folder, with_sysfs):
    """The text of a file of devices. If with_sysfs, also write the kernel's files for the devices."""
    text = ""
    for i, (name, state, link, rate, atomics) in enumerate(ADAPTERS):
        ethernet = link == "ethernet"
        gid = f"::ffff:10.0.0.{8 * i}" if ethernet else f"fe80::2:c903:{i}:1"
        text += f"device {name}\natomic_cap {atomics}\n"
        if with_sysfs:
            text += f"sysfs {folder}/{name}\n"
            port = Path(folder) / name / "ports/1"
            (port / "gids").mkdir(parents=True)
            for file, line in ("state", STATE[state]), ("link_layer", "Ethernet" if ethernet else "InfiniBand"), ("rate", f"{rate} Gb/sec (4X)"), \
                    ("gids/0", "fe80:0000:0000:0000:0002:c903:%04x:0001" % i):
                (port / file).write_text(line + "\n")
        text += f"port\nstate {state}\nlink {link}\nspeed {SPEED[rate]}\nlid {16 * i + 1}\ngid 0 {'v2' if ethernet else 'ib'} {gid}\npkey 0xffff\n"
    return text


def check(build, text, opened, hosts=1, workers=4, takes="fake4", **settings):
    run = Run(build, workers, fib(build, 16), devices=[text], hosts=hosts, LOG="info", **settings)
    expect(run.status == 0 and "987 (correct)" in run.out, run)
    expect(run.count["open_device"] == (opened * workers, opened), run.count)
    expect(run.count["get_device_list"] == (workers, 1), run.count)
    expect(run.count["close_device"] == run.count["open_device"], run.count)
    expect(sum(f"verbs port {takes}:1 in" in line for line in run.lines) == workers, run)
    if hosts > 1:  # the line about choosing verbs names the same port
        expect(sum(f"workers are on several nodes; {takes}:1 is active" in line for line in run.lines) == workers, run)


def test_info(build):
    """uat_info shows the properties of the chosen device's queue pairs and memory keys."""
    for relaxed, keys in (0, "yes"), (1, "Invalid argument"):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "devices"
            path.write_text(f"device mlx5_0\nmax_inline 32\nrelaxed_only {relaxed}\nport\nunordered_levels 6\ngid 0 ib fe80::1:1\npkey 0xffff\n")
            command = [build / "tests/fakeverbs/fakeverbs", "--devices", path, "--", build / "launcher/info/uat_info", "--json"]
            done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        queue = json.loads(done.stdout)["chosen"]["queue"]
        expect((queue["thread_domain"], queue["ordered_keys"], queue["read_data_in_order"]) == ("yes", keys, "not promised"), queue)
        expect(queue["shared_domain"] == "yes", queue)
        expect(queue["unordered_levels"] == "0x0006", queue)


def test_queue_pairs(build):
    """uat_info creates and connects queue pairs, and states those of a job."""
    with tempfile.TemporaryDirectory() as folder:
        counts = Path(folder) / "counts"
        command = [build / "tests/fakeverbs/fakeverbs", "--devices", DEVICES / "one", "--count", counts, "--", build / "launcher/info/uat_info",
                   "--json", "--queue-pairs=50", "--job=8x128"]
        both = subprocess.run(command + ["--litmus=1"], capture_output=True, text=True, timeout=60, check=False)
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        count = {line.split()[0]: int(line.split()[1]) for line in counts.read_text().splitlines()}
    report = json.loads(both.stdout)  # both tests map a segment at the same address, one after the other
    expect(both.returncode == 0 and report["litmus"] and report["queue_pairs"]["measured_pairs"] == 50, both)
    o = json.loads(done.stdout)["queue_pairs"]
    expect(o["measured_pairs"] == 50 and o["create_ns"] > 0 and o["connect_ns"] > 0, o)
    # 50 pairs, the pair of a job of one worker, and one whose properties are shown but which is not connected.
    expect((count["create_qp"], count["modify_qp"], count["destroy_qp"]) == (52, 3 * 51, 52), count)
    pairs = {"worker": 8, "host": 1024, "first_worker_with_global_memory": 1032, "host_with_global_memory": 3064}
    for name, number in pairs.items():
        expect(o[name]["pairs"] == number, (name, o))
        expect(abs(o[name]["seconds"] * 1e9 - number * (o["create_ns"] + o["connect_ns"])) <= 2 * number, (name, o))


def test_traffic_class(build):
    """On Ethernet, a worker takes the traffic class that the administrator has set for the port."""
    with tempfile.TemporaryDirectory() as folder:
        text = f"device fake0\nsysfs {folder}\nport\nlink ethernet\nlid 0\ngid 0 v2 ::ffff:10.9.0.1\npkey 0xffff\ntraffic_class 96\n"
        (Path(folder) / "tc/1").mkdir(parents=True)
        (Path(folder) / "tc/1/traffic_class").write_text("Global tclass=96\n")
        run = Run(build, 2, fib(build, 16), devices=[text], hosts=2, LOG="info")
    expect(run.status == 0 and sum("traffic class 96 on fake0:1" in line for line in run.lines) == 2, run)


def main():
    build = Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        text = describe(folder, True)
        # The worker opens three devices: fake3, because it looks better than fake4; fake4 itself; and fake1, because
        # its GIDs are not complete in /sys. It does not open fake0, because fake0 is down.
        check(build, text, 3)
        check(build, text, 3, hosts=2, TRANSPORT="auto")
        check(build, text, 1, NET_DEVICES="fake7", takes="fake7")
        check(build, text, 1, hosts=2, TRANSPORT="auto", NET_DEVICES="fake7", takes="fake7")
        run = Run(build, 2, fib(build, 16), devices=[text], NET_DEVICES="fake0")
        expect(run.status != 0 and any("fake0:1: its state is down" in line for line in run.lines), run)
        expect(run.count["open_device"][0] == 0, run.count)
    check(build, describe("", False), len(ADAPTERS))
    test_info(build)
    test_traffic_class(build)
    test_queue_pairs(build)
    # irdma and efa are refused: see test_conditions.py
    for name in "connectx-5", "connectx-6", "connectx-7", "bnxt", "qedr":
        run = Run(build, 4, fib(build, 16), devices=[name], hosts=2, TRANSPORT="auto")
        expect(run.status == 0 and "987 (correct)" in run.out and "transport    ibv" in run.out and not run.lines, (name, run))


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Description: the problems of a first run on a cluster: too few resources, adapters that uat cannot use, networks that
do not connect the hosts. For each problem, the job either ends with a one-line message that names cause and cure, or
continues to the right answer. The table in docs/testing.md has one row per condition.

usage: test_conditions.py BUILD [CONDITION]
With a CONDITION only this one is tested.
"""
import os
import re
import sys
from pathlib import Path

from fake import DEVICES, Run, expect, fib

TESTING = Path(__file__).resolve().parents[2] / "docs/testing.md"
ONE = (DEVICES / "one").read_text()
RACK = """device rack0
host 0
port
link ethernet
lid 0
gid 0 v2 ::ffff:10.9.0.1
pkey 0xffff
"""


ETHERNET = RACK.replace("host 0\n", "")


def one(device="", port=""):
    """The device of the file `one`, with further lines for the device and for its port."""
    return ONE.replace("port\n", f"{device}\nport\n{port}\n")


def file_of(device):
    return (DEVICES / device).read_text()


def limited_memory(build):
    """The program, without the right to lock more than 64 KiB of memory."""
    drop = ["--bounding-set=-ipc_lock", "--inh-caps=-ipc_lock"] if os.geteuid() == 0 else []
    return ["sh", "-c", 'ulimit -l 64 && exec setpriv "$@"', "sh", *drop, *fib(build, 18)]


# condition, options of Run, pattern of the only line (None: no line), whether the job continues to the right answer
CONDITIONS = [
    ("locked memory is limited", {"limited": True}, r"RLIMIT_MEMLOCK is 64 KiB; raise it with", False),
    ("another PMIx", {"fail": ["pmix_init:EIO"]}, r"PMIx_Init failed: .* libpmix of this program is .*\d\.\d.*, the launcher's server is of version "
     r"\d\.\d.* build uat with the launcher's PMIx", False),
    ("address-space randomisation cannot be turned off", {"fail": ["personality:EPERM"]},
     r"the load address of .* personality\(2\) is forbidden; in Docker use --security-opt seccomp=unconfined", False),
    ("small pages, few workers", {"devices": [one("small_pages 1")]}, None, True),
    ("no doorbell pages left", {"fail": ["open_device:ENOMEM"]}, r"cannot be opened: Cannot allocate memory; .*PF_LOG_BAR_SIZE", False),
    ("no memory keys left", {"fail": ["reg_mr:ENOMEM"]}, r"cannot register .* a limit of the adapter", False),
    ("fewer queue pairs than needed", {"devices": [one("max_qp 10")], "CONNECT": "worker"},
     r"the 4 workers of this host need 16 queue pairs, more than the 10 .* UAT_CONNECT=host", False),
    ("adapter without atomics", {"devices": ["irdma"], "hosts": 2, "TRANSPORT": "auto"},
     r"reaches only workers of one host; .* none was found .*irdma0:1: it has no 8-byte atomics", False),
    ("adapter without reliable connections", {"devices": ["efa"]}, r"efa_0:1: it has no 8-byte atomics", False),
    ("PCIe slot without AtomicOps", {"devices": [file_of("bnxt").replace("glob", "none")]},
     r"bnxt_re0:1: .* a PCIe slot that routes AtomicOps", False),
    ("memory keys with relaxed order only", {"devices": [one("relaxed_only 1")]}, r"only with relaxed ordering, .* UAT_NET_DEVICES", False),
    ("memory keys that are always relaxed", {"devices": [one("relaxes 1").replace("fake0", "mlx5_0")]},
     r"mlx5_0 gives all memory keys relaxed ordering, .* UAT_NET_DEVICES", False),
    ("the service level is delivered out of order", {"devices": [one(port="unordered_levels 0x0005").replace("fake0", "mlx5_0")]},
     r"mlx5_0:1 delivers service level 0 out of order, .* adaptively: .* UAT_IB_PATH=sl=N takes a level that is not in the mask 0x0005", True),
    ("another service level is delivered out of order",
     {"devices": [one(port="unordered_levels 0x0005\nservice_level 1").replace("fake0", "mlx5_0")], "IB_PATH": "sl=1"}, None, True),
    ("memory keys in strong order", {"devices": [one().replace("fake0", "mlx5_0")]}, None, True),
    ("hosts with and without an adapter", {"devices": [one("host 0")], "hosts": 2, "TRANSPORT": "auto"},
     r"transport shm was chosen here \(.* no verbs device .*\), but ibv by rank 0", False),
    ("ports of different subnets", {"devices": [one("host 0"), one("host 1").replace("fe80::", "fe81::")], "hosts": 2},
     r"no port of rank \d .* lies in the network of rank 0 .* UAT_NET_DEVICES", False),
    ("a network per rack", {"devices": [RACK.replace("10.9.", "10.1."), RACK.replace("10.9.", "10.2.").replace("host 0", "host 1")],
                            "hosts": 2},
     r"no port of rank \d .* lies in the network of rank 0 .* UAT_IB_PATH=subnet=any", False),
    ("a network per rack, joined by routers",
     {"devices": [RACK.replace("10.9.", "10.1."), RACK.replace("10.9.", "10.2.").replace("host 0", "host 1")], "hosts": 2, "IB_PATH": "subnet=any"},
     None, True),
    ("more processes than doorbell pages allow", {"devices": [file_of("connectx-5").replace("max_contexts 125", "max_contexts 3")]},
     r"cannot be opened: Cannot allocate memory; .*PF_LOG_BAR_SIZE", False),
    ("more queue pairs than a qedr has", {"devices": [file_of("qedr").replace("max_qp 8568", "max_qp 15")], "CONNECT": "worker"},
     r"the 4 workers of this host need 16 queue pairs, more than the 15 .* qedr0", False),
    ("separate fabrics, one subnet prefix", {"devices": [one("host 0", "fabric 1"), one("host 1", "fabric 2")], "hosts": 2},
     r"cannot reach each other over the network: .* separate fabrics", False),
    ("another service level is demanded", {"devices": [one(port="service_level 3")], "hosts": 2},
     r"cannot reach each other over the network: .*UAT_IB_PATH=sl=N", False),
    ("the service level is set", {"devices": [one(port="service_level 3")], "hosts": 2, "IB_PATH": "sl=3"}, None, True),
    ("two ports have one address", {"devices": [one("wrong_reads 1")], "hosts": 2},
     r"cannot reach each other over the network", False),
    ("nobody answers for an address", {"fail": ["modify_qp:2:ETIMEDOUT"], "hosts": 2}, r"cannot enter state RTR: .*arp_ignore", False),
    ("answers stop in the run", {"devices": [one("answers 9")], "hosts": 2},
     r"transport retry counter exceeded .* does the network drop RoCE packets", False),
    ("the network is cut for 5 s", {"devices": [one("answers 9\ncut_ms 5000")], "hosts": 2}, None, True),
    ("Ethernet is cut for 5 s", {"devices": [ETHERNET.replace("port\n", "answers 9\ncut_ms 5000\nport\n")], "hosts": 2}, None, True),
    ("the network is cut for 60 s", {"devices": [one("answers 9\ncut_ms 60000")], "hosts": 2}, r"transport retry counter exceeded", False),
    ("Ethernet keeps one traffic class lossless", {"devices": [ETHERNET + "traffic_class 106\n"], "hosts": 2}, None, True),
    ("another traffic class is demanded", {"devices": [ETHERNET + "traffic_class 96\n"], "hosts": 2},
     r"cannot reach each other over the network: .*UAT_IB_PATH=", False),
    ("the traffic class is set", {"devices": [ETHERNET + "traffic_class 96\n"], "hosts": 2, "IB_PATH": "tc=96"}, None, True),
    ("WRITEs in relaxed order", {"devices": [one("late_writes 1")]}, r"a FETCH_ADD overtook the WRITE before it. .* PCI_WR_ORDERING", False),
    ("READs pass atomics", {"devices": [one("early_reads 1")]}, r"a READ overtook the CMP_SWAP before it. .* PCI_ATOMIC_MODE", False),
    ("READs pass atomics, with fences", {"devices": [file_of("bnxt").replace("port\n", "early_reads 1\npci_fetch_add 8\npci_compare_swap 8\nport\n")], "hosts": 2}, None, True),
    ("PID namespaces of their own", {"apart": True, "hosts": 2}, r"different PID namespaces .* share its PID namespace", True),
    ("the first partition key is limited", {"devices": [one(port="pkey 0x7fff")], "hosts": 2}, None, True),
    ("limited partition keys only", {"devices": [one(port="pkey 0x7fff").replace("pkey 0xffff", "")], "hosts": 2},
     r"0x7fff and 0x7fff are both those of limited members", False),
    ("no partition key", {"devices": [one().replace("0xffff", "0x0000")]}, r"has no partition key: is its subnet manager running", False),
]
TABLE = re.compile(r"reach each other over the network|^  rank \d")  # the table of pairs of ranks, with its head


LATE = re.compile(r"it has ended|a worker has ended early\?|is in its collective call")
OTHERS = re.compile(r" \(and (\d+) other workers? of this host\)$")


def check_once(build):
    """Workers of a host that meet the same condition print one line, with the number of these workers. A late worker
    may print a separate line."""
    workers = 24
    for hosts in 1, 2:
        run = Run(build, workers, fib(build, 18), fail=["reg_mr:ENOMEM"], hosts=hosts)
        lines = [line for line in run.lines if "cannot register" in line]
        counted = [1 + (int(found[1]) if (found := OTHERS.search(line)) else 0) for line in lines]
        # The first host that reports ends the job, so the other host may print nothing.
        expect(0 < len(lines) <= workers / 3 and len(lines) < sum(counted) <= workers, f"one line per host\n{run}")


def check_small_pages(build):
    """If many workers of a host have pages of 4 KiB, one worker prints one line. With huge pages, or
    with smallest pages of 64 KiB, no line is printed."""
    for small, page in (0, 0), (1, 0), (1, 64):
        run = Run(build, 48, fib(build, 18), devices=[one(f"small_pages {small}\npage_kib {page}")])
        said = [line for line in run.lines if re.search(r"million pages of 4 KiB for the 48 workers .* with `advise`", line)]
        expect(run.status == 0 and len(said) == (small and not page), f"small pages {small} {page}\n{run}")


def check_late_host(build):
    """If the workers of one host wait for another host in a fence of the start, only one worker prints a line about the
    wait."""
    run = Run(build, 24, fib(build, 18), devices=[one("host 0"), one("host 1\nopen_ms 4000")], hosts=2, STALL_TIMEOUT="2")
    said = [line for line in run.lines if re.search(r" on fake0: has waited \d+ s for all workers in PMIx_Fence", line)]
    expect(run.status == 0 and 1 <= len(said) <= 4, f"late host\n{run}")


def check_start_time(build):
    """With UAT_LOG=info, rank 0 prints how long the start and its longest steps took."""
    run = Run(build, 4, fib(build, 18), devices=[one("open_ms 700")], LOG="info")
    said = [line for line in run.lines if re.search(r"rank 0 on .* the start took [\d.]+ s; its longest step, [\d.]+ s: ", line)]
    # total, longest, next longest
    took = [[float(number) for number in re.findall(r"([\d.]+) s[:;]", line)] for line in said]
    expect(run.status == 0 and len(took) == 1 and took[0] == sorted(took[0], reverse=True) and took[0][1] >= 0.7, f"start time\n{run}")


def check(build, name, options, says, goes_on):
    options = dict(options)
    program = limited_memory(build) if options.pop("limited", False) else fib(build, 18)
    # No lines about waits, because on a busy machine workers wait for each other for a long time.
    run = Run(build, 4, program, STALL_TIMEOUT="0", **options)
    what = f"{name}\n{run}"
    expect((run.status == 0 and "2584 (correct)" in run.out) == goes_on and run.status in (0, 1), what)
    # A late worker may find that another worker has ended, or has left the call because the call failed there. In that
    # case the other worker has printed the line about the condition, and the late worker's own line is left out.
    lines = [line.split(": ", 2)[2] for line in run.lines if line.startswith("uat: ") and not LATE.search(line)]
    said = {OTHERS.sub("", line) for line in lines}
    expect(bool(says) == bool(said) and (not says or any(re.search(says, line) for line in said)), what)
    # Workers that meet the same condition print the same text, except for ranks, hosts and addresses.
    alike = {re.sub(r"0x[0-9a-f]+|(?<=rank )\d+|fake\d|\d+ of \d+|\d+", "N", line) for line in said if not TABLE.search(line)}
    alike = {re.sub(r"FETCH_ADD|CMP_SWAP|READ|WRITE", "operation", line) for line in alike}
    expect(len(alike) <= 1, what)
    if "cannot reach" in (says or ""):
        pairs = [line for line in said if line.startswith("  rank ")]
        expect(any("rank 0 (fake0" in line for line in pairs) and any("rank 1 (fake1" in line for line in pairs), what)


def main():
    build, only = Path(sys.argv[1]), sys.argv[2:]
    page = TESTING.read_text()
    for name, options, says, goes_on in CONDITIONS:
        expect(f"| {name} |" in page, f"docs/testing.md has no row for '{name}'")
        if not only or name in only:
            check(build, name, options, says, goes_on)
    if only:
        expect(set(only) <= {name for name, *_ in CONDITIONS}, f"a condition {only}")
        return
    check_once(build)
    check_small_pages(build)
    check_start_time(build)
    check_late_host(build)
    print(f"{len(CONDITIONS)} conditions")


main()

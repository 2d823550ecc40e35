# SPDX-License-Identifier: MIT
"""Compare a far get of global memory with ib_read_lat between the same two hosts. The two take turns.

    perf/measure get-read --peer HOST --server "WORDS" [--device rxe0] [--gid-index 1] [--sizes 8,4096] [--rounds 5] [--ops 200] -- LAUNCHER of two workers

WORDS run a command on the second host. HOST is that host's address. In the guests of tests/vm/run these are node2 and
10.9.0.2:
    tests/vm/run --guests 2 --slurm -- perf/measure get-read --peer 10.9.0.2 --server node2 -- srun --mpi=pmix -N 2 --ntasks-per-node=1
Each round gives a median of the get and a median of ib_read_lat. The last lines give the ratio of the medians of both
over all rounds. Sizes are in bytes, 8 to 1048576. ib_read_lat is part of the package perftest. The "typical" latency
that it prints is its median. Both programs time one READ at a time, from posting it until polling finds its completion.
In both programs the process on the second host sleeps.
"""
import re
import shlex
import shutil
import statistics
import subprocess
import time

import runs

GET = 6  # the number of `get` in uat-transfer's table
TRIES, PAUSE = 40, 0.25  # tries to reach the server; seconds between two tries
CLOCKS = 5  # runs of ib_read_lat until it has determined the rate of the CPU's counter


def get(options, size):
    """The median of one run, in us."""
    command = [*options.launcher, options.build / "perf" / "uat-transfer", "--only", GET, "--bytes", size, "--ops", options.ops, "--json"]
    report = runs.report_of(runs.run(command, {"UAT_TRANSPORT": "ibv"}))
    found = [row["ns"] / 1e3 for row in report["rows"] if row["operation"] == "get" and row["where"] == "far"]
    if len(found) != 1:
        runs.fail(f"uat-transfer has no far get of {size} bytes")
    return found[0]


def read(options, size):
    """(typical, average) of a run of ib_read_lat, in us."""
    for _ in range(CLOCKS):
        found = read_once(options, size)
        if found:
            return found
    runs.fail("ib_read_lat cannot make out the rate of the processor's counter")


def read_once(options, size):
    """One run of ib_read_lat. Returns None if ib_read_lat printed inf, because it could not determine the rate of its
    counter."""
    words = ["ib_read_lat", "-F", "-d", options.device, "-x", options.gid_index, "-s", size, "-n", 10 * options.ops]
    words = [str(word) for word in words]
    with subprocess.Popen([*options.server, *words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as server:
        for _ in range(TRIES):
            client = subprocess.run([*words, options.peer], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
            if client.returncode == 0 or server.poll() is not None:
                break
            time.sleep(PAUSE)
        else:
            server.kill()
    if client.returncode == 0 and re.search(rf"^\s*{size}\s+\d+\s+inf\b", client.stdout, re.MULTILINE):
        return None
    rows = re.findall(rf"^\s*{size}\s+\d+\s+([\d.\s]+)$", client.stdout, re.MULTILINE)
    if client.returncode or len(rows) != 1:
        runs.fail(f"ib_read_lat to {options.peer}: status {client.returncode}: {(client.stdout + client.stderr).strip()[-1500:]}")
    least, most, typical, average = (float(word) for word in rows[0].split()[:4])
    if not 0 < least <= typical <= most:
        runs.fail(f"ib_read_lat reports {rows[0]}")
    return typical, average


def sizes_of(text):
    sizes = runs.numbers(text)
    if not all(8 <= size <= 1 << 20 for size in sizes):
        raise runs.Refused(f"'{text}': sizes are 8 to 1048576 bytes")
    return sizes


def server_of(text):
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise runs.Refused(f"{text!r}: {error}") from error
    if not words:
        raise runs.Refused("--server is empty; it takes the words that run a command on the second host")
    return words


def add_options(parser):
    parser.add_argument("--peer", required=True, help="address of the second host")
    parser.add_argument("--server", required=True, type=server_of, help="words that run a command there")
    parser.add_argument("--device", default="rxe0", help="verbs device on both hosts (rxe0)")
    parser.add_argument("--gid-index", type=int, default=1, help="of both (1)")
    parser.add_argument("--sizes", type=sizes_of, default="8,4096", help="bytes (8,4096)")
    parser.add_number("--rounds", 5, "runs of each")
    parser.add_number("--ops", 200, "a tenth of the operations of a run")
    parser.add_build()
    parser.add_words("launcher", "words that start two workers on the two hosts", needed=True)


def measure(options):
    runs.need_program(options.server[0])
    runs.need_program(options.launcher[0])
    if not shutil.which("ib_read_lat"):
        raise runs.Refused("ib_read_lat is not installed (Debian: perftest)")
    gets, reads = ({size: [] for size in options.sizes} for _ in range(2))
    table = runs.Table([("bytes", "10"), ("get, us", "10.1f"), ("ib_read_lat: typical", "21.1f"), ("average", "8.1f"), ("ratio", "10.2f")])
    for turn in range(options.rounds):
        for size in options.sizes:
            taken = {}
            for act in (get, read) if turn % 2 == 0 else (read, get):  # a drift of the machine must favour neither
                taken[act] = act(options, size)
            typical, average = taken[read]
            gets[size].append(taken[get])
            reads[size].append(typical)
            table.row([size, taken[get], typical, average, taken[get] / typical])
    for size in options.sizes:
        ratios = [one / other for one, other in zip(gets[size], reads[size])]
        print(f"{size} bytes: medians of {options.rounds}: get {runs.spread(gets[size], '.2f')} us, ib_read_lat "
              f"{runs.spread(reads[size], '.2f')} us: {statistics.median(gets[size]) / statistics.median(reads[size]):.2f}; of the ratios "
              f"{runs.spread(ratios, '.2f')}")

# SPDX-License-Identifier: MIT
"""The costs of checkpoints: speed, time until all workers have stopped, slow-down of programs, of spawns and of joins.

    perf/measure checkpoints [--rounds 3] [--elements 50000000] [--parts PART,...] [--workers 1024] [--folder FOLDER] [--build build]

Parts: `spawn` compares the cycles of a spawn and a join with and without UAT_CHECKPOINT, in turns. `virtual` measures the time until --workers
workers have stopped, in virtual time. The other parts are `speed`, `stand` and `slow-down`. In `slow-down`, each
checkpoint follows one second after the previous one.

The speed is that of the last checkpoint of a sort, when both arrays of the sort are full. On a disk the script compares
it with `dd conv=fsync` of a file with the same number of bytes, through the page cache and with direct writes. In
/dev/shm the script compares it with a copy within memory.
"""
import re
import shutil
import tempfile
import time
from pathlib import Path

import runs
from measures.figures import print_rounds

LINE = re.compile(r"all stopped after ([0-9.]+) ms, complete after ([0-9.]+) ms more")
UTS = ["perf/uat-uts", "-t", "1", "-a", "3", "-d", "10", "-b", "4", "-r", "19", "-g", "12"]
GRAINS = {"1 us": (1000, 10000000), "100 us": (100000, 100000), "10 ms": (10000000, 1000)}  # ns of an iteration, iterations: 10 s of work
MEMORY = Path("/dev/shm")


def job(options, command, folder, every=1):
    """Run with periodic checkpoints. Returns the report, and for each checkpoint (ms until all workers had stopped, ms
    until the checkpoint was complete)."""
    shutil.rmtree(folder, ignore_errors=True)
    settings = {"UAT_CHECKPOINT": f"{folder},every={every}", "UAT_LOG": "info"} if every else {}
    done = runs.run([options.build / "launcher" / "uatrun", "-n", 2, options.build / command[0], *command[1:], "--json"], settings)
    return runs.report_of(done), [tuple(map(float, pair)) for pair in LINE.findall(done.stderr)]


def newest(folder):
    return folder / (folder / "latest").read_text().strip()


def need(times, more=""):
    if not times:
        runs.fail(f"the program ended before its first checkpoint was complete{more}")


def of_memory(data):
    """GB/s of a copy within memory, to pages that exist."""
    to = bytearray(data)
    begin = time.monotonic()
    to[:] = data
    return len(data) / (time.monotonic() - begin) / 1e9


def of_disk(source, folder, *more):
    """GB/s of dd with fsync."""
    target = folder / "dd"
    begin = time.monotonic()
    runs.run(["dd", f"if={source}", f"of={target}", "bs=4M", "conv=fsync", *more])
    taken = time.monotonic() - begin
    target.unlink()
    return source.stat().st_size / taken / 1e9


def others_of(place, source, folder):
    """What the script compares a checkpoint with: names and GB/s."""
    if place == "disk":
        yield "dd conv=fsync", of_disk(source, folder)
        yield "dd conv=fsync oflag=direct", of_disk(source, folder, "oflag=direct")
    else:
        yield "memcpy", of_memory(source.read_bytes())


def of_speed(options, folder):
    with tempfile.TemporaryDirectory(prefix="uat-measure-", dir=MEMORY) as memory:
        for place, where in (("disk", folder), ("/dev/shm", Path(memory))):
            job_folder, source = where / "c", Path(memory) / "source"
            _, times = job(options, ["perf/uat-cilksort", options.elements, "--rounds", 1], job_folder)
            need(times, "; give more --elements")
            files = sorted(newest(job_folder).glob("memory-*"))
            source.write_bytes(b"".join(file.read_bytes() for file in files))
            shutil.rmtree(job_folder)
            size = source.stat().st_size
            speed = size / times[-1][1] / 1e6
            yield f"checkpoint of {size >> 20} MiB, {place}, GB/s", speed
            for name, other in others_of(place, source, where):
                yield f"{name}, the same bytes, GB/s", other
                yield f"checkpoint / {name}", speed / other
            source.unlink()


def of_spawn(options, folder):
    """Compare costs with and without UAT_CHECKPOINT. In each round, one run directly follows the other."""
    for name, workers, command, figure in (("uat-spawn, spawn and join", 1, ["perf/uat-spawn"], lambda r: r["spawn_join"]["median_cycles"]),
                                           ("uat-fib 32", 1, ["perf/uat-fib", "32", "--repeat", "9"], lambda r: r["cycles_per_task"])):
        without = figure(runs.uatrun(options.build, workers, *command))
        ready = figure(runs.uatrun(options.build, workers, *command, UAT_CHECKPOINT=f"{folder}/ready,restart=no"))
        yield f"{name}, cycles, without UAT_CHECKPOINT", without
        yield f"{name}, cycles, with it / without", ready / without


def of_virtual(options, folder):
    for name, (ns, _) in GRAINS.items():
        shutil.rmtree(folder / "v", ignore_errors=True)
        iterations = max(options.workers * 10, 200000000000 // ns // 10)
        settings = {"UAT_TRANSPORT": "sim", "UAT_CHECKPOINT": f"{folder}/v,every=3", "UAT_LOG": "info"}
        done = runs.run([options.build / "launcher" / "uatrun", "-n", options.workers, options.build / "perf/uat-loop", "-w", ns, "-n", iterations], settings)
        times = [float(stop) for stop, _ in LINE.findall(done.stderr)]
        if times:
            yield f"{options.workers} workers stand, iterations of {name}, longest of {len(times)}, virtual ms", max(times)


def of_stand(options, folder):
    for name, (ns, iterations) in GRAINS.items():
        _, times = job(options, ["perf/uat-loop", "-w", ns, "-n", iterations], folder / "c")
        need(times)
        yield f"all stopped, iterations of {name}, median, ms", sorted(stop for stop, _ in times)[len(times) // 2]
        yield f"all stopped, iterations of {name}, longest, ms", max(stop for stop, _ in times)


def of_slow_down(options, folder):
    for name, command in (("UTS", UTS), ("sort", ["perf/uat-cilksort", options.elements, "--rounds", 1])):
        without, _ = job(options, command, folder / "c", every=0)
        with_them, times = job(options, command, folder / "c")
        yield f"{name}, one second after each checkpoint the next / without", with_them["seconds"] / without["seconds"]
        yield f"{name}, checkpoints", len(times)


PARTS = {"spawn": of_spawn, "speed": of_speed, "stand": of_stand, "slow-down": of_slow_down, "virtual": of_virtual}


def of_round(options, folder):
    for part in options.parts:
        yield from PARTS[part](options, folder)


def add_options(parser):
    parser.add_argument("--parts", type=runs.words_of(PARTS), default=list(PARTS), metavar="PART,...", help=f"parts, of {', '.join(PARTS)} (all)")
    parser.add_number("--workers", 1024, "workers in virtual time")
    parser.add_number("--rounds", 3, "rounds")
    parser.add_number("--elements", 50000000, "integers of the sort")
    parser.add_argument("--folder", type=Path, default=Path("."), help="folder on the disk that is measured (.)")
    parser.add_build()


def measure(options):
    with tempfile.TemporaryDirectory(prefix="uat-measure-", dir=options.folder) as folder:
        print_rounds(options, lambda: of_round(options, Path(folder).resolve()))

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Description: the command `fakeverbs` itself. It refuses bad files and options, lists 16 devices on the hosts that
have them, passes on signals and its command's status, and leaves nothing.

usage: test_command.py BUILD
"""
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from fake import expect

BUILD = Path(sys.argv[1])
FAKE = BUILD / "tests/fakeverbs/fakeverbs"
PORT = "port\ngid 0 ib fe80::1\npkey 0xffff\n"


def run(*arguments, **environment):
    done = subprocess.run([FAKE, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False,
                          env={**os.environ, **environment})
    return done.returncode, done.stdout, done.stderr


def refuses(arguments, says):
    status, out, error = run(*arguments, "--", "true")
    expect(status == 2 and says in error and not out, (arguments, status, error))


def check_refusals(folder):
    bad = folder / "bad"
    for text, says in (("max_qp 1\n", "bad:1: not understood"), ("device a\nmax_pq 1\n", "bad:2: not understood"),
                       ("device a\nport\npkey x\n", "bad:3: not understood"), ("device a\nport\nport\nport\n", "bad:4:"),
                       ("device a\n" * 17, "bad:17:"), ("device a\nmax_qp many\n", "bad:2:")):
        bad.write_text(text)
        refuses(["--devices", bad], says)
    refuses(["--devices", folder / "none"], "No such file")
    refuses(["--fail", "reg_mr:1:EGG"], "not [RANK:]CALL[:K]:ERROR")
    refuses(["--fail", "reg:1:EIO"], "not [RANK:]CALL[:K]:ERROR")
    refuses(["--hosts", "0"], "usage")


def check_status(folder):
    counts = folder / "counts"
    expect(run("--", "sh", "-c", "exit 7")[0] == 7, "a status is passed on")
    expect(run("--", "sh", "-c", "kill -KILL $$")[0] == 137, "a signal is passed on")
    expect(run("--count", counts, "--", "false")[0] == 1 and counts.read_text().startswith("get_device_list 0 0\n"), "counts")
    expect(run("--", folder / "none")[0] == 127, "no such command")
    expect("open_device" in run("--calls")[1].split(), "--calls")
    for hosts, wanted in ("1", 0), ("2", 125):
        expect(run("--hosts", hosts, "--", "true", UATRUN_RANK="0")[0] == wanted, f"a worker of uatrun on one of {hosts} hosts")
    with subprocess.Popen([FAKE, "--", "sleep", "60"]) as process:
        time.sleep(0.5)
        process.send_signal(signal.SIGTERM)
        expect(process.wait(30) == 143, "SIGTERM ends the command")


def check_devices(folder):
    """Half of the devices exist only on host 1."""
    many = folder / "many"
    many.write_text("".join(f"device fake{i}\n{'host 1' if i % 2 else 'host -1'}\n{PORT}" for i in range(16)))
    for host, number in (("0", 8), ("1", 16)):
        status, out, error = run("--devices", many, "--hosts", "2", "--", BUILD / "launcher/info/uat_info", PMIX_RANK=host)
        expect(status == 0 and sum(f"fake{i}:1" in out.split() for i in range(16)) == number, (host, status, out, error))


def main():
    before = set(os.listdir("/dev/shm")) | set(os.listdir(tempfile.gettempdir()))
    with tempfile.TemporaryDirectory() as folder:
        check_refusals(Path(folder))
        check_status(Path(folder))
        check_devices(Path(folder))
    after = set(os.listdir("/dev/shm")) | set(os.listdir(tempfile.gettempdir()))
    expect(not any("fakeverbs" in name for name in after - before), after - before)


main()

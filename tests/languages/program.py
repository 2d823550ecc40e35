#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Description: a Python program whose tasks are C functions. Results and global arrays have the right values on each
worker; a Python function is refused as a task.
usage: program.py TASKS-LIBRARY"""
import ctypes
import sys

import uat

COUNT = 5000


class Pair(ctypes.Structure):
    _fields_ = [("count", ctypes.c_long), ("numbers", ctypes.c_void_p)]


def refused(function, argument=ctypes.c_long(1), text="cannot be a task"):
    try:
        uat.run(function, argument, ctypes.c_long)
    except TypeError as e:
        return text in str(e)
    return False


def main():
    tasks = ctypes.CDLL(sys.argv[1])
    uat.init()
    assert 0 <= uat.rank() < uat.size()
    assert uat.run(tasks.fibonacci, ctypes.c_long(15), ctypes.c_long) == 610
    assert uat.run(tasks.fibonacci, (16).to_bytes(8, sys.byteorder), ctypes.c_long) == 987

    numbers = uat.Array(ctypes.c_double, COUNT, uat.CYCLIC)
    first, count = uat.rank() * COUNT // uat.size(), (uat.rank() + 1) * COUNT // uat.size() - uat.rank() * COUNT // uat.size()
    with numbers.checkout(first, count, uat.WRITE) as part:
        memoryview(part).cast("B").cast("d")[:] = memoryview((ctypes.c_double * count)(*range(first, first + count))).cast("B").cast("d")
    uat.barrier()
    assert uat.run(tasks.squares, Pair(COUNT, numbers.address)) is None
    with numbers.checkout(0, COUNT, uat.READ) as part:
        assert list(part) == [i * i for i in range(COUNT)]
    assert numbers.home(0) == 0 and len(numbers) == COUNT
    try:
        with numbers.checkout(COUNT - 1, 2, uat.READ):
            raise SystemExit("a checkout beyond the array")
    except IndexError:
        pass

    body = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)
    assert refused(body(lambda arg, result: None)) and refused(lambda arg, result: None) and refused(print)
    assert refused(tasks.fibonacci, [15], "uat.run(): [15] is not an argument of a task")
    try:
        uat.Array(ctypes.c_double, -1)
        raise SystemExit("an array of -1 elements")
    except ValueError:
        pass
    numbers.free()
    sys.stdout.write(f"right on rank {uat.rank()}\n")  # one write, so that lines of several workers stay whole
    uat.finalize()


main()

# SPDX-License-Identifier: MIT
"""uat for Python: a job of several workers whose tasks are functions of a C library.

    import ctypes, uat
    tasks = ctypes.CDLL("./tasks.so")           # before uat.init(), with the same libraries on all workers
    uat.init()                                  # first; may execute the program a second time from its start
    squares = uat.Array(ctypes.c_double, 1000)  # global memory; all workers
    total = uat.run(tasks.sum_of_squares, squares, ctypes.c_double)
    with squares.checkout(0, 10, uat.READ) as part:
        print(list(part))
    uat.finalize()

Each worker is a process with its own interpreter, which runs the whole program. Its main thread makes the calls of this
module, the same on all workers, outside of tasks. A task cannot be a Python function: a task's stack may continue in
another process, but the interpreter's objects stay in theirs. docs/running.md, "Other languages", says more.
"""
import contextlib
import ctypes
import os

BLOCKED, CYCLIC = 0, 1  # enum uat_distribution
READ, WRITE, READ_WRITE = 1, 2, 3  # enum uat_access


class Error(OSError):
    """A call of the library has failed. The library has printed the cause."""


class _DlInfo(ctypes.Structure):
    _fields_ = [("file", ctypes.c_char_p), ("base", ctypes.c_void_p), ("name", ctypes.c_char_p), ("address", ctypes.c_void_p)]


_library = ctypes.CDLL("libuat.so.0.2")
_dladdr = ctypes.CDLL(None).dladdr
_dladdr.argtypes = [ctypes.c_void_p, ctypes.POINTER(_DlInfo)]


def _declare(name, result, *arguments):
    function = getattr(_library, name)
    function.restype, function.argtypes = result, arguments
    return function


_int, _size, _pointer = ctypes.c_int, ctypes.c_size_t, ctypes.c_void_p
rank = _declare("uat_rank", _int)
size = _declare("uat_size", _int)
_init = _declare("uat_init", _int)
_finalize = _declare("uat_finalize", _int)
_barrier = _declare("uat_barrier", _int)
_run = _declare("uat_run", _int, _pointer, _pointer, _size, _pointer, _size)
_alloc = _declare("uat_global_alloc", _pointer, _size, _int, _size)
_free = _declare("uat_global_free", _int, _pointer)
_home = _declare("uat_global_home", _int, _pointer)
_checkout = _declare("uat_global_checkout", _pointer, _pointer, _size, _int)
_checkin = _declare("uat_global_checkin", None, _pointer, _size, _int)


def _check(rc, call):
    if rc < 0:
        raise Error(-rc, f"{call}: {os.strerror(-rc)}")


def init():
    """Join the job. All workers, before any effect on the outside: the program may start a second time."""
    _check(_init(), "uat_init")


def finalize():
    """Leave the job. All workers, last."""
    _check(_finalize(), "uat_finalize")


def barrier():
    """Wait for all workers."""
    _check(_barrier(), "uat_barrier")


def _address_of(function):
    """The address of a C function. Raises TypeError for a Python function, also in the form of a ctypes callback: its
    code is in no library, and each worker would need the interpreter's objects of another."""
    try:
        address = ctypes.cast(function, _pointer).value
    except (ctypes.ArgumentError, TypeError):
        address = None
    if not address or not _dladdr(address, ctypes.byref(_DlInfo())):
        raise TypeError(f"uat.run(): {function!r} is not a function of a C library; a Python function cannot be a task, because "
                        "the interpreter does not move with the task to another worker")
    return address


def run(function, argument=None, result=None):
    """Run a C function `void f(void *arg, void *result)` as the root of a task tree. All workers.

    argument: a ctypes value, bytes, an Array (the task gets its address), or None. The task gets a copy of rank 0's.
    result: the ctypes type of the result, or None. Every worker gets the result: a number for a plain type, else a
    ctypes value."""
    address = _address_of(function)
    if isinstance(argument, Array):
        argument = _pointer(argument.address)
    elif isinstance(argument, bytes):
        argument = (ctypes.c_char * len(argument)).from_buffer_copy(argument)
    value = result() if result else None
    _check(_run(address, ctypes.byref(argument) if argument is not None else None, ctypes.sizeof(argument) if argument is not None else 0,
                ctypes.byref(value) if result else None, ctypes.sizeof(value) if result else 0), "uat_run")
    return value.value if hasattr(value, "value") else value


class Array:
    """An array in global memory, all zero. All workers make it and free it together."""

    def __init__(self, type_, count, distribution=BLOCKED, block=0):
        """type_: the ctypes type of an element; block: bytes, see uat_global_alloc()."""
        self.type, self.count = type_, count
        self.address = _alloc(count * ctypes.sizeof(type_), distribution, block)
        if not self.address:
            raise MemoryError("uat_global_alloc")

    def __len__(self):
        return self.count

    def _at(self, first, count):
        if first < 0 or count < 0 or first + count > self.count:
            raise IndexError(f"elements {first} to {first + count - 1} of an array of {self.count}")
        return self.address + first * ctypes.sizeof(self.type), count * ctypes.sizeof(self.type)

    @contextlib.contextmanager
    def checkout(self, first, count, access):
        """Make elements accessible, as a ctypes array, until the end of the `with` block; not after it. numpy.frombuffer()
        and memoryview() take the array without a copy."""
        p, size_ = self._at(first, count)
        place = _checkout(p, size_, access)
        try:
            yield (self.type * count).from_address(place)
        finally:
            _checkin(p, size_, access)

    def home(self, index):
        """The rank of the worker that keeps the element."""
        return _home(self._at(index, 1)[0])

    def free(self):
        """Free the array. All workers."""
        address, self.address, self.count = self.address, None, 0
        _check(_free(address), "uat_global_free")

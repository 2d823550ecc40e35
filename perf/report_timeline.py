# SPDX-License-Identifier: MIT
"""A timeline as uat-report reads it: the events, and the events' sums over time."""
import json
import math
from array import array

BINS = 180  # bins of the time axis
WORKERS_MAX = 65536  # maximum workers in a timeline; each worker takes memory

# The classes of a worker's time, from the bottom of the picture: name and meaning.
CLASSES = [
    ("running", "tasks run"),
    ("far memory", "inside of a task: far global memory is fetched or written home"),
    ("awaiting a thief", "inside of a task: a thief has claimed an entry and not acknowledged it yet"),
    ("joining", "ends and joins of children that live elsewhere, with the stacks that these move"),
    ("stealing", "steals that succeeded, from the look at the victim to the stack"),
    ("idle: no work yet", "before the worker's first task"),
    ("idle: between tasks", "nobody had anything to steal"),
    ("idle: tail", "after the worker's last task"),
    ("not traced", "outside of runs, and between what is traced"),
]
RUN, FAR, AWAIT, JOIN, STEAL, EARLY, BETWEEN, TAIL, OTHER = range(len(CLASSES))
# TOP: events between tasks. INSIDE: events inside a task whose time does not count as the task's time.
TOP = {"run": RUN, "steal": STEAL, "idle": BETWEEN, "end": JOIN, "join": JOIN, "join wait": JOIN}
INSIDE = {"await thief": AWAIT, "fetch": FAR, "release": FAR}
COLORS = ["blue", "teal", "red", "violet", "orange", "gray1", "gray2", "gray3", "none"]


class Refused(Exception):
    pass


def integer(value, what, least, end):
    if not isinstance(value, int) or not least <= value < end:
        raise Refused(f"{what} is {str(value)[:40]}, which is not from {least} to {end - 1}")
    return value


def moment(value, what):
    if not isinstance(value, (int, float)) or not abs(value) < 1e15:  # microseconds: at most 30 years; refuses NaN, too
        raise Refused(f"{what} is {str(value)[:40]}, which is no time")
    return float(value)


class Trace:
    """A timeline: parallel arrays of events, and facts about the workers."""

    def __init__(self):
        self.worker, self.kind = array("i"), array("b")
        self.begin, self.end = array("d"), array("d")  # microseconds
        self.steals = []  # (time, thief, victim, bytes, duration)
        self.flow = []  # (name, worker, begin, end, entry)
        self.far = {}  # worker: [(begin, end)] of the accesses to far memory
        self.hosts, self.workers, self.dropped = {}, 0, 0
        self.first, self.last = math.inf, -math.inf

    def add(self, event):
        if not isinstance(event, dict):
            raise Refused("a line holds no event")
        name, worker = event.get("name"), integer(event.get("tid", 0), "a worker's number", 0, WORKERS_MAX)
        if event.get("ph") == "M":
            if name == "thread_name":
                self.hosts[worker] = event["args"]["name"].partition(" on ")[2].partition(" ")[0]
            return
        kind = TOP.get(name, INSIDE.get(name)) if isinstance(name, str) else None
        flow = isinstance(name, str) and name.startswith("flow ")
        if event.get("ph") != "X" or (kind is None and not flow):
            return
        begin, duration = moment(event["ts"], "the start of an event"), moment(event["dur"], "the length of an event")
        if duration < 0:
            raise Refused(f"an event ends before it begins, by {-duration} us")
        self.workers = max(self.workers, worker + 1)
        if flow:
            entry = integer(event.get("args", {}).get("entry", 0), "the name of an entry", 0, 1 << 64)
            self.flow.append((name, worker, begin, begin + duration, entry))
            return
        if kind == FAR:
            self.far.setdefault(worker, []).append((begin, begin + duration))
        self.first, self.last = min(self.first, begin), max(self.last, begin + duration)
        self.worker.append(worker)
        self.kind.append(kind)
        self.begin.append(begin)
        self.end.append(begin + duration)
        if name == "steal":
            args = event.get("args", {})
            self.steals.append((begin, worker, integer(args.get("from", -1), "a victim", -1, WORKERS_MAX),
                                integer(args.get("bytes", 0), "the size of a stack", 0, 1 << 40), duration))

    def close(self, other):
        workers = integer(other.get("workers"), "the number of workers", 1, WORKERS_MAX + 1)
        if max(self.workers, max(self.hosts, default=-1) + 1) > workers:
            raise Refused(f"it has events of workers above its number, {workers}")
        self.workers = workers
        self.dropped = integer(other.get("dropped", 0), "the number of dropped events", 0, 1 << 64)
        if not self.begin:
            raise Refused("it has no events of workers; was there a uat_run()?")
        return self


def read(path):
    """Read a timeline line by line. Each line has one event, so a large file need not be in memory as a whole."""
    trace = Trace()
    with open(path, encoding="utf-8") as lines:
        if not next(lines, "").startswith('{"displayTimeUnit"'):
            raise Refused("it does not start like a timeline, as UAT_TRACE writes it")
        for line in lines:
            if line.startswith("]"):
                return trace.close(json.loads("{" + line.strip()[2:])["otherData"])
            trace.add(json.loads(line.rstrip().rstrip(",")))
    raise Refused("its end is missing; the job was aborted or is still running")


class Sums:
    """Sums over a timeline: worker-microseconds of each class in bins of time, and the time in which each worker ran
    tasks."""

    def __init__(self, trace):
        self.trace, self.span = trace, max(trace.last - trace.first, 1e-3)
        self.width = self.span / BINS
        self.bins = [[0.0] * BINS for _ in CLASSES]
        self.busy = [[0.0] * BINS for _ in range(trace.workers)]
        self.bounds = self.first_and_last_runs()
        for worker, kind, begin, end in zip(trace.worker, trace.kind, trace.begin, trace.end):
            first, last = self.bounds[worker]
            if kind == BETWEEN:
                kind = EARLY if begin < first else TAIL if begin >= last else BETWEEN
            self.spread(worker, kind, begin - trace.first, end - trace.first)
        for b in range(BINS):
            self.bins[RUN][b] = max(self.bins[RUN][b] - self.bins[FAR][b] - self.bins[AWAIT][b], 0)
            known = sum(self.bins[c][b] for c in range(OTHER))
            rest = self.width * trace.workers - known
            self.bins[OTHER][b] = rest if rest > 1e-6 * self.width else 0
        self.total = [sum(row) for row in self.bins]

    def first_and_last_runs(self):
        bounds = [(math.inf, -math.inf)] * self.trace.workers
        for worker, kind, begin, end in zip(self.trace.worker, self.trace.kind, self.trace.begin, self.trace.end):
            if kind == RUN:
                first, last = bounds[worker]
                bounds[worker] = min(first, begin), max(last, end)
        return bounds

    def spread(self, worker, kind, begin, end):
        b = min(int(begin / self.width), BINS - 1)
        while begin < end and b < BINS:
            part = min(end, (b + 1) * self.width if b < BINS - 1 else math.inf) - begin
            self.bins[kind][b] += part
            if kind == RUN:
                self.busy[worker][b] += part
            begin += part
            b += 1

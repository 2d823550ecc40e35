# SPDX-License-Identifier: MIT
"""The critical path of data-flow tasks in a timeline. The script follows the path backwards from the last end. Each
part leads to the event for which the part waited.

The unroller spawns an entry of a flow's ledger. The entry becomes ready at its spawn or at the end of another entry.
Then it begins and ends.
"""
from bisect import bisect_left, bisect_right

# The kinds of parts: name, colour, meaning.
FLOWS = [
    ("tasks", "blue", "bodies of tasks run"),
    ("fetches", "teal", "inside of a body: far memory is fetched or written home"),
    ("hand-over", "red", "from the end of a body, or from the spawn, to the start of the next body"),
    ("unroller", "orange", "the unroller makes the entries up to this one"),
    ("window", "violet", "from the end that makes room in the window until the unroller continues"),
    ("in place", "gray1", "before the first entry, tasks run in place"),
]
TASK, FETCH, HAND, UNROLL, WINDOW, PLACE = range(len(FLOWS))
KINDS = 63  # the bits of an entry's name that say what the entry is for


class Flows:
    """path: parts (kind, worker, begin, end), last first. sums: microseconds of each kind."""

    def __init__(self, trace):
        self.trace = trace
        self.at = {name: {} for name in ("flow spawn", "flow ready", "flow begin", "flow end")}
        self.ends, self.rooms, self.by_worker = [], [], {}
        for name, worker, begin, end, entry in sorted(trace.flow, key=lambda event: event[2]):
            if name == "flow room":
                self.rooms.append((begin, worker))
                continue
            self.at[name].setdefault(entry & ~KINDS, []).append((begin, end, worker))
            if name == "flow end":
                self.ends.append((begin, end, worker, entry & ~KINDS))
                self.by_worker.setdefault(worker, []).append(self.ends[-1])
        spawns = sorted(spawn for events in self.at["flow spawn"].values() for spawn in events)
        self.first_spawn = spawns[0][0] if spawns else 0
        self.tasks = sum(map(len, self.at["flow begin"].values()))
        self.unrolling = sum(end - begin for begin, end, _ in spawns)
        starts = [spawn[0] for spawn in spawns]
        self.waiting = sum(room - spawns[i - 1][1] for room, _ in self.rooms if (i := bisect_left(starts, room)) > 0)
        for far in trace.far.values():
            far.sort()
        self.path = []
        if self.ends and spawns:
            self.walk(max(self.ends))
        self.sums = [sum(end - begin for kind, _, begin, end in self.path if kind == k) for k in range(len(FLOWS))]

    def last(self, name, entry, after, until):
        """The entry's last event that begins in (after, until], or None."""
        events = self.at[name].get(entry, [])
        i = bisect_right(events, until, key=lambda event: event[0])
        return events[i - 1] if i and events[i - 1][0] > after else None

    def end_around(self, worker, moment):
        """The last "flow end" event that began on this worker by this moment. This end made the entry ready."""
        events = self.by_worker.get(worker, [])
        i = bisect_right(events, moment, key=lambda event: event[0])
        return events[i - 1] if i else None

    def add(self, kind, worker, begin, end):
        if end > begin:
            self.path.append((kind, worker, begin, end))

    def add_body(self, worker, begin, end):
        """Add the parts of a body: the times of its work, and the times of its fetches."""
        far = self.trace.far.get(worker, [])
        for start, stop in far[bisect_left(far, (begin, begin)):]:
            if start >= end:
                break
            self.add(TASK, worker, begin, start)
            self.add(FETCH, worker, start, min(stop, end))
            begin = max(begin, min(stop, end))
        self.add(TASK, worker, begin, end)

    def walk(self, end):
        while end:
            moment, _, worker, entry = end
            earlier = self.last("flow end", entry, -1e300, moment - 1e-9)
            after = earlier[0] if earlier else -1e300
            begin = self.last("flow begin", entry, after, moment)
            start = begin[0] if begin else moment
            ready = self.last("flow ready", entry, after, start)
            spawn = self.last("flow spawn", entry, after, start)
            if begin:
                self.add_body(begin[2], start, moment)
            if ready:
                end = self.follow(self.end_around(ready[2], ready[0]), start)
            elif spawn:
                end = self.unroll(spawn, start)
            else:  # the first task: a thief stole its unroller
                self.add(PLACE, worker, self.trace.first, moment)
                end = None

    def follow(self, cause, start):
        """Step back from the start of a body, or of an end, to its cause: the end that made it ready."""
        if not cause or cause[0] >= start:
            return None
        self.add(HAND, cause[2], cause[0], start)
        return cause

    def unroll(self, spawn, start):
        """For a task that was ready at its spawn: step back from its start to the event for which the unroller waited."""
        begin, end, worker = spawn
        self.add(HAND, worker, end, start)
        i = bisect_right(self.rooms, (begin, 1 << 30))
        if not i:
            self.add(UNROLL, worker, self.first_spawn, end)
            self.add(PLACE, worker, self.trace.first, self.first_spawn)
            return None
        room = self.rooms[i - 1][0]
        self.add(UNROLL, worker, room, end)
        i = bisect_left(self.ends, room, key=lambda event: event[0])
        if not i:
            return None
        self.add(WINDOW, worker, self.ends[i - 1][0], room)
        return self.ends[i - 1]

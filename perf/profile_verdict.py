# SPDX-License-Identifier: MIT
"""What a profile says: the cause of lost time in one sentence, and predicted times for more workers."""
from report_shapes import duration, number

LEAST = 0.15  # a cause that costs a smaller fraction of the time is not named
WORKERS = [2 ** i for i in range(1, 13)]


def ns(value):
    return duration(value / 1000)


def percent(part):
    return f"{100 * part:.0f} %"


def ratio(a, b):
    return a / b if b else 0.0


def predict(profile, workers):
    """(least, expected) time in ns with this number of workers. No schedule is faster than the least one: the work laws
    of Brent and Graham. The expected time is that of work, spawns and waits, evenly shared, after the burdened span."""
    work = profile.work_ns + profile.tasks * profile.spawn_ns + profile.raw["calls_ns"]
    return max(profile.work_ns / workers, profile.span_ns), work / workers + profile.burdened_ns * (workers > 1)


def judged_for(profile, workers=None):
    """The number of workers for which the verdict is: those of the job, or 64 if it had only one."""
    return workers or (profile.workers if profile.workers > 1 else 64)


def spawning(profile):
    spent = profile.tasks * profile.spawn_ns
    return ratio(spent, profile.work_ns + spent)


def queued(profile):
    wait, run = profile.raw["queued_ns"], profile.raw["on_cpu_ns"]
    return ratio(wait, wait + run)


def far(profile):
    """(part of the work that waits for far memory, part of the bytes that came from other hosts)"""
    moved = profile.total("far_bytes")
    return ratio(profile.total("far_ns"), profile.work_ns), ratio(moved, moved + profile.total("near_bytes") + profile.total("cached_bytes"))


def span_loss(profile, span, workers):
    """The part of the workers' time that this span leaves idle, by Brent's bound."""
    return ratio(span, span + profile.work_ns / workers) if workers > 1 else 0.0


def say_span(profile, workers):
    parallelism = ratio(profile.work_ns, profile.span_ns)
    kinds = sorted(profile.kinds.values(), key=lambda kind: -kind.path_ns)
    if not kinds:
        return f"parallelism {parallelism:.1f} on {workers} workers"
    most, longest = kinds[0], profile.raw["longest"]
    words = f"parallelism {parallelism:.1f} on {workers} workers: the span is in {most.name}, {most.place}"
    if longest["ns"] >= profile.span_ns / 2:
        begin, end = profile.stretch(longest)
        words += f"; {percent(longest['ns'] / profile.span_ns)} of it is one serial stretch, from {begin}" + (f" to {end}" if end else " to the end")
    else:
        words += f" ({percent(ratio(most.path_ns, profile.span_ns))} of it)"
    return words


def verdict(profile, workers=None):
    """One sentence: the cause that costs most, or that nothing does."""
    workers = judged_for(profile, workers)
    waits, share = far(profile)
    mean = ratio(profile.work_ns, profile.tasks)
    burdened = span_loss(profile, profile.burdened_ns, workers) - span_loss(profile, profile.span_ns, workers)
    causes = [
        (queued(profile), lambda: f"the machine was busy: the workers waited for a processor during {percent(queued(profile))} of their time, "
                                  "so repeat this on a quiet machine, or with fewer workers"),
        (span_loss(profile, profile.span_ns, workers), lambda: say_span(profile, workers)),
        (spawning(profile), lambda: f"tasks of {ns(mean)} are too short: {percent(spawning(profile))} of the time is spawning"),
        (waits, lambda: f"{percent(share)} of the bytes came from other hosts, and {percent(waits)} of the work is waiting for them"),
    ]
    if profile.work_ns <= 0:
        return "no task was measured" + (f"; {number(profile.raw['unmeasured'])} tasks are of kinds that are not measured"
                                         if profile.raw["unmeasured"] else "")
    cost, words = max(causes, key=lambda cause: cause[0])
    if cost < LEAST and burdened >= LEAST:
        return (f"a steal costs as much as the tasks that it moves: parallelism {ratio(profile.work_ns, profile.span_ns):.1f}, but "
                f"{ratio(profile.work_ns, profile.burdened_ns):.1f} with steals of {ns(profile.burden_ns)}; make tasks larger")
    if cost < LEAST:
        return (f"nothing is wrong on {workers} workers: parallelism {ratio(profile.work_ns, profile.span_ns):.1f}, "
                f"{ratio(profile.work_ns, profile.burdened_ns):.1f} with the cost of steals")
    return words()


def warnings(profile):
    """What the figures leave out."""
    raw, words = profile.raw, []
    if queued(profile) >= LEAST:
        words.append(f"the workers were ready without a processor during {percent(queued(profile))} of their time, so all times are too long")
    if raw.get("restarts"):
        words.append(f"restarted from a checkpoint {number(raw['restarts'])} times: times in runs and on a processor, and steals are those since then")
    if raw["unmeasured"]:
        words.append(f"{number(raw['unmeasured'])} spawns of data-flow tasks, adaptive requests or their children are not measured")
    if raw["unfollowed"]:
        words.append(f"{number(raw['unfollowed'])} waits for futures, latches and the like are not in the span, because several workers ran; "
                     "profile with one worker (-n 1) for the whole span")
    return words

# SPDX-License-Identifier: MIT
"""The page of uat-profile."""
import math
from html import escape

from profile_verdict import WORKERS, far, ns, percent, predict, ratio, spawning, verdict, warnings
from report_page import STYLE
from report_shapes import LEFT, RIGHT, WIDTH, number, rect, svg, text

TABLE = """table{border-collapse:collapse;width:100%;font-size:14px}td,th{padding:4px 8px;text-align:right;border-bottom:1px solid var(--line)}
td:first-child,th:first-child{text-align:left}th{color:var(--soft);font-weight:500}.verdict{font-size:19px;color:var(--ink);border-left:4px solid
var(--blue);padding:8px 14px;background:var(--card)}.curve{fill:none;stroke-width:2.5}.curve.s{stroke:var(--blue)}.curve.g{stroke:var(--gray1);
stroke-dasharray:6 4}.curve.b{stroke:var(--teal)}.dot{fill:var(--orange)}"""


def bars(rows):
    """Horizontal bars: (name, value, words, colour)."""
    longest, y, out, wide = max(max(row[1] for row in rows), 1e-9), 6, [], WIDTH - 270 - 200
    for name, value, words, colour in rows:
        out.append(text(260, y + 15, name, anchor="end"))
        out.append(rect(270, y, max(value / longest * wide, 0.5), 20, f'class="{colour}"', words))
        out.append(text(278 + value / longest * wide, y + 15, words, 'class="value"'))
        y += 28
    return svg(y + 2, out, "Bars")


def picture_of_speed(profile):
    """Predicted speed-up over the number of workers, both on logarithmic axes."""
    height, top, inner = 300, 30, WIDTH - LEFT - RIGHT
    bottom, most = top + height, math.log2(WORKERS[-1])
    x = lambda n: LEFT + math.log2(n) / most * inner  # noqa: E731
    y = lambda s: bottom - math.log2(max(s, 1)) / most * height  # noqa: E731
    out = []
    for n in [1] + WORKERS:
        out.append(f'<line class="grid" x1="{x(n):.1f}" y1="{top}" x2="{x(n):.1f}" y2="{bottom}"/>')
        out.append(f'<line class="grid" x1="{LEFT}" y1="{y(n):.1f}" x2="{WIDTH - RIGHT}" y2="{y(n):.1f}"/>')
        out += [text(x(n), bottom + 16, n, anchor="end" if n == WORKERS[-1] else "middle"), text(LEFT - 8, y(n) + 4, n, anchor="end")]
    out += [text(WIDTH - RIGHT, bottom + 34, "workers", 'class="axis"', "end"), text(LEFT - 8, top - 12, "speed-up", 'class="axis"')]
    for css, speed in (("g", lambda n: n), ("b", lambda n: ratio(profile.work_ns, predict(profile, n)[0])),
                       ("s", lambda n: ratio(profile.work_ns, predict(profile, n)[1]))):
        points = " ".join(f"{x(n):.1f},{y(speed(n)):.1f}" for n in WORKERS)
        out.append(f'<polyline class="curve {css}" points="{points}"/>')
    if profile.workers > 1:
        reached = ratio(profile.work_ns, profile.elapsed_ns)
        out.append(f'<circle class="dot" cx="{x(profile.workers):.1f}" cy="{y(reached):.1f}" r="6">'
                   f"<title>this job: {reached:.1f} on {profile.workers} workers</title></circle>")
    return svg(bottom + 40, out, "Predicted speed-up")


def table(profile):
    head = ["task", "number", "mean", "own time", "on the span", "parallelism", "burdened", "waits off the processor", "far bytes", "far waits",
            "longest stretch"]
    rows = []
    for kind in profile.sorted():
        s, (begin, end) = kind.sums, profile.stretch(kind.longest)
        cells = [f"{kind.name} ({kind.place})", number(s["count"]), ns(ratio(s["own_ns"], s["count"])), ns(s["own_ns"]),
                 percent(ratio(kind.path_ns, profile.span_ns)), f"{ratio(s['work_ns'], s['span_ns']):.1f}",
                 f"{ratio(s['work_ns'], s['burdened_ns']):.1f}", f"{number(s['waits'])}: {ns(s['wait_ns'])}", number(s["far_bytes"]), ns(s["far_ns"]),
                 f"{ns(kind.longest['ns'])}, {begin} to {end or 'the end'}"]
        rows.append("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>")
    return "<table><tr>" + "".join(f"<th>{escape(cell)}</th>" for cell in head) + "</tr>" + "".join(rows) + "</table>"


def tiles(profile):
    facts = [(f"{ratio(profile.work_ns, profile.span_ns):.1f}", "parallelism"), (f"{ratio(profile.work_ns, profile.burdened_ns):.1f}", "burdened"),
             (ns(profile.work_ns), "work"), (ns(profile.span_ns), "span"), (number(profile.tasks), "tasks"),
             (ns(ratio(profile.work_ns, profile.tasks)), "each, mean"), (f"{profile.workers}", f"worker{'s' * (profile.workers > 1)}")]
    return '<div class="tiles">' + "".join(f'<div class="tile"><b>{escape(a)}</b><span>{escape(b)}</span></div>' for a, b in facts) + "</div>"


def time_rows(profile):
    """Where the workers' time went, in ns."""
    spawn, whole = profile.tasks * profile.spawn_ns, profile.workers * profile.elapsed_ns
    waits = profile.total("far_ns")
    work, wait = profile.work_ns - waits, profile.raw["queued_ns"]
    rows = [("tasks", work, "blue"), ("tasks that wait for far memory", waits, "red"), ("spawns and joins, estimated", spawn, "violet"),
            ("of these, without a processor", wait, "gray1"), ("all else: steals, idle", max(0.0, whole - work - waits - spawn), "gray2")]
    return [(name, value, f"{percent(ratio(value, whole))} · {ns(value)}", colour) for name, value, colour in rows]


def page(profile, title):
    path = sorted((kind for kind in profile.kinds.values() if kind.path_ns > 0), key=lambda kind: -kind.path_ns)
    rest = max(0.0, profile.span_ns - sum(kind.path_ns for kind in path))
    span = [(f"{k.name} ({k.place})", k.path_ns, f"{percent(ratio(k.path_ns, profile.span_ns))} · {ns(k.path_ns)}", "orange") for k in path]
    span += [("others", rest, f"{percent(ratio(rest, profile.span_ns))} · {ns(rest)}", "gray2")] if rest > profile.span_ns / 1000 else []
    begin, end = profile.stretch(profile.raw["longest"])
    waits, share = far(profile)
    notes = "".join(f'<p class="note">{escape(words)}</p>' for words in warnings(profile))
    parts = [
        ("Speed-up, predicted", "Blue: from work, spawns and burdened span. Green: the bound from work and span, which no schedule exceeds. "
         "The broken line is one for one; the dot is this job. A prediction assumes that the input stays the same.", picture_of_speed(profile)),
        ("The span, by task", f"The longest chain of tasks takes {ns(profile.span_ns)}. Its longest serial stretch takes "
         f"{ns(profile.raw['longest']['ns'])}, from {begin} to {end or 'the end of its task'}.", bars(span) if span else ""),
        ("Where the time went", f"Of {profile.workers} x {ns(profile.elapsed_ns)}. Spawning takes {percent(spawning(profile))} of tasks and spawns. "
         f"{percent(share)} of the bytes of global memory came from other hosts, which is {percent(waits)} of the work.", bars(time_rows(profile))),
        ("Tasks by name", "Parallelism and burdened parallelism within a task of this name, children included.", table(profile)),
    ]
    body = "".join(f"<section><h2>{escape(head)}</h2><p>{escape(words)}</p>{drawn}</section>" for head, words, drawn in parts)
    return (f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
            f'<title>{escape(title)}</title><style>{STYLE}{TABLE}</style></head><body><h1>{escape(title)}</h1>'
            f'<p class="verdict">{escape(verdict(profile))}.</p>{tiles(profile)}{notes}{body}</body></html>\n')

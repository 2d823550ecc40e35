# SPDX-License-Identifier: MIT
"""The pictures of uat-report, and the page around them."""
import math
from html import escape

from report_flow import FLOWS, Flows
from report_shapes import LEFT, RIGHT, WIDTH, duration, number, rect, share, steals_of, svg, text, ticks, time_axis
from report_timeline import BETWEEN, BINS, CLASSES, COLORS, EARLY, OTHER, RUN, TAIL, Sums

ROWS = 64  # maximum rows in the picture of workers; more workers share rows
CELLS = 32  # maximum cells per side of the matrix of steals


def value_axis(limit, y, height, words):
    out = []
    for value in ticks(limit, 5):
        at = y - value / limit * height
        out.append(f'<line class="grid" x1="{LEFT}" y1="{at:.1f}" x2="{WIDTH - RIGHT}" y2="{at:.1f}"/>')
        out.append(text(LEFT - 8, at + 4, number(value), anchor="end"))
    out.append(text(LEFT - 8, y - height - 12, words, 'class="axis"'))
    return out


def picture_of_time(sums):
    """Stacked areas over time: the number of workers in each class."""
    height, top, inner = 280, 30, WIDTH - LEFT - RIGHT
    bottom, workers = top + height, sums.trace.workers
    scale = height / (workers * sums.width)
    base, out = [0.0] * BINS, time_axis(sums.span, bottom, top) + value_axis(workers, bottom, height, "workers")
    step = inner / BINS
    for c in range(OTHER):
        upper = [a + b for a, b in zip(base, sums.bins[c])]
        if sums.total[c] > 0:
            corners = [f"{LEFT + (b + side) * step:.2f},{bottom - upper[b] * scale:.2f}" for b in range(BINS) for side in (0, 1)]
            corners += [f"{LEFT + (b + side) * step:.2f},{bottom - base[b] * scale:.2f}" for b in reversed(range(BINS))
                        for side in (1, 0)]
            out.append(f'<polygon class="{COLORS[c]}" points="{" ".join(corners)}"><title>{escape(CLASSES[c][0])}: '
                       f'{share(sums.total[c], sums.span * workers)}</title></polygon>')
        base = upper
    mean = sums.total[RUN] / sums.span
    y = bottom - mean / workers * height
    out.append(f'<line class="mean" x1="{LEFT}" y1="{y:.1f}" x2="{WIDTH - RIGHT}" y2="{y:.1f}"/>')
    below = y < top + 22
    out.append(text(WIDTH - RIGHT - 6, y + 16 if below else y - 6, f"mean {mean:.2f} workers run tasks", 'class="onmean"', "end"))
    return svg(bottom + 40, out, "Workers by what they do, over time")


def picture_of_causes(sums):
    """A bar for each class except running."""
    whole, rows = sums.span * sums.trace.workers, [c for c in range(RUN + 1, OTHER + 1)]
    longest, y, out = max(max(sums.total[c] for c in rows), 1e-9), 6, []
    wide = WIDTH - 170 - 190
    for c in rows:
        out.append(text(160, y + 15, CLASSES[c][0], anchor="end"))
        out.append(rect(170, y, max(sums.total[c] / longest * wide, 0.5), 20, f'class="{COLORS[c]}"', CLASSES[c][1]))
        out.append(text(178 + sums.total[c] / longest * wide, y + 15,
                        f"{share(sums.total[c], whole)} · {duration(sums.total[c])}", 'class="value"'))
        y += 28
    return svg(y + 2, out, "Time without running tasks, by cause")


def picture_of_steals(sums):
    """Steals in each bin of time, as a rate."""
    height, top, inner = 150, 30, WIDTH - LEFT - RIGHT
    bottom, counts = top + height, [0] * BINS
    for begin, *_ in sums.trace.steals:
        counts[min(int((begin - sums.trace.first) / sums.width), BINS - 1)] += 1
    rates = [count / sums.width * 1e6 for count in counts]
    limit = max(max(rates), 1e-9) * 1.05
    out = time_axis(sums.span, bottom, top) + value_axis(limit, bottom, height, "steals per second")
    step = inner / BINS
    for b, rate in enumerate(rates):
        if rate > 0:
            out.append(rect(LEFT + b * step, bottom - rate / limit * height, step * 0.9, rate / limit * height, 'class="orange"',
                            f"{steals_of(counts[b])} in {duration(sums.width)}"))
    return svg(bottom + 40, out, "Steals over time")


def matrix_labels(groups, per, cell, left, top):
    every, out = max(1, math.ceil(groups * 18 / (cell * groups) * 1.6)), []
    for g in range(0, groups, every):
        middle = (g + 0.5) * cell
        out.append(text(left + middle, top - 8, g * per, anchor="middle"))
        out.append(text(left - 8, top + middle + 4, g * per, anchor="end"))
    return out


def picture_of_pairs(sums):
    """A matrix: a row for each thief, a column for each victim."""
    per = math.ceil(sums.trace.workers / CELLS)
    groups = math.ceil(sums.trace.workers / per)
    count = [[0] * groups for _ in range(groups)]
    for _, thief, victim, _, _ in sums.trace.steals:
        if 0 <= victim < sums.trace.workers:
            count[thief // per][victim // per] += 1
    most = max(max(row) for row in count)
    cell, left, top = min(56, 500 / groups), 110, 58
    side, name = cell * groups, "workers" if per > 1 else "worker"
    out = [text(left + side / 2, 18, f"victim: rank{f', groups of {per}' if per > 1 else ''}", 'class="axis"', "middle"),
           f'<text class="axis" text-anchor="middle" transform="translate(22 {top + side / 2:.1f}) rotate(-90)">thief: rank</text>',
           rect(left, top, side, side, 'class="frame"')] + matrix_labels(groups, per, cell, left, top)
    for i, row in enumerate(count):
        for j, steals in enumerate(row):
            if not steals:
                continue
            strength = 0.12 + 0.88 * steals / most
            who = f"{name} {i * per}{f' to {min((i + 1) * per, sums.trace.workers) - 1}' if per > 1 else ''}"
            whom = f"{j * per}{f' to {min((j + 1) * per, sums.trace.workers) - 1}' if per > 1 else ''}"
            out.append(rect(left + j * cell, top + i * cell, cell - 1, cell - 1, f'class="orange" fill-opacity="{strength:.2f}"',
                            f"{who} from {whom}: {steals_of(steals)}"))
            if cell >= 34:
                css = 'class="strong"' if strength > 0.6 else 'class="value"'
                out.append(text(left + (j + 0.5) * cell, top + (i + 0.5) * cell + 4, number(steals), css, "middle"))
    x = left + side + 50
    for k in range(20):
        out.append(rect(x, top + 200 - 10 * k, 18, 10, f'class="orange" fill-opacity="{0.12 + 0.88 * (k + 1) / 20:.2f}"'))
    out += [text(x + 26, top + 16, steals_of(most)), text(x + 26, top + 210, "1 steal"),
            text(x, top + 236, "empty: none", 'class="axis"')]
    out += steal_words(sums, x + 150, top + 16)
    return svg(max(top + side, top + 240) + 10, out, "Who stole from whom")


def steal_words(sums, x, y):
    """A summary of all steals."""
    steals = sums.trace.steals
    times, sizes = sorted(s[4] for s in steals), sorted(s[3] for s in steals)
    if not steals:
        return [text(x, y, "no steals")]
    hosts = sums.trace.hosts
    away = sum(hosts.get(s[1]) != hosts.get(s[2]) for s in steals)
    lines = [f"{len(steals)} steal{'s' * (len(steals) != 1)}", f"median {duration(times[len(times) // 2])} each",
             f"slowest tenth {duration(times[len(times) * 9 // 10])} and more",
             f"median stack {number(sizes[len(sizes) // 2])} bytes", f"from other hosts: {share(away, len(steals))}"]
    return [text(x, y + 22 * i, line) for i, line in enumerate(lines)]


def picture_of_workers(sums):
    """A row for each worker: the share of each bin of time in which it runs tasks."""
    per = math.ceil(sums.trace.workers / ROWS)
    rows = math.ceil(sums.trace.workers / per)
    tall = max(8, min(22, 420 / rows))
    top, inner, out = 30, WIDTH - LEFT - RIGHT, []
    bottom, step, every = top + rows * tall, (WIDTH - LEFT - RIGHT) / BINS, max(1, math.ceil(15 / tall))
    out.append(rect(LEFT, top, inner, bottom - top, 'class="frame"'))
    for r in range(rows):
        members = sums.busy[r * per:(r + 1) * per]
        levels = [round(8 * min(1, sum(m[b] for m in members) / (sums.width * len(members)))) for b in range(BINS)]
        if r % every == 0:
            out.append(text(LEFT - 8, top + (r + 0.5) * tall + 4, r * per, anchor="end"))
        b = 0
        while b < BINS:
            run = b
            while run < BINS and levels[run] == levels[b]:
                run += 1
            if levels[b]:
                out.append(rect(LEFT + b * step, top + r * tall, (run - b) * step, tall - (1 if tall > 6 else 0),
                                f'class="blue" fill-opacity="{levels[b] / 8:.3f}"'))
            b = run
    out.append(text(LEFT - 8, top - 10, f"rank{f', rows of {per}' if per > 1 else ''}", 'class="axis"'))
    return svg(bottom + 40, time_axis(sums.span, bottom, top) + out, "Each worker over time")


def row_picture(sums):
    """The rows of the picture of a critical path: workers per row, number of rows, and height."""
    per = math.ceil(sums.trace.workers / ROWS)
    rows = math.ceil(sums.trace.workers / per)
    return per, rows, max(8, min(22, 420 / rows))


def picture_of_path(sums, flows):
    """The critical path: a bar for each of its parts, in the row of the part's worker."""
    per, rows, tall = row_picture(sums)
    top, inner = 30, WIDTH - LEFT - RIGHT
    bottom, every = top + rows * tall, max(1, math.ceil(15 / tall))
    scale, bars = inner / sums.span, []
    for kind, worker, begin, end in sorted(flows.path, key=lambda part: part[2]):
        row, x = worker // per, LEFT + (begin - sums.trace.first) * scale
        if bars and bars[-1][:2] == [kind, row] and x - bars[-1][3] < 0.5:
            bars[-1][3] = x + (end - begin) * scale
        else:
            bars.append([kind, row, x, x + (end - begin) * scale])
    out = [rect(LEFT, top, inner, bottom - top, 'class="frame"')] + time_axis(sums.span, bottom, top)
    out += [text(LEFT - 8, top + (r + 0.5) * tall + 4, r * per, anchor="end") for r in range(0, rows, every)]
    for kind, row, begin, end in bars:
        out.append(rect(begin, top + row * tall, max(end - begin, 0.5), tall - (1 if tall > 6 else 0), f'class="{FLOWS[kind][1]}"', FLOWS[kind][0]))
    out.append(text(LEFT - 8, top - 10, f"rank{f', rows of {per}' if per > 1 else ''}", 'class="axis"'))
    return svg(bottom + 40, out, "The critical path of the data-flow tasks")


def picture_of_loss(flows):
    """A bar for each kind of part of the critical path."""
    whole, y, out = max(sum(flows.sums), 1e-9), 6, []
    wide = WIDTH - 170 - 190
    for (name, colour, meaning), part in zip(FLOWS, flows.sums):
        long = part / max(*flows.sums, 1e-9) * wide
        out.append(text(160, y + 15, name, anchor="end"))
        out.append(rect(170, y, max(long, 0.5), 20, f'class="{colour}"', meaning))
        out.append(text(178 + long, y + 15, f"{share(part, whole)} · {duration(part)}", 'class="value"'))
        y += 28
    return svg(y + 2, out, "The critical path by cause")


def parts_of_flows(sums):
    flows = Flows(sums.trace)
    if not flows.path:
        return []
    key = '<ul class="key">' + "".join(f'<li title="{escape(meaning)}"><i class="{colour}"></i>{escape(name)}</li>'
                                       for name, colour, meaning in FLOWS) + "</ul>"
    words = (f"The path that leads to the last end of {flows.tasks} tasks: each part began when the one before it had ended. It takes "
             f"{duration(sum(flows.sums))} of {duration(sums.span)}.")
    lost = (f"Parts of the critical path. In all, unrollers made entries for {duration(flows.unrolling)}, and waited for room in the window "
            f"for {duration(flows.waiting)}.")
    return [("Data-flow tasks: the critical path", words, key + picture_of_path(sums, flows)),
            ("Data-flow tasks: where the time went", lost, picture_of_loss(flows))]


STYLE = """
:root{color-scheme:light dark;--paper:#fff;--ink:#1c2430;--soft:#5a6675;--line:#dfe4ea;--card:#f6f8fa;
--blue:#2f6fb3;--teal:#1b9e8f;--red:#d1434b;--violet:#8a63c4;--orange:#e0822e;--gray1:#8b97a5;--gray2:#b1bac4;--gray3:#d2d8de}
@media (prefers-color-scheme:dark){:root{--paper:#12161c;--ink:#e6eaef;--soft:#9aa6b4;--line:#2b333d;--card:#1a2028;
--blue:#5b9be0;--teal:#3fc1b0;--red:#ee6a70;--violet:#b08fe6;--orange:#f0a050;--gray1:#707c8a;--gray2:#535e6a;--gray3:#3a434d}}
*{box-sizing:border-box}body{margin:0 auto;padding:28px 24px 60px;max-width:1100px;background:var(--paper);color:var(--ink);
font:15px/1.5 system-ui,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}h1{font-size:26px;margin:0 0 4px}h2{font-size:18px;margin:38px 0 2px}
p{margin:2px 0 10px;color:var(--soft)}.tiles{display:flex;flex-wrap:wrap;gap:12px;margin:20px 0 6px}.tile{background:var(--card);
border:1px solid var(--line);border-radius:10px;padding:10px 14px;flex:1 1 120px}.tile b{display:block;font-size:22px;line-height:1.3;white-space:nowrap}
.tile span{color:var(--soft);font-size:13px}svg{display:block;width:100%;height:auto;font-size:13px}svg text{fill:var(--ink)}
svg text.axis,svg text.value{fill:var(--soft)}svg text.strong{fill:var(--paper);font-weight:600}svg text.onmean{font-weight:600;paint-order:stroke;
stroke:var(--paper);stroke-width:4px}.grid{stroke:var(--line);stroke-width:1}.mean{stroke:var(--ink);stroke-width:1.5;stroke-dasharray:6 4}
.frame{fill:var(--card);stroke:var(--line)}.blue{fill:var(--blue)}.teal{fill:var(--teal)}.red{fill:var(--red)}.violet{fill:var(--violet)}
.orange{fill:var(--orange)}.gray1{fill:var(--gray1)}.gray2{fill:var(--gray2)}.gray3{fill:var(--gray3)}.none{fill:var(--line)}
.key{display:flex;flex-wrap:wrap;gap:4px 18px;margin:6px 0 8px;font-size:13px;padding:0;list-style:none}.key i{display:inline-block;
width:12px;height:12px;border-radius:3px;margin-right:6px;vertical-align:-1px}.note{border-left:4px solid var(--orange);padding:6px 12px;
background:var(--card);color:var(--ink)}
""" + "".join(f".key .{color}{{background:var(--{color})}}" for color in COLORS if color != "none")


def tiles(sums):
    trace = sums.trace
    mean = sums.total[RUN] / sums.span
    idle = sum(sums.total[c] for c in (EARLY, BETWEEN, TAIL))
    facts = [(trace.workers, f"worker{'s' * (trace.workers > 1)} on {max(len(set(trace.hosts.values())), 1)} host"
              f"{'s' * (len(set(trace.hosts.values())) > 1)}"), (duration(sums.span), "from first to last event"),
             (f"{mean:.2f}", "workers run tasks, mean"), (f"{100 * mean / trace.workers:.1f} %", "efficiency"),
             (share(idle, sums.span * trace.workers), "idle"), (number(len(trace.steals)), "steals")]
    return '<div class="tiles">' + "".join(f'<div class="tile"><b>{escape(str(a))}</b><span>{escape(b)}</span></div>'
                                           for a, b in facts) + "</div>"


def page(trace, title):
    sums = Sums(trace)
    key = '<ul class="key">' + "".join(f'<li title="{escape(what)}"><i class="{COLORS[c]}"></i>{escape(name)}</li>'
                                       for c, (name, what) in enumerate(CLASSES) if c != OTHER and sums.total[c] > 0) + "</ul>"
    lost = (f'<p class="note">{trace.dropped} older events were dropped: each worker keeps its last ones, so the pictures begin where '
            "they begin, and show too little of the time before.</p>" if trace.dropped else "")
    parts = [
        ("Speed-up: workers by what they do", "How many workers run tasks at each moment, above them those that do something else. "
         "The broken line is the mean speed-up over one worker that does nothing but run the same tasks.", key + picture_of_time(sums)),
        ("Time without tasks, by cause", "Share of all workers' time, and sum over all workers.", picture_of_causes(sums)),
        ("Steals over time", "Steals that succeeded.", picture_of_steals(sums)),
        ("Who stole from whom", "Steals that succeeded, by thief and victim.", picture_of_pairs(sums)),
        ("Each worker over time", "The fuller the colour, the more of the moment the worker runs tasks.", picture_of_workers(sums)),
    ]
    parts += parts_of_flows(sums)
    body = "".join(f"<section><h2>{escape(head)}</h2><p>{escape(words)}</p>{drawn}</section>" for head, words, drawn in parts)
    return (f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
            f'<title>{escape(title)}</title><style>{STYLE}</style></head><body><h1>{escape(title)}</h1>'
            f"{tiles(sums)}{lost}{body}</body></html>\n")

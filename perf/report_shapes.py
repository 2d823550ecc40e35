# SPDX-License-Identifier: MIT
"""Words and shapes of uat-report's pictures."""
import math
from html import escape

WIDTH, LEFT, RIGHT = 1040, 64, 12  # all pictures, in pixels: whole width, and margins


def number(value):
    """The value with three digits and a prefix."""
    for factor, prefix in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if abs(value) >= factor * 0.9995:
            return f"{value / factor:.3g}{prefix}"
    return f"{value:.3g}"


def duration(microseconds):
    for factor, unit in ((1e6, "s"), (1e3, "ms"), (1, "µs")):
        if microseconds >= factor * 0.9995:
            return f"{microseconds / factor:.3g} {unit}"
    return f"{microseconds * 1e3:.3g} ns"


def ticks(limit, count=6):
    """The ticks of an axis: round numbers from 0 to limit, in about `count` steps."""
    step = 10 ** math.floor(math.log10(limit / count))
    step *= next(f for f in (1, 2, 5, 10) if limit / (f * step) <= count)
    return [i * step for i in range(int(limit / step + 1e-9) + 1)]


def steals_of(count):
    return f"{number(count)} steal{'s' * (count != 1)}"


def share(part, whole):
    return f"{100 * part / whole:.1f} %" if whole else "0 %"


def svg(height, body, label):
    return (f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{escape(label)}">' + "".join(body) + "</svg>")


def rect(x, y, width, height, css, title=""):
    title = f"<title>{escape(title)}</title>" if title else ""
    return f'<rect x="{x:.2f}" y="{y:.2f}" width="{width:.2f}" height="{height:.2f}" {css}>{title}</rect>'


def text(x, y, words, css="", anchor="start"):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" {css}>{escape(str(words))}</text>'


def time_axis(span, y, top):
    """Ticks and their lines, with the unit at the end."""
    factor, unit = next((f, u) for f, u in ((1e6, "s"), (1e3, "ms"), (1, "µs"), (1e-3, "ns")) if span >= f or f == 1e-3)
    inner, out = WIDTH - LEFT - RIGHT, []
    for value in ticks(span / factor, 8):
        x = LEFT + value * factor / span * inner
        out.append(f'<line class="grid" x1="{x:.1f}" y1="{top}" x2="{x:.1f}" y2="{y}"/>')
        out.append(text(x, y + 16, f"{value:g}", anchor="middle"))
    out.append(text(WIDTH - RIGHT, y + 34, f"time in {unit}", 'class="axis"', "end"))
    return out

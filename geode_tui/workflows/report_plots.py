"""Small plots as inline SVG: interval bars, a heat map, Bland-Altman.

Colours come from CSS variables of the page; every mark has a title in words.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape

from geode_tui.domain.base import HIGHEST_SCORE, LOWEST_SCORE
from geode_tui.domain.display import one_line, visible
from geode_tui.domain.estimate import Estimate

LABEL = 330
WIDTH = 860
ROW = 26
CELL = 30

Cells = Iterable[tuple[int, int, int]]


def safe(text: str) -> str:
    """Outside text for HTML: control characters visible, markup escaped."""
    return escape(visible(text), quote=True)


def interval_bars(figures: Mapping[str, Estimate]) -> str:
    """Coefficients from -1 to 1 as points with their intervals as bars."""
    room = WIDTH - LABEL - 20
    height = ROW * (len(figures) + 1) + 8

    def at(value: float) -> float:
        return LABEL + (min(1.0, max(-1.0, value)) + 1) / 2 * room

    out = [_svg(WIDTH, height, "Coefficients with 95% intervals")]
    for tick in (-1, -0.5, 0, 0.5, 1):
        x = at(tick)
        out.append(
            f'<line class="{"zero" if tick == 0 else "grid"}" x1="{x:.1f}"'
            f' x2="{x:.1f}" y1="0" y2="{height - ROW}"/>'
            f'<text class="tick" x="{x:.1f}" y="{height - 8}">{tick:g}</text>'
        )
    for number, (name, e) in enumerate(figures.items()):
        y = ROW * number + ROW / 2
        short = escape(one_line(name, LABEL // 7))
        out.append(
            f'<text x="0" y="{y + 4:.1f}">{short}<title>{safe(name)}</title></text>'
        )
        if e.value is None:
            why = e.reason.sentence if e.reason else ""
            out.append(
                f'<text class="why" x="{LABEL}" y="{y + 4:.1f}">{safe(why)}</text>'
            )
            continue
        words = f"{name}: {e.value:.3f}, n = {e.n_items}"
        if e.interval is not None:
            low, high = e.interval.low, e.interval.high
            words += f", {low:.3f} to {high:.3f}"
            out.append(
                f'<line class="bar" x1="{at(low):.1f}" x2="{at(high):.1f}"'
                f' y1="{y:.1f}" y2="{y:.1f}"/>'
            )
        out.append(
            f'<circle class="{"point" if e.interval else "hollow"}"'
            f' cx="{at(e.value):.1f}" cy="{y:.1f}" r="5">'
            f"<title>{safe(words)}</title></circle>"
        )
    return "".join((*out, "</svg>"))


def heat_map(cells: Cells, judge: str, person: str) -> str:
    """How often each judge score (down) met each human score (across)."""
    counts = {(a, b): n for a, b, n in cells}
    most = max(counts.values(), default=1)
    steps = range(LOWEST_SCORE, HIGHEST_SCORE + 1)
    left, top = 70, 24
    size = CELL * len(steps)
    out = [_svg(left + size + 20, top + size + 40, f"{judge} by {person}")]
    for a in steps:
        y = top + CELL * (HIGHEST_SCORE - a)
        out.append(f'<text class="tick" x="{left - 14}" y="{y + 20}">{a}</text>')
        x = left + CELL * (a - LOWEST_SCORE)
        out.append(
            f'<text class="tick" x="{x + CELL / 2}" y="{top + size + 16}">{a}</text>'
        )
        for b in steps:
            x = left + CELL * (b - LOWEST_SCORE)
            n = counts.get((a, b), 0)
            shade = f' style="fill-opacity:{0.15 + 0.85 * n / most:.2f}"' if n else ""
            kind = "cell" if n else "empty"
            same = " same" if a == b else ""
            out.append(
                f'<rect class="{kind}{same}"{shade} x="{x}" y="{y}" width="{CELL - 2}"'
                f' height="{CELL - 2}"><title>judge {a}, person {b}: {n}</title></rect>'
            )
            if n:
                dark = " light" if n > most / 2 else ""
                out.append(
                    f'<text class="count{dark}" x="{x + CELL / 2 - 1}"'
                    f' y="{y + 19}">{n}</text>'
                )
    out.append(f'<text x="0" y="14">{safe(judge)} (down)</text>')
    end = top + size + 34
    out.append(f'<text x="{left}" y="{end}">{safe(person)} (across)</text>')
    return "".join((*out, "</svg>"))


def bland_altman_plot(cells: Cells, limits: Sequence[tuple[str, float | None]]) -> str:
    """Judge less person against their mean; the circle's area is the count."""
    width, height, left = 420, 300, 44
    span = HIGHEST_SCORE - LOWEST_SCORE

    def at_x(mean: float) -> float:
        return left + (mean - LOWEST_SCORE) / span * (width - left - 20)

    def at_y(gap: float) -> float:
        return 10 + (span - max(-span, min(span, gap))) / (2 * span) * (height - 44)

    out = [_svg(width, height, "Bland-Altman: judge less person against their mean")]
    for tick in (-9, -6, -3, 0, 3, 6, 9):
        y, words = at_y(tick), f"{tick:+d}" if tick else "0"
        out.append(
            f'<line class="{"zero" if tick == 0 else "grid"}" x1="{left}"'
            f' x2="{width - 20}" y1="{y:.1f}" y2="{y:.1f}"/>'
            f'<text class="tick" x="{left - 16}" y="{y + 4:.1f}">{words}</text>'
        )
    for name, value in limits:
        if value is None:
            continue
        y = at_y(value)
        out.append(
            f'<line class="limit" x1="{left}" x2="{width - 20}" y1="{y:.1f}"'
            f' y2="{y:.1f}"><title>{safe(name)}: {value:.2f}</title></line>'
        )
    for tick in (1, 4, 7, 10):
        out.append(
            f'<text class="tick" x="{at_x(tick):.1f}" y="{height - 18}">{tick}</text>'
        )
    for a, b, n in cells:
        radius = min(14.0, 3 + 1.6 * (n - 1) ** 0.5)
        out.append(
            f'<circle class="mark" cx="{at_x((a + b) / 2):.1f}"'
            f' cy="{at_y(a - b):.1f}" r="{radius:.1f}">'
            f"<title>judge {a}, person {b}: {n}</title></circle>"
        )
    out.append(f'<text x="{left}" y="{height - 2}">mean of judge and person</text>')
    return "".join((*out, "</svg>"))


def _svg(width: float, height: float, title: str) -> str:
    return (
        f'<svg role="img" viewBox="0 0 {width:.0f} {height:.0f}"'
        f' width="{width:.0f}" height="{height:.0f}"><title>{safe(title)}</title>'
    )

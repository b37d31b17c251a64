"""Small plots as SVG that stretches with the page: positions are in per cent across, and in pixels down.

Nothing in them is text, so nothing gets too small on a phone. They repeat what stands beside them in numbers, and are
hidden from screen readers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from .markup import Html, escaped, tag

__all__ = ["Scale", "bars", "interval_plot"]

_HEIGHT = 22


class Scale:
    """Places values on a line from 0 to 100, in per cent.

    Args:
        values: what must have room; what is infinite or NaN does not count.
        is_logarithmic: whether equal ratios take equal room. All finite values must then be above 0.
    """

    def __init__(self, values: Sequence[float], is_logarithmic: bool = False) -> None:
        self._log = is_logarithmic
        finite = [self._placed(value) for value in values if math.isfinite(value)] or [0.0]
        low, high = min(finite), max(finite)
        room = 0.04 * (high - low) or 0.5
        self._low, self._high = low - room, high + room

    def _placed(self, value: float) -> float:
        return math.log10(value) if self._log else value

    def __call__(self, value: float) -> float:
        """Return where a value is; what lies outside is at the end."""
        if math.isinf(value):
            return 100.0 if value > 0 else 0.0
        return round(100 * min(1.0, max(0.0, self._share(value))), 2)

    def _share(self, value: float) -> float:
        return (self._placed(value) - self._low) / (self._high - self._low)

    def ticks(self) -> list[float]:
        """Return some round values inside the scale: two to seven; or powers of ten, and their triples."""
        if self._log:
            powers = range(math.floor(self._low), math.ceil(self._high) + 1)
            steps = (1,) if self._high - self._low > 3 else (1, 3)
            ticks = [step * 10.0**power for power in powers for step in steps]
            return [tick for tick in ticks if 0.03 <= self._share(tick) <= 0.97]
        step = 10.0 ** math.floor(math.log10(self._high - self._low))
        step = next(
            one for one in (step / 5, step / 4, step / 2, step, 2 * step) if (self._high - self._low) / one <= 7
        )
        ticks = [step * i for i in range(math.ceil(self._low / step), math.floor(self._high / step) + 1)]
        return [tick for tick in ticks if 0.03 <= self._share(tick) <= 0.97]  # room for half a number at each end


def interval_plot(scale: Scale, middle: float, low: float, high: float) -> Html:
    """Return a dot on the line of its interval; an end beyond the scale has an arrow's fading line only."""
    y = _HEIGHT / 2
    lines = [_line(scale(tick), 0, scale(tick), _HEIGHT, "tick") for tick in scale.ticks()]
    lines.append(_line(scale(low), y, scale(high), y, "range"))
    lines += [_line(scale(end), y - 5, scale(end), y + 5, "range") for end in (low, high) if math.isfinite(end)]
    dot = tag("circle", cx=f"{scale(middle)}%", cy=y, r=4.5, class_="dot")
    return _plot([*lines, dot], _HEIGHT)


def _line(x1: float, y1: float, x2: float, y2: float, class_: str) -> Html:
    return tag("line", x1=f"{x1}%", y1=y1, x2=f"{x2}%", y2=y2, class_=class_)


def bars(counts: Sequence[int], height: int = 96) -> Html:
    """Return a histogram: a bar for each count, from the left."""
    width = 100 / len(counts)
    most = max(counts)
    shapes = []
    for i, count in enumerate(counts):
        tall = round((height - 2) * count / most, 1)
        at = f"{i * width + 0.08 * width:.3f}%"
        shapes.append(tag("rect", x=at, y=height - tall, width=f"{0.84 * width:.3f}%", height=tall, class_="bar"))
    return _plot([*shapes, _line(0, height - 0.5, 100, height - 0.5, "tick")], height)


def _plot(shapes: Sequence[Html], height: int) -> Html:
    inside = "".join(map(escaped, shapes))
    return Html(f'<svg class="plot" width="100%" height="{height}" aria-hidden="true" focusable="false">{inside}</svg>')

"""The two themes of the charts: the colours of platform.css, light and dark."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

NUMBERS = {"decimal": ".", "thousands": ",", "grouping": [3], "currency": ["$", ""], "percent": "\u00a0%"}
"""Numbers in charts, axes and tips, as :func:`~annotation_platform.core.text.percent` writes shares elsewhere."""


@dataclass(frozen=True)
class Theme:
    """Colours of one colour scheme; blue against orange can be told apart with any colour vision."""

    background: str
    text: str
    muted: str
    line: str
    axis: str
    raw: str
    rescaled: str
    on_strong: str
    diverging: tuple[str, ...]  # from worst or lowest to best or highest
    kinds: tuple[str, ...]  # of things without an order
    narrow: bool = False  # on a phone

    @property
    def longest_line(self) -> int:
        """Characters of a name in one line; a narrow chart leaves most of its width to the drawing."""
        return 13 if self.narrow else 22

    def config(self, *, legend_columns: int) -> dict[str, Any]:
        """Vega-Lite's configuration."""
        text, muted = self.text, self.muted
        return {
            "background": self.background,
            "locale": {"number": NUMBERS},
            "font": "system-ui, sans-serif",
            "view": {"stroke": None},
            "axis": {
                "labelColor": text,
                "titleColor": muted,
                "gridColor": self.line,
                "domainColor": self.axis,
                "tickColor": self.axis,
                "labelFontSize": 12,
                "titleFontSize": 12,
                "titleFontWeight": "normal",
            },
            # Ends stay where they are: pushed inwards, they would meet their neighbours.
            "axisX": {"labelFlush": False, "labelOverlap": "greedy", "labelSeparation": 8},
            "title": {"color": muted, "fontSize": 12, "fontWeight": "normal"},
            "axisY": {"labelLimit": 95 if self.narrow else 170, "labelPadding": 8},  # clear of a dot at the axis
            "legend": {
                "labelColor": text,
                "titleColor": muted,
                "labelFontSize": 12,
                "symbolOpacity": 1,
                "titleFontWeight": "normal",
                "columns": legend_columns,
            },
        }

    def ramp(self, count: int) -> list[str]:
        """``count`` colours from best to worst, evenly along the diverging ones."""
        return [along(self.diverging[::-1], step / max(count - 1, 1)) for step in range(count)]

    def strong_from(self, *stops: str) -> float:
        """How far along these colours, from 0 to 1, text must take the other ink to stay readable."""
        steps = [step / 100 for step in range(101)]
        return next(
            (at for at in steps if contrast(along(stops, at), self.on_strong) > contrast(along(stops, at), self.text)),
            1.0,
        )


def _parts(colour: str) -> list[int]:
    return [int(colour[i : i + 2], 16) for i in (1, 3, 5)]


def along(stops: Sequence[str], position: float) -> str:
    """The colour at a position from 0 to 1, mixed evenly between the two nearest stops."""
    place = position * (len(stops) - 1)
    left = min(int(place), len(stops) - 2)
    ends = zip(_parts(stops[left]), _parts(stops[left + 1]), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * (place - left)):02x}" for a, b in ends)


def contrast(one: str, other: str) -> float:
    """The contrast of two colours as WCAG 2.2 defines it, from 1 to 21."""
    linear = [
        [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in (p / 255 for p in _parts(c))]
        for c in (one, other)
    ]
    dark, light = sorted(0.2126 * red + 0.7152 * green + 0.0722 * blue for red, green, blue in linear)
    return (light + 0.05) / (dark + 0.05)


LIGHT = Theme(
    background="#ffffff",
    text="#1d1f23",
    muted="#5b5f66",
    line="#dcdcd6",
    axis="#8b8b84",
    raw="#767c86",
    rescaled="#1f5fbf",
    on_strong="#ffffff",
    diverging=("#a94a12", "#f0b98a", "#efeeea", "#9dc0f0", "#1f5fbf"),
    kinds=("#1f5fbf", "#a94a12", "#767c86", "#00806b", "#8446b8"),
)
DARK = Theme(
    background="#1d2024",
    text="#e8e9eb",
    muted="#a7adb6",
    line="#363b42",
    axis="#7f8791",
    raw="#a7adb6",
    rescaled="#8ab4f8",
    on_strong="#101418",
    diverging=("#f5a868", "#96602f", "#33383f", "#3f669f", "#8ab4f8"),
    kinds=("#8ab4f8", "#f5a868", "#a7adb6", "#5ecbb0", "#c9a2f2"),
)
THEMES = {"light": LIGHT, "dark": DARK}

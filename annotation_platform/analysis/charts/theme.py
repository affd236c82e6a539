"""The two themes of the charts: the colours of platform.css, light and dark."""

from dataclasses import dataclass
from typing import Any


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

    def config(self, *, narrow: bool) -> dict[str, Any]:
        """Vega-Lite's configuration; a narrow one leaves most of a phone's width to the drawing."""
        text, muted = self.text, self.muted
        return {
            "background": self.background,
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
            "axisY": {"labelLimit": 95 if narrow else 170},
            "legend": {
                "labelColor": text,
                "titleColor": muted,
                "labelFontSize": 12,
                "titleFontWeight": "normal",
                "columns": 1 if narrow else 2,
            },
        }

    def ramp(self, count: int) -> list[str]:
        """``count`` colours from best to worst, evenly along the diverging ones."""
        stops = [[int(colour[i : i + 2], 16) for i in (1, 3, 5)] for colour in reversed(self.diverging)]
        colours = []
        for step in range(count):
            position = step * (len(stops) - 1) / max(count - 1, 1)
            left = min(int(position), len(stops) - 2)
            share = position - left
            mixed = (round(a + (b - a) * share) for a, b in zip(stops[left], stops[left + 1], strict=True))
            colours.append("#" + "".join(f"{part:02x}" for part in mixed))
        return colours


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
)
THEMES = {"light": LIGHT, "dark": DARK}

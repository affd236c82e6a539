"""Vega-Lite specifications of the figures, built with Altair from their tables.

Every chart is drawn from the same rows as the table beside it. The web process starts without Altair and loads it a
little later (``asgi.py``); vl-convert is imported when the first picture is asked for.
"""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from annotation_platform.analysis.charts.theme import DARK, LIGHT, THEMES, Theme
from annotation_platform.analysis.tables.base import MOST_DRAWN, FigureTable
from annotation_platform.core.errors import NotThereError

__all__ = ["DARK", "DOWNLOAD_WIDTH", "LIGHT", "THEMES", "WIDEST", "Theme", "chart_spec", "pictures", "to_png", "to_svg"]

Spec = dict[str, Any]

DOWNLOAD_WIDTH = 640
WIDEST = 2_000
BETWEEN = 24  # pixels between small multiples, and beside them
CHARACTER = 7  # pixels of a name
AROUND_ENTRY = 32  # pixels of a legend's symbol, and between it and the next
NAMES, NARROW_NAMES = 170, 95  # pixels at most of the names at the left
LONG_TITLE = 22  # characters of the title of a small multiple, two of which stand beside each other on a phone
# In short lines, for the narrowest of charts.
HOLLOW_DOTS = ["Hollow dots have no interval;", "the table says why."]
ENDS_ALONE = ["The {half} highest and {half} lowest", "of {all:,}; the table has all."]


def chart_spec(
    table: FigureTable, name: str, theme: Theme = LIGHT, *, narrow: bool = False, width: int = DOWNLOAD_WIDTH
) -> Spec:
    """The specification of one chart of a figure, as wide as what it stands in; small multiples fill ``width``.

    Raises
    ------
    NotThereError
        When the figure has no such chart.
    """
    from annotation_platform.analysis.charts.base import HOLLOW
    from annotation_platform.analysis.charts.registry import CHARTS

    if name not in table.charts:
        raise NotThereError("analysis.no_chart")
    theme = replace(theme, narrow=narrow)
    drawn = table.drawn_in(name)
    spec: Spec = json.loads(CHARTS[name](drawn, theme).to_json(validate=False))
    notes = HOLLOW_DOTS if any(mark.get("style") == HOLLOW for mark in _marks(spec)) else []
    if drawn is not table:
        count = sum(not row.get("is_all") for row in table.cells)
        notes = [*(line.format(half=MOST_DRAWN // 2, all=count) for line in ENDS_ALONE), *notes]
    if notes:
        spec["title"] = {"text": notes, "orient": "bottom", "anchor": "start"}
    description = " ".join([f"{table.title}. {table.charts[name]} {table.reading}", *notes])
    columns = _legend_columns(spec, width, narrow=narrow)
    return spec | {
        "config": theme.config(legend_columns=columns),
        **_width(spec, width, narrow=narrow),
        "description": description,
    }


def to_svg(spec: Spec) -> str:
    import vl_convert

    svg: str = vl_convert.vegalite_to_svg(_for_download(spec))
    return svg


def to_png(spec: Spec) -> bytes:
    import vl_convert

    png: bytes = vl_convert.vegalite_to_png(_for_download(spec), scale=2)
    return png


def pictures(spec: Spec) -> dict[str, bytes]:
    """The chart in every format for print and screen; drawn once."""
    import vl_convert

    svg = to_svg(spec)
    return {
        "svg": svg.encode(),
        "png": vl_convert.svg_to_png(svg, scale=2),
        "pdf": vl_convert.svg_to_pdf(svg),
    }


def _marks(spec: Spec) -> Iterator[Spec]:
    return (part["mark"] for part in _parts(spec) if "mark" in part)


def _width(spec: Spec, width: int, *, narrow: bool) -> Spec:
    """As wide as its place; small multiples share it, two or four in a row, on a phone one under long titles.

    A title that is wider than its multiple makes the whole wider than its place, so that all of it is drawn smaller.
    """
    if "facet" not in spec:
        return {"width": "container", "autosize": {"type": "fit-x", "contains": "padding"}}
    titles = spec["facet"].get("sort") or []
    longest = max((len(str(title)) for title in titles), default=0)
    is_long = narrow and longest > LONG_TITLE
    columns = min((1 if is_long else 2) if narrow else 4, max(len(titles), 1))
    names = max((len(line) for name in _names(spec["spec"]) for line in name.splitlines()), default=0)
    left = width - min(CHARACTER * names + 16, NARROW_NAMES if narrow else NAMES) - BETWEEN * columns
    facet = spec["facet"]
    if is_long:  # over the names at the left, too
        facet = facet | {"header": facet.get("header", {}) | {"labelAnchor": "end", "labelFontSize": 10}}
    filled = spec["spec"] | {"width": max(left // columns, 90)}
    return {"facet": facet, "columns": columns, "spacing": BETWEEN, "spec": filled}


def _legend_columns(spec: Spec, width: int, *, narrow: bool) -> int:
    """A legend stands in one row where there is room for it beside the names of the chart's rows."""
    scales = [part.get("encoding", {}).get("color", {}).get("scale") or {} for part in _parts(spec)]
    domains: list[list[str]] = [scale["domain"] for scale in scales if isinstance(scale.get("domain"), list)]
    entries = max(domains, key=len, default=[])
    room = sum(CHARACTER * len(str(entry)) + AROUND_ENTRY for entry in entries)
    if len(entries) > 1 and room <= width - (NARROW_NAMES if narrow else NAMES):
        return len(entries)
    return 1 if narrow else 2


def _parts(spec: Spec) -> Iterator[Spec]:
    """A chart, its layers, and what small multiples repeat."""
    yield spec
    for part in [*spec.get("layer", []), *([spec["spec"]] if "spec" in spec else [])]:
        yield from _parts(part)


def _names(spec: Spec) -> list[str]:
    """What stands at the left of a chart's rows."""
    found = [spec, *spec.get("layer", [])]
    axes = (part.get("encoding", {}).get("y", {}).get("sort") for part in found)
    return next((list(map(str, names)) for names in axes if isinstance(names, list)), [])


def _for_download(spec: Spec) -> Spec:
    return spec | {"padding": 12} | ({} if "facet" in spec else {"width": DOWNLOAD_WIDTH})

"""Figures as a snapshot has them, made by hand."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from annotation_platform.analysis.measuring.figures import (
    Alpha,
    AspectHead,
    ComparedFigure,
    CountedFigure,
    Label,
    MainFigures,
    MeanChange,
    TestedDifference,
)
from annotation_platform.analysis.models import AgreementSnapshot
from annotation_platform.analysis.sections.annotators.people import Annotator
from annotation_platform.analysis.tables.request import TableRequest

Span = tuple[float, float] | None
NONE = "All labels are equal."
LABELS = (Label(key="a", label="A", number=0), Label(key="b", label="B", number=100))


def _known(value: float | None, interval: Span, because: str = NONE) -> dict[str, Any]:
    """Undefined without a value, and without an interval one that rests on a single item."""
    return {
        "value": value,
        "interval": interval,
        "undefined_because": because if value is None else None,
        "no_interval_because": None if interval else "It rests on a single item.",
    }


def figure(value: float | None, interval: Span = None, *, because: str = NONE) -> CountedFigure:
    return CountedFigure(items=10, units=10, annotators=3, judgments=30, **_known(value, interval, because))


def compared(value: float | None, *, z: float | None = None, median: float | None = None) -> ComparedFigure:
    return ComparedFigure(**dict(figure(value)), z=z, median=median, no_z_because=None)


def difference(value: float | None, interval: Span = None, p_holm: float | None = None) -> TestedDifference:
    why = _known(value, interval)
    return TestedDifference(items=10, units=10, p_value=p_holm, p_holm=p_holm, no_p_value_because=None, **why)


def change(value: float | None, interval: Span = None, p_holm: float | None = None) -> MeanChange:
    of = {"p_value": p_holm, "p_value_holm": p_holm}
    return MeanChange(**dict(figure(value, interval)), **of)


def main_figures(title: str, alpha: CountedFigure, **means: Any) -> MainFigures:
    taus = {"raw": figure(None), "rescaled": None, "change": None} | means
    return MainFigures(
        aspect=title, title=title, is_rescaled="rescaled" in means, alpha=Alpha(level="ordinal", **dict(alpha)), **taus
    )


def head(**known: Any) -> AspectHead:
    given = {"aspect": "x", "title": "X", "per": "item", "level": "ordinal", "labels": LABELS, "best_label": None}
    more = {"better": None, "is_rescaled": True, "rescaled_undefined_because": None, "resamples_of_pairs": 1000}
    return AspectHead(**given | more | known)


def person(name: str, *far: str, **figures: Any) -> Annotator:
    known = dict.fromkeys(("leniency", "tau", "same_label"), compared(None)) | figures
    return Annotator(name=name, judgments=9, far=far, **known)


def asked_for(
    sections: Mapping[str, Any] = MappingProxyType({}),
    parameters: Mapping[str, str] = MappingProxyType({}),
    **known: Any,
) -> TableRequest:
    """What a table is made from, of a snapshot that it does not look at; sections as types or as they are stored."""
    found = TableRequest(AgreementSnapshot(), head(**known), dict(sections), parameters)
    found._read.update({key: each for key, each in sections.items() if not isinstance(each, dict | list)})
    return found

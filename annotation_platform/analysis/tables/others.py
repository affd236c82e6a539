"""Whom the intervals of a table speak for: other articles that the same people judge, or other people, too."""

from typing import Any, TypeVar

from django.utils.translation import gettext as _

from annotation_platform.accounts.language import in_language
from annotation_platform.analysis.measuring.figures import ForOthers, StoredFigures
from annotation_platform.analysis.tables.base import FigureTable
from annotation_platform.analysis.tables.request import TableRequest
from annotation_platform.core.few_units import UnitName, units_in_words
from annotation_platform.core.reasons import Reason

F = TypeVar("F", bound=StoredFigures)


def speaks_for(asked: TableRequest, unit: UnitName | None = None) -> str:
    """The sentence that stands beside intervals; ``unit`` is what they draw, where it is not the aspect's."""
    if not asked.others:
        return speaks_for_units(asked, unit)
    return in_language(Reason("statistics.for_other_raters", units=units_in_words(unit or asked.head.unit)))


def speaks_for_both(asked: TableRequest, unit: UnitName | None = None) -> str:
    """The same of estimates with a judge and of its biases, whose wider intervals are not too wide."""
    if not asked.others:
        return speaks_for_units(asked, unit)
    return in_language(Reason("statistics.for_other_raters_as_well", units=units_in_words(unit or asked.head.unit)))


def speaks_for_units(asked: TableRequest, unit: UnitName | None = None) -> str:
    """The same where there is no choice."""
    return in_language(Reason("statistics.for_other_units", units=units_in_words(unit or asked.head.unit)))


def over(asked: TableRequest, units: str) -> str:
    """What intervals are over, in the words of a caption: these units, and annotators where they were asked for."""
    return _("{groups} and annotators").format(groups=units) if asked.others else units


def drawn_by(unit: str, *, others: bool) -> str:
    """The same of one unit."""
    return _("{unit} and annotator").format(unit=unit) if others else unit


def with_others(asked: TableRequest, found: dict[str, FigureTable]) -> dict[str, Any]:
    """What a page that offers the choice shows: its tables, what was chosen, and how the choices are called."""
    return {
        "tables": found,
        "offers_others": any(table.offers_others for table in found.values()),
        "others": asked.others,
        "units": in_language(units_in_words(asked.head.unit)),
    }


def as_asked(asked: TableRequest, figure: F) -> F:
    """The figure with the interval that was asked for, and with the p of it; as it is where there is one only."""
    other: ForOthers | None = getattr(figure, "for_others", None)
    if not asked.others or other is None:
        return figure
    told: dict[str, Any] = {
        "interval": other.interval,
        "no_interval_because": other.no_interval_because,
        "p_value": other.p_value,
        "p_holm": other.p_holm,
        "no_p_value_because": other.no_interval_because,
    }
    fields = type(figure).model_fields
    return figure.model_copy(update={name: value for name, value in told.items() if name in fields})

"""The annotators beside each other, and one of them against the others; pseudonyms only."""

from collections.abc import Callable
from typing import NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotation_platform.analysis.measuring.figures import (
    ComparedFigure,
    CountedFigure,
    TestedDifference,
)
from annotation_platform.analysis.sections.annotators.figures import ANNOTATORS
from annotation_platform.analysis.sections.annotators.people import Annotator, annotators_of, chosen_annotator
from annotation_platform.analysis.sections.annotators.table_rows import (
    AnnotatorRow,
    MedianTime,
    OneFigureRow,
    OverItems,
    WithOtherRow,
)
from annotation_platform.analysis.sections.annotators.words import (
    are_too_few,
    far_in_words,
    otherwise_in_words,
    who_is_far,
)
from annotation_platform.analysis.sections.pairs.figures import PAIRS_ALL, PairTau
from annotation_platform.analysis.sections.pairs.tables import sides_of
from annotation_platform.analysis.sections.work.figures import WORK, TimeOnTask
from annotation_platform.analysis.tables.base import Column, FigureTable
from annotation_platform.analysis.tables.request import TableOf, TableRequest
from annotation_platform.analysis.tables.rows import Estimate, estimate_of
from annotation_platform.analysis.tables.words import change_heading, from_to, number, number_kind, with_commas
from annotation_platform.core.text import TOO_FEW_TO_COMPARE

# How the headings of those figures stand in a list.
STANDS_APART_IN = {
    "leniency": gettext_noop("leniency"),
    "tau": gettext_noop("τ with others"),
    "same_label": gettext_noop("same label"),
    "seconds": gettext_noop("time"),
    "vacuous": gettext_noop("vacuous"),
}


def annotators_table(asked: TableRequest) -> FigureTable | None:
    """Every annotator in one row; None where nobody has judged."""
    people = annotators_of(asked)
    if not people:
        return None
    is_rescaled = any(each.tau_rescaled is not None for each in people)
    rows = [_row(each) for each in people]
    drawn = _drawn()
    charts = {name: each.caption for name, each in drawn.items() if any(each.of(row).value is not None for row in rows)}
    if "annotators-agreement" in charts:
        charts.pop("annotators-same", None)  # the finer of the two is drawn, both are in the table
    return FigureTable(
        name="annotators",
        title=_("Annotators"),
        reading=" ".join([*who_is_far(asked), *otherwise_in_words(asked)]),
        columns=[
            Column("name", _("Annotator")),
            Column("judgments", _("Judgments"), "count"),
            Column("leniency", _("Leniency"), number_kind(asked.head), True),
            *([Column("leniency_rescaled", _("Leniency, rescaled"), "score", True)] if is_rescaled else []),
            *(
                [Column("shift", _("Shift"), "score", True), Column("shift_p", _("p (Holm)"), "p")]
                if is_rescaled
                else []
            ),
            Column("tau", _("τ with others"), "value", True),
            *([Column("tau_rescaled", _("τ, rescaled"), "value", True)] if is_rescaled else []),
            Column("same_label", _("Same label"), "share", True),
            Column("consistency", _("Same label again"), "share", True),
            Column("drift", _("Drift, first to last"), number_kind(asked.head), True),
            Column("seconds", _("Median time [quartiles]"), "time", True),
            Column("vacuous", _("Vacuous"), "share", True),
            Column("remark", _("Stands apart in")),
        ],
        rows=rows,
        charts=charts,
        meta={"by": "annotator", "better": asked.head.better},
        ranked_by={name: each.column for name, each in drawn.items()},
    )


class Drawn(NamedTuple):
    """A figure that a chart draws: its column, which also chooses among very many rows, and the chart's caption."""

    column: str
    of: Callable[[AnnotatorRow], Estimate]
    caption: str


def _drawn() -> dict[str, Drawn]:
    """By the names of charts."""
    return {
        "annotators-leniency": Drawn(
            "leniency",
            lambda row: row.leniency,
            _("How far labels lie above or below those of others on the same items, in the scale's numbers."),
        ),
        "annotators-agreement": Drawn("tau", lambda row: row.tau, _("Mean τ with each of the others.")),
        "annotators-same": Drawn(
            "same_label",
            lambda row: row.same_label,
            _("Share of the others' labels of the same items that are equal."),
        ),
        "annotators-vacuous": Drawn(
            "vacuous",
            lambda row: row.vacuous,
            _("Share of explanations that say nothing beyond label, question and answer."),
        ),
        "annotators-drift": Drawn(
            "drift",
            lambda row: row.drift,
            _(
                "How much leniency changes from an annotator's first judgment to the last, in the scale's numbers; a "
                "line across 0 may be chance."
            ),
        ),
        "annotators-seconds": Drawn(
            "seconds",
            lambda row: row.seconds,
            _("Median time on task of a judgment; half of the judgments lie on the line."),
        ),
    }


def _row(person: Annotator) -> AnnotatorRow:
    return AnnotatorRow(
        name=person.name,
        judgments=person.judgments,
        leniency=_over_items(person.leniency),
        leniency_rescaled=_over_items(person.leniency_rescaled),
        shift=_over_items(person.shift),
        tau=_over_items(person.tau),
        tau_rescaled=_over_items(person.tau_rescaled),
        same_label=_over_items(person.same_label),
        consistency=_over_items(person.consistency),
        drift=_over_items(person.drift),
        vacuous=_over_items(person.vacuous),
        seconds=_median_time(person.seconds),
        shift_p=None if person.shift is None else person.shift.corrected_p,
        remark=with_commas([_(STANDS_APART_IN[key]) for key in person.far]),
    )


def _over_items(figure: CountedFigure | TestedDifference | None) -> OverItems:
    return OverItems(**vars(estimate_of(figure)), items=None if figure is None else figure.items)


def _median_time(seconds: TimeOnTask | None) -> MedianTime:
    if seconds is None:
        return MedianTime(items=None)
    low, high = seconds.quartiles or (None, None)
    return MedianTime(seconds.value, low, high, items=seconds.judgments or None)


def annotator_table(asked: TableRequest) -> FigureTable:
    """One annotator's figures beside the median of all annotators."""
    person = chosen_annotator(asked)
    of_scale = number_kind(asked.head)
    figures = [
        (_("Leniency, in the scale's numbers"), of_scale, person.leniency),
        (_("τ with others"), "value", person.tau),
        (_("Same label"), "share", person.same_label),
        (_("Time"), "time", person.seconds),
        (_("Vacuous"), "share", person.vacuous),
        (_("τ with others, rescaled"), "value", person.tau_rescaled),
        (_("Leniency, rescaled"), "score", person.leniency_rescaled),
        (_("Shift of leniency by rescaling (0 to 100)"), "score", person.shift),
        (_("Same label given again to the same item"), "share", person.consistency),
        (_("Drift of leniency from first judgment to last"), of_scale, person.drift),
    ]
    rows = [_one_figure(heading, kind, figure) for heading, kind, figure in figures if figure is not None]
    sentences = far_in_words(person, asked.head)
    if not sentences and are_too_few(annotators_of(asked)):
        sentences = [_(TOO_FEW_TO_COMPARE)]
    alike = _("Annotator {name} does not stand far apart from the others.")
    sentences = sentences or [alike.format(name=person.name)]
    return FigureTable(
        name="annotator",
        title=_("Annotator {name}").format(name=person.name),
        reading=" ".join(sentences),
        columns=[
            Column("figure", _("Figure")),
            Column("value", _("Value")),
            Column("interval", _("95\u00a0% interval (time: quartiles)")),
            Column("median", _("Median of all")),
            Column("z", _("Modified z"), "score"),
            Column("items", _("Items"), "count"),
            Column("undefined_because", _("Remark")),
        ],
        rows=rows,
        meta={"query": asked.query_of("annotator")},
    )


def _one_figure(heading: str, kind: str, figure: CountedFigure | TestedDifference) -> OneFigureRow:
    low, high = (isinstance(figure, TimeOnTask) and figure.quartiles) or figure.interval or (None, None)
    median, z, no_z = None, None, None
    if isinstance(figure, ComparedFigure):
        median, z, no_z = figure.median, figure.z, figure.no_z_because
    judgments = figure.judgments if isinstance(figure, CountedFigure) else 0
    return OneFigureRow(
        figure=heading,
        value=number(figure.value, kind),
        interval="" if low is None else from_to(number(low, kind), number(high, kind)),
        median="" if median is None else number(median, kind),
        z=z,
        items=figure.items or judgments,
        undefined_because=figure.why_not or no_z or "",
    )


def annotator_pairs_table(asked: TableRequest) -> FigureTable | None:
    """τ of one annotator with each of the others, before and after; None without an order of labels."""
    name, pairs = asked.parameters.get("annotator", ""), asked.section(PAIRS_ALL)
    rows = [_with_other(pair, name) for pair in pairs if name in pair.annotators]
    if not rows:
        return None
    is_rescaled = any(row.rescaled.value is not None for row in rows)
    rescaled = [
        Column("rescaled", _("Rescaled τ"), "value", True),
        Column("change", change_heading(), "value", True),
        Column("p_holm", _("p (Holm)"), "p"),
    ]
    defined = sorted((row.raw.value, row.other) for row in rows if row.raw.value is not None)
    reading = _("With none of the others τ is defined.")
    if len(defined) == 1:
        reading = _("τ is defined with one of the others: {value} ({name}).").format(
            value=number(defined[0][0], "value"), name=defined[0][1]
        )
    elif defined:
        (low, least), (high, most) = defined[0], defined[-1]
        reading = _("τ with the others runs from {low} ({least}) to {high} ({most}).").format(
            low=number(low, "value"), least=least, high=number(high, "value"), most=most
        )
    return FigureTable(
        name="annotator-pairs",
        title=_("Annotator {name} with each of the others").format(name=name),
        reading=reading,
        columns=[
            Column("other", _("With")),
            Column("n", "n", "count"),
            Column("raw", _("Raw τ") if is_rescaled else "τ", "value", True),
            *(rescaled if is_rescaled else []),
            Column("undefined_because", _("Remark")),
        ],
        rows=rows,
        charts={"annotator-pairs": _("Dots are τ, lines 95\u00a0% intervals.")},
        ranked_by={"annotator-pairs": "raw"},
        meta={"query": asked.query_of("annotator")},
    )


def _with_other(pair: PairTau, name: str) -> WithOtherRow:
    (other,) = (each for each in pair.annotators if each != name)
    raw, rescaled, change = sides_of(pair)
    return WithOtherRow(
        other=other,
        n=pair.n,
        items=pair.items,
        p_holm=pair.p_holm,
        raw=raw,
        rescaled=rescaled,
        change=change,
        undefined_because=pair.undefined_because or "",
    )


TABLES = {
    "annotators": TableOf((ANNOTATORS.key, WORK.key), annotators_table),
    "annotator": TableOf((ANNOTATORS.key, WORK.key), annotator_table, of_one="annotator"),
    "annotator-pairs": TableOf((PAIRS_ALL.key,), annotator_pairs_table, of_one="annotator"),
}

"""The annotators beside each other, and one of them against the others; pseudonyms only."""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotation_platform.analysis.measuring.figures import (
    ComparedFigure,
    CountedFigure,
    Figure,
    TestedDifference,
)
from annotation_platform.analysis.sections.annotators.figures import ANNOTATORS
from annotation_platform.analysis.sections.annotators.people import Annotator, annotators_of, chosen_annotator
from annotation_platform.analysis.sections.annotators.words import (
    FIGURES,
    TOO_FEW,
    are_too_few,
    far_in_words,
    otherwise_in_words,
    who_is_far,
)
from annotation_platform.analysis.sections.pairs.figures import PAIRS_ALL
from annotation_platform.analysis.sections.pairs.tables import sides_of
from annotation_platform.analysis.sections.work.figures import WORK, TimeOnTask
from annotation_platform.analysis.tables.base import (
    Column,
    FigureTable,
    Row,
    change_heading,
    from_to,
    number,
    number_kind,
    sided,
    with_commas,
)
from annotation_platform.analysis.tables.request import TableOf, TableRequest
from annotation_platform.core.few_units import FEWEST_UNITS, too_few_units

# How the headings of those figures stand in a list.
STANDS_APART_IN = {
    "leniency": gettext_noop("leniency"),
    "tau": gettext_noop("τ with others"),
    "same_label": gettext_noop("same label"),
    "seconds": gettext_noop("time"),
    "vacuous": gettext_noop("vacuous"),
}


TOO_SELDOM_DEFINED = gettext_noop("τ was undefined in too many of the resamples.")


def annotators_table(asked: TableRequest) -> FigureTable | None:
    """Every annotator in one row; None where nobody has judged."""
    people = annotators_of(asked)
    if not people:
        return None
    is_rescaled = any("tau_rescaled" in each.figures for each in people)
    rows = [_row(each) for each in people]
    drawn = _drawn()
    charts = {name: text for name, (key, text) in drawn.items() if any(row[key] is not None for row in rows)}
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
            Column("seconds", _("Median time"), "time", True),
            Column("vacuous", _("Vacuous"), "share", True),
            Column("remark", _("Stands apart in")),
        ],
        rows=rows,
        charts=charts,
        meta={"by": "annotator", "better": asked.head.better},
        ranked_by={name: key for name, (key, _) in drawn.items()},
    )


def _drawn() -> dict[str, tuple[str, str]]:
    """Each chart's figure and caption."""
    return {
        "annotators-leniency": (
            "leniency",
            _("How far labels lie above or below those of others on the same items, in the scale's numbers."),
        ),
        "annotators-agreement": ("tau", _("Mean τ with each of the others.")),
        "annotators-same": ("same_label", _("Share of the others' labels of the same items that are equal.")),
        "annotators-vacuous": (
            "vacuous",
            _("Share of explanations that say nothing beyond label, question and answer."),
        ),
        "annotators-drift": (
            "drift",
            _(
                "How much leniency changes from an annotator's first judgment to the last, in the scale's numbers; a "
                "line across 0 may be chance."
            ),
        ),
        "annotators-seconds": (
            "seconds",
            _("Median time on task of a judgment; half of the judgments lie on the line."),
        ),
    }


def _row(person: Annotator) -> Row:
    row: Row = {"name": person.name, "judgments": person.judgments}
    for key in (
        "leniency",
        "leniency_rescaled",
        "shift",
        "tau",
        "tau_rescaled",
        "same_label",
        "consistency",
        "drift",
        "vacuous",
    ):
        figure = person.figures.get(key)
        row |= sided(key, figure) | {f"{key}_items": _items_of(figure)}
    seconds, shift = person.figures.get("seconds"), person.figures.get("shift")
    low, high = (isinstance(seconds, TimeOnTask) and seconds.quartiles) or (None, None)
    row |= {"seconds": person.value("seconds"), "seconds_low": low, "seconds_high": high}
    row |= {"seconds_items": (isinstance(seconds, TimeOnTask) and seconds.judgments) or None}
    row |= {"shift_p": shift and shift.corrected_p}
    return row | {"remark": with_commas([_(STANDS_APART_IN[key]) for key in person.far])}


def _items_of(figure: Figure | None) -> int | None:
    return figure.items if isinstance(figure, CountedFigure | TestedDifference) else None


def annotator_table(asked: TableRequest) -> FigureTable:
    """One annotator's figures beside the median of all annotators."""
    person = chosen_annotator(asked)
    rows: list[Row] = []
    figures = {
        **{key: (_(told[0]), told[1]) for key, told in FIGURES.items()},
        "tau_rescaled": (_("τ with others, rescaled"), "value"),
        "leniency_rescaled": (_("Leniency, rescaled"), "score"),
        "shift": (_("Shift of leniency by rescaling (0 to 100)"), "score"),
        "consistency": (_("Same label given again to the same item"), "share"),
        "drift": (_("Drift of leniency from first judgment to last"), number_kind(asked.head)),
        "leniency": (_("Leniency, in the scale's numbers"), number_kind(asked.head)),
    }
    for key, (heading, kind) in figures.items():
        if (figure := person.figures.get(key)) is None:
            continue
        low, high = (isinstance(figure, TimeOnTask) and figure.quartiles) or figure.interval or (None, None)
        median, z = (figure.median, figure.z) if isinstance(figure, ComparedFigure) else (None, None)
        judgments = figure.judgments if isinstance(figure, CountedFigure) else 0
        rows.append(
            {
                "figure": heading,
                "value": number(figure.value, kind),
                "interval": "" if low is None else from_to(number(low, kind), number(high, kind)),
                "median": "" if median is None else number(median, kind),
                "z": z,
                "items": _items_of(figure) or judgments,
                "undefined_because": figure.why_not,
            }
        )
    sentences = far_in_words(person, asked.head)
    if not sentences and are_too_few(annotators_of(asked)):
        sentences = [_(TOO_FEW)]
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


def annotator_pairs_table(asked: TableRequest) -> FigureTable | None:
    """τ of one annotator with each of the others, before and after; None without an order of labels."""
    name = asked.parameters.get("annotator")
    rows = []
    for pair in asked.section(PAIRS_ALL):
        if name in pair.annotators:
            (other,) = [each for each in pair.annotators if each != name]
            row = {"other": other, "n": pair.n, "items": pair.items, "p_holm": pair.p_holm}
            is_enough = pair.units >= FEWEST_UNITS["coefficient"]
            why = _(TOO_SELDOM_DEFINED) if is_enough else too_few_units(pair.units, "coefficient", asked.head.unit)
            rows.append(row | sides_of(pair, why) | {"undefined_because": pair.undefined_because or ""})
    if not rows:
        return None
    is_rescaled = any(row["rescaled"] is not None for row in rows)
    rescaled = [
        Column("rescaled", _("Rescaled τ"), "value", True),
        Column("change", change_heading(), "value", True),
        Column("p_holm", _("p (Holm)"), "p"),
    ]
    defined = sorted((row["raw"], row["other"]) for row in rows if row["raw"] is not None)
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


TABLES = {
    "annotators": TableOf((ANNOTATORS.key, WORK.key), annotators_table),
    "annotator": TableOf((ANNOTATORS.key, WORK.key), annotator_table, of_one="annotator"),
    "annotator-pairs": TableOf((PAIRS_ALL.key,), annotator_pairs_table, of_one="annotator"),
}

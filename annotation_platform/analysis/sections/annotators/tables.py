"""The annotators beside each other, and one of them against the others; pseudonyms only."""

from annotation_platform.analysis.measuring.certainty import is_certain
from annotation_platform.analysis.measuring.figures import (
    AspectHead,
    ComparedFigure,
    CountedFigure,
    Figure,
    TestedDifference,
)
from annotation_platform.analysis.sections.annotators.figures import ANNOTATORS
from annotation_platform.analysis.sections.annotators.people import Annotator, annotators_of, chosen_annotator
from annotation_platform.analysis.sections.pairs.figures import PAIRS_ALL
from annotation_platform.analysis.sections.pairs.tables import sides_of
from annotation_platform.analysis.sections.work.figures import WORK, TimeOnTask
from annotation_platform.analysis.tables.base import (
    Column,
    FigureTable,
    Row,
    in_a_row,
    number,
    number_kind,
    sided,
    some,
)
from annotation_platform.analysis.tables.request import TableOf, TableRequest
from annotation_platform.core.few_units import FEWEST_UNITS, too_few_units

# What is said of an annotator: key, heading, kind of number, and how it is said when the annotator stands apart.
FIGURES = {
    "leniency": ("Leniency", "value", ("higher", "lower"), "labels are on average {}"),
    "tau": ("τ with others", "value", ("more in line", "less in line"), "mean τ with the others is {}"),
    "same_label": (
        "Same label",
        "share",
        ("more in line", "less in line"),
        "others give the same label in {} of cases",
    ),
    "seconds": ("Time", "time", ("slower", "faster"), "the median judgment takes {}"),
    "vacuous": ("Vacuous", "share", ("vaguer", "more specific"), "{} of the explanations say nothing new"),
}

FEWEST = 5  # annotators of whom one can be said to stand apart, as `core.statistics.with_others` has it
MOST_FAR = 10  # sentences about annotators who stand apart

TOO_FEW = "There are too few annotators to say whether one of them stands apart from the others."
TOO_SELDOM_DEFINED = "τ was undefined in too many of the resamples."

# Who gives higher numbers than others, and who gives lower ones, by the better end of the scale.
LENIENCY = {"high": ("more lenient", "stricter"), "low": ("stricter", "more lenient"), None: ("higher", "lower")}
DRIFT = {
    "high": ("grew more lenient", "grew stricter"),
    "low": ("grew stricter", "grew more lenient"),
    None: ("came to give higher numbers", "came to give lower numbers"),
}


def far_in_words(annotator: Annotator, aspect: AspectHead) -> list[str]:
    """A sentence for each figure in which the annotator stands apart from the others."""
    return [
        _far_in_words(annotator.name, key, figure, aspect)
        for key in annotator.far
        if isinstance(figure := annotator.figures[key], ComparedFigure)
    ]


def _far_in_words(name: str, key: str, figure: ComparedFigure, aspect: AspectHead) -> str:
    _, kind, (above, below), what = FIGURES[key]
    value, z = figure.value or 0.0, figure.z or 0.0
    told = number(value, kind)
    if key == "leniency":
        kind = number_kind(aspect)
        above, below = LENIENCY[aspect.better]
        told = f"{number(abs(value), kind)} {'above' if value > 0 else 'below'} those of others"
        told = told if float(number(abs(value), kind)) else "as high as those of others"
    return (
        f"Annotator {name} is far {above if z > 0 else below} than the others: "
        f"{what.format(told)} (median of all annotators {number(figure.median, kind)};"
        f" modified z {number(z, 'score')})."
    )


def who_is_far(asked: TableRequest) -> list[str]:
    """A sentence for each figure in which any annotator stands apart from the others; of very many, the farthest."""
    found = [
        (-abs(figure.z or 0.0), _far_in_words(each.name, key, figure, asked.head))
        for each in annotators_of(asked)
        for key in each.far
        if isinstance(figure := each.figures[key], ComparedFigure)
    ]
    if len(found) <= MOST_FAR:
        return [sentence for _, sentence in found]
    told = [sentence for _, sentence in sorted(found)[:MOST_FAR]]
    return [*told, f"{len(found) - MOST_FAR:,} more figures stand apart; the table says whose."]


def otherwise_in_words(asked: TableRequest) -> list[str]:
    """What else there is to say of the annotators together."""
    people = annotators_of(asked)
    nobody_far = [] if any(each.far for each in people) else [_nobody_far(people)]
    return [*nobody_far, *drift_in_words(people, asked.head), *_without_judgment(asked)]


def _without_judgment(asked: TableRequest) -> list[str]:
    """How many judgments say that an item cannot be judged, and whose they are."""
    work = asked.section(WORK).annotators
    said = {each.name: each.cannot_judge for each in work if each.cannot_judge}
    if not said:
        return []
    count = sum(each.judgments for each in work)
    whose = ", ".join(f"{name} {n:,}" for name, n in sorted(said.items(), key=lambda pair: -pair[1])[:MOST_FAR])
    more = f" and {len(said) - MOST_FAR:,} more" if len(said) > MOST_FAR else ""
    verb = "says" if sum(said.values()) == 1 else "say"
    return [
        f"{sum(said.values()):,} of {count:,} judgments {verb} “cannot judge” ({whose}{more}); "
        "they count as missing in every figure."
    ]


def annotators_table(asked: TableRequest) -> FigureTable | None:
    """Every annotator in one row; None where nobody has judged."""
    people = annotators_of(asked)
    if not people:
        return None
    is_rescaled = any("tau_rescaled" in each.figures for each in people)
    rows = [_row(each) for each in people]
    drawn = {
        "annotators-leniency": (
            "leniency",
            "How far labels lie above or below those of others on the same items, in the scale's numbers.",
        ),
        "annotators-agreement": ("tau", "Mean τ with each of the others."),
        "annotators-same": ("same_label", "Share of the others' labels of the same items that are equal."),
        "annotators-vacuous": ("vacuous", "Share of explanations that say nothing beyond label, question and answer."),
        "annotators-drift": (
            "drift",
            "How much leniency changes from an annotator's first judgment to the last, in the scale's numbers; a line "
            "across 0 may be chance.",
        ),
        "annotators-seconds": ("seconds", "Median time on task of a judgment; half of the judgments lie on the line."),
    }
    charts = {name: text for name, (key, text) in drawn.items() if any(row[key] is not None for row in rows)}
    if "annotators-agreement" in charts:
        charts.pop("annotators-same", None)  # the finer of the two is drawn, both are in the table
    return FigureTable(
        name="annotators",
        title="Annotators",
        reading=" ".join([*who_is_far(asked), *otherwise_in_words(asked)]),
        columns=[
            Column("name", "Annotator"),
            Column("judgments", "Judgments", "count"),
            Column("leniency", "Leniency", number_kind(asked.head), True),
            *([Column("leniency_rescaled", "Leniency, rescaled", "score", True)] if is_rescaled else []),
            *([Column("shift", "Shift", "score", True), Column("shift_p", "p (Holm)", "p")] if is_rescaled else []),
            Column("tau", "τ with others", "value", True),
            *([Column("tau_rescaled", "τ, rescaled", "value", True)] if is_rescaled else []),
            Column("same_label", "Same label", "share", True),
            Column("consistency", "Same label again", "share", True),
            Column("drift", "Drift, first to last", number_kind(asked.head), True),
            Column("seconds", "Median time", "time", True),
            Column("vacuous", "Vacuous", "share", True),
            Column("remark", "Stands apart in"),
        ],
        rows=rows,
        charts=charts,
        meta={"by": "annotator", "better": asked.head.better},
        ranked_by={name: key for name, (key, _) in drawn.items()},
    )


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
    return row | {"remark": ", ".join(FIGURES[key][0].lower() for key in person.far)}


def _items_of(figure: Figure | None) -> int | None:
    return figure.items if isinstance(figure, CountedFigure | TestedDifference) else None


def _nobody_far(people: list[Annotator]) -> str:
    return TOO_FEW if _are_too_few(people) else "No annotator stands far apart from the others."


def _are_too_few(people: list[Annotator]) -> bool:
    measured = (sum(each.value(key) is not None for each in people) for key in ("leniency", "tau", "same_label"))
    return max(measured) < FEWEST


def drift_in_words(people: list[Annotator], aspect: AspectHead) -> list[str]:
    """Whose leniency significantly changed in the course of the work; nothing where drift was not measured."""
    drifts = {each.name: each.figures["drift"] for each in people if "drift" in each.figures}
    defined = {name: drift.value for name, drift in drifts.items() if drift.value is not None}
    if not defined:
        return [f"Drift is not defined: {drift.undefined_because}" for drift in [*drifts.values()][:1]]
    sure = {name: value for name, value in defined.items() if is_certain(drifts[name])}
    kind, said = number_kind(aspect), []
    for way, how in zip((1, -1), DRIFT[aspect.better], strict=True):
        most_first = sorted(sure.items(), key=lambda drift: -abs(drift[1]))
        if moved := [f"{name} ({_signed(value, kind)})" for name, value in most_first if value * way > 0]:
            said.append(f"{in_a_row(some(moved))} {how}")
    if len(sure) < len(defined):
        said.append(f"no change of leniency is significant for {_of_them(len(defined) - len(sure), len(drifts))}")
    if len(defined) < len(drifts):
        said.append(f"drift is not defined for {_of_them(len(drifts) - len(defined), len(drifts))}")
    return [f"From first judgment to last, {'; '.join(said)}."]


def _signed(value: float, kind: str) -> str:
    return f"{'+' if value > 0 else ''}{number(value, kind)}"


def _of_them(count: int, of: int) -> str:
    return "any annotator" if count == of else f"{count} of {of} annotators"


def annotator_table(asked: TableRequest) -> FigureTable:
    """One annotator's figures beside the median of all annotators."""
    person = chosen_annotator(asked)
    rows: list[Row] = []
    figures = {
        **{key: (heading, kind) for key, (heading, kind, *_) in FIGURES.items()},
        "tau_rescaled": ("τ with others, rescaled", "value"),
        "leniency_rescaled": ("Leniency, rescaled", "score"),
        "shift": ("Shift of leniency by rescaling (0 to 100)", "score"),
        "consistency": ("Same label given again to the same item", "share"),
        "drift": ("Drift of leniency from first judgment to last", number_kind(asked.head)),
        "leniency": ("Leniency, in the scale's numbers", number_kind(asked.head)),
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
                "interval": "" if low is None else f"{number(low, kind)} to {number(high, kind)}",
                "median": "" if median is None else number(median, kind),
                "z": z,
                "items": _items_of(figure) or judgments,
                "undefined_because": figure.why_not,
            }
        )
    sentences = far_in_words(person, asked.head)
    if not sentences and _are_too_few(annotators_of(asked)):
        sentences = [TOO_FEW]
    sentences = sentences or [f"Annotator {person.name} does not stand far apart from the others."]
    return FigureTable(
        name="annotator",
        title=f"Annotator {person.name}",
        reading=" ".join(sentences),
        columns=[
            Column("figure", "Figure"),
            Column("value", "Value"),
            Column("interval", "95\u00a0% interval (time: quartiles)"),
            Column("median", "Median of all"),
            Column("z", "Modified z", "score"),
            Column("items", "Items", "count"),
            Column("undefined_because", "Remark"),
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
            why = TOO_SELDOM_DEFINED if is_enough else too_few_units(pair.units, "coefficient", asked.head.unit)
            rows.append(row | sides_of(pair, why) | {"undefined_because": pair.undefined_because or ""})
    if not rows:
        return None
    is_rescaled = any(row["rescaled"] is not None for row in rows)
    rescaled = [
        Column("rescaled", "Rescaled τ", "value", True),
        Column("change", "Change", "value", True),
        Column("p_holm", "p (Holm)", "p"),
    ]
    defined = sorted((row["raw"], row["other"]) for row in rows if row["raw"] is not None)
    reading = "With none of the others τ is defined."
    if len(defined) == 1:
        reading = f"τ is defined with one of the others: {number(defined[0][0], 'value')} ({defined[0][1]})."
    elif defined:
        (low, least), (high, most) = defined[0], defined[-1]
        reading = f"τ with the others runs from {number(low, 'value')} ({least}) to {number(high, 'value')} ({most})."
    return FigureTable(
        name="annotator-pairs",
        title=f"Annotator {name} with each of the others",
        reading=reading,
        columns=[
            Column("other", "With"),
            Column("n", "n", "count"),
            Column("raw", "Raw τ" if is_rescaled else "τ", "value", True),
            *(rescaled if is_rescaled else []),
            Column("undefined_because", "Remark"),
        ],
        rows=rows,
        charts={"annotator-pairs": "Dots are τ, lines 95\u00a0% intervals."},
        ranked_by={"annotator-pairs": "raw"},
        meta={"query": asked.query_of("annotator")},
    )


TABLES = {
    "annotators": TableOf((ANNOTATORS.key, WORK.key), annotators_table),
    "annotator": TableOf((ANNOTATORS.key, WORK.key), annotator_table, of_one="annotator"),
    "annotator-pairs": TableOf((PAIRS_ALL.key,), annotator_pairs_table, of_one="annotator"),
}

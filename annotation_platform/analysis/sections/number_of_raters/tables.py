"""How many raters: what the vote of k of them is worth, and what one more would buy in agreement and money."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from annotation_platform.accounts.language import why_in_language
from annotation_platform.analysis.sections.number_of_raters.figures import (
    BY_DEFINITION,
    NUMBER_OF_RATERS,
    MeanReliability,
    Needed,
    RatersOfAspect,
)
from annotation_platform.analysis.sections.number_of_raters.table_rows import OneMoreRow, VoteRow
from annotation_platform.analysis.tables.base import Column, FigureTable
from annotation_platform.analysis.tables.request import TableOf, TableRequest
from annotation_platform.analysis.tables.rows import estimate_of
from annotation_platform.analysis.tables.words import from_to, in_a_row, number
from annotation_platform.core.reasons import Plural, ngettext_noop

USUAL_TARGET = 0.9
MOST_PAY = 1000.0
FEW_RATERS = 6  # of so many each number is told, of more three of them


@dataclass(frozen=True)
class Wanted:
    """What the address asks: the correlation to be reached, and the pay for one judgment (None: not said)."""

    rho: float
    pay: float | None


def figures_of(asked: TableRequest) -> RatersOfAspect:
    return asked.section(NUMBER_OF_RATERS).aspects[asked.aspect]


def wanted(asked: TableRequest) -> Wanted:
    """What was asked, brought to what there are figures for; what is no number counts as not said."""
    rho = _number(asked.parameters.get("rho"))
    pay = _number(asked.parameters.get("pay"))
    targets = [each.rho for each in figures_of(asked).needed] or [USUAL_TARGET]
    rho = USUAL_TARGET if rho is None else min(max(rho, min(targets)), max(targets))
    return Wanted(round(rho, 2), None if pay is None or not 0 < pay <= MOST_PAY else pay)


def answer(asked: TableRequest) -> list[str]:
    """How many raters are needed, in a sentence for people alone and one with the model beside them."""
    figures, target = figures_of(asked), wanted(asked).rho
    if figures.undefined_because:
        return []
    (needed,) = (each for each in figures.needed if each.rho == target)
    found = [_answer(needed.alone, target, figures.of, ALONE)]
    if needed.with_model:
        found.append(_answer(needed.with_model, target, figures.of, WITH_MODEL))
    return found


def raters_table(asked: TableRequest) -> FigureTable | None:
    """ρ of the vote of k raters with the vote of all, for every k, with and without a language model."""
    figures = figures_of(asked)
    if figures.undefined_because:
        return None
    has_model = figures.items_with_model > 0
    rows = [
        VoteRow(
            raters=point.raters,
            items=point.alone.items,
            items_with_model=figures.items_with_model,
            alone=estimate_of(point.alone),
            gain=estimate_of(point.gain),
            with_model=estimate_of(point.with_model),
            change=estimate_of(point.change),
            p_value=point.change.p_value if point.change else None,
            undefined_because=point.alone.undefined_because or (BY_DEFINITION if point.raters == figures.of else ""),
        )
        for point in figures.points
    ]
    model = [
        Column("with_model", _("… and the model"), "value", True),
        Column("change", _("The model's part"), "value", True),
        Column("p_value", "p", "p"),
        Column("items_with_model", _("Items with it"), "count"),
    ]
    return FigureTable(
        name="raters",
        title=_("Votes of fewer raters"),
        reading=_curve_reading(rows, figures.of, has_model),
        columns=[
            Column("raters", _("Raters"), "count"),
            Column("alone", _("ρ with the vote of all {of}").format(of=figures.of), "value", True),
            Column("gain", _("One more added"), "value", True),
            *(model if has_model else []),
            Column("items", _("Items"), "count"),
            Column("undefined_because", _("Remark")),
        ],
        rows=rows,
        charts={
            "raters": _(
                "Dots are Spearman's ρ with the vote of all, lines 95\u00a0% intervals; dashed: what is wanted. People "
                "alone, who have 1 at {of} by definition, are not drawn there: it is their own vote."
            ).format(of=figures.of)
        },
        draws={"raters": ("alone", "with_model") if has_model else ("alone",)},
        meta={"query": asked.query_of("rho", "pay"), "rho": wanted(asked).rho, "of": figures.of},
    )


def one_more_table(asked: TableRequest) -> FigureTable | None:
    """What each further rater adds to the reliability of the mean, and what they cost over the study's items."""
    figures, pay = figures_of(asked), wanted(asked).pay
    if figures.undefined_because:
        return None
    per_rater = None if pay is None else pay * asked.section(NUMBER_OF_RATERS).study_items
    rows = [_one_more(each, per_rater) for each in figures.reliability]
    money = [
        Column("cost", _("Cost of all (US$)"), "money"),
        Column("per_point", _("US$ for each 0.01 that the last one added"), "money"),
    ]
    return FigureTable(
        name="one-more",
        title=_("What one more rater would buy"),
        reading=_one_more_reading(rows, figures.of, per_rater),
        columns=[
            Column("raters", _("Raters"), "count"),
            Column("reliability", _("Reliability of their mean"), "value", True),
            Column("gain", _("The last one added"), "value", True),
            *(money if pay is not None else []),
            Column("items", _("Items"), "count"),
            Column("undefined_because", _("Remark")),
        ],
        rows=rows,
        charts={
            "one-more": _(
                "Dots are the reliability of the mean of so many raters, lines 95\u00a0% intervals; all are reckoned "
                "from α at the interval level (Spearman–Brown), also for as many as there are."
            )
        },
        draws={"one-more": ("reliability",)},
        meta={"query": asked.query_of("rho", "pay"), "of": figures.of},
    )


def _one_more(found: MeanReliability, per_rater: float | None) -> OneMoreRow:
    gain = found.gain and found.gain.value
    return OneMoreRow(
        raters=found.raters,
        items=found.value.items,
        reliability=estimate_of(found.value),
        gain=estimate_of(found.gain),
        cost=None if per_rater is None else per_rater * found.raters,
        per_point=per_rater / (100 * gain) if per_rater and gain and gain > 0 else None,
        undefined_because=found.value.undefined_because or "",
    )


class Answers(NamedTuple):
    """What is said where no number of raters reaches what is wanted, where all of them do, and where fewer do."""

    nobody: str
    all_of_them: str
    some: Plural


ALONE = Answers(
    gettext_noop("No number of raters up to {of} reaches ρ ≥ {target:.2f} with the vote of all {of}."),
    gettext_noop(
        "Fewer than all {of} raters do not reach ρ ≥ {target:.2f} with the vote of all {of}; whether {of} are enough "
        "cannot be seen from {of}, only from more of them."
    ),
    ngettext_noop(
        "{n} rater reaches ρ ≥ {target:.2f} with the vote of all {of}",
        "{n} raters reach ρ ≥ {target:.2f} with the vote of all {of}",
    ),
)
WITH_MODEL = Answers(
    gettext_noop(
        "No number of raters and a language model up to {of} reaches ρ ≥ {target:.2f} with the vote of all {of}."
    ),
    gettext_noop(
        "Fewer than all {of} raters and a language model do not reach ρ ≥ {target:.2f} with the vote of all {of}; "
        "whether {of} are enough cannot be seen from {of}, only from more of them."
    ),
    ngettext_noop(
        "{n} rater and a language model reach ρ ≥ {target:.2f} with the vote of all {of}",
        "{n} raters and a language model reach ρ ≥ {target:.2f} with the vote of all {of}",
    ),
)


def _answer(needed: Needed, target: float, of: int, says: Answers) -> str:
    """All of them reach their own vote by definition, so that alone is no answer."""
    if needed.raters is None:
        return _(says.nobody).format(of=of, target=target)
    if needed.raters == of:
        return _(says.all_of_them).format(of=of, target=target)
    reach = ngettext(says.some.one, says.some.other, needed.raters).format(n=needed.raters, of=of, target=target)
    if needed.low is None or needed.high is None:
        return _("{words}; no interval can be given.").format(words=reach)
    ends = from_to(str(needed.low), str(needed.high))
    if needed.high >= of:
        ends = _("{n} or more").format(n=needed.low)
    return _("{words} (95\u00a0% interval: {ends}).").format(words=reach, ends=ends)


def _curve_reading(rows: list[VoteRow], of: int, has_model: bool) -> str:
    values = {row.raters: row.alone.value for row in rows if row.alone.value is not None}
    if not values:
        return _("The correlation with the vote of all {of} is not defined.").format(of=of)
    told = range(1, max(2, of)) if of <= FEW_RATERS else (1, of // 2, of - 1)
    some = sorted(set(told) & values.keys())
    first, *others = (_("{n} correlates with ρ {rho}").format(n=k, rho=number(values[k], "value")) for k in some)
    text = _("With the vote of all {of} raters, the vote of {first}").format(of=of, first=first)
    text += "".join(_(", that of {other}").format(other=other) for other in others)
    text = _("{words}.").format(words=text)
    if not has_model:
        return text
    if all(row.change.value is None for row in rows):
        return " ".join([text, _("What the model adds is not defined.")])
    helps = [str(row.raters) for row in rows if row.change.is_above]
    harms = [str(row.raters) for row in rows if row.change.is_below]
    if helps and harms:
        said = _("The model helps beside {helps} and harms beside {harms}.")
    elif helps:
        said = _("The model helps beside {helps}.")
    elif harms:
        said = _("The model harms beside {harms}.")
    else:
        said = _("The model makes no significant difference beside any number of them.")
    return " ".join([text, said.format(helps=in_a_row(helps), harms=in_a_row(harms))])


def _one_more_reading(rows: list[OneMoreRow], of: int, per_rater: float | None) -> str:
    now, more = (next(row for row in rows if row.raters == k) for k in (of, of + 1))
    if now.reliability.value is None or more.gain.value is None:
        why = why_in_language(now.undefined_because or more.undefined_because)
        return _("It cannot be said: {why}").format(why=why)
    if per_rater is None:
        said = _("The mean of {of} raters has the reliability {reliability}; one more would add {gain}.")
    elif more.per_point:
        said = _(
            "The mean of {of} raters has the reliability {reliability}; one more would add {gain} for {money} US$, "
            "{per_point} US$ for each 0.01."
        )
    else:
        said = _(
            "The mean of {of} raters has the reliability {reliability}; one more would add {gain} for {money} US$."
        )
    return said.format(
        of=of,
        reliability=number(now.reliability.value, "value"),
        gain=number(more.gain.value, "value"),
        money=number(per_rater, "money"),
        per_point=number(more.per_point, "money"),
    )


def _number(text: Any) -> float | None:
    try:
        value = float(str(text).replace(",", "."))
    except ValueError:
        return None
    return value if value == value and abs(value) != float("inf") else None


TABLES = {
    "raters": TableOf((NUMBER_OF_RATERS.key,), raters_table),
    "one-more": TableOf((NUMBER_OF_RATERS.key,), one_more_table),
}

"""A REV run: rationales by where they come from, the steps between kinds, and people's side."""

from django.utils.translation import gettext as _

from annotation_platform.accounts.language import why_in_language
from annotation_platform.analysis.measuring.certainty import is_certain
from annotation_platform.analysis.measuring.figures import CountedFigure
from annotation_platform.analysis.sections.rev.figures import REV, AllRationales, RationaleFigures, RationaleKind, Step
from annotation_platform.analysis.sections.rev.table_rows import KindRow, PointRow, StepRow
from annotation_platform.analysis.tables.base import Column, FigureTable
from annotation_platform.analysis.tables.request import TableOf, TableRequest
from annotation_platform.analysis.tables.rows import NOTHING, Estimate, estimate_of
from annotation_platform.analysis.tables.words import number, sign, why_undefined, with_commas, with_ends


def section_of(asked: TableRequest) -> RationaleFigures | None:
    """The run's figures; None where they are undefined."""
    found = asked.section(REV)
    return None if found.undefined_because else found


def kinds_table(asked: TableRequest) -> FigureTable | None:
    """REV, LAS and RQ of each kind of rationale, beside people's score."""
    if (found := section_of(asked)) is None:
        return None
    has_people = any(each.people.value is not None for each in found.kinds)
    kinds = [_kind(each, has_people=has_people) for each in found.kinds]
    rows = kinds if found.overall is None else [*kinds, _all_kinds(found.rationales, found.overall)]
    return FigureTable(
        name="rev",
        title=_("New information by kind of rationale"),
        reading=_(
            "Mean REV, from the highest: {kinds}. Above 0 a rationale adds information that supports its answer, about "
            "0 it only restates, below 0 it speaks for something else."
        ).format(kinds=with_commas([f"{row.kind} {_signed(row.rev)}" for row in kinds])),
        cautions=tuple(cautions(found)),
        columns=[
            Column("kind", _("Rationales by")),
            Column("rationales", _("Rationales"), "count"),
            Column("rev", _("REV (nats)"), "value", True),
            Column("above_zero", _("Above 0"), "share"),
            Column("new_words", _("New words"), "value"),
            Column("says_answer", _("Say the answer"), "share"),
            *(
                [
                    Column("people", _("People, −1 … 3"), "value", True),
                    Column("justified", _("Justify the answer"), "share", True),
                    Column("people_of", _("Judged by people"), "count"),
                ]
                if has_people
                else []
            ),
            Column("las", _("LAS"), "value", True),
            Column("las_of", _("Rationales behind LAS"), "count"),
            Column("rq", _("RQ"), "value", True),
            Column("rq_of", _("Rationales behind RQ"), "count"),
            Column("remark", _("Remark")),
        ],
        rows=rows,
        charts={"rev": _("Dots are mean REV, lines 95\u00a0% intervals; dashed: nothing new.")},
    )


RESTATES = 2.0  # new words at most, in the mean
SAYS_MORE = 2.0  # times as many


def cautions(found: RationaleFigures) -> list[str]:
    """What a reader must know before believing the section's figures."""
    return [*_of_the_evaluator(found), *_of_restating(found.kinds), *_of_people(found.with_people)]


def _of_the_evaluator(found: RationaleFigures) -> list[str]:
    if found.is_trained:
        return []
    if found.is_trained is False:
        said = _(
            "“{evaluator}” was not trained on rationales, as the method asks. Such an evaluator finds an answer "
            "likelier for being said once more, also where a rationale only restates; train one "
            "(docs/reference/rev.md)."
        )
    else:
        said = _(
            "“{evaluator}” may not be trained on rationales, as the method asks. Such an evaluator finds an answer "
            "likelier for being said once more, also where a rationale only restates; train one "
            "(docs/reference/rev.md)."
        )
    return [said.format(evaluator=found.evaluator)]


def _of_restating(kinds: tuple[RationaleKind, ...]) -> list[str]:
    """A kind that says next to nothing new, yet comes above 0 and above one that says more; kinds are in the order of
    their REV."""
    for place, above in enumerate(kinds):
        beaten = [each.kind for each in kinds[place + 1 :] if _says_more(each, above, is_first=place == 0)]
        if above.new_words <= RESTATES and (above.rev.value or 0) > 0 and beaten:
            said = _(
                "“{kind}” mostly restates (in the mean {words} words that neither question nor answer has), yet comes "
                "above {others}: here the evaluator rewards saying the answer again, not new information."
            )
            others = with_commas([_("“{kind}”").format(kind=kind) for kind in beaten])
            return [said.format(kind=above.kind, words=number(above.new_words, "value"), others=others)]
    return []


def _says_more(each: RationaleKind, other: RationaleKind, *, is_first: bool) -> bool:
    """In its words, and to people; where these were not asked, only what comes first of all can be told: a rationale
    about something else rightly comes below one that restates."""
    people, beside = each.people.value, other.people.value
    is_better = is_first if people is None or beside is None else people > beside
    return is_better and each.new_words >= SAYS_MORE * max(other.new_words, 1.0)


def _of_people(rho: CountedFigure | None) -> list[str]:
    """Where the scores do not follow what people said, as far as can be told."""
    if rho is None or rho.value is None or rho.interval is None or rho.interval[0] > 0:
        return []
    said = _(
        "Nothing shows that the scores follow people's judgments here: ρ is {rho}. Do not take them for what people "
        "would say."
    )
    return [said.format(rho=with_ends(rho.value, rho.interval, "value"))]


def steps_table(asked: TableRequest) -> FigureTable | None:
    """Each kind minus the next, question by question."""
    if (found := section_of(asked)) is None or not found.steps:
        return None
    rows = [
        StepRow(
            step=" − ".join(each.kinds),
            questions=each.items,
            p_value=each.p_value,
            p_holm=each.p_holm,
            remark=each.undefined_because or "",
            difference=estimate_of(each),
        )
        for each in found.steps
    ]
    return FigureTable(
        name="rev-steps",
        title=_("Steps between kinds"),
        reading=_steps_reading(found.steps),
        columns=[
            Column("step", _("Step")),
            Column("difference", _("Difference of REV"), "value", True),
            Column("p_value", "p", "p"),
            Column("p_holm", _("p, Holm"), "p"),
            Column("questions", _("Questions"), "count"),
            Column("remark", _("Remark")),
        ],
        rows=rows,
    )


def _steps_reading(steps: tuple[Step, ...]) -> str:
    """Which steps are certain, by p and interval; a step goes down where its interval lies below 0."""
    said = []
    for way, words in ((1, _("above 0: {steps}")), (-1, _("below 0: {steps}"))):
        sure = (step for step in steps if is_certain(step))
        names = [" − ".join(step.kinds) for step in sure if (step.value or 0) * way > 0]
        said += [words.format(steps=with_commas(names))] if names else []
    return _("Sure steps, {words}.").format(words=_("; ").join(said)) if said else _("No step is sure.")


def people_table(asked: TableRequest) -> FigureTable | None:
    """REV of each rationale beside people's score of it."""
    if (found := section_of(asked)) is None or not found.points:
        return None
    return FigureTable(
        name="rev-people",
        title=_("Beside people"),
        reading=_beside_people(found.with_people),
        columns=[
            Column("kind", _("Rationale by")),
            Column("rev", _("REV (nats)"), "value"),
            Column("people", _("People"), "value"),
        ],
        rows=[PointRow(kind=point.kind, rev=point.rev, people=point.people) for point in found.points],
        charts={"rev-people": _("A dot is a rationale: people's score from −1 (does not justify) to 3, and its REV.")},
    )


def _beside_people(rho: CountedFigure | None) -> str:
    if rho is None or rho.value is None:
        return _("No correlation: {why}").format(why=why_in_language((rho and rho.undefined_because) or ""))
    said = _("Over {n:,} rationales that people judged, Spearman's ρ between REV and people's score is {rho}.")
    return said.format(n=rho.items, rho=with_ends(rho.value, rho.interval, "value"))


def _kind(each: RationaleKind, *, has_people: bool) -> KindRow:
    """``has_people``: whether people have judged rationales of any kind."""
    by_people = {_("Justify the answer"): each.justified} if has_people else {}
    return KindRow(
        kind=each.kind,
        rationales=each.rationales,
        questions=each.rev.items,
        above_zero=each.above_zero,
        new_words=each.new_words,
        says_answer=each.says_answer,
        justified=estimate_of(each.justified),
        rev=estimate_of(each.rev),
        people=estimate_of(each.people),
        people_of=each.people.judgments,
        las=estimate_of(each.las),
        las_of=each.las.judgments,
        rq=estimate_of(each.rq),
        rq_of=each.rq.judgments,
        remark=why_undefined({"LAS": each.las, "RQ": each.rq, **by_people}),
    )


def _all_kinds(rationales: int, overall: AllRationales) -> KindRow:
    return KindRow(
        kind=_("all"),
        rationales=rationales,
        questions=overall.items,
        above_zero=None,
        new_words=None,
        says_answer=None,
        justified=NOTHING,
        rev=estimate_of(overall),
        people=NOTHING,
        people_of=None,
        las=estimate_of(overall.las),
        las_of=overall.las.judgments,
        rq=estimate_of(overall.rq),
        rq_of=overall.rq.judgments,
        remark=why_undefined({"LAS": overall.las, "RQ": overall.rq}),
    )


def _signed(rev: Estimate) -> str:
    """A mean with its sign, and whether it may be 0."""
    if rev.value is None:
        return _("not defined")
    if rev.low is None:
        around = _(" (without an interval)")
    else:
        around = "" if rev.is_above or rev.is_below else _(" (its interval holds 0)")
    return f"{sign(rev.value)}{around}"


TABLES = {
    "rev": TableOf((REV.key,), kinds_table, of_study=True),
    "rev-steps": TableOf((REV.key,), steps_table, of_study=True),
    "rev-people": TableOf((REV.key,), people_table, of_study=True),
}

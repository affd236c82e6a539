"""A REV run: rationales by where they come from, the steps between kinds, and people's side."""

from annotation_platform.analysis.measuring.certainty import is_certain
from annotation_platform.analysis.measuring.figures import CountedFigure
from annotation_platform.analysis.sections.rev.figures import REV, AllRationales, RationaleFigures, RationaleKind, Step
from annotation_platform.analysis.tables.base import Column, FigureTable, Row, number, sided, sign
from annotation_platform.analysis.tables.request import TableOf, TableRequest


def section_of(asked: TableRequest) -> RationaleFigures | None:
    """The run's figures; None where they are undefined."""
    found = asked.section(REV)
    return None if found.undefined_because else found


def kinds_table(asked: TableRequest) -> FigureTable | None:
    """REV, LAS and RQ of each kind of rationale, beside people's score."""
    if (found := section_of(asked)) is None:
        return None
    rows = [_kind(each.kind, each.rationales, each.rev, each) for each in found.kinds]
    if found.overall is not None:
        rows.append(_kind("all", found.rationales, found.overall, found.overall))
    has_people = any(row.get("people") is not None for row in rows)
    return FigureTable(
        name="rev",
        title="New information by kind of rationale",
        reading="Mean REV, from the highest: "
        + ", ".join(f"{row['kind']} {_signed(row['rev'])}{_around_zero(row)}" for row in rows[:-1])
        + ". Above 0 a rationale adds information that supports its answer, about 0 it only restates, below 0 it "
        "speaks for something else.",
        cautions=tuple(cautions(found)),
        columns=[
            Column("kind", "Rationales by"),
            Column("rationales", "Rationales", "count"),
            Column("rev", "REV (nats)", "value", True),
            Column("above_zero", "Above 0", "share"),
            Column("new_words", "New words", "value"),
            Column("says_answer", "Say the answer", "share"),
            *(
                [Column("people", "People, −1 … 3", "value", True), Column("justified", "Justify the answer", "share")]
                if has_people
                else []
            ),
            Column("las", "LAS", "value", True),
            Column("rq", "RQ", "value", True),
            Column("remark", "Remark"),
        ],
        rows=rows,
        charts={"rev": "Dots are mean REV, lines 95\u00a0% intervals; dashed: nothing new."},
    )


RESTATES = 2.0  # new words at most, in the mean
SAYS_MORE = 2.0  # times as many


def cautions(found: RationaleFigures) -> list[str]:
    """What a reader must know before believing the section's figures."""
    return [*_of_the_evaluator(found), *_of_restating(found.kinds), *_of_people(found.with_people)]


def _of_the_evaluator(found: RationaleFigures) -> list[str]:
    if found.is_trained:
        return []
    known = "was not" if found.is_trained is False else "may not be"
    return [
        f"“{found.evaluator}” {known} trained on rationales, as the method asks. Such an evaluator finds an answer "
        "likelier for being said once more, also where a rationale only restates; train one (docs/reference/rev.md)."
    ]


def _of_restating(kinds: tuple[RationaleKind, ...]) -> list[str]:
    """A kind that says next to nothing new, yet comes above 0 and above one that says more; kinds are in the order of
    their REV."""
    for place, above in enumerate(kinds):
        beaten = [each.kind for each in kinds[place + 1 :] if _says_more(each, above, is_first=place == 0)]
        if above.new_words <= RESTATES and (above.rev.value or 0) > 0 and beaten:
            names = ", ".join(f"“{kind}”" for kind in beaten)
            return [
                f"“{above.kind}” mostly restates (in the mean {number(above.new_words, 'value')} words that "
                f"neither question nor answer has), yet comes above {names}: here the evaluator rewards saying the "
                "answer again, not new information."
            ]
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
    return [
        f"Nothing shows that the scores follow people's judgments here: ρ is {number(rho.value, 'value')}"
        f"{_spread(rho)}. Do not take them for what people would say."
    ]


def steps_table(asked: TableRequest) -> FigureTable | None:
    """Each kind minus the next, question by question."""
    if (found := section_of(asked)) is None or not found.steps:
        return None
    rows = [
        {
            "step": " − ".join(each.kinds),
            "questions": each.items,
            "p_value": each.p_value,
            "p_holm": each.p_holm,
            "remark": each.undefined_because or "",
        }
        | sided("difference", each)
        for each in found.steps
    ]
    return FigureTable(
        name="rev-steps",
        title="Steps between kinds",
        reading=_steps_reading(found.steps),
        columns=[
            Column("step", "Step"),
            Column("difference", "Difference of REV", "value", True),
            Column("p_value", "p", "p"),
            Column("p_holm", "p, Holm", "p"),
            Column("questions", "Questions", "count"),
            Column("remark", "Remark"),
        ],
        rows=rows,
    )


def _steps_reading(steps: tuple[Step, ...]) -> str:
    """Which steps are certain, by p and interval; a step goes down where its interval lies below 0."""
    said = []
    for way, words in ((1, "above 0"), (-1, "below 0")):
        sure = (step for step in steps if is_certain(step))
        names = [" − ".join(step.kinds) for step in sure if (step.value or 0) * way > 0]
        said += [f"{words}: {', '.join(names)}"] if names else []
    return f"Sure steps, {'; '.join(said)}." if said else "No step is sure."


def people_table(asked: TableRequest) -> FigureTable | None:
    """REV of each rationale beside people's score of it."""
    if (found := section_of(asked)) is None or not found.points:
        return None
    return FigureTable(
        name="rev-people",
        title="Beside people",
        reading=_beside_people(found.with_people),
        columns=[
            Column("kind", "Rationale by"),
            Column("rev", "REV (nats)", "value"),
            Column("people", "People", "value"),
        ],
        rows=[point.model_dump() for point in found.points],
        charts={"rev-people": "A dot is a rationale: people's score from −1 (does not justify) to 3, and its REV."},
    )


def _beside_people(rho: CountedFigure | None) -> str:
    if rho is None or rho.value is None:
        return f"No correlation: {rho.undefined_because if rho else ''}"
    return (
        f"Over {rho.items:,} rationales that people judged, Spearman's ρ between REV and people's score is "
        f"{number(rho.value, 'value')}{_spread(rho)}."
    )


def _spread(rho: CountedFigure) -> str:
    return f" [{', '.join(number(end, 'value') for end in rho.interval)}]" if rho.interval else ""


def _kind(kind: str, rationales: int, rev: CountedFigure, beside: RationaleKind | AllRationales) -> Row:
    of_kind = beside if isinstance(beside, RationaleKind) else None
    reasons = {"LAS": beside.las, "RQ": beside.rq}
    remarks = [f"{name}: {each.undefined_because}" for name, each in reasons.items() if each.value is None]
    return (
        {"kind": kind, "rationales": rationales, "questions": rev.items}
        | {name: getattr(of_kind, name, None) for name in ("above_zero", "new_words", "says_answer", "justified")}
        | sided("rev", rev)
        | sided("people", None if of_kind is None else of_kind.people)
        | sided("las", beside.las)
        | sided("rq", beside.rq)
        | {"remark": " ".join(remarks)}
    )


def _signed(value: float | None) -> str:
    return "not defined" if value is None else sign(value)


def _around_zero(row: Row) -> str:
    if row["rev"] is None:
        return ""
    if row["rev_low"] is None:
        return " (without an interval)"
    return "" if row["rev_low"] > 0 or row["rev_high"] < 0 else " (its interval holds 0)"


TABLES = {
    "rev": TableOf(("rev",), kinds_table),
    "rev-steps": TableOf(("rev",), steps_table),
    "rev-people": TableOf(("rev",), people_table),
}

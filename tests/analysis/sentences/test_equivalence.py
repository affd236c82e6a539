"""Rationales and equivalence: no sentence says more than its figures do."""

from dataclasses import replace
from typing import Any

import pytest

from annotation_platform.analysis.measuring.figures import (
    CountedFigure,
)
from annotation_platform.analysis.measuring.plain import nothing
from annotation_platform.analysis.sections.equivalence import tables as equivalence
from annotation_platform.analysis.sections.equivalence import words as equivalence_words
from annotation_platform.analysis.sections.equivalence.figures import ShareOfAll
from annotation_platform.analysis.sections.equivalence.table_rows import SystemRow as SystemVerdictsRow
from annotation_platform.analysis.sections.equivalence.table_rows import WayRow
from annotation_platform.analysis.sections.powered import tables as powered
from annotation_platform.analysis.sections.powered.table_rows import DifferenceRow, MeanRow
from annotation_platform.analysis.sections.powered.words import JUDGE
from annotation_platform.analysis.sections.rev import tables as rev
from annotation_platform.analysis.sections.rev.figures import Step
from annotation_platform.analysis.tables.base import Row
from annotation_platform.analysis.tables.rows import Estimate
from tests.analysis.made_figures import Span, asked_for
from tests.analysis.sentences.rows import FIRST, says, stored, typed


def step(value: float | None, interval: Span, p: float | None) -> Step:
    found = stored(value, interval)
    del found["annotators"], found["judgments"]
    return Step(kinds=("a", "b"), p_value=p, p_holm=p, no_p_value_because=None, **found)


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        ([step(None, None, None)], "No step is sure."),
        ([step(0.2, (-0.1, 0.4), 0.3)], "No step is sure."),
        ([step(0.2, (0.1, 0.4), 0.2)], "No step is sure."),
        ([step(0.2, (0.1, 0.4), 0.01)], "Sure steps, above 0: a − b."),
        ([step(-0.2, (-0.4, -0.1), 0.01)], "Sure steps, below 0: a − b. ≠ No step"),
    ],
)
def test_steps_between_kinds_of_rationales(steps: list[Step], said: str) -> None:
    says(rev._steps_reading(tuple(steps)), said)


@pytest.mark.parametrize(
    ("found", "said"),
    [
        ((0.2, 0.1, 0.3), "+0.200"),
        ((0.2, -0.1, 0.3), "+0.200 (its interval holds 0)"),
        ((0.2,), "+0.200 (without an interval)"),
        ((None,), "not defined"),
        ((-0.0001, -0.1, 0.1), "0.000 (its interval holds 0)"),
    ],
)
def test_information_of_a_kind(found: Any, said: str) -> None:
    assert rev._signed(Estimate(*found)) == said


@pytest.mark.parametrize(
    ("rho", "said"),
    [
        (stored(None), "No correlation: All labels are equal."),
        (stored(0.3), "is 0.300."),
        (stored(-0.0001, (-0.2, 0.2)), "is 0.000 [−0.200, 0.200]."),
    ],
)
def test_rationales_beside_people(rho: Row, said: str) -> None:
    says(rev._beside_people(CountedFigure(**rho)), said)


@pytest.mark.parametrize(
    ("effective", "drawn", "said"),
    [
        ([None, None], "", "Here the classifier adds nothing to what people said. What it says does not"),
        (
            [150.0, None],
            "declared",
            "For 1 of 2 systems, people's verdicts together with the classifier's tell as much as 1.5 times",
        ),
        (
            [150.0, 250.0],
            "declared",
            "For 2 of 2 systems, people's verdicts together with the classifier's tell as much as 1.5 to 2.5",
        ),
        ([150.0, 151.0], "declared", "as many verdicts of people alone. That the answers which people judged were"),
        (
            [150.0, 151.0],
            "random",
            "of people alone about answers drawn at random. The answers that people judged were drawn at random",
        ),
        ([150.0, 151.0], "uncertainty", "about answers drawn at random. The answers that people judged were drawn by"),
        ([None, None], "uncertainty", "with people's verdicts. The answers that people judged were drawn by a model's"),
    ],
)
def test_what_people_would_say_of_all_answers(effective: list[float | None], drawn: str, said: str) -> None:
    people = nothing("None of it.").model_copy(update={"judgments": 100})
    found = tuple(
        ShareOfAll(system="alder", answers=900, people=people, both=people, effective=each, no_model_because=None)
        for each in effective
    )
    says(equivalence_words.of_all_reading(found, drawn), said)


ALDER = typed(MeanRow, judge="tiny", system="alder", judged=300, effective=720, remark="")
BIRCH = replace(ALDER, system="birch", effective=450)
OFF = replace(BIRCH, effective=None, remark="The part is not random.")
USELESS = replace(ALDER, effective=None)


@pytest.mark.parametrize(
    ("rows", "why_nothing", "said"),
    [
        ([], ["All is judged."], "All is judged. ≠ only where"),
        ([], [], "Nothing is known on “X”."),
        (
            [ALDER],
            [],
            "What the judge says of all answers on “X” makes people's judgments worth 2.4 times as many: the 300",
        ),
        (
            [ALDER],
            [],
            "720 alone would. What is said of all answers holds only where the answers that people judged are a part "
            "drawn at random from all; people's judgments correct what the judge gets wrong.",
        ),
        ([ALDER, BIRCH], [], "worth 1.5 to 2.4 times as many: the 300 of alder say ≠ For the others"),
        (
            [ALDER, OFF],
            [],
            "many for 1 of 2 systems: the 300 of alder … For the others: The part is not random. What is",
        ),
        (
            [USELESS, OFF],
            [],
            "adds nothing to people's judgments on “X”. The part is not random. What is said of all answers holds only",
        ),
        ([USELESS], [], "nothing to people's judgments on “X”. What the judge says does not go with people's"),
        (
            [ALDER, replace(OFF, judge="large")],
            [],
            "for 1 of 2 pairs of judge and system: the 300 of alder (with tiny) say as much as 720 alone would.",
        ),
        ([ALDER], ["large: All is judged."], "large: All is judged. What the judge says"),
    ],
)
def test_how_much_people_s_judgments_are_worth_with_a_judge_s(
    rows: list[MeanRow], why_nothing: list[str], said: str
) -> None:
    says(powered.means_reading(rows, why_nothing, JUDGE, " on “X”"), said)


@pytest.mark.parametrize(
    ("unread", "said"),
    [
        (0, "as 720 alone would. What is said of all answers holds"),
        (1, "The judge gave no number for 1 answer; that moves nothing. What is said of all answers holds"),
        (1200, "gave no number for 1,200 answers;"),
    ],
)
def test_answers_without_a_number_are_counted(unread: int, said: str) -> None:
    says(powered.means_reading([ALDER], [], JUDGE, unread=unread), said)


def compared_pair(
    alone: bool | None, both: bool = False, effective: int | None = 720, remark: str = ""
) -> DifferenceRow:
    return typed(
        DifferenceRow,
        judge="tiny",
        people=(None if alone is None else 0.1,),
        judged=300,
        effective=effective,
        remark=remark,
        is_certain_alone=bool(alone),
        is_certain=both,
    )


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (
            [compared_pair(None, remark="There is no question.")],
            "No difference can be estimated. There is no question.",
        ),
        (
            [compared_pair(False, True)],
            "The two systems do not differ significantly by people alone, and differ significantly with the judge (p",
        ),
        (
            [compared_pair(True, True), compared_pair(False, True), compared_pair(False)],
            "1 of 3 pairs of systems differ significantly by people alone and 2 with the judge … Worth 2.4 times as",
        ),
        (
            [compared_pair(True, True, None, "Too few."), compared_pair(False, False, None, "Too few.")],
            "1 of 2 pairs of systems … an interval without 0). Too few. What is said of all answers holds only ≠ Worth",
        ),
        (
            [compared_pair(True, True, None)],
            "without 0). What is said of all answers holds only where the answers that people judged",
        ),
        (
            [compared_pair(None, remark="None."), compared_pair(True, True)],
            "1 of 2 pairs of systems differ",
        ),
    ],
)
def test_how_many_systems_differ_by_people_and_a_judge(rows: list[DifferenceRow], said: str) -> None:
    says(powered.differences_reading(rows, JUDGE), said)


@pytest.mark.parametrize(("shares", "names", "share"), FIRST)
def test_the_simple_ways_of_equivalence(shares: list[Any], names: str, share: str) -> None:
    ways = [
        typed(WayRow, way=way, accuracy=tuple(part and part / 10 for part in s))
        for way, s in zip("ab", shares, strict=False)
    ]
    told = equivalence_words.simple_ways(ways)
    if not names:
        assert told == ""
        return
    has = "have" if " and " in names else "has"
    assert told == f"of the simple ways {names} {has} the highest share, {share.replace('3.000', f'30.0{chr(160)}%')}"


@pytest.mark.parametrize(
    ("shares", "said"),
    [
        ([(0.5, 0.5), (0.4, 0.4)], "People and the classifier take the same share of every system's answers as right."),
        ([(None, None), (None, None)], "People and the classifier take the same share"),
        ([(0.5, 0.9), (0.4, 0.4)], "furthest apart for a (people take 50.0\u00a0% … 90.0\u00a0%)."),
        ([(0.5, 0.9), (0.4, 0.8)], "furthest apart for a (people … and b (people take 40.0\u00a0%"),
    ],
)
def test_where_people_and_the_classifier_part(shares: list[Any], said: str) -> None:
    rows = [
        typed(SystemVerdictsRow, system=s, right=(right,), taken=(taken,))
        for s, (right, taken) in zip("ab", shares, strict=True)
    ]
    says(equivalence_words.widest_gap(rows), said)


@pytest.mark.parametrize(
    ("answers", "said"),
    [(0, "0 of 9 answers have a probability between 0.1 and 0.9. ≠ look"), (3, "3 of 9 answers … : look there first.")],
)
def test_where_to_look_first(answers: int, said: str) -> None:
    right = stored(0.5) | {"judgments": answers}
    ranges = [{"low": 0.1, "high": 0.9, "probability": 0.5, "right": right}]
    figures = {"undefined_because": None, "answers": 9, "calibration": ranges}
    table = equivalence.calibration_table(asked_for({"equivalence": figures}))
    assert table is not None
    says(table.reading, said)


@pytest.mark.parametrize(
    ("counts", "said"),
    [
        ([3, 2], "Most often the rule is “one rule”: 3 answers, on 50.0\u00a0% of which ≠ two rule"),
        ([3, 3], "Most often the rule is “one rule”: 3 answers … ; “two rule”: 3 answers"),
    ],
)
def test_the_rules_that_decide(counts: list[int], said: str) -> None:
    rules = [
        {"rule": name, "agreed": stored(0.5) | {"judgments": count}, "same_rule": stored(None)}
        for name, count in zip(("one_rule", "two_rule"), counts, strict=True)
    ]
    figures = {"undefined_because": None, "rules": rules}
    table = equivalence.rules_table(asked_for({"equivalence": figures}))
    assert table is not None
    says(table.reading, said)

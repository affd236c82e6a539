"""Cited sentences and the number of raters: no sentence says more than its figures do."""

from dataclasses import replace
from typing import Any

import pytest

from annotation_platform.analysis.sections.number_of_raters import tables as raters
from annotation_platform.analysis.sections.number_of_raters.table_rows import OneMoreRow, VoteRow
from annotation_platform.analysis.sections.planning import tables as planning
from annotation_platform.analysis.sections.planning.figures import Variances
from annotation_platform.analysis.sections.planning.plan import Basis, Plan, Price
from annotation_platform.analysis.sections.sentences import tables as cited
from annotation_platform.analysis.sections.sentences.figures import CitedSentences
from annotation_platform.analysis.sections.spans import tables as marked
from annotation_platform.analysis.sections.spans.figures import MarkedLabel, MarkedSpans
from annotation_platform.core.power import Components, Design
from tests.analysis.made_figures import figure
from tests.analysis.sentences.rows import says, typed


@pytest.mark.parametrize(
    ("alpha", "said"),
    [
        ((None,), "“T”: not defined. Because."),
        ((0.4,), "“T”: α is 0.400 by MASI and 0.400 by ≠ ["),
        ((-0.0001, -0.2, -0.0002), "“T”: α is 0.000 [−0.200, 0.000] by MASI and"),
    ],
)
def test_agreement_on_sentences(alpha: Any, said: str) -> None:
    value, *interval = alpha
    found = figure(value, tuple(interval) or None, because="Because.")
    each = CitedSentences.model_construct(title="T", alpha=dict.fromkeys(cited.DISTANCES, found), sampled=None)
    says(cited._reading(each), said)


@pytest.mark.parametrize(
    ("value", "interval", "said"),
    [
        (
            None,
            None,
            "“T”: F1 of two people by overlap is not defined (Because), α over tokens is not defined (Because).",
        ),
        (0.4, None, "“T”: F1 of two people by overlap is 0.400, α over tokens is 0.400."),
        (0.4, (-0.0001, 0.5), "“T”: F1 of two people by overlap is 0.400 [0.000, 0.500], α over"),
    ],
)
def test_agreement_on_marked_words(value: float | None, interval: Any, said: str) -> None:
    found = figure(value, interval, because="Because.")
    label = MarkedLabel.model_construct(title="All labels", overlap=found, alpha=found)
    says(marked._reading(MarkedSpans.model_construct(title="T", labels=(label,), sampled=None)), said)


def point(raters_: int, alone: Any, change: Any) -> VoteRow:
    """Significant where the interval leaves out 0."""
    is_certain = len(change) > 1 and change[1] * change[2] > 0
    return typed(VoteRow, raters=raters_, alone=alone, change=change, is_certain=is_certain)


@pytest.mark.parametrize(
    ("points", "has_model", "said"),
    [
        ([point(1, (None,), (None,))], False, "The correlation with the vote of all 2 is not defined."),
        ([point(1, (0.8, 0.7, 0.9), (None,))], False, "the vote of 1 correlates with ρ 0.800. ≠ model"),
        ([point(1, (0.8,), (None,))], True, "What the model adds is not defined. ≠ certain"),
        ([point(1, (0.8,), (0.1,))], True, "makes no significant difference beside any number of them."),
        ([point(1, (0.8,), (0.1, -0.1, 0.2))], True, "makes no significant difference"),
        ([point(1, (0.8,), (0.1, 0.05, 0.2))], True, "The model helps beside 1. ≠ harms"),
        ([point(1, (0.8,), (-0.1, -0.2, -0.05))], True, "The model harms beside 1. ≠ helps"),
        (
            [replace(point(1, (0.8,), (0.1, 0.01, 0.2)), is_certain=False)],
            True,
            "makes no significant difference ≠ helps",
        ),
    ],
)
def test_votes_of_fewer_raters(points: list[VoteRow], has_model: bool, said: str) -> None:
    says(raters._curve_reading(points, 2, has_model), said)


PILOTED = Basis(Components(9, 16, 4, 64, 25), ((1.0,) * 5,) * 5, unit="article", units=12)
STATED = Basis(Components(9, 16, 4, 64, 25))


@pytest.mark.parametrize(
    ("plan", "said"),
    [
        (
            Plan(STATED, Design(20, 5, 3), Price()),
            "20 articles, 5 questions about each and 3 … It takes 120 tasks. ≠ interval",
        ),
        (Plan(PILOTED, Design(20, 5, 3), Price()), "(95\u00a0% interval, from the pilot's own size: "),
        (
            Plan(STATED, Design(1, 2, 1), Price()),
            "1 article, 2 questions about each and 1 annotator per … by question, n = 2",
        ),
        (Plan(STATED, Design(5, 1, 1), Price()), "1 question about each … by article, n = 5"),
        (
            Plan(STATED, Design(5, 1, 1, way="together"), Price(0.5, "€", 3)),
            "It takes 5 tasks, 2.50 € and 0.2 hours of work.",
        ),
        (Plan(STATED, Design(5, 1, 1), Price(0.0)), "It takes 10 tasks and 0.00."),
        (Plan(Basis(Components(0, 0, 0, 0)), Design(5, 1, 1), Price()), "a true difference of 0.000 between"),
    ],
)
def test_what_a_design_finds(plan: Plan, said: str) -> None:
    says(planning.plan_reading(plan.chosen, plan, "value"), said)


def test_what_more_articles_and_annotators_would_buy() -> None:
    alone = Plan(STATED, Design(20, 5, 1, people=1), Price())
    says(planning.curve_reading(alone.curve, alone, "value"), "With 1 per answer it is ≠ With 20")
    several = Plan(STATED, Design(20, 5, 3), Price())
    says(
        planning.curve_reading(several.curve, several, "value"), "With 3 per answer … With 20 articles it is … with 5."
    )
    one = Plan(STATED, Design(1, 2, 1), Price())
    says(planning.curve_reading(one.curve, one, "value"), "With 1 article it is")


def test_from_few_articles_to_many_the_smallest_difference_can_rise() -> None:
    """Of fewer than five articles the test speaks of these alone, from five on of articles like them."""
    plan = Plan(Basis(Components(0.7, 0, 0, 0.2)), Design(2, 60, 2), Price())
    assert plan.curve[0].smallest.value < plan.curve[-1].smallest.value
    assert "Lines break before 5 articles" in planning.curve(plan, "value", query="").charts["plan-curve"]
    says(planning.curve_reading(plan.curve, plan, "value"), "it is 0.174 with 2 articles and 0.237 with 100 articles.")


@pytest.mark.parametrize(
    ("basis", "found", "said"),
    [
        (
            STATED,
            None,
            "Most of the variance: “Chance in one judgment of each” (standard deviation 8.000). ≠ Estimated",
        ),
        (Basis(Components(4, 4, 0, 0)), None, "“From article to article” and “From question to question”"),
        (Basis(Components(0, 0, 0, 0)), None, "Nothing varies"),
        (STATED, Variances(n_articles=5, n_questions=1, n_annotators=3, n_pairs=1), "from 1 question about 5 ≠ pairs"),
        (STATED, Variances(n_articles=5, n_questions=9, n_annotators=3, n_pairs=3, merged="So."), "over 3 pairs … So."),
    ],
)
def test_what_a_plan_rests_on(basis: Basis, found: Variances | None, said: str) -> None:
    says(planning.components_table(basis.components, "value", found).reading, said)


def test_of_few_raters_none_is_left_out_of_the_sentence() -> None:
    """The third of five had the highest correlation, and was the one that was not told."""
    points = [point(k, (rho,), (None,)) for k, rho in enumerate((0.68, 0.7, 0.88, 0.85, 1.0), start=1)]
    says(raters._curve_reading(points, 5, False), "that of 3 correlates with ρ 0.880, that of 4 correlates")


@pytest.mark.parametrize(
    ("now", "more", "said"),
    [
        ((0.8,), (0.02,), "of 2 raters has the reliability 0.800; one more would add 0.020."),
        ((None,), (None,), "It cannot be said: Now."),
        ((0.8,), (None,), "It cannot be said: More."),
    ],
)
def test_one_more_rater(now: Any, more: Any, said: str) -> None:
    why = "" if now[0] is not None else "Now."
    rows = [
        typed(OneMoreRow, raters=2, reliability=now, undefined_because=why),
        typed(OneMoreRow, raters=3, gain=more, undefined_because="More."),
    ]
    says(raters._one_more_reading(rows, 2, None), said)

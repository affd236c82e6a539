"""REV, LAS, RQ, vacuous rationales and people's scores, by hand and by their definitions."""

from collections.abc import Sequence
from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation_platform.core.methods.rev.human import RationaleJudgment, human_score
from annotation_platform.core.methods.rev.scores import las, pointwise_rev, report, rq, simulatability
from annotation_platform.core.methods.rev.vacuous import VacuousError, of_answers, of_inference
from annotation_platform.core.statistics.resampling import Bootstrap

FLAGS = st.lists(st.tuples(st.booleans(), st.booleans(), st.booleans()), min_size=1, max_size=30)


def test_rev_is_the_ratio_of_the_likelihoods_on_a_log_scale() -> None:
    # The rationale doubles, keeps and halves the probability of the label.
    found = pointwise_rev([log(0.8), log(0.5), log(0.2)], [log(0.4), log(0.5), log(0.4)])

    assert found == pytest.approx([log(2), 0, -log(2)])


@pytest.mark.parametrize("bad", [[0.5], [float("nan")], [float("-inf")], [-1, -1]])
def test_what_is_no_log_likelihood_is_refused(bad: list[float]) -> None:
    with pytest.raises(ValueError, match="likelihood"):
        pointwise_rev(bad, [-1.0])


def test_las_by_hand() -> None:
    # Hase and others (2020), section 3: leaking rationales (the first three) gain 1/3, the others (two) gain 1/2 − 1/2.
    with_rationale = [True, True, True, True, False]
    without = [True, False, True, False, True]
    leaks = [True, True, True, False, False]

    found = las(with_rationale, without, leaks)

    assert found.value == pytest.approx((1 / 3 + 0) / 2)


def test_las_weighs_both_groups_alike_however_large_they_are() -> None:
    helped = [True] * 9 + [False]
    found = las(helped, [False] * 10, [True] * 9 + [False])

    assert found.value == pytest.approx((1 + 0) / 2)


@pytest.mark.parametrize(
    ("leaks", "reason"), [([True] * 3, "All rationales leak."), ([False] * 3, "No rationales leak.")]
)
def test_las_is_undefined_where_all_or_none_leak(leaks: list[bool], reason: str) -> None:
    found = las([True] * 3, [False] * 3, leaks, bootstrap=Bootstrap(resamples=10))

    assert (found.value, found.undefined_because) == (None, reason)


def test_rq_by_hand() -> None:
    # Wiegreffe and others (2021): accuracy 3/4 with the rationale, 1/4 without it.
    found = rq([True, True, False, True] * 2, [False, False, False, True] * 2, bootstrap=Bootstrap(resamples=200))

    assert found.value == 3 / 4 - 1 / 4
    assert found.interval is not None
    assert found.interval.low <= 0.5 <= found.interval.high


@given(FLAGS)
def test_rq_is_the_difference_of_two_accuracies(rows: list[tuple[bool, bool, bool]]) -> None:
    helped, alone, _ = map(list, zip(*rows, strict=True))

    assert rq(helped, alone).value == pytest.approx(np.mean(helped) - np.mean(alone))


@given(FLAGS)
def test_swapping_with_and_without_turns_the_sign(rows: list[tuple[bool, bool, bool]]) -> None:
    helped, alone, leaks = map(list, zip(*rows, strict=True))
    there, back = las(helped, alone, leaks).value, las(alone, helped, leaks).value

    assert (there is None) == (back is None)
    assert there is None or back is None or there == pytest.approx(-back)


def test_simulatability_wants_equally_many_of_both() -> None:
    with pytest.raises(ValueError, match="shape"):
        simulatability([True], [True, False])


def test_the_report_has_each_kind_and_the_step_to_the_next() -> None:
    items = [name for name in "abcdefgh" for _ in range(2)]
    values = [2, 1, 3, 1, 2, 0, 1, -2] * 2
    found = report(values, items, ["good", "vacuous"] * 8, bootstrap=Bootstrap(resamples=500))

    good, vacuous = found.kinds
    assert (good.kind, good.mean.value, good.above_zero) == ("good", 2.0, 1.0)
    assert (vacuous.kind, vacuous.mean.value, vacuous.above_zero) == ("vacuous", 0.0, 0.5)
    assert found.overall.value == 1.0
    (step,) = found.steps
    assert step.value == 2.0
    assert step.interval is not None
    # Item by item the steps are 1, 2, 2 and 3, much closer together than the values of either kind.
    assert 1 <= step.interval.low < step.interval.high <= 3


def test_people_by_hand() -> None:
    yes, no = RationaleJudgment, RationaleJudgment(False)

    assert human_score([yes(True, 3), yes(True, 2), yes(True, 2)]) == pytest.approx(7 / 3)
    assert human_score([yes(True, 3), yes(True, 0), no]) == 1.5  # outvoted: the amounts of the others
    assert human_score([yes(True, 3), no, no]) == -1
    assert human_score([yes(True, 1), no]) == 1  # a tie goes to the better label
    assert human_score([]) is None


def test_a_pair_of_sentences_takes_the_template_of_its_label() -> None:
    # The REV paper's own example, table 2.
    premise, hypothesis = "A dog running in the surf.", "A dog is at the beach."

    assert of_inference(premise, hypothesis, "entailment") == "A dog running in the surf implies a dog is at the beach."
    assert "contradicts" in of_inference(premise, hypothesis, "contradiction")
    assert "is not related to" in of_inference(premise, hypothesis, "neutral")
    assert of_inference("A", "Bob sleeps", "yes", words={"yes": "means"}) == "A means Bob sleeps."
    with pytest.raises(VacuousError, match="no template for the label 'maybe'"):
        of_inference(premise, hypothesis, "maybe")


def test_a_converter_takes_the_place_of_the_rules() -> None:
    def joining(questions: Sequence[str], answers: Sequence[str]) -> list[str]:
        return [f"{question} {answer}" for question, answer in zip(questions, answers, strict=True)]

    assert of_answers(["Where?"], ["here"], converter=joining) == ["Where? here"]
    assert of_answers(["Where do bees live?"], ["in a hive"]) == ["Bees live in a hive."]


@pytest.mark.parametrize(("sentences", "says"), [([], "made 0 sentences"), ([" "], "no sentence for 'Where\\?'")])
def test_a_converter_that_drops_a_question_is_told(sentences: list[str], says: str) -> None:
    with pytest.raises(VacuousError, match=says):
        of_answers(["Where?"], ["here"], converter=lambda questions, answers: sentences)

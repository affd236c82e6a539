"""No figure of a snapshot leaves what is possible, lies outside of its own interval, or contradicts its p."""

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from annotation_platform.analysis.sections.labels.figures import LABEL_DISTRIBUTION
from annotation_platform.analysis.sections.systems.figures import MEAN_BY_SYSTEM
from annotation_platform.analysis.snapshots.stored import section_by_aspect
from annotation_platform.analysis.snapshots.taking import take_snapshot
from annotation_platform.studies.models import Study
from tests import rests_on
from tests.analysis.sound_figures import faults, faults_of, odd_neighbours
from tests.analysis.study_rows import score
from tests.factories import judgment, make_corpus, study_with_judgments

pytestmark = pytest.mark.django_db

Opinion = Callable[[Random], str]
OPINIONS: dict[str, Opinion] = {
    "always the best": lambda random: "complete",
    "nearly always the best": lambda random: random.choice(["complete"] * 19 + ["missing_all"]),
    "one end or the other": lambda random: random.choice(["complete", "missing_all"]),
    "always the same in the middle": lambda random: "missing_minor",
    "anything": lambda random: random.choice(["complete", "missing_minor", "missing_major", "missing_all"]),
}


def judged(opinion: Opinion, *, articles: int, annotators: int, questions: int = 2) -> Study:
    random = Random(0)
    study = study_with_judgments(
        annotators=annotators,
        corpus=make_corpus(articles=articles, questions=questions, systems=("alder", "birch")),
        values=lambda member, item: judgment(completeness=opinion(random), correct=random.choice(["yes"] * 9 + ["no"])),
    )
    score(study, lambda annotation: {"complete": 100.0}.get(annotation.values["completeness"], random.uniform(0, 40)))
    return study


def test_nothing_that_cannot_be_is_said() -> None:
    study = judged(OPINIONS["nearly always the best"], articles=5, annotators=3)
    assert faults(take_snapshot(study=study, resamples=100)) == []


@pytest.mark.long(*rests_on.ANALYSIS)
@pytest.mark.parametrize("opinion", OPINIONS)
@pytest.mark.parametrize(("articles", "annotators"), [(1, 3), (1, 1), (5, 3), (6, 1)])
def test_nothing_that_cannot_be_is_said_of_any_study(opinion: str, articles: int, annotators: int) -> None:
    study = judged(OPINIONS[opinion], articles=articles, annotators=annotators)
    assert faults(take_snapshot(study=study, resamples=100)) == []


def test_a_mean_of_yes_and_no_is_the_share_of_yes() -> None:
    """The page of systems and that of labels say the same of the same answers."""
    snapshot = take_snapshot(study=judged(OPINIONS["anything"], articles=6, annotators=3), resamples=50)
    shares = section_by_aspect(snapshot, LABEL_DISTRIBUTION)["correct"].by_system
    means = section_by_aspect(snapshot, MEAN_BY_SYSTEM)["correct"]
    assert [mean.system for mean in means] == [share.name for share in shares]
    for mean, share in zip(means, shares, strict=True):
        yes = share.labels["yes"]
        assert mean.raw.interval is not None
        assert (mean.raw.value, mean.raw.interval) == (yes.share, pytest.approx(yes.interval))
        assert yes.for_others is not None
        assert mean.raw.for_others is not None
        assert mean.raw.for_others.interval == pytest.approx(yes.for_others.interval)


def test_a_mean_at_the_end_is_not_sure() -> None:
    """Five articles of the best answers: neither no interval at all, nor one of no width."""
    snapshot = take_snapshot(study=judged(OPINIONS["always the best"], articles=5, annotators=2), resamples=50)
    (mean, _) = section_by_aspect(snapshot, MEAN_BY_SYSTEM)["completeness"]
    assert mean.raw.value == 100
    assert mean.raw.interval is not None
    assert mean.raw.interval[0] < 60
    assert mean.raw.interval[1] == 100


@pytest.mark.parametrize(
    "figures",
    [
        {"people": {"interval": [0.4, 0.6]}, "both": {"interval": [0.3, 0.6]}, "effective": 20.0},
        {"people": {"interval": [0.4, 0.6]}, "interval": [0.3, 0.6], "effective": 20.0},
        {"effective": -1.0},
        {"rank": 3, "rank_shares": [0.5, 0.5]},
        {"rank": 1, "rank_shares": [0.5, 0.4]},
        {"rank": 3, "ranks": [1, 2]},
    ],
)
def test_odd_neighbours_are_found(figures: dict[str, Any]) -> None:
    assert len(list(odd_neighbours([figures], "powered"))) == 1


@pytest.mark.parametrize(
    ("figure", "fault"),
    [
        ({"value": 0.775, "interval": [0.432, 1.118]}, "leaves"),
        ({"value": 0.9, "interval": [0.1, 0.8]}, "is not in"),
        ({"value": 0.5, "interval": [0.2, 0.8], "p_value": 0.2}, "p ="),
        ({"value": 1.2, "interval": None}, "is not within"),
        ({"value": 0.5, "interval": [0.4, 0.6], "for_others": {"interval": [0.45, 0.7]}}, "is not in"),
    ],
)
def test_a_fault_is_found(figure: dict[str, Any], fault: str) -> None:
    found = list(faults_of("mean_by_system", [{"raw": figure}], "correct", {"correct": (0, 1)}))
    assert any(fault in each for each in found), found
    assert list(faults_of("unheard_of", [figure], "correct", {"correct": (0, 1)})) == [
        "unheard_of[0]: nobody says what is possible"
    ] + ["unheard_of[0].for_others: nobody says what is possible"] * ("for_others" in figure) + [
        "unheard_of[0] in for_others: nobody says what is possible"
    ] * (2 * ("for_others" in figure))

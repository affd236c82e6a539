"""The released annotations, through import, scoring, snapshot and report, give the published figures."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.some import some

pytestmark = [pytest.mark.django_db, pytest.mark.release, pytest.mark.xdist_group("released report")]


@pytest.fixture(scope="module")
def figures(released_report: Any) -> Any:
    aspect = released_report["aspects"][0]
    assert aspect["aspect"] == "completeness"
    return aspect


def test_judgments_and_items(released_report: Any) -> None:
    assert (released_report["counts"]["judgments"], released_report["counts"]["items"]) == (12_650, 2532)
    assert released_report["counts"]["items_by_number_of_judgments"]["5"] == 2484
    assert released_report["counts"]["judgments_not_scored_yet"] == 0


def test_share_of_each_label(figures: Any) -> None:
    (overall,) = figures["label_distribution"]["overall"]
    shares = [overall["labels"][key]["share"] for key in ("complete", "missing_minor", "missing_major", "missing_all")]
    assert [round(share, 4) for share in shares] == [0.6701, 0.1029, 0.0441, 0.1828]


@pytest.mark.parametrize(("setting", "raw", "rescaled"), [("all", 0.33046, 0.35351), ("incomplete", -0.03421, 0.15221)])
def test_mean_tau_before_and_after(figures: Any, setting: str, raw: float, rescaled: float) -> None:
    tau = figures["pairwise_tau"][setting]
    assert tau["raw"]["pairs_defined"] == tau["rescaled"]["pairs_defined"] == len(figures[f"pairs_{setting}"]) == 28
    assert round(tau["raw"]["mean"]["value"], 5) == raw
    assert round(tau["rescaled"]["mean"]["value"], 5) == rescaled


@pytest.mark.parametrize(
    ("setting", "rises", "falls", "above", "below"),
    [("all", (16, 0.0950), (12, -0.0729), 5, 3), ("incomplete", (26, 0.2060), (2, -0.0684), 18, 1)],
)
def test_changes_of_the_pairs(
    figures: Any, setting: str, rises: tuple[int, float], falls: tuple[int, float], above: int, below: int
) -> None:
    change = figures["pairwise_tau"][setting]["change"]
    assert (change["rises"]["count"], round(change["rises"]["mean"], 4)) == rises
    assert (change["falls"]["count"], round(change["falls"]["mean"], 4)) == falls
    assert (change["rises_above_threshold"], change["falls_below_threshold"]) == (above, below)


def test_the_pair_that_benefits_most(figures: Any) -> None:
    (pair,) = (p for p in figures["pairs_incomplete"] if p["annotators"] == ["0", "4"])
    assert (pair["n"], round(pair["raw"], 4), round(pair["rescaled"], 4)) == (13, -0.7917, -0.0150)


def test_kappa_of_complete_or_not(figures: Any) -> None:
    kappa = figures["fleiss_kappa"]
    assert (kappa["label"], kappa["judgments_per_item"], kappa["items"]) == ("complete", 5, 2484)
    assert round(kappa["value"], 4) == 0.3257


def test_mean_score_of_each_label(figures: Any) -> None:
    means = {row["key"]: round(row["value"], 2) for row in figures["mean_by_label"]}
    assert means == {"missing_all": 0.53, "missing_major": 24.37, "missing_minor": 56.02, "complete": 88.43}


LABELS = ("missing_all", "missing_major", "missing_minor", "complete")


# Table 3, in whole percents; the release keeps the versions of a system and the experts apart, as one family each.
@pytest.mark.parametrize(
    ("by", "name", "published"),
    [
        ("system", "davinci", (50, 7, 10, 33)),
        ("family", "text-davinci-003", (8, 3, 12, 77)),
        ("system", "gpt4", (8, 3, 8, 81)),
        ("family", "human", (11, 8, 11, 70)),
    ],
)
def test_table_3_labels_by_system(figures: Any, by: str, name: str, published: tuple[int, ...]) -> None:
    (group,) = (each for each in figures["label_distribution"][f"by_{by}"] if each["name"] == name)
    assert [100 * group["labels"][label]["share"] for label in LABELS] == pytest.approx(published, abs=0.76)


# Table 5, in whole percents: both versions of text-davinci-003 together, both parts of the corpus.
@pytest.mark.parametrize(
    ("annotator", "published"), [("0", (5, 8, 18, 69)), ("1", (22, 10, 25, 43)), ("6", (32, 5, 15, 48))]
)
def test_table_5_labels_by_annotator(figures: Any, annotator: str, published: tuple[int, ...]) -> None:
    (group,) = (
        group
        for part in figures["labels_by_part"]
        if (part["source"], part["system"]) == ("", "text-davinci-003")
        for group in part["annotators"]
        if group["name"] == annotator
    )
    assert [100 * group["labels"][label]["share"] for label in LABELS] == pytest.approx(published, abs=0.6)


# Table 11, a row of each kind.
@pytest.mark.parametrize(
    ("pair", "change"),
    [
        (("0", "4"), 0.7768),
        (("2", "5"), 0.3767),
        (("3", "6"), 0.0205),
        (("1", "7"), -0.0297),
        (("0", "7"), -0.1071),
        (("1", "3"), 0.0009),
    ],
)
def test_table_11_changes_of_single_pairs(figures: Any, pair: tuple[str, str], change: float) -> None:
    (found,) = (each for each in figures["pairs_incomplete"] if tuple(each["annotators"]) == pair)
    assert round(found["change"], 4) == change


def test_every_mean_lies_in_its_interval(figures: Any) -> None:
    for tau in some(figures["pairwise_tau"].values()):
        for side in ("raw", "rescaled", "change"):
            low, high = tau[side]["mean"]["interval"]
            assert low < tau[side]["mean"]["value"] < high


def test_systems_are_compared_on_the_questions_that_both_answered(figures: Any, release_data: list[Path]) -> None:
    """Only ten articles have people's answers: whole articles drawn anew, which is a little too sure of so few, give
    nearly the interval."""
    assert figures["system_differences"]["unit"] == "article"
    pairs = {tuple(each["systems"]): each for each in figures["system_differences"]["rescaled"]}
    found = pairs["davinci", "human_2"]
    assert (found["items"], found["units"], found["judgments"], found["is_paired"]) == (103, 10, 1030, True)
    assert found["answered"] == [591, 103]
    assert round(found["value"], 1) == 44.8
    assert [round(end, 1) for end in found["interval"]] == [31.7, 58.0]
    assert found["p_holm"] < 0.001
    assert [round(end, 1) for end in found["for_others"]["interval"]] == [27.1, 62.5]
    assert found["for_others"]["annotators"] == 7
    gpt4 = next(each for systems, each in pairs.items() if systems == ("gpt4", "text-davinci-003_zero_shot"))
    assert gpt4["p_value"] < 0.01  # these annotators, other articles
    assert gpt4["for_others"]["p_value"] > 0.3  # other annotators, too

    apart = differences_by_article(release_data, "davinci", "human_2")
    drawn = np.random.default_rng(0).integers(0, len(apart), (10_000, len(apart)))
    sums, counts = (np.array([f(each) for each in apart])[drawn].sum(axis=1) for f in (np.sum, np.size))
    assert np.percentile(sums / counts, [2.5, 97.5]) == pytest.approx([33, 53.5], abs=0.6)


def differences_by_article(paths: list[Path], first: str, second: str) -> list[list[float]]:
    """Second minus first on each question that both answered, from the files themselves."""
    found = []
    for path in paths:
        for article in json.loads(path.read_text()).values():
            answers = [question["system"] for question in article["question_details"].values()]
            both = [each for each in answers if first in each and second in each]
            found.append([mean_score(each[second]) - mean_score(each[first]) for each in both])
    return [each for each in found if each]


def mean_score(answer: Any) -> float:
    return float(np.mean([each["ebr_num"] for each in answer["annotation_details"].values()]))

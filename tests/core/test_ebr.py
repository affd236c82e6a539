"""Algorithm 1 by hand, at its edges, and on the released data."""

import json
from itertools import combinations
from typing import Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau

from annotation_platform.core.methods.ebr.rescaling import RescalingError, ScoreSource, hundred_point_numbers, rescale
from tests.published import EBR

NUMBERS = [0, 30, 70, 100]
LABELS = {"missing_all": 0, "missing_major": 1, "missing_minor": 2, "complete": 3}


def test_follows_the_algorithm_by_hand() -> None:
    #            annotator 7 ─────────────────────   annotator 9 ──────────
    annotators = [7, 7, 7, 7, 9, 9, 9]
    labels = [3, 3, 3, 0, 3, 2, 0]
    explained = [True, True, False, False, True, False, False]
    f = [90, 60, None, None, 100, None, None]

    result = rescale(annotators, labels, explained, f, NUMBERS)

    assert result.values.tolist() == [90, 60, 75, 0, 100, 70, 0]
    assert result.sources == ["model", "model", "g", "scale_number", "model", "scale_number", "scale_number"]
    assert result.annotators.tolist() == [7, 9]
    assert result.annotator_means[:, 3].tolist() == [75, 100]
    assert np.isnan(result.annotator_means[:, :3]).all()
    assert result.annotator_counts.tolist() == [[0, 0, 0, 2], [0, 0, 0, 1]]
    assert result.label_means[3] == pytest.approx(250 / 3)
    assert result.label_counts.tolist() == [0, 0, 0, 3]
    assert result.count_by_source() == {"model": 3, "g": 1, "label_mean": 0, "scale_number": 3}


def test_an_annotator_without_a_mean_for_the_label_takes_everybodys_mean() -> None:
    result = rescale([1, 1, 2], [2, 2, 2], [True, True, True], [40, 60, None], NUMBERS)
    assert result.values[2] == 50
    assert result.sources[2] is ScoreSource.LABEL_MEAN


def test_a_score_without_an_explanation_stands_but_enters_no_mean() -> None:
    result = rescale([1, 1, 1], [2, 2, 2], [True, False, True], [40, 100, None], NUMBERS)
    assert result.values.tolist() == [40, 100, 40]
    assert result.sources == ["model", "model", "g"]


@pytest.mark.parametrize(("mixture", "expected"), [(0, [90, 60]), (0.1, [88.5, 61.5]), (1, [75, 75])])
def test_mixes_the_annotators_mean_with_the_score(mixture: float, expected: list[float]) -> None:
    result = rescale([1, 1], [3, 3], [True, True], [90, 60], NUMBERS, mixture=mixture)
    assert result.values == pytest.approx(expected)
    assert result.sources == ["model", "model"]
    assert result.explanation_scores.tolist() == [90, 60]


def test_no_judgments_give_empty_arrays() -> None:
    result = rescale([], [], [], [], NUMBERS)
    assert result.values.shape == (0,)
    assert result.annotator_means.shape == (0, 4)
    assert result.sources == []
    assert np.isnan(result.label_means).all()


def test_leaves_the_callers_scores_alone() -> None:
    f = np.array([90.0, np.nan])
    rescale([1, 1], [3, 3], [True, True], f, NUMBERS, mixture=1)
    assert f[0] == 90
    assert np.isnan(f[1])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"labels": [3]}, "labels has shape"),
        ({"labels": [3, 4]}, "positions 0..3"),
        ({"labels": [3, -1]}, "positions 0..3"),
        ({"labels": [3, 1.5]}, "labels must be integers"),
        ({"explanation_scores": [90, 101]}, r"explanation_scores\[1\] is 101.0"),
        ({"explanation_scores": [float("inf"), 1]}, r"explanation_scores\[0\] is inf"),
        ({"scale_numbers": []}, "scale_numbers"),
        ({"scale_numbers": [0, 30, 70, 120]}, "scale_numbers"),
        ({"mixture": 1.1}, "λ"),
        ({"mixture": float("nan")}, "λ"),
    ],
)
def test_refuses_arrays_that_are_not_judgments(change: dict[str, object], message: str) -> None:
    arguments: dict[str, object] = {
        "annotators": [1, 1],
        "labels": [3, 3],
        "has_explanation": [True, True],
        "explanation_scores": [90, 60],
        "scale_numbers": NUMBERS,
    }
    with pytest.raises(RescalingError, match=message):
        rescale(**{**arguments, **change})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("numbers", "better", "expected"),
    [
        (NUMBERS, "high", NUMBERS),
        ([1, 2, 3, 4, 5], "high", [0, 25, 50, 75, 100]),
        ([3, 2, 1], "low", [0, 50, 100]),
        ([-1, 1], "high", [0, 100]),
    ],
)
def test_brings_any_scale_to_a_hundred_points(
    numbers: list[float], better: Literal["high", "low"], expected: list[float]
) -> None:
    assert hundred_point_numbers(numbers, better=better) == pytest.approx(expected)


@pytest.mark.parametrize("numbers", [[], [1], [2, 2], [0, float("nan")], [0, float("inf")]])
def test_a_scale_without_two_ends_has_no_hundred_points(numbers: list[float]) -> None:
    with pytest.raises(RescalingError, match="two labels"):
        hundred_point_numbers(numbers)


judgments = st.lists(
    st.tuples(
        st.integers(0, 4),
        st.integers(0, 3),
        st.booleans(),
        st.none() | st.floats(0, 100).map(lambda score: round(score, 3)),
    ),
    max_size=60,
)


@given(judgments, st.floats(0, 1))
def test_agrees_with_the_algorithm_written_as_loops(rows: list, mixture: float) -> None:
    def mean(chosen: list[float]) -> float | None:
        return sum(chosen) / len(chosen) if chosen else None

    expected = []
    for who, label, _, score in rows:
        g = mean([f for w, r, e, f in rows if (w, r) == (who, label) and e and f is not None])
        label_mean = mean([f for _, r, e, f in rows if r == label and e and f is not None])
        chain = (
            (g, ScoreSource.ANNOTATOR_MEAN),
            (label_mean, ScoreSource.LABEL_MEAN),
            (NUMBERS[label], ScoreSource.SCALE_NUMBER),
        )
        stand_in, source = next((value, name) for value, name in chain if value is not None)
        if score is None:
            expected.append((stand_in, source))
        else:
            expected.append((mixture * stand_in + (1 - mixture) * score, ScoreSource.MODEL))

    columns = [list(column) for column in zip(*rows, strict=True)] or [[], [], [], []]
    result = rescale(*columns, NUMBERS, mixture=mixture)

    assert result.values.tolist() == pytest.approx([value for value, _ in expected], abs=1e-9)
    assert result.sources == [source for _, source in expected]


class Release:
    """The released judgments as columns, and the published figures' way of averaging τ-b over pairs."""

    def __init__(self, *names: str) -> None:
        if not EBR.is_dir():
            pytest.skip(f"the released EBR data is not at {EBR}")
        self.items: list[tuple[str, ...]] = []
        rows = []
        for name in names:
            for number, article in json.loads((EBR / name).read_text(encoding="utf-8")).items():
                for key, question in article["question_details"].items():
                    for system, answer in question["system"].items():
                        self.items += [(name, number, key, system)] * len(answer["annotation_details"])
                        rows += answer["annotation_details"].values()
        self.annotators = np.array([int(row["workerid"]) for row in rows])
        self.labels = np.array([LABELS[row["complete_label"]] for row in rows])
        self.f = [row["ebr_num"] for row in rows]

    def rescale(self, mixture: float = 0) -> np.ndarray:
        explained = [True] * len(self.f)
        return rescale(self.annotators, self.labels, explained, self.f, NUMBERS, mixture=mixture).values

    def mean_tau(self, values: np.ndarray, *, incomplete: bool = False) -> float:
        codes = np.unique(np.array(["\t".join(item) for item in self.items]), return_inverse=True)[1]
        taus = []
        for a, b in combinations(np.unique(self.annotators), 2):
            i, j = np.flatnonzero(self.annotators == a), np.flatnonzero(self.annotators == b)
            left, right = np.nonzero(codes[i][:, None] == codes[j][None, :])
            left, right = i[left], j[right]
            if incomplete:
                keep = (self.labels[left] != 3) | (self.labels[right] != 3)
                left, right = left[keep], right[keep]
            taus.append(kendalltau(values[left], values[right]).statistic)
        return float(np.mean(taus))


@pytest.mark.release
def test_gives_the_published_figures_of_the_release() -> None:
    release = Release("inq_annotations.json", "inq_extended_annotations.json")
    result = rescale(release.annotators, release.labels, [True] * len(release.f), release.f, NUMBERS)

    assert result.count_by_source() == {"model": 12_649, "g": 1, "label_mean": 0, "scale_number": 0}
    assert result.label_means == pytest.approx([0.53, 24.37, 56.02, 88.43], abs=0.005)
    assert release.mean_tau(result.values) == pytest.approx(0.35351, abs=5e-6)
    assert release.mean_tau(result.values, incomplete=True) == pytest.approx(0.15221, abs=5e-6)


@pytest.mark.release
@pytest.mark.parametrize(("mixture", "everything", "incomplete"), [(0.1, 0.3715, 0.1704), (1, 0.3655, 0.0274)])
def test_gives_the_published_figures_of_mixtures(mixture: float, everything: float, incomplete: float) -> None:
    release = Release("inq_annotations.json")
    values = release.rescale(mixture)
    assert release.mean_tau(values) == pytest.approx(everything, abs=5e-5)
    assert release.mean_tau(values, incomplete=True) == pytest.approx(incomplete, abs=5e-5)

"""Variants of a run, and what was measured before: no sentence says more than its figures do."""

from typing import Any

import pytest

from annotation_platform.analysis.measuring.figures import (
    Label,
)
from annotation_platform.analysis.sections.history import comparison as history
from annotation_platform.analysis.sections.history.stored_figures import StoredFigure
from annotation_platform.analysis.sections.variants import classes
from annotation_platform.analysis.sections.variants import tables as variants
from annotation_platform.analysis.sections.variants.table_rows import (
    ClassRow,
    ComparisonRow,
    MeanOfLabel,
    MixtureRow,
    OwnOrderRow,
    TauRow,
)
from tests.analysis.sentences.rows import says, typed


def tau(name: str, value: float | None) -> TauRow:
    return typed(TauRow, name=name, all=(value,))


def mixture(of: float, value: float | None, *, is_good: bool = True) -> MixtureRow:
    return typed(MixtureRow, mixture=of, all=(value,), is_good=is_good)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([tau("as given", 0.4), tau("r", None)], "No τ is defined."),
        (
            [tau("as given", 0.4), tau("r", 0.5)],
            "Mean τ, over all items: r with 0.500 (labels as given 0.400). ≠ highest",
        ),
        (
            [tau("as given", None), tau("r", 0.5), tau("s", 0.3)],
            "The highest mean τ of the runs … r with 0.500 (labels",
        ),
        ([tau("as given", 0.4), tau("r", 0.5), tau("s", 0.5)], "over all items: r and s with 0.500"),
    ],
)
def test_runs_side_by_side(rows: list[TauRow], said: str) -> None:
    says(variants._variants_reading(rows), said)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([mixture(0.0, None)], "No τ is defined."),
        (
            [mixture(x, 0.5) for x in (0.0, 0.5)],
            "all items 0.500 at λ = 0 and 0.5. The guard has no objection to any of them.",
        ),
        ([mixture(0.5, 0.5, is_good=False)], "The guard objects to λ = 0.5."),
    ],
)
def test_mixtures(rows: list[MixtureRow], said: str) -> None:
    says(variants._mixtures_reading(rows), said)


@pytest.mark.parametrize(
    ("difference", "certain", "said"),
    [
        ((None,), False, "All items: not defined."),
        ((0.1,), False, "All items: no significant difference (0.100) ≠ more"),
        ((0.1,), True, "All items: by two, annotators order answers more alike (0.100)."),
        ((-0.1,), True, "All items: by two, annotators order answers less alike (−0.100)."),
    ],
)
def test_two_runs_compared(difference: Any, certain: bool, said: str) -> None:
    found = typed(ComparisonRow, setting="all items", difference=difference, is_certain=certain)
    says(variants._comparison_reading([found], "one", "two"), said)


@pytest.mark.parametrize(
    ("shares", "said"),
    [
        ([None], "No annotator gave two different labels."),
        ([0.0, 0.0], "is turned round for none of them."),
        ([0.1, 0.0], "turned round most, in 10.0\u00a0%, for A (of 8 pairs of judgments)."),
        ([0.1, 0.1], "for A (of 8 pairs of judgments) and B (of 8"),
    ],
)
def test_annotators_against_themselves(shares: list[float | None], said: str) -> None:
    rows = [typed(OwnOrderRow, name=n, reversed=(s,), ordered_pairs=8) for n, s in zip("AB", shares, strict=False)]
    says(classes._own_order_reading(rows), said)


@pytest.mark.parametrize(
    ("of_all", "said"),
    [
        ([], "No explanation has been scored."),
        ([MeanOfLabel(None, count=0)], "No explanation has been scored."),
        ([MeanOfLabel(40.0, count=9)], "over all annotators: “A” 40.0."),
    ],
)
def test_mean_scores_behind_labels(of_all: list[MeanOfLabel], said: str) -> None:
    rows = [ClassRow(name="All", is_all=True, label={"a": mean}) for mean in of_all]
    says(classes._classes_reading(rows, [Label(key="a", label="A", number=None)]), said)


@pytest.mark.parametrize(
    ("then", "now", "said"),
    [
        (StoredFigure(0.4, (0.3, 0.5)), StoredFigure(0.4, (0.3, 0.5)), "None of 1 figures has changed."),
        (
            StoredFigure(0.4),
            StoredFigure(0.9),
            "1 of 1 figures differ … none lies beyond its interval of then ≠ by much",
        ),
        (StoredFigure(0.4, (0.3, 0.5)), StoredFigure(0.45, (0.3, 0.5)), "none lies beyond its interval of then"),
        (StoredFigure(0.4, (0.3, 0.5)), StoredFigure(0.9), "1 of them lie beyond the interval of then"),
    ],
)
def test_then_and_now(then: StoredFigure, now: StoredFigure, said: str) -> None:
    rows = history._rows(["α"], then, now)
    says(history._table(rows, rows, "", history.ALL_FIGURES).reading, said)

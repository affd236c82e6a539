"""Agreement: no sentence says more than its figures do."""

from typing import Any

import pytest

from annotation_platform.analysis.measuring.figures import (
    Alpha,
    CountedFigure,
    Figure,
    MainFigures,
)
from annotation_platform.analysis.sections.agreement import tables as agreement
from annotation_platform.analysis.sections.agreement.figures import RescaledAlpha
from annotation_platform.analysis.sections.agreement.table_rows import CoefficientRow
from annotation_platform.analysis.snapshots.words import alpha_in_words, change_in_words, extremes_in_words
from annotation_platform.core.statistics import Ratings, krippendorff_alpha
from tests.analysis import made_figures as made
from tests.analysis.made_figures import asked_for, figure
from tests.analysis.sentences.rows import says, typed


def aspects(*alphas: CountedFigure) -> list[MainFigures]:
    return [made.main_figures(title, alpha) for title, alpha in zip("ABCD", alphas, strict=False)]


@pytest.mark.parametrize(
    ("alphas", "said"),
    [
        # “least on B” would be more than is known: C may be lower
        (
            [figure(0.7, (0.6, 0.8)), figure(0.1, (-0.1, 0.3)), figure(0.2, (-0.2, 0.4))],
            "beyond chance on 1 of 3 aspects; Krippendorff α runs from 0.10 on “B” to 0.70 on “A”, and their intervals "
            "do not meet. ≠ most on ≠ least",
        ),
        (
            [figure(0.7, (0.6, 0.8)), figure(0.1, (0.05, 0.2)), figure(0.4, (0.3, 0.5))],
            "beyond chance on all 3 aspects, most on “A” (Krippendorff α 0.70) and least on “B” (α 0.10).",
        ),
        ([figure(0.4, (0.2, 0.6)), figure(0.4, (0.3, 0.5))], "; Krippendorff α is 0.40 on each. ≠ runs ≠ most"),
        (
            [figure(-0.1, (-0.2, -0.05)), figure(-0.5, (-0.6, -0.4))],
            "On none of 2 aspects is it certain … their intervals do not meet ≠ may be chance ≠ most",
        ),
        ([figure(0.4, (-0.001, 0.6)), figure(None)], "it is not certain that … 95\u00a0% interval 0.00 to 0.60"),
    ],
)
def test_most_and_least_of_several_aspects(alphas: list[CountedFigure], said: str) -> None:
    says(extremes_in_words(aspects(*alphas)), said)


def test_alpha_of_one_value_names_no_code() -> None:
    same = krippendorff_alpha(Ratings.from_arrays([0, 0, 1, 1], [0, 1, 0, 1], [0.0] * 4, repeated="cross"), "nominal")
    told = alpha_in_words(figure(None, because=same.undefined_because or ""))
    says(told, "agreement is not defined: All ratings of items with at least two have the same value. ≠ , 0")


@pytest.mark.parametrize(
    ("raw", "rescaled", "said"),
    [
        (figure(None), figure(0.4, (0.2, 0.6)), "annotators order answers alike: τ 0.40 … after rescaling; before, it"),
        (figure(None), figure(0.1, (-0.2, 0.4)), "it is not certain that … after rescaling; before, it is not defined"),
        (figure(None), figure(None), "agreement is not defined: All labels are equal. ≠ rescaling"),
    ],
)
def test_labels_without_a_tau_whose_scores_have_one(raw: CountedFigure, rescaled: CountedFigure, said: str) -> None:
    says(change_in_words(raw, rescaled, made.change(None)), said)


def test_an_aspect_without_order_says_how_it_agrees() -> None:
    alpha = RescaledAlpha(raw=Alpha(level="nominal", **dict(figure(0.0, (-0.004, 0.004)))), rescaled=None)
    (told,) = agreement.in_words(asked_for({"krippendorff_alpha": alpha}, level="nominal"))
    says(told, "It is not certain that annotators agree beyond chance … 0.00 to 0.00")


@pytest.mark.parametrize(
    ("raw", "rescaled", "said"),
    [
        ((0.4, 0.2, 0.6), (0.5, 0.4, 0.7), "S: 0.400 raw, 0.500 rescaled"),
        ((None,), (0.5,), "S is not defined: Because; rescaled, it is 0.500"),
        ((None,), (None,), "S is not defined: Because ≠ rescaled"),
        ((-0.0001, -0.1, 0.1), (None,), "S: 0.000 raw"),
    ],
)
def test_coefficients(raw: Any, rescaled: Any, said: str) -> None:
    told = typed(CoefficientRow, statistic="S", raw=raw, rescaled=rescaled, undefined_because="Because.")
    says(agreement._reading(told, is_rescaled=True), said)


@pytest.mark.parametrize(
    ("coefficient", "said"),
    [
        (figure(0.5, (0.3, 0.7)), "above chance by κ (0.500) ≠ not"),
        (figure(0.5, (-0.1, 0.7)), "not significantly above chance by κ"),
        (figure(0.5), "not known to be above chance, for want of an interval, by κ (0.500) ≠ significant"),
        (figure(-0.5, (-0.7, -0.3)), "below chance by κ (−0.500)"),
        (figure(None), ""),
    ],
)
def test_beyond_chance_by_other_coefficients(coefficient: Figure, said: str) -> None:
    says(agreement._beyond_chance({"κ": coefficient}), said)

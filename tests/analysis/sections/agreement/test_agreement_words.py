"""What is said of a figure follows from its interval: every branch of every sentence, with figures made for it."""

from typing import Any

import pytest

from annotation_platform.analysis.measuring.figures import CountedFigure, MainFigures, MeanChange
from annotation_platform.analysis.sections.number_of_raters.figures import Needed
from annotation_platform.analysis.sections.number_of_raters.tables import ALONE, WITH_MODEL, _answer
from annotation_platform.analysis.snapshots.words import (
    alpha_in_words,
    change_in_words,
    extremes_in_words,
    headline_words,
)
from tests.analysis import made_figures as made


def figure(value: float | None, low: float | None = None, high: float | None = None) -> CountedFigure:
    return made.figure(value, None if low is None or high is None else (low, high))


def change(value: float | None, low: float, high: float, p_holm: float) -> MeanChange:
    return made.change(value, (low, high), p_holm)


@pytest.mark.parametrize(
    ("alpha", "said"),
    [
        (
            figure(0.5, 0.3, 0.7),
            "annotators agree beyond chance: Krippendorff α 0.50 (95\u00a0% interval 0.30 to 0.70).",
        ),
        (
            figure(-0.03, -0.39, 0.23),
            "it is not certain that annotators agree beyond chance: Krippendorff α −0.03"
            " (95\u00a0% interval −0.39 to 0.23).",
        ),
        (figure(0.0, 0.0, 0.0), "it is not certain that annotators agree beyond chance: Krippendorff α 0.00"),
        (figure(-0.3, -0.5, -0.1), "annotators agree less than chance would have it: Krippendorff α −0.30"),
        (figure(0.8), "Krippendorff α 0.80, which has no interval, so it cannot be said whether"),
        (figure(None), "agreement is not defined: All labels are equal."),
    ],
)
def test_agreement_beyond_chance_is_said_where_the_whole_interval_is_above_it(alpha: CountedFigure, said: str) -> None:
    assert alpha_in_words(alpha).startswith(said)


def aspects(*alphas: CountedFigure) -> list[MainFigures]:
    return [made.main_figures(title, alpha) for title, alpha in zip("ABCD", alphas, strict=False)]


@pytest.mark.parametrize(
    ("alphas", "said"),
    [
        (
            [figure(0.7, 0.6, 0.8), figure(0.2, 0.1, 0.3)],
            "Annotators agree beyond chance on both aspects, most on “A” (Krippendorff α 0.70)"
            " and least on “B” (α 0.20).",
        ),
        (
            [figure(0.7, 0.2, 0.9), figure(0.5, 0.1, 0.8)],
            "Annotators agree beyond chance on both aspects; Krippendorff α runs from 0.50 on “B” to 0.70 on “A”,"
            " a difference that may be chance.",
        ),
        (
            [figure(0.7, 0.6, 0.8), figure(0.1, -0.1, 0.3), figure(0.2, -0.2, 0.4)],
            "Annotators agree beyond chance on 1 of 3 aspects; Krippendorff α runs from 0.10 on “B” to 0.70 on “A”,"
            " and their intervals do not meet.",
        ),
        (
            [figure(0.01, -0.2, 0.2), figure(-0.3, -0.5, 0.1)],
            "On none of 2 aspects is it certain that annotators agree beyond chance; Krippendorff α runs from −0.30",
        ),
        (
            [figure(0.4), figure(0.1)],
            "On none of 2 aspects is it certain that annotators agree beyond chance; Krippendorff α runs from 0.10",
        ),
        (
            [figure(None), figure(0.4, 0.2, 0.6)],
            "“B” is the only one of 2 aspects on which agreement is defined: annotators agree beyond chance:",
        ),
        ([figure(None), figure(None)], "On none of 2 aspects is agreement defined: All labels are equal."),
    ],
)
def test_most_and_least_are_named_where_their_intervals_part(alphas: list[CountedFigure], said: str) -> None:
    assert extremes_in_words(aspects(*alphas)).startswith(said)


TAU = figure(0.4, 0.2, 0.6)


@pytest.mark.parametrize(
    ("raw", "rescaled", "change", "said"),
    [
        (
            TAU,
            None,
            None,
            "annotators order answers alike: τ 0.40 (95\u00a0% interval 0.20 to 0.60); not rescaled yet.",
        ),
        (figure(0.1, -0.1, 0.3), None, None, "it is not certain that annotators order answers alike: τ 0.10"),
        (figure(-0.4, -0.6, -0.2), None, None, "annotators order answers in opposite ways: τ −0.40"),
        (figure(0.4), None, None, "τ is 0.40 without an interval, so it cannot be said whether answers are ordered"),
        (
            TAU,
            made.figure(None, because="No pair of raters has a defined τ."),
            made.change(None),
            "annotators order answers alike: τ 0.40 (95\u00a0% interval 0.20 to 0.60); after rescaling it is not"
            " defined: No pair of raters has a defined τ.",
        ),
        (
            TAU,
            figure(0.5, 0.3, 0.7),
            made.change(None),
            "annotators order answers alike: τ 0.40 (95\u00a0% interval 0.20 to",
        ),
        (figure(None), None, None, "agreement is not defined: All labels are equal."),
        (
            TAU,
            figure(0.6, 0.4, 0.8),
            change(0.2, 0.1, 0.3, 0.004),
            "annotators order answers more alike after rescaling: τ 0.60, was 0.40",
        ),
        (
            TAU,
            figure(0.2, 0.1, 0.3),
            change(-0.2, -0.3, -0.1, 0.004),
            "annotators order answers less alike after rescaling: τ 0.20, was 0.40",
        ),
        (
            TAU,
            figure(0.5, 0.3, 0.7),
            change(0.1, -0.1, 0.3, 0.4),
            "it is not certain whether annotators order answers more alike after rescaling: τ 0.50, was 0.40",
        ),
        (
            TAU,
            figure(0.5, 0.3, 0.7),
            change(0.1, 0.01, 0.3, 0.08),
            "it is not certain whether annotators order answers more alike after rescaling: τ 0.50, was 0.40",
        ),
    ],
)
def test_a_change_is_said_where_it_is_certain(raw: Any, rescaled: Any, change: Any, said: str) -> None:
    words = change_in_words(raw, rescaled, change)
    assert words.startswith(said)
    assert "None" not in words


def test_a_run_with_constant_scores_has_rescaled() -> None:
    means = {"raw": TAU, "rescaled": figure(None), "change": made.change(None)}
    assert "not rescaled yet" not in change_in_words(TAU, figure(None), made.change(None))
    (words,) = headline_words([made.main_figures("A", TAU, **means)])
    assert words.startswith("Annotators order answers alike")


@pytest.mark.parametrize(
    ("raters", "ends", "beside", "said"),
    [
        (2, (2, 3), ALONE, "2 raters reach ρ ≥ 0.90 with the vote of all 4 (95\u00a0% interval: 2 to 3)."),
        (1, (1, 1), ALONE, "1 rater reaches ρ ≥ 0.90 with the vote of all 4 (95\u00a0% interval: 1)."),
        (3, (3, 4), ALONE, "3 raters reach ρ ≥ 0.90 with the vote of all 4 (95\u00a0% interval: 3 or more)."),
        (
            4,
            (4, 4),
            ALONE,
            "Fewer than all 4 raters do not reach ρ ≥ 0.90 with the vote of all 4; whether 4 are enough",
        ),
        (4, (3, 4), WITH_MODEL, "Fewer than all 4 raters and a language model do not reach ρ ≥ 0.90"),
        (2, (None, None), ALONE, "2 raters reach ρ ≥ 0.90 with the vote of all 4; no interval can be given."),
        (None, (None, None), ALONE, "No number of raters up to 4 reaches ρ ≥ 0.90 with the vote of all 4."),
    ],
)
def test_all_raters_reach_their_own_vote_which_is_no_answer(raters: Any, ends: Any, beside: Any, said: str) -> None:
    needed = Needed(raters=raters, low=ends[0], high=ends[1])
    assert _answer(needed, 0.9, 4, beside).startswith(said)

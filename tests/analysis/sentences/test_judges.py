"""Judges: no sentence says more than its figures do."""

from dataclasses import replace
from typing import Any

import pytest

from annotation_platform.analysis.measuring.figures import (
    Figure,
)
from annotation_platform.analysis.sections.judges import tables as judges
from annotation_platform.analysis.sections.judges.kinds import KINDS
from annotation_platform.analysis.sections.judges.table_rows import BiasRow, JudgeRow
from tests.analysis.made_figures import NONE, difference
from tests.analysis.sentences.rows import says, typed

LENIENCY, PLACE, LENGTH, FAMILY, LANGUAGE = KINDS


def biased(figure_: Figure, judge: str = "j", title: str = "A", measured: str = "worth") -> BiasRow:
    told = judges.bias_row(figure_, 100.0, judge=judge, aspect=title, title=title, measured=measured, own="")  # type: ignore[arg-type]
    return told


SURE, SURELY_LESS = difference(0.125, (0.05, 0.2), 0.01), difference(-0.125, (-0.2, -0.05), 0.01)
UNSURE, CORRECTED_AWAY = difference(0.125, (-0.05, 0.3), 0.4), difference(0.125, (0.01, 0.2), 0.06)


@pytest.mark.parametrize(
    ("kind", "rows", "said"),
    [
        (LENIENCY, [biased(difference(None))], f"Leniency is not defined: {NONE} ≠ is the judge's mean"),
        (LENIENCY, [biased(difference(None)), biased(difference(None))], f"is not defined: {NONE} ≠ {NONE} {NONE}"),
        (
            LENIENCY,
            [biased(difference(0.2))],
            "Nothing can be said for certain: It rests on a single item. The bias is the",
        ),
        (
            LENIENCY,
            [biased(UNSURE)],
            "The only figure is not significant. The bias is the judge's mean less … does not show ≠ kindly",
        ),
        (
            LENIENCY,
            [biased(CORRECTED_AWAY)],
            "The only figure is not significant. 1 interval leaves out 0, but ≠ kindly",
        ),
        (LENIENCY, [biased(UNSURE)], "The only figure is not significant. The bias is ≠ leaves out"),
        (
            LENIENCY,
            [biased(SURE), biased(CORRECTED_AWAY, title="B"), biased(CORRECTED_AWAY, title="C")],
            "on “A” (+12.5\u00a0%). 2 more intervals leave out 0, but their p, corrected for all that was tested of "
            "the judge, is not below 0.05. The bias is",
        ),
        (
            FAMILY,
            [
                replace(row, remark=why)
                for row, why in zip([biased(difference(None), title=t) for t in "ABC"], "uvv", strict=True)
            ],
            "Own family is not defined: On “A”: u On “B” and “C”: v",
        ),
        (
            LENIENCY,
            [biased(UNSURE), biased(CORRECTED_AWAY)],
            "No figure of 2 is significant. 1 interval … there is none. ≠ kindly",
        ),
        (
            LENIENCY,
            [biased(SURE)],
            "j rates more kindly than these people do on “A” (+12.5\u00a0%). The bias is the judge's ≠ does not show",
        ),
        (
            LENIENCY,
            [biased(SURE), biased(SURELY_LESS, title="B"), biased(UNSURE, title="C")],
            "j rates more kindly than these people do on “A” (+12.5\u00a0%); it rates more strictly than these people "
            "do on “B” (−12.5\u00a0%). … does not show that there is none. ≠ “C”",
        ),
        (
            LENIENCY,
            [biased(SURE), biased(SURE, judge="k")],
            "j rates more kindly … (+12.5\u00a0%). k rates more kindly",
        ),
        (LENIENCY, [biased(SURE), biased(SURE, title="B")], "on “A” (+12.5\u00a0%) and “B” (+12.5\u00a0%)."),
        (LENIENCY, [biased(SURE, measured="number")], "j gives higher numbers than these people do ≠ kindly"),
        (PLACE, [biased(SURE, measured="first")], "j chooses what it is shown first more often than these people do"),
        (PLACE, [biased(SURELY_LESS, measured="last")], "chooses what it is shown last less often than these people"),
        (LENGTH, [biased(SURE)], "j is kinder than these people to longer answers on “A”"),
        (LENGTH, [biased(SURELY_LESS, measured="choice")], "j chooses longer answers less often than these people do"),
        (FAMILY, [biased(SURE)], "j is kinder to its own family, beside the others, than these people are on"),
        (FAMILY, [biased(SURE, measured="choice")], "chooses answers of its own family, beside the others, more often"),
        (
            FAMILY,
            [biased(SURELY_LESS, measured="number")],
            "its own family, beside the others, lower numbers than these",
        ),
        (LANGUAGE, [biased(SURELY_LESS)], "j is stricter with Japanese, beside English, than these people are on"),
    ],
)
def test_only_a_certain_bias_is_claimed(kind: judges.Kind, rows: list[BiasRow], said: str) -> None:
    says(judges.bias_reading(kind, rows), said)


def side_by_side(name: str, same: Any, cost: float | None = None) -> JudgeRow:
    return typed(JudgeRow, judge=name, same=same, labels=40, cost=cost)


@pytest.mark.parametrize(
    ("rows", "alike", "said"),
    [
        ([side_by_side("j", (None,))], True, "No judge's labels can be compared with people's."),
        (
            [side_by_side("j", (0.5,))],
            True,
            "j gives the label of most people in 50.0\u00a0% of 40 labels; its cost is not",
        ),
        (
            [side_by_side("j", (0.5, 0.4, 0.6), 2.0)],
            True,
            "in 50.0\u00a0% [40.0\u00a0%, 60.0\u00a0%] of 40 labels; 1,000",
        ),
        (
            [side_by_side("j", (0.5, 0.4, 0.6), 2.5), side_by_side("k", (0.9, 0.8, 0.95), 0.25)],
            True,
            "Of the same 40 labels most are those of most people for k (90.0\u00a0%); 1,000 items cost $0.25 (k)",
        ),
        (
            [side_by_side("j", (0.5, 0.4, 0.6)), side_by_side("k", (0.55, 0.45, 0.65))],
            True,
            "for k (55.0\u00a0%, not significantly ahead); nobody knows what they cost.",
        ),
        (
            [side_by_side("j", (0.5, 0.4, 0.6)), side_by_side("k", (0.9, 0.8, 0.95))],
            False,
            "They were not asked for the same labels, so that their shares are not to be compared; nobody ≠ for k",
        ),
    ],
)
def test_judges_side_by_side(rows: list[JudgeRow], alike: bool, said: str) -> None:
    says(judges.judges_reading(rows, alike=alike), said)

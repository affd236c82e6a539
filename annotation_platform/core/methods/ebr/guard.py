"""A guard over rescalings: does one merely compress the values, or turn annotators' own order round too often?

A rescaling is meant to remove what differs *between* annotators and to add what an explanation says *within* a
label. Two ways of going wrong look like agreement, or hide behind it. Values that are drawn together lie closer to
each other whatever anybody meant. And a reader who judges the answer by itself overrides the people: then the
better of an annotator's two labels gets the lower score.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from annotation_platform.core.reasons import Reason
from annotation_platform.core.statistics.own_order import OwnOrder
from annotation_platform.core.statistics.result import Statistic

LEAST_SPREAD = 0.5
"""Variance after / before, within annotators. Below one half, an annotator's values lie less than 0.71 times as far
apart as the labels did. The published rescaling of the EBR release has 1.21, its mixtures 0.80 to 1.2."""

LEAST_NUANCE = 0.05
"""Share of the variance after that tells judgments with one label apart. Below a twentieth the values are hardly
more than other numbers for the labels. The release has 0.34; its mixtures fall below from λ = 0.7 on."""

MOST_REVERSED = 0.10
"""Share of an annotator's ordered pairs whose order is turned round. Annotators of the release who judged the same
two items twice turned 3.2 % of their own pairs round the second time; its scores dealt out at random turn 33 %.
One in ten is three times what people do to themselves. The published rescaling has 4.1 %."""

MOST_NAMED = 5  # annotators, in a sentence


@dataclass(frozen=True)
class GuardVerdict:
    """What the guard says of a rescaling.

    Attributes
    ----------
    merely_compresses : bool
        The spread is below `LEAST_SPREAD` and what is left holds less than `LEAST_NUANCE` beyond the labels.
    reverses_too_often : bool
        Over all annotators more than `MOST_REVERSED` of the ordered pairs are turned round.
    reversed_annotators : tuple of str
        Those for whom it is more than that, by themselves.
    sentence : str
        The verdict in words.
    """

    merely_compresses: bool
    reverses_too_often: bool
    reversed_annotators: tuple[str, ...]
    sentence: str

    @property
    def is_good(self) -> bool:
        return not (self.merely_compresses or self.reverses_too_often or self.reversed_annotators)


def guard_rescaling(own: Sequence[OwnOrder], names: Sequence[str]) -> GuardVerdict:
    """Judge the comparison of annotators with themselves.

    A limit counts as passed when the whole interval is beyond it (without an interval: the value), so that a few
    judgments of one annotator raise no alarm.

    Parameters
    ----------
    own : sequence of OwnOrder
        From `own_order`, with values on one scale: the pooled entry first.
    names : sequence of str
        Of the annotators, by code.
    """
    pooled, *each = own
    compresses = _below(pooled.spread, LEAST_SPREAD) and (
        pooled.nuance.value is None or _below(pooled.nuance, LEAST_NUANCE)
    )
    reverses = _above(pooled.reversed, MOST_REVERSED)
    turned = tuple(names[one.rater] for one in each if one.rater is not None and _above(one.reversed, MOST_REVERSED))
    return GuardVerdict(compresses, reverses, turned, _sentence(pooled, compresses, reverses, turned))


def _below(figure: Statistic, limit: float) -> bool:
    value = figure.interval.high if figure.interval else figure.value
    return value is not None and value < limit


def _above(figure: Statistic, limit: float) -> bool:
    value = figure.interval.low if figure.interval else figure.value
    return value is not None and value > limit


def _sentence(pooled: OwnOrder, compresses: bool, reverses: bool, turned: tuple[str, ...]) -> str:
    if pooled.spread.value is None or pooled.reversed.value is None:
        return Reason("rescaling.guard_silent", why=pooled.spread.undefined_because or "")
    told = {
        "spread": _percent(pooled.spread.value),
        "nuance": _percent(pooled.nuance.value or 0.0),
        "reversed": _percent(pooled.reversed.value),
        "most": _percent(MOST_REVERSED),
    }
    found = []
    if compresses:
        found.append(Reason("rescaling.guard_compresses", **told))
    if reverses:
        found.append(Reason("rescaling.guard_reverses", **told))
    if turned and not (reverses and len(turned) == 1 == pooled.reversed.n_raters):
        found.append(_turned(turned, told["most"]))
    if not found:
        return Reason("rescaling.guard_content", **told)
    first, *others = found
    for other in others:
        first = Reason("rescaling.guard_both", first=first, second=other)
    return first


def _turned(names: tuple[str, ...], most: str) -> Reason:
    """Whose own order is turned round too often."""
    if len(names) == 1:
        return Reason("rescaling.guard_turns_one", most=most, name=names[0])
    if len(names) > MOST_NAMED + 1:
        more = len(names) - MOST_NAMED
        return Reason("rescaling.guard_turns_many", most=most, names=names[:MOST_NAMED], more=more)
    return Reason("rescaling.guard_turns_some", most=most, names=names[:-1], last=names[-1])


def _percent(share: float) -> str:
    digits = 0 if share >= 0.1 or share == 0 else 1
    return f"{share:.{digits}%}".replace("%", "\u00a0%")

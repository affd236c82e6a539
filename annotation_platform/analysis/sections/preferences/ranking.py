"""All systems on one scale: strengths with ties, the order shown, and length and formatting held equal."""

from collections.abc import Callable
from math import log
from typing import Any

import numpy as np

from annotation_platform.analysis.measuring.certainty import SURE_BELOW
from annotation_platform.analysis.measuring.plain import for_others
from annotation_platform.analysis.sections.preferences.duels import Duels
from annotation_platform.analysis.sections.preferences.figures import (
    Effect,
    OnOneScale,
    Preferred,
    Ranking,
    StrengthOfSystem,
)
from annotation_platform.core.rank_intervals import rank_intervals
from annotation_platform.core.statistics.crossed import ForOtherRaters
from annotation_platform.core.statistics.davidson import Strengths, davidson, preferred_share
from annotation_platform.core.statistics.davidson_contrasts import Estimate
from annotation_platform.core.statistics.differences import holm
from annotation_platform.core.statistics.ranks import competition_ranks
from annotation_platform.core.statistics.result import Interval

ORDER, *CONTROLS = ("shown_first", "length", "formatting")
_OF_TWICE = {ORDER: 1.0, **dict.fromkeys(CONTROLS, log(2))}


def ranking(duels: Duels) -> Ranking:
    """Strengths with the order taken out, once as they are and once at equal length and formatting."""
    codes, places = np.unique(np.r_[duels.first, duels.second], return_inverse=True)
    first, second = places.reshape(2, -1)
    order = np.nan_to_num(2 * duels.shown_first - 1)
    plain = np.stack([order], axis=1)
    with_controls = np.stack([order, duels.longer, duels.more_formatted], axis=1)
    found, controlled = (
        davidson(first, second, duels.outcomes, duels.groups, covariates=covariates, raters=duels.annotators)
        for covariates in (plain, with_controls)
    )
    names = [duels.systems[code] for code in codes]
    is_controlled = any(effect.value is not None for effect in controlled.effects[1:])
    open_ranks, open_for_others = _open_ranks(found), _open_ranks(found, others=True)
    systems = [
        StrengthOfSystem(
            system=name,
            strength=_figure(found.strengths[place]),
            share=_figure(found.strengths[place], _as_share(found)),
            rank=rank,
            ranks=open_ranks[place] if open_ranks else None,
            ranks_for_others=open_for_others[place] if open_for_others else None,
            controlled=_figure(controlled.strengths[place], _as_share(controlled)) if is_controlled else None,
            controlled_rank=controlled_rank if is_controlled else None,
            comparisons=int(((first == place) | (second == place)).sum()),
        )
        for place, (name, rank, controlled_rank) in enumerate(
            zip(names, _ranks(found), _ranks(controlled), strict=True)
        )
    ]
    effects = [
        Effect(what=what, share=_preferred(effect, _as_share(controlled, _OF_TWICE[what])))
        for what, effect in zip((ORDER, *CONTROLS), controlled.effects, strict=True)
    ]
    return Ranking(
        systems=tuple(sorted(systems, key=lambda each: (each.rank or 0, each.system))),
        effects=tuple(effects),
        share_of_ties=None if found.tie is None else found.tie / (2 + found.tie),
        undefined_because=None if found.tie is not None else found.effects[0].undefined_because,
        parts=tuple(tuple(names[place] for place in part) for part in found.parts),
    )


def _ranks(found: Strengths) -> list[int | None]:
    values = [each.value for each in found.strengths]
    if any(value is None for value in values):
        return [None] * len(values)
    return [int(rank) for rank in competition_ranks(np.array([-value for value in values if value is not None]))]


def _open_ranks(found: Strengths, *, others: bool = False) -> tuple[tuple[int, int], ...] | None:
    """None where a strength has no interval; ``others``: for other annotators, too."""
    if any(_asked(each, others=others).interval is None for each in found.strengths):
        return None
    corrected = holm([_asked(each, others=others).p_value for each in found.differences.values()])
    sure = [
        pair if (each.value or 0) > 0 else pair[::-1]
        for (pair, each), p in zip(found.differences.items(), corrected, strict=True)
        if p is not None and p < SURE_BELOW
    ]
    return rank_intervals(len(found.strengths), sure)


def _asked(found: Estimate, *, others: bool) -> Estimate | ForOtherRaters:
    return found.for_others if others and found.for_others is not None else found


def _as_share(found: Strengths, times: float = 1.0) -> Callable[[float], float]:
    return lambda value: preferred_share(times * value, found.tie or 0.0)


def _figure(found: Estimate, read: Callable[[float], float] = float) -> OnOneScale:
    return OnOneScale(**_fields(found, read))


def _preferred(found: Estimate, read: Callable[[float], float]) -> Preferred:
    return Preferred(**_fields(found, read), p_value=found.p_value)


def _fields(found: Estimate, read: Callable[[float], float]) -> dict[str, Any]:
    assert found.for_others is not None  # every comparison says whose it is
    others = for_others(found.for_others)
    return {
        "value": None if found.value is None else read(found.value),
        "interval": _read(found.interval, read),
        "units": found.n_units,
        "undefined_because": found.undefined_because,
        "no_interval_because": found.no_interval_because,
        "for_others": others.model_copy(
            update={"interval": _read(found.for_others.interval, read), "p_value": found.for_others.p_value}
        ),
    }


def _read(interval: Interval | None, read: Callable[[float], float]) -> tuple[float, float] | None:
    return None if interval is None else (read(interval.low), read(interval.high))

"""Kendall τ-b of all pairs of annotators, raw beside rescaled: on the mean, and pair by pair; Cohen κ of each."""

from functools import partial

from django.utils.translation import gettext_noop

from annotation_platform.analysis.measuring.aspects import AspectData, TauOfPairs
from annotation_platform.analysis.measuring.figures import MeanChange
from annotation_platform.analysis.measuring.plain import counted, figure, interval_of, nothing
from annotation_platform.analysis.sections.pairs.figures import (
    MeanOfPairs,
    PairKappa,
    PairTau,
    PairwiseTau,
    TauChange,
    TauOfSetting,
    Way,
)
from annotation_platform.core.reasons import Reason
from annotation_platform.core.statistics import PairChange, Setting, holm
from annotation_platform.core.statistics import PairTau as TauOfPair
from annotation_platform.core.statistics import TauChange as Change

TOO_SELDOM_DEFINED = gettext_noop("τ was undefined in too many of the resamples.")


def means(measured: AspectData) -> PairwiseTau:
    """Mean τ in each setting, raw beside rescaled, with the paired change.

    The p-value of a change is from resampling units (the paired bootstrap), corrected by Holm over the settings. There
    is none from exchanging before and after within pairs of annotators: pairs that share an annotator are not
    independent, and such a test rejects several times as often as it says.
    """
    found = [measured.tau(setting) for setting in Setting]
    corrected = iter(holm([each.change.p_value for each in found if each.change]))
    all_items, incomplete, no_ties = (_of_setting(each, next(corrected) if each.change else None) for each in found)
    return PairwiseTau(all=all_items, incomplete=incomplete, no_ties=no_ties)


def _of_setting(tau: TauOfPairs, p_holm: float | None) -> TauOfSetting:
    """``p_holm`` is the corrected p-value of its change, where there is one."""
    if tau.undefined_because:
        none = MeanOfPairs(mean=nothing(tau.undefined_because), pairs_defined=0)
        return TauOfSetting(raw=none, rescaled=None, change=None)
    after = tau.after
    return TauOfSetting(
        raw=MeanOfPairs(mean=counted(tau.before.mean), pairs_defined=tau.before.n_defined),
        rescaled=after and MeanOfPairs(mean=counted(after.mean), pairs_defined=after.n_defined),
        change=tau.change and _change(tau.change, p_holm),
    )


def _change(change: Change, p_holm: float | None) -> TauChange:
    return TauChange(
        mean=MeanChange(**figure(change.mean), p_value=change.p_value, p_value_holm=p_holm),
        rises=Way(count=change.n_rises, mean=change.mean_rise),
        falls=Way(count=change.n_falls, mean=change.mean_fall),
        unchanged=change.n_unchanged,
        threshold=change.threshold,
        rises_above_threshold=change.n_above,
        falls_below_threshold=change.n_below,
    )


def pairs(measured: AspectData, setting: Setting) -> tuple[PairTau, ...]:
    """A row for each pair of annotators that share an item.

    ``p_value`` of a change inverts its interval, ``p_holm`` is the same corrected for all pairs that have one.
    """
    tau = measured.tau(setting)
    if tau.undefined_because:
        return ()
    annotators = measured.table.annotators
    before, after, change = tau.before, tau.after, tau.change
    p_values = [each.p_value for each in change.pairs] if change else [None] * len(before.pairs)
    corrected = holm(p_values)
    rows = []
    for index, raw in enumerate(before.pairs):
        scored = after.pairs[index] if after else None
        difference = change.pairs[index] if change else None
        rows.append(
            PairTau(
                annotators=(annotators[raw.rater_a], annotators[raw.rater_b]),
                n=raw.n_rows,
                items=raw.n_items,
                units=raw.n_units,
                raw=raw.tau,
                raw_interval=interval_of(raw.interval),
                rescaled=scored.tau if scored else None,
                rescaled_interval=interval_of(scored.interval) if scored else None,
                change=difference.change if difference else None,
                change_interval=interval_of(difference.interval) if difference else None,
                p_value=p_values[index],
                p_holm=corrected[index],
                undefined_because=difference.undefined_because if difference else raw.undefined_because,
                **_without_intervals(raw, scored, difference),
            )
        )
    return tuple(rows)


def _without_intervals(
    raw: TauOfPair, rescaled: TauOfPair | None, change: PairChange | None
) -> dict[str, dict[str, str]]:
    """Why figures that are defined have no interval; nothing is stored where all of them have one."""
    found = {
        name: each.no_interval_because
        for name, each in (("raw", raw), ("rescaled", rescaled), ("change", change))
        if each is not None and each.undefined_because is None and each.no_interval_because
    }
    return {"no_intervals_because": {name: _in_short(why) for name, why in found.items()}} if found else {}


def _in_short(why: str) -> str:
    """Without the number of resamples, which differs from pair to pair."""
    is_seldom = isinstance(why, Reason) and why.code == "statistics.undefined_in_resamples"
    return TOO_SELDOM_DEFINED if is_seldom else why


def kappas(measured: AspectData) -> tuple[PairKappa, ...]:
    """Cohen κ of each pair of annotators that share an item."""
    names = measured.table.annotators
    return tuple(
        PairKappa(
            annotators=(names[pair.rater_a], names[pair.rater_b]),
            n=pair.n_rows,
            items=pair.n_items,
            units=pair.n_units,
            value=pair.value,
            interval=interval_of(pair.interval),
            undefined_because=pair.undefined_because,
            no_interval_because=pair.no_interval_because,
        )
        for pair in measured.cohen.pairs
    )


ASPECT_SECTIONS = {
    "pairwise_tau": means,
    **{f"pairs_{setting}": partial(pairs, setting=setting) for setting in Setting},
    "pairs_cohen_kappa": kappas,
}
OF_LABELS = ("pairs_cohen_kappa",)

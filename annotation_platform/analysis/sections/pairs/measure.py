"""Kendall τ-b of all pairs of annotators, raw beside rescaled: on the mean, and pair by pair."""

from functools import partial

import numpy as np

from annotation_platform.analysis.measuring.aspects import AspectData, TauOfPairs
from annotation_platform.analysis.measuring.judgment_table import Figures
from annotation_platform.analysis.measuring.plain import figure, interval_of, undefined
from annotation_platform.core.statistics import Setting, TauChange, holm, mean_difference_test
from annotation_platform.core.statistics.differences import normal_p_value


def means(measured: AspectData) -> Figures:
    """Mean τ in each setting, raw beside rescaled, with the paired change.

    A change has two p-values: ``p_value`` from resampling items (the paired bootstrap), ``p_of_pairs`` from exchanging
    before and after within pairs of annotators (a permutation test; pairs that share an annotator are not
    independent, so it is the weaker evidence). Both are corrected by Holm over the settings.
    """
    found = {str(setting): _mean(measured.tau(setting)) for setting in Setting}
    changes = [each["change"]["mean"] for each in found.values() if each["change"]]
    for key in ("p_value", "p_of_pairs"):
        for change, corrected in zip(changes, holm([change[key] for change in changes]), strict=True):
            change[f"{key}_holm"] = corrected
    return found


def _mean(tau: TauOfPairs) -> Figures:
    if tau.undefined_because:
        nothing = {"mean": undefined(tau.undefined_because), "pairs_defined": 0}
        return {"raw": nothing, "rescaled": None, "change": None}
    after, change = tau.after, tau.change
    return {
        "raw": {"mean": figure(tau.before.mean), "pairs_defined": tau.before.n_defined},
        "rescaled": after and {"mean": figure(after.mean), "pairs_defined": after.n_defined},
        "change": change and _change(change, tau),
    }


def _change(change: TauChange, tau: TauOfPairs) -> Figures:
    return {
        "mean": figure(change.mean) | {"p_value": change.p_value, "p_of_pairs": _p_of_pairs(tau)},
        "rises": {"count": change.n_rises, "mean": change.mean_rise},
        "falls": {"count": change.n_falls, "mean": change.mean_fall},
        "unchanged": change.n_unchanged,
        "threshold": change.threshold,
        "rises_above_threshold": change.n_above,
        "falls_below_threshold": change.n_below,
    }


def _p_of_pairs(tau: TauOfPairs) -> float | None:
    assert tau.after is not None
    before, after = tau.before.values, tau.after.values
    defined = ~np.isnan(before) & ~np.isnan(after)
    return mean_difference_test(before[defined], after[defined]).p_value


def pairs(measured: AspectData, setting: Setting) -> list[Figures]:
    """A row for each pair of annotators that share an item.

    ``p_value`` of a change is that of its bootstrap spread, ``p_holm`` the same corrected for all pairs that have one.
    """
    tau = measured.tau(setting)
    if tau.undefined_because:
        return []
    annotators = measured.table.annotators
    before, after, change = tau.before, tau.after, tau.change
    p_values = _p_values(tau)
    corrected = holm(p_values)
    rows = []
    for index, raw in enumerate(before.pairs):
        scored = after.pairs[index] if after else None
        difference = change.pairs[index] if change else None
        rows.append(
            {
                "annotators": [annotators[raw.rater_a], annotators[raw.rater_b]],
                "n": raw.n_rows,
                "items": raw.n_items,
                "raw": raw.tau,
                "raw_interval": interval_of(raw.interval),
                "rescaled": scored.tau if scored else None,
                "rescaled_interval": interval_of(scored.interval) if scored else None,
                "change": difference.change if difference else None,
                "change_interval": interval_of(difference.interval) if difference else None,
                "p_value": p_values[index],
                "p_holm": corrected[index],
                "undefined_because": difference.undefined_because if difference else raw.undefined_because,
            }
        )
    return rows


def _p_values(tau: TauOfPairs) -> list[float | None]:
    before, change = tau.before.sample, tau.change
    after = tau.after.sample if tau.after else None
    if before is None or after is None or change is None:
        return [None] * len(tau.before.pairs)
    return [normal_p_value(each.change, after[i] - before[i]) for i, each in enumerate(change.pairs)]


ASPECT_SECTIONS = {
    "pairwise_tau": means,
    **{f"pairs_{setting}": partial(pairs, setting=setting) for setting in Setting},
}

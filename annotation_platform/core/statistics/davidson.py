"""How strong each of several systems is, from comparisons of two at a time: Bradley and Terry's model with ties."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from annotation_platform.core.arrays import Codes, Floats
from annotation_platform.core.reasons import Reason, gettext_noop
from annotation_platform.core.statistics.comparisons import Comparisons
from annotation_platform.core.statistics.crossed import ForOtherRaters
from annotation_platform.core.statistics.davidson_contrasts import Contrasts, Estimate, Support
from annotation_platform.core.statistics.davidson_fit import Fit, LeftOut, fit
from annotation_platform.core.statistics.result import signature_line

RIDGE = 0.01
NOTHING = gettext_noop("No two of them were compared.")
ONLY_TIES = gettext_noop("Every comparison is a tie, so that none is stronger than another.")
UNBOUNDED = gettext_noop(
    "It, or a part that it belongs to, won all or lost all against the rest, so that nothing says by how much it "
    "is stronger or weaker; the strength shown is held finite by a small penalty."
)
NOT_TOLD_APART = gettext_noop(
    "It differs with the systems only, or not at all, so that its effect cannot be told from theirs."
)
ONE_SIDED = gettext_noop("The outcomes follow it without exception, so that nothing says how much it matters.")
_FARTHEST = 6.0  # of a coefficient in its own spread; beyond it, only the penalty holds it


@dataclass(frozen=True, slots=True, eq=False)
class Strengths:
    """What `davidson` found.

    Attributes
    ----------
    strengths : tuple of Estimate
        log π by system; they sum to zero.
    differences : dict of (int, int) to Estimate
        log π of the one less that of the other, for every two systems with the lower code first.
    effects : tuple of Estimate
        Of each covariate.
    tie : float or None
        ν; None where nothing is defined, 0 without ties.
    parts : tuple of tuple of int
        Codes of systems that comparisons connect. More than one part has no common scale, and all is undefined.
    n_comparisons, n_units : int
    n_iterations : int
    signature : str
    """

    strengths: tuple[Estimate, ...]
    differences: dict[tuple[int, int], Estimate]
    effects: tuple[Estimate, ...]
    tie: float | None
    parts: tuple[tuple[int, ...], ...]
    n_comparisons: int
    n_units: int
    n_iterations: int
    signature: str


def davidson(
    first: ArrayLike,
    second: ArrayLike,
    outcomes: ArrayLike,
    groups: ArrayLike,
    *,
    n_systems: int | None = None,
    covariates: ArrayLike | None = None,
    raters: ArrayLike | None = None,
    ridge: float = RIDGE,
    level: float = 0.95,
    max_iterations: int = 100,
) -> Strengths:
    """Strengths of systems from comparisons of two at a time, with ties and covariates, and their intervals.

    With d = log π_i − log π_j + Σ_m β_m x_m of a comparison of i with j::

        P(i) = exp(d / 2) / Z,   P(j) = exp(−d / 2) / Z,   P(tie) = ν / Z,   Z = exp(d / 2) + exp(−d / 2) + ν

    which for π_i, π_j alone is π_i / D, π_j / D and ν √(π_i π_j) / D with D = π_i + π_j + ν √(π_i π_j). A covariate
    is +1 where the first was shown before the second and −1 where it stood behind it (so that being shown first is
    worth exp 2β in odds), or a difference such as the log ratio of lengths. The likelihood less ½ ridge (Σ log² π + Σ
    β² var x) is maximised by Newton's method; the strengths sum to zero. Without ties it is Bradley and Terry's model.

    Comparisons of a group are not independent, so a variance is the jackknife's over groups, whose estimates without
    group g come from the score u_g and information H_g of its comparisons, H that of all::

        V = (G − 1) / G Σ_g Δ_g Δ_gᵀ,   Δ_g = (H − H_g)⁻¹ u_g = Σ_k (H⁻¹ H_g)^k H⁻¹ u_g, of at most 20 terms

    The interval is that of Student's t, of G* − 1 degrees of freedom at most and of one at least: G* = (Σ c_g)² /
    Σ c_g², with c_g the share of group g in the information on the system, of the two systems the fewer.

    For other raters, too, V and degrees of freedom f are those of the pigeonhole bootstrap, with the jackknife over
    raters beside that over groups, and what one rater says of one group as cells c::

        V = V_groups + V_raters + Σ_c H⁻¹ u_c u_cᵀ H⁻¹
        f = V² / (V_groups² / (G* − 1) + V_raters² / (R* − 1))

    As in `pigeonhole`, that is conservative, and never narrower than for other groups alone.

    Parameters
    ----------
    first, second : array-like of int, shape (n,)
        Codes of the systems compared, never the same one twice.
    outcomes : array-like of float, shape (n,)
        1 where the first was preferred, 0.5 for a tie, 0 where the second was.
    groups : array-like of int, shape (n,)
        Codes of the groups, such as of articles or questions; any whole numbers.
    n_systems : int, optional
        By default the greatest code plus one.
    covariates : array-like of float, shape (n, m), optional
        Finite; each in the direction from second to first.
    raters : array-like of int, shape (n,), optional
        Who compared; any whole numbers.
    ridge : float
        0 for the pure maximum, which does not exist where a system won or lost everything.
    level : float
        Confidence level.

    Returns
    -------
    Strengths
        Undefined where the comparisons fall into parts that nothing connects. Without an interval where all
        comparisons of a system, or all in which a covariate differs, are of one group, or all groups say the same;
        strengths and their differences also where a part of the systems won or lost everything against the rest, which
        then are what the ridge makes of it. A covariate is left out where it cannot be told from the systems. Of fewer
        than three raters nothing is said about others.

    Raises
    ------
    RatingsError
        When the columns differ in length, a system is compared with itself, an outcome is none of 0, 0.5 and 1, or
        a covariate is not finite.

    References
    ----------
    Davidson (1970), On extending the Bradley–Terry model to accommodate ties, JASA 65; Bell and McCaffrey (2002), Bias
    reduction in standard errors for linear regression with multi-stage samples; Carter, Schnepel and Steigerwald
    (2017) for G*. Checked against `choix`, `evalica` and a maximum found without derivatives.

    >>> found = davidson([0, 0, 0, 0], [1, 1, 1, 1], [1, 1, 1, 0], groups=range(4), ridge=0)
    >>> round(found.strengths[0].value - found.strengths[1].value, 4), found.tie  # log 3
    (1.0986, 0.0)
    """
    table = Comparisons.of(first, second, outcomes, groups, n_systems, covariates, raters)
    parts = table.parts()
    signature = signature_line(
        "davidson", covariates=table.extra.shape[1] or None, ridge=ridge, interval="t|jackknife", level=level
    )
    reason = NOTHING if not len(table.outcomes) else _apart(parts) if len(parts) > 1 else None
    if reason is None and (table.outcomes == 0.5).all():
        reason = ONLY_TIES
    if reason is not None:
        none = Estimate(None, reason, None, reason, None, 0, _unsaid(reason, table))
        pairs = {(a, b): none for a in range(table.n_systems) for b in range(a + 1, table.n_systems)}
        n_units = len(np.unique(table.group))
        return Strengths(
            (none,) * table.n_systems,
            pairs,
            (none,) * table.extra.shape[1],
            None,
            parts,
            len(table.outcomes),
            n_units,
            0,
            signature,
        )
    told = table.told_apart()
    fitted = fit(table.with_covariates(told), ridge, max_iterations)
    return _described(table, fitted, told, parts, level, signature)


def preferred_share(log_odds: float, tie: float) -> float:
    """How often the stronger is preferred where d is `log_odds`, a tie as half: P(i) + P(tie) / 2."""
    win, loss = np.exp(log_odds / 2), np.exp(-log_odds / 2)
    return float((win + tie / 2) / (win + loss + tie))


def _described(
    table: Comparisons,
    fitted: Fit,
    told: tuple[int, ...],
    parts: tuple[tuple[int, ...], ...],
    level: float,
    signature: str,
) -> Strengths:
    contrasts = Contrasts.of(fitted, level)
    strengths, differences = _of_systems(table.n_systems, fitted, contrasts)
    has_ties = bool((table.outcomes == 0.5).any())
    return Strengths(
        strengths,
        differences,
        _of_covariates(table, fitted, told, contrasts),
        float(np.exp(fitted.parameters[-1])) if has_ties else 0.0,
        parts,
        len(table.outcomes),
        len(fitted.groups),
        fitted.n_iterations,
        signature,
    )


def _of_systems(
    n: int, fitted: Fit, contrasts: Contrasts
) -> tuple[tuple[Estimate, ...], dict[tuple[int, int], Estimate]]:
    """The strength of each system, and the difference of every two."""
    groups = _by_system(fitted.groups)
    raters = None if fitted.raters is None else _by_system(fitted.raters.left_out)
    reason = None if fitted.is_bounded else UNBOUNDED
    unit = np.eye(len(fitted.parameters))

    def estimate(weights: Floats, *systems: int) -> Estimate:
        """What rests on the system of which least is known."""
        who = None if raters is None else Support.fewest(raters[a] for a in systems)
        return contrasts.estimate(weights, Support.fewest(groups[a] for a in systems), who, reason)

    differences = {(a, b): estimate(unit[a] - unit[b], a, b) for a in range(n) for b in range(a + 1, n)}
    return tuple(estimate(unit[a], a) for a in range(n)), differences


def _by_system(left_out: LeftOut) -> list[Support]:
    return [Support.of(column) for column in left_out.information.T]


def _of_covariates(
    table: Comparisons, fitted: Fit, told: tuple[int, ...], contrasts: Contrasts
) -> tuple[Estimate, ...]:
    """The effect of each covariate; undefined for those that are not ``told`` apart from the systems."""
    unit = np.eye(len(fitted.parameters))
    effects = []
    for place, x in enumerate(table.extra.T):
        if place not in told:
            others = _unsaid(NOT_TOLD_APART, table)
            effects.append(Estimate(None, NOT_TOLD_APART, None, NOT_TOLD_APART, None, 0, others))
            continue
        parameter = table.n_systems + told.index(place)
        groups = _varying(fitted.groups, table.group[x != 0])
        raters = None
        if fitted.raters is not None and table.rater is not None:
            raters = _varying(fitted.raters.left_out, table.rater[x != 0])
        is_far = abs(fitted.parameters[parameter]) * float(np.sqrt((x**2).mean())) > _FARTHEST
        reason = ONE_SIDED if is_far else None
        effects.append(contrasts.estimate(unit[parameter], groups, raters, reason))
    return tuple(effects)


def _varying(left_out: LeftOut, groups: Codes) -> Support:
    """``groups``: where the covariate is not 0."""
    return Support(len(np.unique(groups)), Support.of(left_out.information.sum(axis=1)).effective)


def _unsaid(reason: str, table: Comparisons) -> ForOtherRaters | None:
    return None if table.rater is None else ForOtherRaters(None, reason, None, 0, 0)


def _apart(parts: tuple[tuple[int, ...], ...]) -> str:
    return Reason("statistics.parts_apart", parts=len(parts))

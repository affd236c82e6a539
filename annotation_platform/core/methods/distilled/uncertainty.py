"""How far a distilled score may lie from the language model's: learned from residuals on unseen judgments."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from annotation_platform.core.arrays import Codes, Flags, Floats
from annotation_platform.core.methods.distilled.held_out import outputs_unseen
from annotation_platform.core.methods.distilled.judgments import ScoredJudgments
from annotation_platform.core.methods.distilled.rescaler import IS_HIGHEST, IS_LOWEST, OUTPUTS, SCORE, decide
from annotation_platform.core.methods.distilled.training import Settings

LEVEL = 0.9
LEANINGS = (-0.9, -0.6, -0.2, 0.2, 0.6, 0.9)
"""Edges between the parts by which predictions of a label are told apart: how far they lean to an end."""

_PRIOR = 10.0
_FEWEST = 20
_SCALE = 100.0


@dataclass(frozen=True, eq=False)
class Uncertainty:
    """The expected error and an interval of a prediction, by its label and how far it leans to an end of the scale.

    The leaning is p100 − p0, the difference of two outputs of the rescaler: near 1 or −1 it is sure of an end, in
    the middle of none. Its seven parts are parted by `LEANINGS`.

    Attributes
    ----------
    level : float
        Share of language-model scores that the intervals are to hold.
    spreads : (k, 7) float
        Root mean squared error expected, by label and part.
    half_widths : (k, 7) float
        Half the interval's width in points; 100 where too little is known, which is no restriction at all.
    counts : (k, 7) int
        The residuals in each cell.
    """

    level: float
    spreads: Floats
    half_widths: Floats
    counts: Codes

    def spread(self, labels: Codes, outputs: Floats) -> Floats:
        """Expected error in points of each prediction, (n,); NaN where there is none.

        `outputs` are the rescaler's, (n, 3).
        """
        return self._of(self.spreads, labels, outputs)

    def interval(self, labels: Codes, outputs: Floats) -> tuple[Floats, Floats]:
        """Ends of each prediction's interval, clipped to 0..100; NaN where there is no prediction."""
        half = self._of(self.half_widths, labels, outputs)
        predicted = decide(outputs)
        return np.clip(predicted - half, 0, _SCALE), np.clip(predicted + half, 0, _SCALE)

    def as_json(self) -> dict[str, Any]:
        """What an artefact's metadata keeps."""
        return {
            "level": self.level,
            "spreads": self.spreads.round(3).tolist(),
            "half_widths": self.half_widths.round(3).tolist(),
            "counts": self.counts.tolist(),
        }

    def _of(self, table: Floats, labels: Codes, outputs: Floats) -> Floats:
        return np.where(np.isnan(outputs[:, SCORE]), np.nan, table[labels, _part(outputs)])


@dataclass(frozen=True)
class Coverage:
    """How many of the language model's scores lie in the intervals of predictions made without them.

    `by_label` has the share covered for each label, None where no judgment has it; `mean_width` is in points.
    `n` is 0, and `share` and `mean_width` None, where there is nothing to compare.
    """

    n: int
    level: float
    share: float | None
    mean_width: float | None
    by_label: tuple[float | None, ...]


def calibrate(judgments: ScoredJudgments, outputs: Floats, *, level: float = LEVEL) -> Uncertainty:
    """Learn the errors of predictions from judgments that the language model has scored.

    With residuals e = score − prediction in a cell (a label, and a part of the leanings), m of them::

        spread     = sqrt((Σ e² + 10 v) / (m + 10))      v the same of the label, whose own v is everybody's
        half-width = the ⌈(m + 1) · level⌉-th smallest |e|   (split conformal prediction, by cell)

    A cell with fewer than 20 residuals takes its label's half-width, a label with fewer takes everybody's, and
    100 where these are too few for the level.

    Parameters
    ----------
    outputs : (n, 3) float
        Outputs of models that have not seen the judgment (`outputs_unseen`); NaN ones are left out, as are
        judgments without a score.
    level : float
        Between 0 and 1.

    Raises
    ------
    ValueError
        `level` is not between 0 and 1.

    Notes
    -----
    The coverage is guaranteed on average for judgments drawn like these ones. A sample that was chosen for its
    uncertainty is not drawn like the rest, though within a cell it nearly is; `coverage` measures it.

    References
    ----------
    Vovk, Gammerman and Shafer (2005), Algorithmic Learning in a Random World, sections 4.1 and 4.5 (Mondrian).
    """
    if not 0 < level < 1:
        raise ValueError(f"level is {level}; give a share between 0 and 1, such as 0.9.")
    k, parts = len(judgments.scale_numbers), len(LEANINGS) + 1
    f = decide(outputs)
    known = np.flatnonzero(~np.isnan(f) & ~np.isnan(judgments.scores))
    error = np.abs(judgments.scores[known] - f[known])
    label = judgments.labels[known]
    cell = label * parts + _part(outputs[known])

    everybody = float((error**2).mean()) if len(error) else _SCALE**2
    of_label = _shrunken(error**2, label, np.full(k, everybody))
    variance = _shrunken(error**2, cell, np.repeat(of_label, parts))
    overall = _quantile(error, level)
    half_widths = np.empty((k, parts))
    for row in range(k):
        among = error[label == row]
        fallback = _quantile(among, level) if len(among) >= _FEWEST else overall
        for part in range(parts):
            inside = error[cell == row * parts + part]
            half_widths[row, part] = _quantile(inside, level) if len(inside) >= _FEWEST else fallback
    return Uncertainty(
        level=level,
        spreads=np.sqrt(variance).reshape(k, parts),
        half_widths=half_widths,
        counts=np.bincount(cell, minlength=k * parts).astype(np.int64).reshape(k, parts),
    )


def learn_uncertainty(
    judgments: ScoredJudgments, *, folds: int, level: float = LEVEL, settings: Settings | None = None
) -> Uncertainty:
    """Calibrate on predictions of each judgment by models that have not seen its article.

    Where there are fewer articles than folds, its item takes the article's place. With a single item nothing can
    be held out, and nothing is known about the errors.
    """
    usable = judgments.take(np.flatnonzero(judgments.explained & ~np.isnan(judgments.scores)))
    groups = usable.articles if len(np.unique(usable.articles)) >= folds else usable.items
    folds = min(folds, len(np.unique(groups)))
    if folds < 2:
        return calibrate(usable, np.full((len(usable), OUTPUTS), np.nan), level=level)
    return calibrate(usable, outputs_unseen(usable, groups, folds=folds, settings=settings), level=level)


def coverage(uncertainty: Uncertainty, judgments: ScoredJudgments, outputs: Floats) -> Coverage:
    """Compare intervals with the language model's scores, which neither they nor the predictions have seen."""
    low, high = uncertainty.interval(judgments.labels, outputs)
    return compare_intervals(judgments, low, high, level=uncertainty.level)


def compare_intervals(judgments: ScoredJudgments, low: Floats, high: Floats, *, level: float) -> Coverage:
    """How many of the judgments' scores lie between these ends, (n,) each, NaN where there is no prediction."""
    known = ~np.isnan(low) & ~np.isnan(judgments.scores)
    inside = (judgments.scores >= low) & (judgments.scores <= high)

    def share(rows: Flags) -> float | None:
        return float(inside[rows].mean()) if rows.any() else None

    return Coverage(
        n=int(known.sum()),
        level=level,
        share=share(known),
        mean_width=float((high - low)[known].mean()) if known.any() else None,
        by_label=tuple(share(known & (judgments.labels == label)) for label in range(len(judgments.scale_numbers))),
    )


def _part(outputs: Floats) -> Codes:
    """The part of the leanings that each prediction lies in; 0 for none."""
    leaning = np.nan_to_num(outputs[:, IS_HIGHEST] - outputs[:, IS_LOWEST], nan=-1.0)
    return np.searchsorted(LEANINGS, leaning, side="right").astype(np.int64)


def _shrunken(squares: Floats, cell: Codes, prior: Floats) -> Floats:
    counts = np.bincount(cell, minlength=len(prior))
    sums = np.bincount(cell, squares, minlength=len(prior))
    shrunken: Floats = (sums + _PRIOR * prior) / (counts + _PRIOR)
    return shrunken


def _quantile(errors: Floats, level: float) -> float:
    rank = int(np.ceil((len(errors) + 1) * level))
    return float(np.sort(errors)[rank - 1]) if rank <= len(errors) else _SCALE

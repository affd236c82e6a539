"""Agreement beyond chance of all annotators at once: Krippendorff α and Fleiss κ."""

import numpy as np

from annotation_platform.analysis.figures.measured import Measured
from annotation_platform.analysis.figures.plain import figure, undefined
from annotation_platform.analysis.figures.table import Figures
from annotation_platform.core.schemes import Level
from annotation_platform.core.statistics import Bootstrap, Ratings, fleiss_kappa
from annotation_platform.core.statistics import krippendorff_alpha as alpha_of


def krippendorff_alpha(measured: Measured) -> Figures:
    """α of the labels at the scale's own level, and of the scores at the interval level."""
    level, rescaled, bootstrap = measured.measure.level, measured.rescaled, measured.bootstrap
    return {
        "raw": _alpha(measured.raw, level, bootstrap),
        "rescaled": None if rescaled is None else _alpha(rescaled, Level.INTERVAL, bootstrap),
    }


def _alpha(ratings: Ratings, level: Level, bootstrap: Bootstrap) -> Figures:
    return {"level": str(level), **figure(alpha_of(ratings, str(level), bootstrap=bootstrap))}


def kappa(measured: Measured) -> Figures:
    """Fleiss' κ over the items with the most usual number of judgments.

    On an ordered scale of "best label or not"; on a nominal one of all labels.
    """
    table, measure, is_best = measured.table, measured.measure, measured.is_best
    per_item = np.bincount(table.items)
    frequency = np.bincount(per_item[per_item > 0])
    usual = len(frequency) - 1 - int(frequency[::-1].argmax()) if len(frequency) else 0
    best = measure.labels[measure.best].key if measure.is_ordered and measure.best is not None else None
    head = {"label": best, "judgments_per_item": usual}
    if measure.is_ordered and is_best is None:
        return head | undefined("The scale does not say which label is the best one.")
    if usual < 2:
        return head | undefined("Most items have a single judgment; κ compares at least two.")
    ratings = measured.raw if best is None or is_best is None else table.ratings(is_best.astype(float), is_best)
    return head | figure(fleiss_kappa(ratings, usual, bootstrap=measured.bootstrap))

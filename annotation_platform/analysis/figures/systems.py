"""The systems whose answers were judged: mean of each, as labelled and as rescaled."""

import numpy as np

from annotation_platform.analysis.figures.measured import Measured
from annotation_platform.analysis.figures.plain import figure
from annotation_platform.analysis.figures.table import Figures
from annotation_platform.core.statistics.means import group_means


def means_by_system(measured: Measured) -> list[Figures]:
    """Mean number, as labelled and as rescaled; labels without a number ("not applicable") are left out."""
    table, rescaled, bootstrap = measured.table, measured.rescaled, measured.bootstrap
    numbers = measured.measure.numbers[table.choices]
    numbered = ~np.isnan(numbers)
    if not any(table.systems) or not numbered.any():
        return []
    part = table.part(numbered)
    n = len(table.systems)
    before = group_means(part.ratings(numbers[numbered], None), part.system_of_item[part.items], n, bootstrap=bootstrap)
    groups = table.system_of_item[table.items]
    after = [None] * n if rescaled is None else group_means(rescaled, groups, n, bootstrap=bootstrap)
    return [
        {"system": name, "raw": figure(number), "rescaled": score and figure(score)}
        for name, number, score in zip(table.systems, before, after, strict=True)
        if number.n_ratings
    ]

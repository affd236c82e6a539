"""Which annotators stand apart from the others in one figure."""

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from django.utils.translation import gettext_noop

from annotation_platform.analysis.measuring.figures import ComparedFigure, CountedFigure
from annotation_platform.core.statistics.with_others import FAR, FEWEST, modified_z
from annotation_platform.core.text import TOO_FEW_TO_COMPARE

ALL_EQUAL = gettext_noop("All annotators have the same value.")

Compared = TypeVar("Compared", bound=ComparedFigure)


def compared(column: Sequence[CountedFigure], kind: type[Compared]) -> list[Compared]:
    """The figures of all annotators, each with its modified z-score and the median of all."""
    values = [each.value for each in column]
    defined = [value for value in values if value is not None]
    median = float(np.median(defined)) if defined else None
    alike = TOO_FEW_TO_COMPARE if len(defined) < FEWEST else ALL_EQUAL
    return [
        kind(
            **dict(each)
            | {"z": z, "median": median, "no_z_because": each.undefined_because or (alike if z is None else None)}
        )
        for each, z in zip(column, modified_z(values), strict=True)
    ]


def is_far(figure: ComparedFigure) -> bool:
    """Whether |z| > 3.5, and the figure's interval, if it has one, leaves out the median."""
    interval, median = figure.interval, figure.median
    is_sure = interval is None or median is None or not interval[0] <= median <= interval[1]
    return figure.z is not None and abs(figure.z) > FAR and is_sure

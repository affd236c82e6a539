"""What there is to measure."""

import numpy as np

from annotation_platform.analysis.measuring.aspects import AspectData
from annotation_platform.analysis.measuring.figures import Counts
from annotation_platform.analysis.measuring.judgment_table import JudgmentTable


def counts(measured: AspectData) -> Counts:
    return count(measured.table)


def count(table: JudgmentTable) -> Counts:
    """What there is: judgments, items, annotators, and how many items have how many judgments."""
    per_item = np.bincount(table.items)
    sizes, frequency = np.unique(per_item[per_item > 0], return_counts=True)
    return Counts(
        judgments=len(table),
        items=int((per_item > 0).sum()),
        annotators=len(np.unique(table.raters)),
        systems=len(np.unique(table.system_of_item[table.items])),
        items_by_number_of_judgments={
            str(size): count for size, count in zip(sizes.tolist(), frequency.tolist(), strict=True)
        },
        judgments_not_scored_yet=table.unscored,
    )

"""The variances of the difference between two systems, aspect by aspect."""

import numpy as np

from annotation_platform.analysis.measuring.aspects import AspectData
from annotation_platform.analysis.measuring.judgment_table import JudgmentTable
from annotation_platform.analysis.sections.planning.figures import PilotOfAspect, Variances
from annotation_platform.core.arrays import Codes, Floats
from annotation_platform.core.reasons import Reason
from annotation_platform.core.statistics.codes import n_distinct
from annotation_platform.core.statistics.planning import pilot_components
from annotation_platform.core.statistics.variance_components import NAMES


def pilot_of(measured: AspectData, article_of_item: Codes) -> PilotOfAspect:
    """``article_of_item`` are the articles of the table's items."""
    table = measured.table
    numbers = measured.spec.numbers[table.choices]
    known = ~np.isnan(numbers)
    raw = _variances(table.part(known), numbers[known], article_of_item)
    judged, counts = n_distinct(table.items, len(table.system_of_item)), len(table)
    return PilotOfAspect(
        raw=raw,
        rescaled=None if table.scores is None else _variances(table, table.scores, article_of_item),
        systems=n_distinct(table.system_of_item[table.items], len(table.systems)) if any(table.systems) else 0,
        annotators_an_item=max(1, round(counts / judged)) if judged else 1,
    )


def _variances(table: JudgmentTable, values: Floats, article_of_item: Codes) -> Variances:
    if not len(table):
        return Variances(undefined_because=Reason("planning.no_numbers"))
    if not any(table.systems):
        return Variances(undefined_because=Reason("planning.no_systems"))
    found = pilot_components(
        values,
        table.system_of_item[table.items],
        table.question_of_item[table.items],
        article_of_item[table.items],
        table.raters,
    )
    if found.components is None:
        return Variances(undefined_because=found.undefined_because)
    covariance = found.covariance
    return Variances(
        **{name: getattr(found.components, name) for name in NAMES},
        covariance=None if covariance is None else tuple(tuple(row) for row in covariance.tolist()),
        no_covariance_because=found.no_covariance_because,
        below_zero=found.below_zero,
        merged=found.merged,
        unit="question" if table.unit.name == "question" else found.unit,
        n_articles=found.n_articles,
        n_questions=found.n_questions,
        n_annotators=found.n_annotators,
        n_pairs=found.n_pairs,
    )

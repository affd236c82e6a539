"""What can be said of single annotators on one aspect: leniency, its shift, agreement with others, consistency."""

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from django.utils.translation import gettext_noop

from annotation_platform.analysis.measuring.aspects import AspectData
from annotation_platform.analysis.measuring.figures import ComparedFigure, CountedFigure, Figure
from annotation_platform.analysis.measuring.judgment_table import SCORES
from annotation_platform.analysis.measuring.plain import counted, nothing, tested_family
from annotation_platform.analysis.measuring.standing_apart import compared, is_far
from annotation_platform.analysis.sections.annotators.figures import AnnotatorFigures, Annotators
from annotation_platform.core.methods.ebr.rescaling import hundred_point_numbers
from annotation_platform.core.statistics import (
    Ratings,
    Setting,
    Statistic,
    leniency,
    self_consistency,
)
from annotation_platform.core.statistics.with_others import FAR, agreement_with_others, tau_with_others


def annotators(measured: AspectData) -> Annotators:
    """Every annotator's figures, with the modified z-score of those in which one may stand apart from the others.

    ``far`` holds the keys of the figures in which an annotator does: |z| > 3.5, by an interval that leaves out the
    median of all.
    """
    table, bootstrap = measured.table, measured.bootstrap
    same_label = [counted(each) for each in agreement_with_others(measured.raw)]
    columns: dict[str, Sequence[Figure]] = {
        "leniency": compared(_leniency(_numbered(measured), measured), ComparedFigure),
        "same_label": compared(same_label, ComparedFigure),
        "tau": compared(_taus(measured, "before"), ComparedFigure),
    }
    far = [
        tuple(key for key, column in columns.items() if is_far(cast(ComparedFigure, column[code])))
        for code in range(len(table.annotators))
    ]
    columns["consistency"] = [counted(each.same) for each in self_consistency(measured.raw, bootstrap=bootstrap)]
    if measured.rescaled is not None:
        columns["tau_rescaled"] = _taus(measured, "after")
        columns |= _shift(measured)
    n = np.bincount(table.raters, minlength=len(table.annotators))
    found = (
        AnnotatorFigures(
            name=name,
            judgments=int(n[code]),
            far=far[code],
            **cast(dict[str, Any], {key: column[code] for key, column in columns.items()}),
        )
        for code, name in enumerate(table.annotators)
        if n[code]
    )
    return Annotators(far_beyond=FAR, unit="the scale's numbers", annotators=tuple(found))


def _numbered(measured: AspectData) -> Ratings | None:
    """The labels as their numbers, without those that have none ("not applicable")."""
    numbers = measured.spec.numbers[measured.table.choices]
    numbered = ~np.isnan(numbers)
    if not measured.spec.is_ordered or not numbered.any():
        return None
    return measured.table.part(numbered).ratings(numbers[numbered], None, ends=measured.spec.ends)


def why_no_leniency(*, is_ordered: bool) -> str:
    if is_ordered:
        return gettext_noop("The labels have no numbers, so none is higher than another.")
    return gettext_noop("The labels have no order (a nominal scale), so none is higher than another.")


def _leniency(numbered: Ratings | None, measured: AspectData) -> list[CountedFigure]:
    if numbered is None:
        return [nothing(why_no_leniency(is_ordered=measured.spec.is_ordered))] * len(measured.table.annotators)
    return [counted(each) for each in leniency(numbered, bootstrap=measured.bootstrap)]


def _taus(measured: AspectData, side: str) -> list[CountedFigure]:
    tau, n = measured.tau(Setting.ALL), len(measured.table.annotators)
    if tau.undefined_because:
        return [nothing(tau.undefined_because)] * n
    found = tau.before if side == "before" else tau.after
    assert found is not None
    return [counted(each) for each in tau_with_others(found)]


def _shift(measured: AspectData) -> dict[str, Sequence[Figure]]:
    """Leniency of the scores, and how it differs from that of the labels, both on the scale from 0 to 100."""
    assert measured.rescaled is not None
    bootstrap, better = measured.bootstrap, measured.spec.better
    after: tuple[Statistic, ...] = leniency(measured.rescaled, bootstrap=bootstrap)
    columns: dict[str, Sequence[Figure]] = {"leniency_rescaled": [counted(each) for each in after]}
    if better is None or np.isnan(measured.spec.numbers).any():
        return columns
    hundred = np.array(hundred_point_numbers(measured.spec.numbers.tolist(), better=better))
    before = measured.table.ratings(hundred[measured.table.choices], None, ends=SCORES)
    columns["shift"] = tested_family(list(zip(leniency(before, bootstrap=bootstrap), after, strict=True)))
    return columns


ASPECT_SECTIONS = {"annotators": annotators}

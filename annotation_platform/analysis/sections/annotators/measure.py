"""What can be said of single annotators on one aspect: leniency, its shift, agreement with others, consistency."""

import numpy as np

from annotation_platform.analysis.measuring.aspects import AspectData
from annotation_platform.analysis.measuring.judgment_table import Figures
from annotation_platform.analysis.measuring.plain import differences, figure, undefined
from annotation_platform.core.methods.ebr import hundred_point_numbers
from annotation_platform.core.statistics import (
    Ratings,
    Setting,
    Statistic,
    leniency,
    self_consistency,
)
from annotation_platform.core.statistics.with_others import FAR, agreement_with_others, modified_z, tau_with_others

NO_NUMBERS = "The labels have no numbers, so none is higher than another."


def annotators(measured: AspectData) -> Figures:
    """Every annotator's figures, with the modified z-score of those in which one may stand apart from the others.

    ``far`` holds the keys of the figures in which an annotator does: |z| > 3.5, by an interval that leaves out the
    median of all.
    """
    table, bootstrap = measured.table, measured.bootstrap
    columns: dict[str, list[Figures]] = {
        "leniency": _leniency(_numbered(measured), measured),
        "same_label": [figure(each) for each in agreement_with_others(measured.raw, bootstrap=bootstrap)],
        "tau": _taus(measured, "before"),
    }
    marked = {key: mark_far(column) for key, column in columns.items()}
    columns["consistency"] = [figure(each.same) for each in self_consistency(measured.raw, bootstrap=bootstrap)]
    if measured.rescaled is not None:
        columns["tau_rescaled"] = _taus(measured, "after")
        columns |= _shift(measured)
    n = np.bincount(table.raters, minlength=len(table.annotators))
    return {
        "far_beyond": FAR,
        "unit": "the scale's numbers",
        "annotators": [
            {
                "name": name,
                "judgments": int(n[code]),
                **{key: column[code] for key, column in columns.items()},
                "far": [key for key, column in marked.items() if column[code]],
            }
            for code, name in enumerate(table.annotators)
            if n[code]
        ],
    }


def _numbered(measured: AspectData) -> Ratings | None:
    """The labels as their numbers, without those that have none ("not applicable")."""
    numbers = measured.spec.numbers[measured.table.choices]
    numbered = ~np.isnan(numbers)
    if not measured.spec.is_ordered or not numbered.any():
        return None
    return measured.table.part(numbered).ratings(numbers[numbered], None)


def _leniency(numbered: Ratings | None, measured: AspectData) -> list[Figures]:
    if numbered is None:
        return [undefined(NO_NUMBERS)] * len(measured.table.annotators)
    return [figure(each) for each in leniency(numbered, bootstrap=measured.bootstrap)]


def _taus(measured: AspectData, side: str) -> list[Figures]:
    tau, n = measured.tau(Setting.ALL), len(measured.table.annotators)
    if tau.undefined_because:
        return [undefined(tau.undefined_because)] * n
    found = tau.before if side == "before" else tau.after
    assert found is not None
    return [figure(each) for each in tau_with_others(found)]


def _shift(measured: AspectData) -> dict[str, list[Figures]]:
    """Leniency of the scores, and how it differs from that of the labels, both on the scale from 0 to 100."""
    assert measured.rescaled is not None
    bootstrap, better = measured.bootstrap, measured.spec.better
    after: tuple[Statistic, ...] = leniency(measured.rescaled, bootstrap=bootstrap)
    columns = {"leniency_rescaled": [figure(each) for each in after]}
    if better is None or np.isnan(measured.spec.numbers).any():
        return columns
    hundred = np.array(hundred_point_numbers(measured.spec.numbers.tolist(), better=better))
    before = measured.table.ratings(hundred[measured.table.choices], None)
    columns["shift"] = differences(list(zip(leniency(before, bootstrap=bootstrap), after, strict=True)))
    return columns


def mark_far(column: list[Figures]) -> list[bool]:
    """Puts its modified z-score and the median of all beside each figure; True where one stands apart.

    That is where |z| > 3.5, and the figure's interval, if it has one, leaves out the median.
    """
    values = [each["value"] for each in column]
    defined = [value for value in values if value is not None]
    median = float(np.median(defined)) if defined else None
    far = []
    for index, (each, z) in enumerate(zip(column, modified_z(values), strict=True)):
        column[index] = each | {"z": z, "median": median}
        interval = each["interval"]
        is_sure = interval is None or median is None or not interval[0] <= median <= interval[1]
        far.append(z is not None and abs(z) > FAR and is_sure)
    return far


ASPECT_SECTIONS = {"annotators": annotators}

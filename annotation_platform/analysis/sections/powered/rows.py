"""From judgments and a model's numbers to columns with an entry for each answer."""

import numpy as np

from annotation_platform.analysis.measuring.described_run import described
from annotation_platform.analysis.measuring.judged_part import JudgedPart
from annotation_platform.analysis.measuring.judgment_table import JudgmentTable
from annotation_platform.analysis.measuring.units import Units
from annotation_platform.analysis.sections.powered.figures import PoweredRun
from annotation_platform.analysis.sections.powered.measure import (
    ModelAndPeople,
    differences,
    means,
)
from annotation_platform.core.arrays import Codes, Flags, Floats
from annotation_platform.core.statistics.linear_for_others import Said
from annotation_platform.core.statistics.result import Ends
from annotation_platform.scoring.models import ScoringRun


def not_yet_estimated(run: ScoringRun, *, score: str = "") -> PoweredRun:
    """Which run it is, and no figures."""
    return PoweredRun(
        run=described(run), score=score, unit="item", unread=0, means=(), differences=(), why_nothing=None
    )


def by_answer(table: JudgmentTable, values: Floats, n_units: int) -> tuple[Codes, Floats]:
    """Of each unit of the study the judgments with a value, and their mean: an answer counts once, however many people
    judged it."""
    known = ~np.isnan(values)
    codes = table.units[table.items[known]]
    counts = np.bincount(codes, minlength=n_units)
    sums = np.bincount(codes, weights=values[known], minlength=n_units)
    return counts, np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)


def estimated(
    known: PoweredRun,
    table: JudgmentTable,
    units: Units,
    *,
    rows: Codes,
    people: Floats,
    model: Floats,
    judged: Flags,
    ends: Ends,
    part: JudgedPart,
    from_people: bool = True,
) -> PoweredRun:
    """``known`` with its figures.

    Parameters
    ----------
    rows : int array
        The units of the study that the model was asked about, ascending.
    people : float array, an entry each judgment of the table
        Their numbers, NaN where there is none.
    model : float array, an entry each of ``rows``
    judged : flags, an entry each unit of the study
        What people were shown, whether or not a number came of it.
    part : JudgedPart
        How what people judged was chosen: where it was drawn, judgments outside of the draws do not count, and answers
        that these do not speak for are left out.
    from_people : bool
        Whether only ``people`` depends on who the annotators are. Where ``model`` does, too, nothing is said of others.
    """
    chosen = part.chosen
    items = units.keys[:, 0]
    asked = len(rows)
    if chosen is not None:
        within = chosen.within_reach(items[rows].tolist())
        rows, model = rows[within], model[within]
        counts = chosen.counts(items.tolist())
        people, judged = np.where(counts[table.units[table.items]], people, np.nan), judged & counts
    judgments, mean = by_answer(table, people, len(judged))
    unit = units.unit_of(rows)
    columns = ModelAndPeople(
        people=mean[rows],
        without_value=judged[rows] & np.isnan(mean[rows]),
        model=model,
        judgments=judgments[rows],
        questions=units.question_of_item[rows],
        units=unit.of_item,
        systems=units.system_of_item[rows],
        system_names=units.systems,
        annotators=_annotators(table, people, len(units.systems)),
        ends=ends,
        items=items[rows],
        part=part,
        said=_said(table, people, rows, len(judged)) if from_people else None,
    )
    return known.model_copy(
        update={
            "unit": unit.name,
            "unread": int(np.isnan(model).sum()),
            "means": means(columns),
            "differences": differences(columns),
            "drawn": part.drawn,
            "out_of_reach": asked - len(rows),
        }
    )


def _said(table: JudgmentTable, values: Floats, rows: Codes, n_units: int) -> Said:
    """What who said of these units, of which ``rows`` are the codes."""
    place = np.full(n_units, -1, dtype=np.int64)
    place[rows] = np.arange(len(rows))
    row = place[table.units[table.items]]
    return Said.of(row, table.raters, np.where(row >= 0, values, np.nan))


def _annotators(table: JudgmentTable, values: Floats, n_systems: int) -> Codes:
    known = ~np.isnan(values)
    pairs = np.unique(np.stack([table.system_of_item[table.items[known]], table.raters[known]]), axis=1)
    return np.bincount(pairs[0], minlength=n_systems)

"""The runs that say of all answers what people said of a part, read from the rows of a study."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from annotation_platform.analysis.measuring.aspects import AspectData
from annotation_platform.analysis.measuring.judged_part import JudgedPart, judged_part
from annotation_platform.analysis.measuring.snapshot_input import SnapshotInput, StudySection, identity_of
from annotation_platform.analysis.measuring.units import Units
from annotation_platform.analysis.sections.powered import scores
from annotation_platform.analysis.sections.powered.figures import Powered, PoweredRun
from annotation_platform.analysis.sections.powered.rows import estimated, not_yet_estimated
from annotation_platform.core.arrays import Codes, Flags, Floats
from annotation_platform.core.signature import signature
from annotation_platform.core.statistics import Bootstrap
from annotation_platform.core.statistics.prediction_powered import ALL_JUDGED, NOBODY
from annotation_platform.scoring.methods.mate.weights import PREFIX
from annotation_platform.scoring.models import GIVING_LABELS, ItemScore, ScoringRun
from annotation_platform.scoring.parameters import ModelCall, pace_of
from annotation_platform.studies.models import Study

MOST_RUNS = 8


@dataclass(frozen=True)
class Runs:
    """Judges, newest first; and the runs of rescaling, of which one may have scored a part and another one all."""

    given: SnapshotInput
    judges: list[ScoringRun]
    rescaling: scores.Rescalings
    part: JudgedPart


def read(given: SnapshotInput) -> tuple[Runs, Any]:
    part = judged_part(given.study)
    runs = Runs(given, judging_runs(given.study), scores.rescalings(given.study), part)
    of_runs = [identity_of(run) for run in (*runs.judges, *runs.rescaling.runs)]
    return runs, [of_runs, part.identity, given.study.scored_at_random]


def judging_runs(study: Study) -> list[ScoringRun]:
    """The newest finished run of each model and way of asking it, newest first."""
    newest: dict[str, ScoringRun] = {}
    pace = pace_of(ModelCall)
    for run in study.scoring_runs.finished().filter(method__in=GIVING_LABELS).order_by("-pk"):
        asked = {name: value for name, value in run.parameters.items() if name not in pace}
        newest.setdefault(signature({"method": run.method, "scorer": run.scorer, "parameters": asked}), run)
    return list(newest.values())[:MOST_RUNS]


def measure(read: Runs, bootstrap: Bootstrap) -> Powered:
    """By formulas: nothing is resampled."""
    if not any([*read.judges, *read.rescaling.runs]):
        return Powered(judges={}, scores={})
    aspects = {key: each for key, each in read.given.aspects.items() if _has_numbers(each)}
    pers = {each.spec.per for each in read.given.aspects.values()}
    units: dict[str, Units] = {per: read.given.units(per) for per in pers}
    items = {per: each.keys[:, 0] for per, each in units.items()}
    judged_items = np.concatenate(
        [np.empty(0, np.int64), *(items[each.spec.per][each.table.units] for each in read.given.aspects.values())]
    )
    judges: dict[str, list[PoweredRun]] = {}
    for run in read.judges:
        asked = set(run.item_scores.values_list("aspect", flat=True).order_by("aspect").distinct())
        for key, score in _answered(run, aspects, asked):
            measured, per = aspects[key], aspects[key].spec.per
            judged = _judged(measured, items[per], judged_items)
            judges.setdefault(key, []).append(_powered(run, measured, score, units[per], judged, read.part))
    return Powered(
        judges={key: tuple(found) for key, found in judges.items()},
        scores=scores.powered_scores(read.given, read.rescaling, units),
    )


def _judged(measured: AspectData, items: Codes, judged_items: Codes) -> Flags:
    """Which units people judged, whichever aspects of their items they were asked.

    A rescaled aspect tells only of the judgments that its run covers; then others cannot tell of what else was judged.
    """
    found = np.zeros(len(items), dtype=np.bool_)
    found[measured.table.units] = True
    return found if measured.table.unscored else found | np.isin(items, judged_items)


def _has_numbers(measured: AspectData) -> bool:
    return any(measured.table.systems) and not np.isnan(measured.spec.numbers).all()


def _answered(run: ScoringRun, aspects: Iterable[str], asked: set[str]) -> Iterator[tuple[str, str]]:
    """The aspects that a run gave labels on, and those that a score of several aspects predicts: aspect, score."""
    yield from ((aspect, aspect) for aspect in aspects if aspect in asked)
    for composite in run.study.scheme().composites:
        if composite.predicts in aspects and (score := f"{PREFIX}{composite.key}") in asked:
            yield composite.predicts, score


def _powered(
    run: ScoringRun, measured: AspectData, score: str, units: Units, judged: Flags, part: JudgedPart
) -> PoweredRun:
    table, spec = measured.table, measured.spec
    known = not_yet_estimated(run, score="" if score == spec.key else score)
    if not len(table) or judged.all():
        return known.model_copy(update={"why_nothing": ALL_JUDGED if len(table) else NOBODY})
    rows, model = _said_by(run, measured, score, units)
    assert spec.ends is not None  # aspects without numbers are left out
    return estimated(
        known,
        table,
        units,
        rows=rows,
        people=spec.numbers[table.choices],
        model=model,
        judged=judged,
        ends=spec.ends,
        part=part,
    )


def _said_by(run: ScoringRun, measured: AspectData, score: str, units: Units) -> tuple[Codes, Floats]:
    """The units that a run was asked about, ascending, and the number that it gave each: NaN where none."""
    number = {label.key: np.nan if label.number is None else label.number for label in measured.spec.labels}
    given = {
        units.code_of[item, candidate]: number.get(label, np.nan) if value is None else value
        for item, candidate, label, value in ItemScore.objects.filter(run=run, aspect=score)
        .values_list("item_id", "candidate", "label", "value")
        .iterator(10_000)
        if (item, candidate) in units.code_of
    }
    rows = np.array(sorted(given), dtype=np.int64)
    return rows, np.array([given[code] for code in rows.tolist()], dtype=np.float64)


STUDY_SECTIONS = {"powered": StudySection(read, measure)}

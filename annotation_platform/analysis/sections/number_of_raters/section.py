"""The labels that a language model gave the judged items, beside people's, for the number of raters."""

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from annotation_platform.analysis.measuring.aspects import AspectData
from annotation_platform.analysis.measuring.judgment_table import Among
from annotation_platform.analysis.measuring.snapshot_input import SnapshotInput, StudySection, identity_of
from annotation_platform.analysis.measuring.units import Units
from annotation_platform.analysis.sections.number_of_raters.figures import (
    ModelBeside,
    NumberOfRaters,
    RatersOfAspect,
)
from annotation_platform.analysis.sections.number_of_raters.measure import comparable, figures_of_aspect, over_aspects
from annotation_platform.core.arrays import Floats
from annotation_platform.core.statistics import Bootstrap, VoteCurve
from annotation_platform.scoring.models import GIVING_LABELS, ItemScore, ScoringRun
from annotation_platform.scoring.selectors import latest_run
from annotation_platform.studies.models import Item


@dataclass(frozen=True)
class Raters:
    """``runs`` are those whose labels can stand beside people's: of raters by aspect, then of LLM-MATE."""

    given: SnapshotInput
    runs: list[ScoringRun]
    study_items: int


def read(given: SnapshotInput) -> tuple[Raters, Any]:
    """People's judgments, the models' runs that count, and how many items a further rater would judge."""
    runs = [run for method in GIVING_LABELS if (run := latest_run(given.study, method=method))]
    found = Raters(given, runs, Item.objects.filter(study=given.study).count())
    return found, {"runs": [identity_of(run) for run in runs], "items": found.study_items}


def measure(read: Raters, bootstrap: Bootstrap) -> NumberOfRaters:
    aspects = read.given.aspects
    curves: dict[str, VoteCurve] = {}
    by_per: dict[str, list[AspectData]] = defaultdict(list)
    for each in aspects.values():
        by_per[each.spec.per].append(each)
    units = {per: read.given.units(per) for per in by_per}
    judged = {per: _judged(units[per], those) for per, those in by_per.items()}

    def one(each: AspectData) -> RatersOfAspect:
        run = next((run for run in read.runs if _has_labels(run, each.spec.key)), None)
        labels = None if run is None else labels_of(run, each, units[each.spec.per].code_of)
        per = each.spec.per
        drawn = replace(bootstrap, unit=judged[per].unit.name)
        figures, with_model = figures_of_aspect(each.table, each.spec, labels, drawn, among=judged[per])
        if with_model:
            curves[each.spec.key] = with_model
        model = run and ModelBeside(run=run.pk, model=run.parameters.get("model", ""))
        return figures.model_copy(update={"model": model})

    by_aspect = {key: one(each) for key, each in aspects.items()}
    averaged = comparable(curves)
    same_units = len({aspects[key].spec.per for key in averaged}) < 2
    return NumberOfRaters(
        study_items=read.study_items,
        aspects=by_aspect,
        over_aspects=over_aspects(list(averaged.values()), same_units=same_units),
        left_out=tuple(key for key in curves if key not in averaged),
    )


def _judged(units: Units, aspects: list[AspectData]) -> Among:
    found = np.unique(np.concatenate([each.table.units for each in aspects]))
    return Among(found, units.unit_of(found))


def _has_labels(run: ScoringRun, aspect: str) -> bool:
    return ItemScore.objects.filter(run=run, aspect=aspect).exclude(label="").exists()


def labels_of(run: ScoringRun, measured: AspectData, code_of: dict[tuple[int, int], int]) -> Floats:
    """A run's label of each judged item as a number, NaN where it gave none."""
    number = {label.key: label.number for label in measured.spec.labels if label.number is not None}
    units = measured.table.units
    column = np.full(len(units), np.nan)
    scores = ItemScore.objects.filter(run=run, aspect=measured.spec.key).exclude(label="")
    for item, candidate, label in scores.values_list("item_id", "candidate", "label").iterator(10_000):
        place = int(np.searchsorted(units, code_of.get((item, candidate), -1)))
        if label in number and place < len(units) and units[place] == code_of.get((item, candidate)):
            column[place] = number[label]
    return column


STUDY_SECTIONS = {"number_of_raters": StudySection(read, measure)}

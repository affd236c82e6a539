"""Consensus labels of one aspect in three ways, how far they agree, and the annotators' competence."""

from itertools import combinations

import numpy as np
from django.utils.translation import gettext_noop

from annotation_platform.analysis.measuring.aspects import AspectData
from annotation_platform.analysis.measuring.figures import CountedFigure
from annotation_platform.analysis.measuring.judgment_table import JudgmentTable
from annotation_platform.analysis.measuring.plain import figure, share_intervals, share_of
from annotation_platform.analysis.sections.consensus.figures import (
    SURE,
    WAYS,
    AnnotatorCompetence,
    ConsensusOfAspect,
    ShareOfLabel,
    Way,
    WaysCompared,
)
from annotation_platform.core.arrays import Codes, Flags, Floats
from annotation_platform.core.statistics import Consensus as Model
from annotation_platform.core.statistics import Ratings
from annotation_platform.core.statistics.competence import competences
from annotation_platform.core.statistics.ratings import items_of_raters
from annotation_platform.core.statistics.three_ways import ThreeWays, three_ways

ALL_TIED = gettext_noop("No item has a label: all of them are tied.")
MOST_JUDGMENTS = 200_000  # of which competence is fitted again and again for its intervals


def ways_of(table: JudgmentTable) -> ThreeWays:
    """The labels by their places on the scale, in all three ways."""
    return three_ways(table.ratings(table.choices.astype(np.float64), None))


def consensus(measured: AspectData, found: ThreeWays) -> ConsensusOfAspect:
    """What the three ways make of the aspect; the least certain items are still to be named."""
    return ConsensusOfAspect(
        undefined_because=found.undefined_because,
        unit=measured.table.unit.name,
        ways=tuple(_way(measured, way, labels, found) for way, labels in found.labels.items()),
        compared=tuple(_compared(measured, found, *pair) for pair in combinations(found.labels, 2)),
        annotators=_annotators(measured, found) if found.models else (),
        uncertain=(),
        unsure=int((_less_certain(found) < SURE).sum()) if found.models else 0,
        is_ambiguous=any(model.is_ambiguous for model in found.models.values()),
        ambiguous=tuple(
            measured.table.annotators[code]
            for model in found.models.values()
            for code in model.raters[model.ambiguous].tolist()
        ),
    )


def least_certain(found: ThreeWays, most: int) -> Codes:
    """The items of which the less certain of the two models is least certain."""
    if not found.models:
        return np.empty(0, dtype=np.int64)
    dawid_skene, mace = found.posteriors.values()
    return np.lexsort((mace, dawid_skene, _less_certain(found)))[:most]


def _less_certain(found: ThreeWays) -> Floats:
    """Of each item, the posterior of the model that is less certain."""
    dawid_skene, mace = found.posteriors.values()
    return np.minimum(dawid_skene, mace)


def _way(measured: AspectData, way: str, labels: Floats, found: ThreeWays) -> Way:
    decided = ~np.isnan(labels)
    given, units = labels[decided].astype(np.int64), measured.table.unit.of_item[decided]
    keys = [label.key for label in measured.spec.labels]
    counts = np.bincount(given, minlength=len(keys)).tolist()
    intervals, why = share_intervals(given, len(keys), units, nothing=ALL_TIED)
    n, n_units = len(given), len(np.unique(units))
    posterior = found.posteriors.get(way)
    return Way(
        way=way,
        items=len(given),
        undecided=int((~decided).sum()),
        posterior=None
        if posterior is None
        else _over_items(measured, posterior, np.ones(len(decided), dtype=np.bool_)),
        labels={
            key: ShareOfLabel(count=count, share=count / n if n else None, interval=interval, units=n_units)
            for key, count, interval in zip(keys, counts, intervals, strict=True)
        },
        undefined_because=None if n else why,
        no_interval_because=why,
    )


def _compared(measured: AspectData, found: ThreeWays, first: str, second: str) -> WaysCompared:
    one, other = found.labels[first], found.labels[second]
    both = ~np.isnan(one) & ~np.isnan(other)
    return WaysCompared(
        first=WAYS[first],
        second=WAYS[second],
        different=int((one[both] != other[both]).sum()),
        same=_over_items(measured, one == other, both),
    )


def _over_items(measured: AspectData, values: Floats | Flags, among: Flags) -> CountedFigure:
    """The mean over these items, each of which weighs the same."""
    items = np.flatnonzero(among)
    return share_of(
        values[items],
        items,
        units=measured.table.unit.of_item[items],
        nothing=gettext_noop("No item has a label in both ways."),
    )


def _annotators(measured: AspectData, found: ThreeWays) -> tuple[AnnotatorCompetence, ...]:
    table, n = measured.table, len(measured.table.annotators)
    judgments = np.bincount(table.raters, minlength=n)
    items = items_of_raters(found.ratings)
    of_way = {way: _competences(measured, found.ratings, model, items) for way, model in found.models.items()}
    return tuple(
        AnnotatorCompetence(
            name=name,
            judgments=int(judgments[code]),
            items=int(items[code]),
            dawid_skene=of_way["dawid_skene"][code],
            mace=of_way["mace"][code],
        )
        for code, name in enumerate(table.annotators)
        if judgments[code]
    )


def _competences(measured: AspectData, ratings: Ratings, model: Model, items: Codes) -> list[CountedFigure]:
    """Of every annotator; of very many judgments there are no intervals, which would take minutes."""
    found = competences(ratings, model, seed=measured.bootstrap.seed, with_intervals=len(ratings) <= MOST_JUDGMENTS)
    return [CountedFigure(**figure(each) | {"items": int(n)}) for each, n in zip(found, items, strict=True)]

"""How often each label was given: overall, by system, by annotator; and the mean score behind each label."""

import numpy as np

from annotation_platform.analysis.measuring.aspects import AspectData
from annotation_platform.analysis.measuring.judgment_table import MOST_SOURCES
from annotation_platform.analysis.measuring.plain import figure, for_others, interval_of
from annotation_platform.analysis.sections.labels.figures import (
    GroupLabels,
    LabelDistribution,
    LabelShare,
    MeanOfLabel,
    PartLabels,
)
from annotation_platform.core.arrays import Codes
from annotation_platform.core.few_units import single_unit
from annotation_platform.core.statistics import Distribution, label_distributions
from annotation_platform.core.statistics.crossed import ForOtherRaters
from annotation_platform.core.statistics.means import scale_means
from annotation_platform.core.statistics.pigeonhole import shares_for_other_raters

MOST_PARTS = 60


def distributions(measured: AspectData) -> LabelDistribution:
    """Share of each label: overall, by system, by family of systems, by annotator."""
    table = measured.table

    def of(groups: Codes, names: tuple[str, ...]) -> tuple[GroupLabels, ...]:
        """Of groups that several annotators judged, such as systems."""
        found = _of_groups(measured, groups, len(names))
        others = _for_others(measured, groups, found)
        return tuple(
            _distribution(measured, each, names[each.group], of_others)
            for each, of_others in zip(found, others, strict=True)
        )

    by_annotator = _of_groups(measured, table.raters, len(table.annotators))
    by_system, *by_family = (of(codes[table.items], names) for names, codes in table.groups_of_items)
    return LabelDistribution(
        overall=of(np.zeros_like(table.items), ("All",)),
        by_system=by_system if any(table.systems) else (),
        by_family=tuple(family for families in by_family for family in families),
        by_annotator=tuple(_distribution(measured, each, table.annotators[each.group]) for each in by_annotator),
    )


def _of_groups(measured: AspectData, groups: Codes, n_groups: int) -> list[Distribution]:
    """Of each group that has judgments; those of code -1 are in none."""
    found = label_distributions(
        measured.raw,
        measured.spec.values.tolist(),
        groups=np.where(groups < 0, n_groups, groups),
        n_groups=n_groups + 1,
        level=measured.bootstrap.level,
    )
    return [each for each in found if each.n_ratings and each.group < n_groups]


def _for_others(measured: AspectData, groups: Codes, found: list[Distribution]) -> list[list[ForOtherRaters]]:
    place = np.full(int(groups.max(initial=0)) + 2, len(found))  # those of code -1 are in none
    place[[each.group for each in found]] = np.arange(len(found))
    return shares_for_other_raters(
        measured.raw,
        measured.spec.values.tolist(),
        [[label.share for label in each.shares] for each in found],
        groups=place[groups],
        level=measured.bootstrap.level,
    )


def distributions_of_parts(measured: AspectData) -> tuple[PartLabels, ...] | None:
    """Share of each label by annotator, within each system, and within each system of each source.

    None where there is a single part, or so many that each would be a handful of judgments.
    """
    table = measured.table
    sources = table.sources if 2 <= len(table.sources) <= MOST_SOURCES else ()
    groups = list(table.groups_of_items)
    if sum(len(names) for names, _ in groups) * max(len(sources), 1) > MOST_PARTS or len(table.systems) < 2:
        return None
    found: list[PartLabels] = []
    for names, codes in groups:
        found += _parts(measured, codes[table.items], [("", name) for name in names])
    for names, codes in groups if sources else ():
        part = np.where(codes < 0, -1, table.source_of_item * len(names) + codes)[table.items]
        found += _parts(measured, part, [(one, name) for one in sources for name in names])
    return tuple(found)


def _parts(measured: AspectData, part: Codes, names: list[tuple[str, str]]) -> list[PartLabels]:
    """Labels by annotator within each part, given by its code (-1: in none), its source and its system."""
    annotators, n = measured.table.annotators, len(measured.table.annotators)
    groups = np.where(part < 0, -1, part * n + measured.table.raters)
    found: list[list[GroupLabels]] = [[] for _ in names]
    for each in _of_groups(measured, groups, n * len(names)):
        code, rater = divmod(each.group, n)
        found[code].append(_distribution(measured, each, annotators[rater]))
    return [
        PartLabels(source=source, system=system, annotators=tuple(groups))
        for (source, system), groups in zip(names, found, strict=True)
    ]


def _distribution(
    measured: AspectData, found: Distribution, name: str, others: list[ForOtherRaters] | None = None
) -> GroupLabels:
    of_others = [None] * len(found.shares) if others is None else [for_others(each) for each in others]
    return GroupLabels(
        name=name,
        judgments=found.n_ratings,
        items=found.n_items,
        annotators=found.n_raters,
        labels={
            each.key: LabelShare(
                count=label.count,
                share=label.share.value,
                interval=interval_of(label.share.interval),
                units=label.share.n_units,
                **({} if of_other is None else {"for_others": of_other}),
            )
            for each, label, of_other in zip(measured.spec.labels, found.shares, of_others, strict=True)
        },
        **({} if found.shares[0].share.interval else {"no_interval_because": single_unit(measured.table.unit.name)}),
    )


def means_by_label(measured: AspectData) -> tuple[MeanOfLabel, ...] | None:
    """Mean rescaled score of each label, in the scale's order; None before any run."""
    if measured.rescaled is None:
        return None
    labels = measured.spec.labels
    means = scale_means(measured.rescaled, measured.table.choices, len(labels), bootstrap=measured.bootstrap)
    return tuple(MeanOfLabel(**label._asdict(), **figure(mean)) for label, mean in zip(labels, means, strict=True))


ASPECT_SECTIONS = {
    "label_distribution": distributions,
    "labels_by_part": distributions_of_parts,
    "mean_by_label": means_by_label,
}
OF_LABELS = ("label_distribution", "labels_by_part")

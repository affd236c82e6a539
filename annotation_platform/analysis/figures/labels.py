"""How often each label was given: overall, by system, by annotator; and the mean score behind each label."""

from annotation_platform.analysis.figures.measured import Measured
from annotation_platform.analysis.figures.plain import figure, interval_of
from annotation_platform.analysis.figures.table import MOST_SOURCES, Codes, Figures, Measure
from annotation_platform.core.statistics import Distribution, label_distributions
from annotation_platform.core.statistics.means import group_means

MOST_PARTS = 60


def distributions(measured: Measured) -> Figures:
    """Share of each label: overall, by system, by annotator."""
    table, measure = measured.table, measured.measure

    def of(groups: Codes | None, names: tuple[str, ...]) -> list[Figures]:
        found = label_distributions(
            measured.raw,
            measure.values.tolist(),
            groups=groups,
            n_groups=len(names),
            bootstrap=measured.bootstrap,
        )
        return [_distribution(d, names[d.group], measure) for d in found if d.n_ratings]

    return {
        "overall": of(None, ("All",)),
        "by_system": of(table.system_of_item[table.items], table.systems) if any(table.systems) else [],
        "by_annotator": of(table.raters, table.annotators),
    }


def distributions_of_parts(measured: Measured) -> list[Figures] | None:
    """Share of each label by annotator, within each system, and within each system of each source.

    None where there is a single part, or so many that each would be a handful of judgments.
    """
    table = measured.table
    systems, sources = table.systems, table.sources if 2 <= len(table.sources) <= MOST_SOURCES else ()
    if len(systems) * max(len(sources), 1) > MOST_PARTS or len(systems) < 2:
        return None
    system, source = table.system_of_item[table.items], table.source_of_item[table.items]
    found = _parts(measured, system, [("", name) for name in systems])
    if sources:
        found += _parts(measured, source * len(systems) + system, [(one, name) for one in sources for name in systems])
    return found


def _parts(measured: Measured, part: Codes, names: list[tuple[str, str]]) -> list[Figures]:
    """Labels by annotator within each part, given by its code, its source and its system."""
    annotators, n = measured.table.annotators, len(measured.table.annotators)
    distributions = label_distributions(
        measured.raw,
        measured.measure.values.tolist(),
        groups=part * n + measured.table.raters,
        n_groups=n * len(names),
        bootstrap=measured.bootstrap,
    )
    found: list[Figures] = [{"source": source, "system": system, "annotators": []} for source, system in names]
    for each in distributions:
        if each.n_ratings:
            code, rater = divmod(each.group, n)
            found[code]["annotators"].append(_distribution(each, annotators[rater], measured.measure))
    return found


def _distribution(found: Distribution, name: str, measure: Measure) -> Figures:
    return {
        "name": name,
        "judgments": found.n_ratings,
        "items": found.n_items,
        "annotators": found.n_raters,
        "labels": {
            each.key: {
                "count": label.count,
                "share": label.share.value,
                "interval": interval_of(label.share.interval),
            }
            for each, label in zip(measure.labels, found.shares, strict=True)
        },
    }


def means_by_label(measured: Measured) -> list[Figures] | None:
    """Mean rescaled score of each label, in the scale's order; None before any run."""
    if measured.rescaled is None:
        return None
    labels = measured.measure.labels
    means = group_means(measured.rescaled, measured.table.choices, len(labels), bootstrap=measured.bootstrap)
    return [label._asdict() | figure(mean) for label, mean in zip(labels, means, strict=True)]

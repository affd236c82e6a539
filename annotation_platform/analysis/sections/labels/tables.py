"""How often each label was given, and the mean score behind each."""

from annotation_platform.analysis.measuring.figures import Label
from annotation_platform.analysis.sections.labels.figures import (
    LABEL_DISTRIBUTION,
    LABELS_BY_PART,
    MEAN_BY_LABEL,
    GroupLabels,
    PartLabels,
)
from annotation_platform.analysis.tables.base import Column, FigureTable, Row, counts_of, number, sided, with_interval
from annotation_platform.analysis.tables.others import as_asked, speaks_for
from annotation_platform.analysis.tables.request import TableOf, TableRequest
from annotation_platform.core.errors import NotThereError
from annotation_platform.core.few_units import single_unit

CAPTIONS = {
    "annotator": "Share of each label; thin lines are 95\u00a0% intervals, grey ticks the share over all annotators.",
    "system": "Share of each label; its 95\u00a0% interval and n show on hovering, and stand in the table.",
}


CAPTION_OF_PART = "Share of each label among these items; thin lines are 95\u00a0% intervals."


def labels_table(asked: TableRequest, by: str) -> FigureTable | None:
    """Share of each label, by annotator or by system; None where there are no systems.

    By annotator the address may choose a part of the items: a system, or a system of a source (``source~system``).
    """
    part = asked.parameters.get("part", "") if by == "annotator" else ""
    distribution, labels, best = asked.section(LABEL_DISTRIBUTION), asked.head.labels, asked.head.best_label
    groups = part_of(asked, part).annotators if part else distribution.by_annotator
    if by == "system" and not (groups := distribution.by_system):
        return None
    one = asked.parameters.get("annotator")
    own = [_row(asked, group) for group in groups if one in (None, "", group.name)]
    if by == "system" and not one:
        own += [_row(asked, family) | {"name": f"{family.name} (together)"} for family in distribution.by_family]
    rows = [*([] if part else [_row(asked, group) | {"is_all": True} for group in distribution.overall]), *own]
    told = next((label for label in labels if label.key == best), labels[0])
    return FigureTable(
        name=f"labels-{by}",
        title=f"Labels by {by}" + (f", {' of '.join(reversed(part.split('~'))).strip()}" if part else ""),
        reading=_one_reading(rows, told) if one and rows else _spread_reading(own, told, by),
        columns=[
            Column("name", by.capitalize()),
            Column("judgments", "Judgments", "count"),
            Column("items", "Items", "count"),
            *[Column(f"label_{label.key}", label.label, "share", True) for label in labels],
        ],
        rows=rows,
        charts={f"labels-{by}": CAPTION_OF_PART if part else CAPTIONS[by]} if rows else {},
        ranked_by={f"labels-{by}": f"label_{told.key}"},
        meta={"labels": [label.model_dump() for label in labels], "best": best}
        | {"query": asked.query_of("annotator", "part", "others")},
        unit=asked.head.unit,
        speaks_for=speaks_for(asked) if by == "system" else "",
        offers_others=by == "system",
        are_wide=asked.others and by == "system",
    )


def parts_of(asked: TableRequest) -> dict[str, str]:
    """The parts of the items that labels are given by, as the address names them, and in words."""
    parts = (asked.section(LABELS_BY_PART) if asked.has(LABELS_BY_PART) else None) or ()
    return {each.key: f"{each.system}, {each.source}" if each.source else each.system for each in parts}


def part_of(asked: TableRequest, part: str) -> PartLabels:
    for each in asked.section(LABELS_BY_PART) or ():
        if part == each.key:
            return each
    raise NotThereError("analysis.no_part_of_items")


def _row(asked: TableRequest, group: GroupLabels) -> Row:
    row: Row = {"name": group.name, "judgments": group.judgments, "items": group.items}
    for key, label in group.labels.items():
        shown = as_asked(asked, label)
        why = (asked.others and label.for_others and label.for_others.no_interval_because) or ""
        why = why or single_unit(asked.head.unit)
        row[f"label_{key}_count"] = label.count
        row |= with_interval(f"label_{key}", label.share, shown.interval, why, units=label.units)
    return row


def means_table(asked: TableRequest) -> FigureTable | None:
    """Mean rescaled score of each label; None before any run."""
    if (means := asked.section(MEAN_BY_LABEL)) is None:
        return None
    rows = [{"label": mean.label, "number": mean.number, **counts_of(mean)} | sided("mean", mean) for mean in means]
    parts = [f"“{row['label']}” {number(row['mean'], 'score')}" for row in rows if row["mean"] is not None]
    return FigureTable(
        name="means-label",
        title="Mean score by label",
        reading="Mean rescaled score: " + ", ".join(parts) + "." if parts else "No label has been scored.",
        columns=[
            Column("label", "Label"),
            Column("number", "Number on the scale", "score"),
            Column("mean", "Mean score", "score", True),
            Column("judgments", "Judgments", "count"),
            Column("items", "Items", "count"),
            Column("undefined_because", "Remark"),
        ],
        rows=rows,
        charts={"means-label": "Ticks mark the scale's own number."},
        unit=asked.head.unit,
    )


def _one_reading(rows: list[Row], label: Label) -> str:
    """One group beside all of them."""
    own, key = rows[-1], f"label_{label.key}"
    if own.get("is_all"):
        return "There are no judgments yet."
    text = f"“{label.label}” has a share of {number(own[key], 'share')} in {own['name']}"
    return f"{text}, and of {number(rows[0][key], 'share')} overall." if rows[0].get("is_all") else f"{text}."


def _spread_reading(rows: list[Row], label: Label, by: str) -> str:
    key = f"label_{label.key}"
    shares = [(row[key], row["name"]) for row in rows if row[key] is not None]
    if not shares:
        return "There are no judgments yet."
    (low, least), (high, most) = min(shares), max(shares)
    if low == high:
        whose = f"{by} {least}, the only one" if len(shares) == 1 else f"every {by}"
        return f"The share of “{label.label}” is {number(low, 'share')} for {whose}."
    return (
        f"The share of “{label.label}” runs from {number(low, 'share')} ({by} {least})"
        f" to {number(high, 'share')} ({by} {most})."
    )


TABLES = {
    "labels-annotator": TableOf(
        (LABEL_DISTRIBUTION.key, LABELS_BY_PART.key), lambda asked: labels_table(asked, "annotator")
    ),
    "labels-system": TableOf((LABEL_DISTRIBUTION.key,), lambda asked: labels_table(asked, "system")),
    "means-label": TableOf((MEAN_BY_LABEL.key,), means_table),
}

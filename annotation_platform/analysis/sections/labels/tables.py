"""How often each label was given, and the mean score behind each."""

from annotation_platform.analysis.tables.base import Column, FigureTable, Row, counts_of, number, sided, with_interval
from annotation_platform.analysis.tables.request import TableOf, TableRequest
from annotation_platform.core.errors import NotThereError

CAPTIONS = {
    "annotator": "Share of each label; thin lines are 95\u00a0% intervals, grey ticks the share over all annotators.",
    "system": "Share of each label; its 95\u00a0% interval and n show on hovering, and stand in the table.",
}


CAPTION_OF_PART = "Share of each label among these items; thin lines are 95\u00a0% intervals."


def labels_table(asked: TableRequest, by: str) -> FigureTable | None:
    """Share of each label, by annotator or by system; None where there are no systems.

    By annotator the address may choose a part of the items: a system, or a system of a source (``source~system``).
    """
    aspect, part = asked.figures, asked.parameters.get("part", "") if by == "annotator" else ""
    distribution = aspect["label_distribution"]
    groups = part_of(asked, part)["annotators"] if part else distribution[f"by_{by}"]
    if by == "system":
        if not groups:
            return None
        families = distribution.get("by_family", [])  # a snapshot of an older version has none
        groups = [*groups, *(family | {"name": f"{family['name']} (together)"} for family in families)]
    if one := asked.parameters.get("annotator"):
        groups = [group for group in groups if group["name"] == one]
    overall = [] if part else [_row(group) | {"is_all": True} for group in distribution["overall"]]
    own = [_row(group) for group in groups]
    rows = [*overall, *own]
    best = aspect.get("best_label")
    told = next((label for label in aspect["labels"] if label["key"] == best), aspect["labels"][0])
    return FigureTable(
        name=f"labels-{by}",
        title=f"Labels by {by}" + (f", {' of '.join(reversed(part.split('~'))).strip()}" if part else ""),
        reading=_one_reading(rows, told) if one and rows else _spread_reading(own, told, by),
        columns=[
            Column("name", by.capitalize()),
            Column("judgments", "Judgments", "count"),
            Column("items", "Items", "count"),
            *[Column(f"label_{label['key']}", label["label"], "share", True) for label in aspect["labels"]],
        ],
        rows=rows,
        charts={f"labels-{by}": CAPTION_OF_PART if part else CAPTIONS[by]} if rows else {},
        ranked_by={f"labels-{by}": f"label_{told['key']}"},
        meta={"labels": aspect["labels"], "best": best, "query": asked.query_of("annotator", "part")},
    )


def parts_of(asked: TableRequest) -> dict[str, str]:
    """The parts of the items that labels are given by, as the address names them, and in words."""
    found = {}
    for each in asked.figures.get("labels_by_part") or []:
        key = "~".join(filter(None, (each["source"], each["system"])))
        found[key] = f"{each['system']}, {each['source']}" if each["source"] else each["system"]
    return found


def part_of(asked: TableRequest, part: str) -> Row:
    for each in asked.figures.get("labels_by_part") or []:
        if part == "~".join(filter(None, (each["source"], each["system"]))):
            found: Row = each
            return found
    raise NotThereError("analysis.no_part_of_items")


def _row(group: Row) -> Row:
    row = {"name": group["name"], "judgments": group["judgments"], "items": group["items"]}
    for key, label in group["labels"].items():
        row[f"label_{key}_count"] = label["count"]
        row |= with_interval(f"label_{key}", label["share"], label["interval"])
    return row


def means_table(aspect: Row) -> FigureTable | None:
    """Mean rescaled score of each label; None before any run."""
    if aspect["mean_by_label"] is None:
        return None
    rows = [
        {"label": mean["label"], "number": mean["number"], **counts_of(mean)} | sided("mean", mean)
        for mean in aspect["mean_by_label"]
    ]
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
    )


def _one_reading(rows: list[Row], label: Row) -> str:
    """One group beside all of them."""
    own, key = rows[-1], f"label_{label['key']}"
    if own.get("is_all"):
        return "There are no judgments yet."
    text = f"“{label['label']}” has a share of {number(own[key], 'share')} in {own['name']}"
    return f"{text}, and of {number(rows[0][key], 'share')} overall." if rows[0].get("is_all") else f"{text}."


def _spread_reading(rows: list[Row], label: Row, by: str) -> str:
    key = f"label_{label['key']}"
    shares = [(row[key], row["name"]) for row in rows if row[key] is not None]
    if not shares:
        return "There are no judgments yet."
    (low, least), (high, most) = min(shares), max(shares)
    if low == high:
        whose = f"{by} {least}, the only one" if len(shares) == 1 else f"every {by}"
        return f"The share of “{label['label']}” is {number(low, 'share')} for {whose}."
    return (
        f"The share of “{label['label']}” runs from {number(low, 'share')} ({by} {least})"
        f" to {number(high, 'share')} ({by} {most})."
    )


TABLES = {
    "labels-annotator": TableOf(
        ("label_distribution", "labels_by_part"), lambda asked: labels_table(asked, "annotator")
    ),
    "labels-system": TableOf(("label_distribution",), lambda asked: labels_table(asked, "system")),
    "means-label": TableOf(("mean_by_label",), lambda asked: means_table(asked.figures)),
}

"""How often each label was given, and the mean score behind each."""

from annotation_platform.analysis.selectors.tables.base import (
    Column,
    FigureTable,
    Row,
    counts_of,
    number,
    sided,
    with_interval,
)


def labels_table(aspect: Row, by: str) -> FigureTable | None:
    """Share of each label, by annotator or by system; None where there are no systems."""
    distribution = aspect["label_distribution"]
    if by == "system" and not distribution["by_system"]:
        return None
    rows = []
    for group in [*distribution["overall"], *distribution[f"by_{by}"]]:
        row = {"name": group["name"], "judgments": group["judgments"], "items": group["items"]}
        for key, label in group["labels"].items():
            row[f"label_{key}_count"] = label["count"]
            row |= with_interval(f"label_{key}", label["share"], label["interval"])
        rows.append(row)
    return FigureTable(
        name=f"labels-{by}",
        title=f"Labels by {by}",
        reading=_spread_reading(rows[1:], aspect["labels"], by),
        columns=[
            Column("name", by.capitalize()),
            Column("judgments", "Judgments", "count"),
            Column("items", "Items", "count"),
            *[Column(f"label_{label['key']}", label["label"], "share", True) for label in aspect["labels"]],
        ],
        rows=rows,
        charts={f"labels-{by}": "Share of each label."},
        meta={"labels": aspect["labels"]},
    )


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


def _spread_reading(rows: list[Row], labels: list[Row], by: str) -> str:
    first, key = labels[0], f"label_{labels[0]['key']}"
    shares = [(row[key], row["name"]) for row in rows if row[key] is not None]
    if not shares:
        return "There are no judgments yet."
    (low, least), (high, most) = min(shares), max(shares)
    return (
        f"The share of “{first['label']}” runs from {number(low, 'share')} ({by} {least})"
        f" to {number(high, 'share')} ({by} {most})."
    )

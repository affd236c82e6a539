"""The systems whose answers were judged."""

from annotation_platform.analysis.selectors.tables.base import Column, FigureTable, Row, counts_of, number, sided


def systems_table(aspect: Row) -> FigureTable | None:
    """Mean of each system, as labelled and as rescaled; None where there are no systems or no numbers."""
    if not aspect["mean_by_system"]:
        return None
    numbers = [label["number"] for label in aspect["labels"] if label["number"] is not None]
    kind = "score" if max(numbers) - min(numbers) > 10 else "value"  # a mean of 0 to 3 is worth more digits
    rows = [
        {"system": mean["system"], **counts_of(mean["raw"])}
        | sided("raw", mean["raw"])
        | sided("rescaled", mean["rescaled"])
        for mean in aspect["mean_by_system"]
    ]
    side = "rescaled" if any(row["rescaled"] is not None for row in rows) else "raw"
    ranked = sorted((row for row in rows if row[side] is not None), key=lambda row: -row[side])
    order = ", ".join(f"{row['system']} ({number(row[side], kind)})" for row in ranked)
    return FigureTable(
        name="means-system",
        title="Mean by system",
        reading=f"By {side} mean, from the highest: {order}." if ranked else "No system has been judged.",
        columns=[
            Column("system", "System"),
            Column("raw", "Raw", kind, True),
            *([Column("rescaled", "Rescaled", kind, True)] if side == "rescaled" else []),
            Column("judgments", "Judgments", "count"),
            Column("items", "Items", "count"),
        ],
        rows=rows,
        charts={"means-system": "Dots are means, lines their 95\u00a0% intervals."},
    )

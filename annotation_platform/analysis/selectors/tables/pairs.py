"""τ of every pair of annotators, before and after."""

from annotation_platform.analysis.selectors.tables.base import (
    DASH,
    SETTINGS,
    Column,
    FigureTable,
    Row,
    number,
    with_interval,
)


def pairs_table(aspect: Row, setting: str) -> FigureTable | None:
    """τ of every pair of annotators in one setting, before and after; None without an order of labels, or a pair."""
    if aspect["level"] == "nominal" or not aspect[f"pairs_{setting}"]:
        return None
    tau = aspect["pairwise_tau"][setting]
    rows = [
        {"first": pair["annotators"][0], "second": pair["annotators"][1], "pair": " – ".join(pair["annotators"])}
        | {"n": pair["n"], "items": pair["items"], "undefined_because": pair["undefined_because"] or ""}
        | {
            key: value
            for side in ("raw", "rescaled", "change")
            for key, value in with_interval(side, pair[side], pair[f"{side}_interval"]).items()
        }
        for pair in aspect[f"pairs_{setting}"]
    ]
    defined = sum(row["raw"] is not None for row in rows)
    reading = f"{len(rows)} pairs of annotators, {defined} of them with a defined τ before rescaling."
    if (change := tau["change"]) is not None:
        reading += (
            f" After rescaling, τ rises for {pairs_in_words(change['rises']['count'])}"
            f" ({by_in_words(change['rises']['mean'])}) and falls for {pairs_in_words(change['falls']['count'])}"
            f" ({by_in_words(change['falls']['mean'])}). Changes beyond {change['threshold']:g}:"
            f" {change['rises_above_threshold']} up, {change['falls_below_threshold']} down."
        )
    charts = {"pairs-raw": "Raw labels"}
    if tau["rescaled"] is not None:
        charts |= {"pairs-rescaled": "Rescaled scores", "pairs-change": "Change"}
    return FigureTable(
        name="pairs",
        title=f"Pairs of annotators, {SETTINGS[setting]}",
        reading=reading,
        columns=[
            Column("pair", "Pair"),
            Column("n", "n", "count"),
            Column("items", "Items", "count"),
            Column("raw", "Raw τ", "value", True),
            Column("rescaled", "Rescaled τ", "value", True),
            Column("change", "Change", "value", True),
            Column("undefined_because", "Remark"),
        ],
        rows=rows,
        charts=charts,
        meta={"query": f"?setting={setting}"},
    )


def pairs_in_words(count: int) -> str:
    return "1 pair" if count == 1 else f"{count} pairs"


def by_in_words(mean: float | None) -> str:
    return DASH if mean is None else f"on average by {number(abs(mean), 'value')}"

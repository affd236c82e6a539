"""τ of every pair of annotators, before and after."""

from annotation_platform.analysis.selectors.tables.base import (
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
        | {"p_value": pair.get("p_value"), "p_holm": pair.get("p_holm")}
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
            f" After rescaling, τ rises for {_way_in_words(change['rises'])} and falls for"
            f" {_way_in_words(change['falls'])}. Changes beyond {change['threshold']:g}:"
            f" {change['rises_above_threshold']} up, {change['falls_below_threshold']} down."
        )
        tested = [row for row in rows if row["p_holm"] is not None]
        sure = sum(row["p_holm"] < 0.05 for row in tested)
        reading += f" Certain after Holm's correction for {pairs_in_words(len(tested))}: {sure}." if tested else ""
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
            Column("p_value", "p", "p"),
            Column("p_holm", "p (Holm)", "p"),
            Column("undefined_because", "Remark"),
        ],
        rows=rows,
        charts=charts,
        meta={"query": f"?setting={setting}"},
    )


def pairs_in_words(count: int) -> str:
    return "1 pair" if count == 1 else f"{count} pairs"


def _way_in_words(way: Row) -> str:
    """How many pairs go this way, and by how much."""
    by = "" if way["mean"] is None else f" (on average by {number(abs(way['mean']), 'value')})"
    return pairs_in_words(way["count"]) + by


def changes_table(aspect: Row) -> FigureTable | None:
    """What rescaling changes in the τ of pairs, each setting in a row (EBR Table 7); None before any run."""
    rows = []
    for setting, name in SETTINGS.items():
        tau = aspect["pairwise_tau"][setting]
        if (change := tau["change"]) is not None:
            rows.append(
                {"setting": name, "pairs": tau["raw"]["pairs_defined"], "unchanged": change["unchanged"]}
                | {f"{way}_count": change[way]["count"] for way in ("rises", "falls")}
                | {way: change[way]["mean"] for way in ("rises", "falls")}
                | {"above": change["rises_above_threshold"], "below": change["falls_below_threshold"]}
            )
    if not rows:
        return None
    threshold = next(tau["change"]["threshold"] for tau in aspect["pairwise_tau"].values() if tau["change"])
    return FigureTable(
        name="changes",
        title="What rescaling changes in the τ of pairs",
        reading=" ".join(
            f"{row['setting'].capitalize()}: τ rises for {pairs_in_words(row['rises_count'])} and falls for"
            f" {row['falls_count']}."
            for row in rows
        ),
        columns=[
            Column("setting", "Setting"),
            Column("pairs", "Pairs", "count"),
            Column("rises", "Mean of rises", "value"),
            Column("rises_count", "Rises", "count"),
            Column("falls", "Mean of falls", "value"),
            Column("falls_count", "Falls", "count"),
            Column("above", f"Beyond {threshold:g}", "count"),
            Column("below", f"Beyond −{threshold:g}", "count"),
            Column("unchanged", "Unchanged", "count"),
        ],
        rows=rows,
    )

"""τ of every pair of annotators, before and after; κ where labels have no order."""

from dataclasses import replace

from annotation_platform.analysis.sections.pairs.pair import pair_table
from annotation_platform.analysis.tables.base import (
    MOST_DRAWN,
    SETTINGS,
    Column,
    FigureTable,
    Row,
    number,
    why_not,
    with_interval,
)
from annotation_platform.analysis.tables.request import TableOf, TableRequest

HOW_MANY = "How many pairs have which {}"


def pairs_table(asked: TableRequest) -> FigureTable | None:
    """Every pair of annotators: τ in one setting, before and after, or Cohen κ; None without a pair."""
    if not (pairs := asked.figures[asked.pairs_of_setting]):
        return None
    table = _kappas(pairs) if asked.pairs == "pairs_cohen_kappa" else _taus(asked, pairs)
    asked_for = asked.snapshot.head["intervals"]["resamples"]
    if (used := asked.figures.get("resamples_of_pairs", asked_for)) < asked_for:
        fewer = f" There are so many pairs that intervals rest on {used:,} resamples, not {asked_for:,}."
        return replace(table, reading=table.reading + fewer)
    return table


def _pair(pair: Row) -> Row:
    """Which pair a row is about, and over how much."""
    first, second = pair["annotators"]
    return {"first": first, "second": second, "pair": f"{first} – {second}", "n": pair["n"], "items": pair["items"]} | {
        "undefined_because": why_not(pair)
    }


def _kappas(pairs: list[Row]) -> FigureTable:
    rows = [_pair(pair) | with_interval("raw", pair["value"], pair["interval"]) for pair in pairs]
    values = sorted((row["raw"], row["pair"]) for row in rows if row["raw"] is not None)
    reading = f"{pairs_in_words(len(rows))} of annotators, {len(values):,} of them with a defined Cohen κ."
    if values:
        low, high = values[0][0], values[-1][0]
        least, most = ([pair for value, pair in values if value == end] for end in (low, high))
        reading += f" It is {number(low, 'value')}." if low == high else ""
        if low < high:
            reading += (
                f" It runs from {number(low, 'value')} ({_those(least)}) to {number(high, 'value')} ({_those(most)})."
            )
        items = sorted(row["items"] for row in rows)
        reading += f" A pair shares {items[0]:,} to {items[-1]:,} items." if items[0] < items[-1] else ""
    return FigureTable(
        name="pairs",
        title="Pairs of annotators, Cohen κ",
        reading=reading,
        columns=[
            Column("pair", "Pair"),
            Column("n", "n", "count"),
            Column("items", "Items", "count"),
            Column("raw", "Cohen κ", "value", True),
            Column("undefined_because", "Remark"),
        ],
        rows=rows,
        charts={
            "pairs-raw": f"{HOW_MANY.format('Cohen κ') if is_crowd(rows) else 'Cohen κ'}: agreement on labels beyond "
            "chance. Where one label is nearly always given, it can be 0 though most labels are equal."
        },
        meta={"symbol": "κ", "is_crowd": is_crowd(rows)},
    )


def is_crowd(rows: list[Row]) -> bool:
    """Whether these are pairs of so many annotators that a heat map would be a field of dots."""
    return len({name for row in rows for name in (row["first"], row["second"])}) > MOST_DRAWN


def _those(pairs: list[str]) -> str:
    return pairs[0] if len(pairs) == 1 else f"{len(pairs):,} pairs"


def _taus(asked: TableRequest, pairs: list[Row]) -> FigureTable:
    setting, tau = asked.setting, asked.figures["pairwise_tau"][asked.setting]
    is_rescaled = tau["rescaled"] is not None
    rows = [
        _pair(pair)
        | {"p_value": pair.get("p_value"), "p_holm": pair.get("p_holm")}
        | {
            key: value
            for side in ("raw", "rescaled", "change")
            for key, value in with_interval(side, pair[side], pair[f"{side}_interval"]).items()
        }
        for pair in pairs
    ]
    defined = sum(row["raw"] is not None for row in rows)
    reading = f"{pairs_in_words(len(rows))} of annotators, {defined:,} of them with a defined τ"
    reading += " before rescaling." if is_rescaled else "."
    if (change := tau["change"]) is not None:
        reading += (
            f" After rescaling, τ rises for {_way_in_words(change['rises'])} and falls for"
            f" {_way_in_words(change['falls'])}. Changes beyond {change['threshold']:g}:"
            f" {change['rises_above_threshold']:,} up, {change['falls_below_threshold']:,} down."
        )
        tested = [row for row in rows if row["p_holm"] is not None]
        sure = sum(row["p_holm"] < 0.05 for row in tested)
        reading += f" Certain after Holm's correction for {pairs_in_words(len(tested))}: {sure:,}." if tested else ""
    charts = {"pairs-raw": "Raw labels" if is_rescaled else "τ: do the two order answers alike?"}
    if is_rescaled:
        charts |= {"pairs-rescaled": "Rescaled scores", "pairs-change": "Change"}
    if is_crowd(rows):
        what = "change of τ"
        charts = {
            name: f"{caption}: {HOW_MANY.format(what if name == 'pairs-change' else 'τ').lower()}"
            for name, caption in charts.items()
        }
    rescaled = [
        Column("rescaled", "Rescaled τ", "value", True),
        Column("change", "Change", "value", True),
        Column("p_value", "p", "p"),
        Column("p_holm", "p (Holm)", "p"),
    ]
    return FigureTable(
        name="pairs",
        title=f"Pairs of annotators, {SETTINGS[setting]}",
        reading=reading,
        columns=[
            Column("pair", "Pair"),
            Column("n", "n", "count"),
            Column("items", "Items", "count"),
            Column("raw", "Raw τ" if is_rescaled else "τ", "value", True),
            *(rescaled if is_rescaled else []),
            Column("undefined_because", "Remark"),
        ],
        rows=rows,
        charts=charts,
        meta={"query": f"?setting={setting}", "symbol": "τ", "is_crowd": is_crowd(rows)},
    )


def pairs_in_words(count: int) -> str:
    return "1 pair" if count == 1 else f"{count:,} pairs"


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
            f" {row['falls_count']:,}."
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


TABLES = {
    "pairs": TableOf(("pairwise_tau", "{pairs_of_setting}"), pairs_table),
    "pair": TableOf(("{pairs}",), pair_table, of_one="pair"),
    "changes": TableOf(("pairwise_tau",), lambda asked: changes_table(asked.figures)),
}

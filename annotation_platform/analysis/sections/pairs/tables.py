"""τ of every pair of annotators, before and after; κ where labels have no order."""

from collections.abc import Sequence
from dataclasses import replace

from annotation_platform.analysis.sections.pairs.figures import (
    PAIRS_COHEN_KAPPA,
    PAIRS_OF_SETTING,
    PAIRWISE_TAU,
    PairKappa,
    PairTau,
    Way,
)
from annotation_platform.analysis.sections.pairs.pair import pair_table
from annotation_platform.analysis.tables.base import (
    MOST_DRAWN,
    SETTINGS,
    Column,
    FigureTable,
    Row,
    number,
    sided,
    with_interval,
)
from annotation_platform.analysis.tables.request import TableOf, TableRequest

HOW_MANY = "How many pairs have which {}"


def pairs_table(asked: TableRequest) -> FigureTable | None:
    """Every pair of annotators: τ in one setting, before and after, or Cohen κ; None without a pair."""
    if asked.head.is_nominal:
        table = _kappas(kappas) if (kappas := asked.section(PAIRS_COHEN_KAPPA)) else None
    else:
        table = _taus(asked, taus) if (taus := asked.section(PAIRS_OF_SETTING[asked.setting])) else None
    if table is None:
        return None
    asked_for = asked.snapshot.head.intervals.resamples
    if (used := asked.head.resamples_of_pairs) < asked_for:
        fewer = f" There are so many pairs that intervals rest on {used:,} resamples, not {asked_for:,}."
        return replace(table, reading=table.reading + fewer)
    return table


def _pair(pair: PairTau | PairKappa) -> Row:
    """Which pair a row is about, and over how much."""
    first, second = pair.annotators
    why = pair.why_not if isinstance(pair, PairKappa) else pair.undefined_because or ""
    names = {"first": first, "second": second, "pair": f"{first} – {second}"}
    return names | {"n": pair.n, "items": pair.items, "undefined_because": why}


def _kappas(pairs: Sequence[PairKappa]) -> FigureTable:
    rows = [_pair(pair) | sided("raw", pair) for pair in pairs]
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


def _taus(asked: TableRequest, pairs: Sequence[PairTau]) -> FigureTable:
    setting, tau = asked.setting, asked.section(PAIRWISE_TAU).by_setting[asked.setting]
    is_rescaled = tau.rescaled is not None
    rows = [_pair(pair) | {"p_value": pair.p_value, "p_holm": pair.p_holm} | sides_of(pair) for pair in pairs]
    defined = sum(row["raw"] is not None for row in rows)
    reading = f"{pairs_in_words(len(rows))} of annotators, {defined:,} of them with a defined τ"
    reading += " before rescaling." if is_rescaled else "."
    if (change := tau.change) is not None:
        reading += (
            f" After rescaling, τ rises for {_way_in_words(change.rises)} and falls for"
            f" {_way_in_words(change.falls)}. Changes beyond {change.threshold:g}:"
            f" {change.rises_above_threshold:,} up, {change.falls_below_threshold:,} down."
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


def sides_of(pair: PairTau, why: str = "") -> Row:
    """τ before and after with its change; ``why`` says why there is no interval, where there is none."""
    return (
        with_interval("raw", pair.raw, pair.raw_interval, why, units=pair.units)
        | with_interval("rescaled", pair.rescaled, pair.rescaled_interval, why, units=pair.units)
        | with_interval("change", pair.change, pair.change_interval, why, units=pair.units)
    )


def pairs_in_words(count: int) -> str:
    return "1 pair" if count == 1 else f"{count:,} pairs"


def _way_in_words(way: Way) -> str:
    """How many pairs go this way, and by how much."""
    by = "" if way.mean is None else f" (on average by {number(abs(way.mean), 'value')})"
    return pairs_in_words(way.count) + by


def changes_table(asked: TableRequest) -> FigureTable | None:
    """What rescaling changes in the τ of pairs, each setting in a row (EBR Table 7); None before any run."""
    rows: list[Row] = []
    threshold = 0.0
    for setting, tau in asked.section(PAIRWISE_TAU).by_setting.items():
        if (change := tau.change) is not None:
            threshold = change.threshold
            rows.append(
                {"setting": SETTINGS[setting], "pairs": tau.raw.pairs_defined, "unchanged": change.unchanged}
                | {"rises": change.rises.mean, "rises_count": change.rises.count}
                | {"falls": change.falls.mean, "falls_count": change.falls.count}
                | {"above": change.rises_above_threshold, "below": change.falls_below_threshold}
            )
    if not rows:
        return None
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
    "pairs": TableOf((PAIRWISE_TAU.key, "{pairs_of_setting}"), pairs_table),
    "pair": TableOf(("{pairs}",), pair_table, of_one="pair"),
    "changes": TableOf((PAIRWISE_TAU.key,), changes_table),
}

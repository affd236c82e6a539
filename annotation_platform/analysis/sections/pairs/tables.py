"""τ of every pair of annotators, before and after; κ where labels have no order."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from annotation_platform.analysis.sections.pairs.figures import (
    PAIRS_COHEN_KAPPA,
    PAIRS_OF_SETTING,
    PAIRWISE_TAU,
    PairKappa,
    PairTau,
    TauChange,
    Way,
)
from annotation_platform.analysis.sections.pairs.pair import pair_table
from annotation_platform.analysis.sections.pairs.table_rows import ChangeRow, KappaRow, PairRow, TauRow
from annotation_platform.analysis.tables.base import MOST_DRAWN, SETTINGS, Column, FigureTable
from annotation_platform.analysis.tables.request import TableOf, TableRequest
from annotation_platform.analysis.tables.rows import Estimate, estimate_of, estimated
from annotation_platform.analysis.tables.words import change_heading, number, upper_first

CAPTIONS_OF_TAU = {
    "pairs-raw": gettext_noop("Raw labels"),
    "pairs-rescaled": gettext_noop("Rescaled scores"),
}
CAPTIONS_OF_A_CROWD = {
    "pairs-raw": gettext_noop("Raw labels: how many pairs have which τ"),
    "pairs-rescaled": gettext_noop("Rescaled scores: how many pairs have which τ"),
    "pairs-change": gettext_noop("Change: how many pairs have which change of τ"),
}


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
        fewer = _("There are so many pairs that intervals rest on {used:,} resamples, not {asked:,}.")
        return replace(table, reading=f"{table.reading} {fewer.format(used=used, asked=asked_for)}")
    return table


def _pair(pair: PairTau | PairKappa) -> dict[str, Any]:
    """Which pair a row is about, and over how much: its fields."""
    first, second = pair.annotators
    names = {"first": first, "second": second, "pair": f"{first} – {second}"}
    return names | {"n": pair.n, "items": pair.items}


def _kappas(pairs: Sequence[PairKappa]) -> FigureTable:
    rows = [KappaRow(undefined_because=pair.why_not, raw=estimate_of(pair), **_pair(pair)) for pair in pairs]
    return FigureTable(
        name="pairs",
        title=_("Pairs of annotators, Cohen κ"),
        reading=" ".join(_kappas_in_words(rows)),
        columns=[
            Column("pair", _("Pair")),
            Column("n", "n", "count"),
            Column("items", _("Items"), "count"),
            Column("raw", _("Cohen κ"), "value", True),
            Column("undefined_because", _("Remark")),
        ],
        rows=rows,
        charts={
            "pairs-raw": _(
                "How many pairs have which Cohen κ: agreement on labels beyond chance. Where one label is nearly "
                "always given, it can be 0 though most labels are equal."
            )
            if is_crowd(rows)
            else _(
                "Cohen κ: agreement on labels beyond chance. Where one label is nearly always given, it can be 0 "
                "though most labels are equal."
            )
        },
        meta={"symbol": "κ", "is_crowd": is_crowd(rows)},
    )


def _kappas_in_words(rows: Sequence[KappaRow]) -> Iterator[str]:
    values = sorted((row.raw.value, row.pair) for row in rows if row.raw.value is not None)
    how_many = ngettext(
        "{n:,} pair of annotators, {defined:,} of them with a defined Cohen κ.",
        "{n:,} pairs of annotators, {defined:,} of them with a defined Cohen κ.",
        len(rows),
    )
    yield how_many.format(n=len(rows), defined=len(values))
    if not values:
        return
    low, high = values[0][0], values[-1][0]
    least, most = (_those([pair for value, pair in values if value == end]) for end in (low, high))
    runs = _("It runs from {low} ({least}) to {high} ({most}).") if low < high else _("It is {low}.")
    yield runs.format(low=number(low, "value"), high=number(high, "value"), least=least, most=most)
    items = sorted(row.items for row in rows)
    if items[0] < items[-1]:
        yield _("A pair shares {least:,} to {most:,} items.").format(least=items[0], most=items[-1])


def is_crowd(rows: Sequence[PairRow]) -> bool:
    """Whether these are pairs of so many annotators that a heat map would be a field of dots."""
    return len({name for row in rows for name in (row.first, row.second)}) > MOST_DRAWN


def _those(pairs: list[str]) -> str:
    return pairs[0] if len(pairs) == 1 else pairs_in_words(len(pairs))


def _taus(asked: TableRequest, pairs: Sequence[PairTau]) -> FigureTable:
    setting, tau = asked.setting, asked.section(PAIRWISE_TAU).by_setting[asked.setting]
    is_rescaled = tau.rescaled is not None
    rows = [_tau_row(pair) for pair in pairs]
    defined = sum(row.raw.value is not None for row in rows)
    said = [_taus_in_words(len(rows), defined, is_rescaled=is_rescaled)]
    if (change := tau.change) is not None:
        said += _changes_in_words(change, [row.p_holm for row in rows if row.p_holm is not None])
    if is_rescaled and is_crowd(rows):
        charts = {key: _(text) for key, text in CAPTIONS_OF_A_CROWD.items()}
    elif is_rescaled:
        charts = {key: _(text) for key, text in CAPTIONS_OF_TAU.items()} | {"pairs-change": change_heading()}
    elif is_crowd(rows):
        charts = {"pairs-raw": _("τ: do the two order answers alike? How many pairs have which τ")}
    else:
        charts = {"pairs-raw": _("τ: do the two order answers alike?")}
    rescaled = [
        Column("rescaled", _("Rescaled τ"), "value", True),
        Column("change", change_heading(), "value", True),
        Column("p_value", "p", "p"),
        Column("p_holm", _("p (Holm)"), "p"),
    ]
    return FigureTable(
        name="pairs",
        title=_("Pairs of annotators, {setting}").format(setting=_(SETTINGS[setting])),
        reading=" ".join(said),
        columns=[
            Column("pair", _("Pair")),
            Column("n", "n", "count"),
            Column("items", _("Items"), "count"),
            Column("raw", _("Raw τ") if is_rescaled else "τ", "value", True),
            *(rescaled if is_rescaled else []),
            Column("undefined_because", _("Remark")),
        ],
        rows=rows,
        charts=charts,
        meta={"query": f"?setting={setting}", "symbol": "τ", "is_crowd": is_crowd(rows)},
    )


def _tau_row(pair: PairTau) -> TauRow:
    raw, rescaled, change = sides_of(pair)
    return TauRow(
        undefined_because=pair.undefined_because or next(filter(None, pair.no_intervals_because.values()), ""),
        p_value=pair.p_value,
        p_holm=pair.p_holm,
        raw=raw,
        rescaled=rescaled,
        change=change,
        **_pair(pair),
    )


def _taus_in_words(n: int, defined: int, *, is_rescaled: bool) -> str:
    if is_rescaled:
        said = ngettext(
            "{n:,} pair of annotators, {defined:,} of them with a defined τ before rescaling.",
            "{n:,} pairs of annotators, {defined:,} of them with a defined τ before rescaling.",
            n,
        )
    else:
        said = ngettext(
            "{n:,} pair of annotators, {defined:,} of them with a defined τ.",
            "{n:,} pairs of annotators, {defined:,} of them with a defined τ.",
            n,
        )
    return said.format(n=n, defined=defined)


def _changes_in_words(change: TauChange, corrected: list[float]) -> list[str]:
    """How many pairs go which way; ``corrected`` are the p of those that were tested."""
    said = [
        _("After rescaling, τ rises for {rises} and falls for {falls}.").format(
            rises=_way_in_words(change.rises), falls=_way_in_words(change.falls)
        ),
        _("Changes beyond {threshold:g}: {up:,} up, {down:,} down.").format(
            threshold=change.threshold, up=change.rises_above_threshold, down=change.falls_below_threshold
        ),
    ]
    if corrected:
        sure = _("Certain after Holm's correction for {pairs}: {n:,}.")
        said.append(sure.format(pairs=pairs_in_words(len(corrected)), n=sum(p < 0.05 for p in corrected)))
    return said


def sides_of(pair: PairTau) -> tuple[Estimate, Estimate, Estimate]:
    """τ before and after, and its change."""
    why = {side: pair.no_intervals_because.get(side) or "" for side in ("raw", "rescaled", "change")}
    return (
        estimated(pair.raw, pair.raw_interval, why["raw"], pair.units),
        estimated(pair.rescaled, pair.rescaled_interval, why["rescaled"], pair.units),
        estimated(pair.change, pair.change_interval, why["change"], pair.units),
    )


def pairs_in_words(count: int) -> str:
    return ngettext("{n:,} pair", "{n:,} pairs", count).format(n=count)


def _way_in_words(way: Way) -> str:
    """How many pairs go this way, and by how much."""
    if way.mean is None:
        return pairs_in_words(way.count)
    by = _("{pairs} (on average by {mean})")
    return by.format(pairs=pairs_in_words(way.count), mean=number(abs(way.mean), "value"))


def changes_table(asked: TableRequest) -> FigureTable | None:
    """What rescaling changes in the τ of pairs, each setting in a row (EBR Table 7); None before any run."""
    rows: list[ChangeRow] = []
    threshold = 0.0
    for setting, tau in asked.section(PAIRWISE_TAU).by_setting.items():
        if (change := tau.change) is not None:
            threshold = change.threshold
            rows.append(
                ChangeRow(
                    setting=_(SETTINGS[setting]),
                    pairs=tau.raw.pairs_defined,
                    unchanged=change.unchanged,
                    rises=change.rises.mean,
                    rises_count=change.rises.count,
                    falls=change.falls.mean,
                    falls_count=change.falls.count,
                    above=change.rises_above_threshold,
                    below=change.falls_below_threshold,
                )
            )
    if not rows:
        return None
    return FigureTable(
        name="changes",
        title=_("What rescaling changes in the τ of pairs"),
        reading=" ".join(
            _("{setting}: τ rises for {rises} and falls for {falls:,}.").format(
                setting=upper_first(row.setting), rises=pairs_in_words(row.rises_count), falls=row.falls_count
            )
            for row in rows
        ),
        columns=[
            Column("setting", _("Setting")),
            Column("pairs", _("Pairs"), "count"),
            Column("rises", _("Mean of rises"), "value"),
            Column("rises_count", _("Rises"), "count"),
            Column("falls", _("Mean of falls"), "value"),
            Column("falls_count", _("Falls"), "count"),
            Column("above", _("Beyond {number:g}").format(number=threshold), "count"),
            Column("below", _("Beyond −{number:g}").format(number=threshold), "count"),
            Column("unchanged", _("Unchanged"), "count"),
        ],
        rows=rows,
    )


TABLES = {
    "pairs": TableOf((PAIRWISE_TAU.key, "{pairs_of_setting}"), pairs_table),
    "pair": TableOf(("{pairs}",), pair_table, of_one="pair"),
    "changes": TableOf((PAIRWISE_TAU.key,), changes_table),
}

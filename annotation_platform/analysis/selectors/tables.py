"""A snapshot's figures as tables: the rows that a chart draws, a page lists and a CSV file holds."""

import csv
import io
from dataclasses import dataclass, field
from typing import Any

from annotation_platform.analysis.selectors.snapshots import extremes_in_words
from annotation_platform.core.errors import NotThereError

Row = dict[str, Any]
SETTINGS = {
    "all": "all items",
    "incomplete": "incomplete setting",
    "no_ties": "without ties",
}
DASH = "–"
ROWS_SHOWN = 200  # of a table on a page; its CSV has all


@dataclass(frozen=True)
class Column:
    """A column of a figure. ``kind`` decides how it reads; an interval stands in ``<key>_low`` and ``_high``."""

    key: str
    heading: str
    kind: str = "text"  # text, count, value, share, score
    has_interval: bool = False

    @property
    def is_number(self) -> bool:
        return self.kind != "text"

    def show(self, row: Row) -> str:
        text = _number(row.get(self.key), self.kind)
        if self.has_interval and row.get(f"{self.key}_low") is not None:
            low, high = _number(row[f"{self.key}_low"], self.kind), _number(row[f"{self.key}_high"], self.kind)
            text += f" [{low}, {high}]"
        return text


@dataclass(frozen=True)
class FigureTable:
    """One figure's rows; ``reading`` says in words what its charts show."""

    name: str
    title: str
    reading: str
    columns: list[Column]
    rows: list[Row]
    charts: dict[str, str] = field(default_factory=dict)  # chart's name -> caption
    meta: Row = field(default_factory=dict)

    @property
    def all_lines(self) -> list[list[tuple[str, bool]]]:
        """Formatted cells, each with whether it is a number."""
        return [[(column.show(row), column.is_number) for column in self.columns] for row in self.rows]

    @property
    def shown_lines(self) -> list[list[tuple[str, bool]]]:
        return self.all_lines[:ROWS_SHOWN]

    @property
    def hidden_rows(self) -> int:
        return max(len(self.rows) - ROWS_SHOWN, 0)

    def csv(self) -> str:
        keys = [
            key
            for column in self.columns
            for key in (
                [column.key, f"{column.key}_low", f"{column.key}_high"] if column.has_interval else [column.key]
            )
        ]
        out = io.StringIO()
        writer = csv.DictWriter(out, keys, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(self.rows)
        return out.getvalue()


def aspect_of(figures: Row, key: str | None) -> Row:
    """The figures of one aspect; of the first when none is named."""
    for aspect in figures["aspects"]:
        if key in (None, aspect["aspect"]):
            found: Row = aspect
            return found
    raise NotThereError("This study has no figures on such an aspect.")


def agreement_table(aspect: Row) -> FigureTable:
    """Every coefficient of agreement, raw beside rescaled."""
    rows: list[Row] = []
    is_nominal = aspect["level"] == "nominal"
    for setting, name in {} if is_nominal else SETTINGS.items():
        tau = aspect["pairwise_tau"][setting]
        rows.append(
            {"statistic": f"τ, {name}", **_counts(tau["raw"]["mean"])}
            | _sided("raw", tau["raw"] and tau["raw"]["mean"])
            | _sided("rescaled", tau["rescaled"] and tau["rescaled"]["mean"])
            | _sided("change", tau["change"] and tau["change"]["mean"])
        )
    alpha = aspect["krippendorff_alpha"]
    rows.append(
        {"statistic": "Krippendorff α", **_counts(alpha["raw"])}
        | _sided("raw", alpha["raw"])
        | _sided("rescaled", alpha["rescaled"])
        | _sided("change", None)
    )
    kappa = aspect["fleiss_kappa"]
    rows.append(
        {"statistic": "Fleiss κ" if is_nominal else "Fleiss κ, best or not", **_counts(kappa)}
        | _sided("raw", kappa)
        | _sided("rescaled", None)
        | _sided("change", None)
    )
    is_rescaled = any(row["rescaled"] is not None for row in rows)
    return FigureTable(
        name="agreement",
        title="Agreement, raw and rescaled" if is_rescaled else "Agreement",
        reading="; ".join(_reading(row) for row in rows) + ".",
        columns=[
            Column("statistic", "Statistic"),
            Column("raw", "Raw" if is_rescaled else "Value", "value", True),
            *([Column("rescaled", "Rescaled", "value", True)] if is_rescaled else []),
            *([Column("change", "Change", "value", True)] if is_rescaled else []),
            Column("items", "Items", "count"),
            Column("annotators", "Annotators", "count"),
            Column("judgments", "Judgments", "count"),
            Column("undefined_because", "Remark"),
        ],
        rows=rows,
        charts={"agreement": "Dots are the figures, lines their 95\u00a0% intervals."},
    )


def aspects_table(figures: Row) -> FigureTable:
    """Krippendorff α of every aspect at its own level: where annotators agree, and where they do not."""
    rows = [
        {"aspect": aspect["title"], "level": aspect["level"], **_counts(aspect["krippendorff_alpha"]["raw"])}
        | _sided("raw", aspect["krippendorff_alpha"]["raw"])
        | _sided("rescaled", None)
        for aspect in figures["aspects"]
    ]
    return FigureTable(
        name="aspects",
        title="Agreement by aspect",
        reading=extremes_in_words(
            [{"title": each["title"], "alpha": each["krippendorff_alpha"]["raw"]} for each in figures["aspects"]]
        ),
        columns=[
            Column("aspect", "Aspect"),
            Column("level", "Level"),
            Column("raw", "Krippendorff α", "value", True),
            Column("items", "Items", "count"),
            Column("annotators", "Annotators", "count"),
            Column("judgments", "Judgments", "count"),
            Column("undefined_because", "Remark"),
        ],
        rows=rows,
        charts={"aspects": "Dots are Krippendorff α of the labels, lines 95\u00a0% intervals."},
    )


def pairs_table(aspect: Row, setting: str) -> FigureTable:
    """τ of every pair of annotators in one setting, before and after."""
    if setting not in SETTINGS:
        raise NotThereError(f"There is no setting “{setting}”; there are: {', '.join(SETTINGS)}.")
    tau = aspect["pairwise_tau"][setting]
    rows = [
        {"first": pair["annotators"][0], "second": pair["annotators"][1], "pair": " – ".join(pair["annotators"])}
        | {"n": pair["n"], "items": pair["items"], "undefined_because": pair["undefined_because"] or ""}
        | {
            key: value
            for side in ("raw", "rescaled", "change")
            for key, value in _with_interval(side, pair[side], pair[f"{side}_interval"]).items()
        }
        for pair in tau["pairs"]
    ]
    defined = sum(row["raw"] is not None for row in rows)
    reading = f"{len(rows)} pairs of annotators, {defined} of them with a defined τ before rescaling."
    if (change := tau["change"]) is not None:
        reading += (
            f" After rescaling, τ rises for {_pairs(change['rises']['count'])}"
            f" ({_by(change['rises']['mean'])}) and falls for {_pairs(change['falls']['count'])}"
            f" ({_by(change['falls']['mean'])}). Changes beyond {change['threshold']:g}:"
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


def labels_table(aspect: Row, by: str) -> FigureTable:
    """Share of each label, by annotator or by system."""
    distribution = aspect["label_distribution"]
    rows = []
    for group in [*distribution["overall"], *distribution[f"by_{by}"]]:
        row = {"name": group["name"], "judgments": group["judgments"], "items": group["items"]}
        for key, label in group["labels"].items():
            row[f"label_{key}_count"] = label["count"]
            row |= _with_interval(f"label_{key}", label["share"], label["interval"])
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


def further_tables(aspect: Row) -> list[FigureTable]:
    """The figures of an aspect beside its agreement, as far as it has them."""
    found = [labels_table(aspect, "annotator")]
    if aspect["label_distribution"]["by_system"]:
        found.append(labels_table(aspect, "system"))
    return found + [table for table in (means_table(aspect), systems_table(aspect)) if table is not None]


def means_table(aspect: Row) -> FigureTable | None:
    """Mean rescaled score of each label; None before any run."""
    if aspect["mean_by_label"] is None:
        return None
    rows = [
        {"label": mean["label"], "number": mean["number"], **_counts(mean)} | _sided("mean", mean)
        for mean in aspect["mean_by_label"]
    ]
    parts = [f"“{row['label']}” {_number(row['mean'], 'score')}" for row in rows if row["mean"] is not None]
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


def systems_table(aspect: Row) -> FigureTable | None:
    """Mean of each system, as labelled and as rescaled; None where there are no systems or no numbers."""
    if not aspect["mean_by_system"]:
        return None
    numbers = [label["number"] for label in aspect["labels"] if label["number"] is not None]
    kind = "score" if max(numbers) - min(numbers) > 10 else "value"  # a mean of 0 to 3 is worth more digits
    rows = [
        {"system": mean["system"], **_counts(mean["raw"])}
        | _sided("raw", mean["raw"])
        | _sided("rescaled", mean["rescaled"])
        for mean in aspect["mean_by_system"]
    ]
    side = "rescaled" if any(row["rescaled"] is not None for row in rows) else "raw"
    ranked = sorted((row for row in rows if row[side] is not None), key=lambda row: -row[side])
    order = ", ".join(f"{row['system']} ({_number(row[side], kind)})" for row in ranked)
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


def _sided(side: str, figure: Row | None) -> Row:
    if figure is None:
        return _with_interval(side, None, None)
    return _with_interval(side, figure["value"], figure["interval"])


def _with_interval(key: str, value: float | None, interval: list[float] | None) -> Row:
    low, high = interval or (None, None)
    return {key: value, f"{key}_low": low, f"{key}_high": high}


def _counts(figure: Row) -> Row:
    return {key: figure[key] for key in ("items", "annotators", "judgments")} | {
        "undefined_because": figure["undefined_because"] or ""
    }


def _reading(row: Row) -> str:
    if row["raw"] is None:
        return f"{row['statistic']} is not defined: {row['undefined_because'].rstrip('.')}"
    text = f"{row['statistic']}: {_number(row['raw'], 'value')} raw"
    if row["rescaled"] is not None:
        text += f", {_number(row['rescaled'], 'value')} rescaled"
    return text


def _spread_reading(rows: list[Row], labels: list[Row], by: str) -> str:
    first, key = labels[0], f"label_{labels[0]['key']}"
    shares = [(row[key], row["name"]) for row in rows if row[key] is not None]
    if not shares:
        return "There are no judgments yet."
    (low, least), (high, most) = min(shares), max(shares)
    return (
        f"The share of “{first['label']}” runs from {_number(low, 'share')} ({by} {least})"
        f" to {_number(high, 'share')} ({by} {most})."
    )


def _pairs(count: int) -> str:
    return "1 pair" if count == 1 else f"{count} pairs"


def _by(mean: float | None) -> str:
    return DASH if mean is None else f"on average by {_number(abs(mean), 'value')}"


def _number(value: Any, kind: str) -> str:
    """A number as pages write it: a true minus, thousands apart, and never more digits than it is worth."""
    if value is None or value == "":
        return DASH if kind != "text" else ""
    if kind == "count":
        return f"{value:,}"
    if kind == "share":
        return f"{value:.1%}".replace("%", "\u00a0%")
    if kind == "value":
        return f"{value:.3f}".replace("-", "−")
    if kind == "score":
        return f"{value:.1f}".replace("-", "−")
    return str(value)

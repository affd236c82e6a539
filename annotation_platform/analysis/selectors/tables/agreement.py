"""Agreement as a whole: every coefficient of an aspect, and the aspects beside each other."""

from annotation_platform.analysis.selectors.snapshots import SIDES, extremes_in_words
from annotation_platform.analysis.selectors.tables.base import (
    SETTINGS,
    Column,
    FigureTable,
    Row,
    counts_of,
    number,
    sided,
)

P_VALUES = {"p_value": "p", "p_value_holm": "p (Holm)", "p_of_pairs": "p, over pairs"}
ICCS = {"icc_2_1": "ICC(2,1), one rater", "icc_2_k": "ICC(2,k), mean of all"}
DOTS = "Dots are the figures, lines their 95\u00a0% intervals."


def agreement_table(aspect: Row) -> FigureTable:
    """The main coefficients of agreement, raw beside rescaled."""
    rows: list[Row] = []
    is_nominal = aspect["level"] == "nominal"
    for setting, name in {} if is_nominal else SETTINGS.items():
        tau = aspect["pairwise_tau"][setting]
        raw, rescaled, change = (tau[side] and tau[side]["mean"] for side in SIDES)
        rows.append(_row(f"τ, {name}", raw, rescaled, change))
    alpha = aspect["krippendorff_alpha"]
    rows.append(_row("Krippendorff α", alpha["raw"], alpha["rescaled"]))
    rows.append(_row("Fleiss κ" if is_nominal else "Fleiss κ, best or not", aspect["fleiss_kappa"]))
    title = "Agreement, raw and rescaled" if _is_rescaled(rows) else "Agreement"
    return _table("agreement", title, rows, list(P_VALUES))


def coefficients_table(aspect: Row) -> FigureTable:
    """The coefficients beside the main ones, as far as they fit the level of measurement."""
    is_nominal, gwet, icc = aspect["level"] == "nominal", aspect["gwet_ac"], aspect["intraclass_correlation"]
    rows = [_row("Percent agreement", aspect["percent_agreement"]), _row("Gwet AC1", gwet["ac1"])]
    if not is_nominal:
        rows.append(_row("Gwet AC2, weighted", gwet["ac2"]))
    rows.append(_row("Cohen κ, pairs" if is_nominal else "Cohen κ, weighted, pairs", aspect["cohen_kappa"]))
    if not is_nominal:
        rows += [_row(name, *(icc[key][side] for side in SIDES)) for key, name in ICCS.items()]
    caption = f"{DOTS} Percent agreement counts what chance alone would give; the others do not."
    return _table("coefficients", "More coefficients", rows, ["p_value"], caption)


def _row(statistic: str, raw: Row, rescaled: Row | None = None, change: Row | None = None) -> Row:
    return (
        {"statistic": statistic, **counts_of(raw)}
        | sided("raw", raw)
        | sided("rescaled", rescaled)
        | sided("change", change)
        | {key: (change or {}).get(key) for key in P_VALUES}
    )


def _is_rescaled(rows: list[Row]) -> bool:
    return any(row["rescaled"] is not None for row in rows)


def _table(name: str, title: str, rows: list[Row], p_values: list[str], caption: str = DOTS) -> FigureTable:
    is_rescaled = _is_rescaled(rows)
    return FigureTable(
        name=name,
        title=title,
        reading="; ".join(_reading(row, is_rescaled=is_rescaled) for row in rows) + ".",
        columns=[
            Column("statistic", "Statistic"),
            Column("raw", "Raw" if is_rescaled else "Value", "value", True),
            *([Column("rescaled", "Rescaled", "value", True)] if is_rescaled else []),
            *([Column("change", "Change", "value", True)] if is_rescaled else []),
            *([Column(key, P_VALUES[key], "p") for key in p_values] if is_rescaled else []),
            Column("items", "Items", "count"),
            Column("annotators", "Annotators", "count"),
            Column("judgments", "Judgments", "count"),
            Column("undefined_because", "Remark"),
        ],
        rows=rows,
        charts={name: caption} if _any_value(rows) else {},
    )


def _any_value(rows: list[Row]) -> bool:
    return any(row["raw"] is not None or row["rescaled"] is not None for row in rows)


def aspects_table(head: Row) -> FigureTable | None:
    """Krippendorff α of every aspect at its own level: where annotators agree, and where not; None with just one."""
    aspects, levels = head["headline"]["aspects"], {each["aspect"]: each["level"] for each in head["aspects"]}
    if len(aspects) < 2:
        return None
    rows = [
        {"aspect": aspect["title"], "level": levels[aspect["aspect"]], **counts_of(aspect["alpha"])}
        | sided("raw", aspect["alpha"])
        | sided("rescaled", None)
        for aspect in aspects
    ]
    return FigureTable(
        name="aspects",
        title="Agreement by aspect",
        reading=extremes_in_words(aspects),
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


def _reading(row: Row, *, is_rescaled: bool) -> str:
    if row["raw"] is None:
        return f"{row['statistic']} is not defined: {row['undefined_because'].rstrip('.')}"
    text = f"{row['statistic']}: {number(row['raw'], 'value')}" + (" raw" if is_rescaled else "")
    if row["rescaled"] is not None:
        text += f", {number(row['rescaled'], 'value')} rescaled"
    return text

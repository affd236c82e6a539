"""Agreement as a whole: every coefficient of an aspect, and the aspects beside each other."""

from annotation_platform.analysis.selectors.snapshots import extremes_in_words
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


def agreement_table(aspect: Row) -> FigureTable:
    """Every coefficient of agreement, raw beside rescaled."""
    rows: list[Row] = []
    is_nominal = aspect["level"] == "nominal"
    for setting, name in {} if is_nominal else SETTINGS.items():
        tau = aspect["pairwise_tau"][setting]
        rows.append(
            {"statistic": f"τ, {name}", **counts_of(tau["raw"]["mean"])}
            | sided("raw", tau["raw"] and tau["raw"]["mean"])
            | sided("rescaled", tau["rescaled"] and tau["rescaled"]["mean"])
            | sided("change", tau["change"] and tau["change"]["mean"])
            | {key: tau["change"] and tau["change"]["mean"].get(key) for key in P_VALUES}
        )
    alpha = aspect["krippendorff_alpha"]
    rows.append(
        {"statistic": "Krippendorff α", **counts_of(alpha["raw"])}
        | sided("raw", alpha["raw"])
        | sided("rescaled", alpha["rescaled"])
        | sided("change", None)
    )
    kappa = aspect["fleiss_kappa"]
    rows.append(
        {"statistic": "Fleiss κ" if is_nominal else "Fleiss κ, best or not", **counts_of(kappa)}
        | sided("raw", kappa)
        | sided("rescaled", None)
        | sided("change", None)
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
            *([Column(key, heading, "p") for key, heading in P_VALUES.items()] if is_rescaled else []),
            Column("items", "Items", "count"),
            Column("annotators", "Annotators", "count"),
            Column("judgments", "Judgments", "count"),
            Column("undefined_because", "Remark"),
        ],
        rows=rows,
        charts={"agreement": "Dots are the figures, lines their 95\u00a0% intervals."},
    )


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


def _reading(row: Row) -> str:
    if row["raw"] is None:
        return f"{row['statistic']} is not defined: {row['undefined_because'].rstrip('.')}"
    text = f"{row['statistic']}: {number(row['raw'], 'value')} raw"
    if row["rescaled"] is not None:
        text += f", {number(row['rescaled'], 'value')} rescaled"
    return text

"""Agreement as a whole: every coefficient of an aspect, and the aspects beside each other."""

from annotation_platform.analysis.snapshots.stored import SIDES, extremes_in_words
from annotation_platform.analysis.tables.base import (
    SETTINGS,
    Column,
    FigureTable,
    Row,
    counts_of,
    in_a_row,
    is_certain,
    number,
    sided,
)
from annotation_platform.analysis.tables.request import TableOf

P_VALUES = {"p_value": "p", "p_value_holm": "p (Holm)", "p_of_pairs": "p, over pairs"}
RELIABLE = {"icc_2_1": "one annotator", "icc_2_k": "the mean of all"}
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
    is_rescaled = _is_rescaled(rows)
    title = "Agreement, raw and rescaled" if is_rescaled else "Agreement"
    reading = "; ".join(_reading(row, is_rescaled=is_rescaled) for row in rows) + "."
    return _table("agreement", title, rows, list(P_VALUES), reading)


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
    reading = _coefficients_reading(aspect, [row for row in rows if row["raw"] is None])
    return _table("coefficients", "More coefficients", rows, ["p_value"], reading, caption)


def _coefficients_reading(aspect: Row, undefined: list[Row]) -> str:
    """How often labels are equal, whether that is more than chance gives, and how reliable the numbers are."""
    by_label, by_distance = {"Gwet AC1": aspect["gwet_ac"]["ac1"]}, {"Gwet AC2": aspect["gwet_ac"]["ac2"]}
    (by_label if aspect["level"] == "nominal" else by_distance)["Cohen κ"] = aspect["cohen_kappa"]
    said = []
    if (share := aspect["percent_agreement"]["value"]) is not None:
        beyond = _beyond_chance(by_label)
        same = f"Two judgments of the same item have the same label in {number(share, 'share')} of cases"
        said.append(f"{same}: {beyond}." if beyond else f"{same}.")
    if beyond := _beyond_chance(by_distance):
        said.append(f"Where near labels count in part, agreement is {beyond}.")
    icc = {who: aspect["intraclass_correlation"][key] for key, who in RELIABLE.items()}
    if parts := [
        f"{_icc_in_words(sides)} for {who}" for who, sides in icc.items() if sides["raw"]["value"] is not None
    ]:
        said.append(f"The labels' numbers have a reliability (ICC) of {in_a_row(parts)}.")
    reasons: dict[str, list[str]] = {}
    for row in undefined:
        reasons.setdefault(row["undefined_because"], []).append(row["statistic"])
    said += [f"Not defined: {'; '.join(names)}. {reason}" for reason, names in reasons.items()]
    return " ".join(said)


def _beyond_chance(figures: dict[str, Row]) -> str:
    """Whether these coefficients, where 0 is chance, are certainly above it; nothing where none is defined."""
    said: dict[str, list[str]] = {}
    for name, figure in figures.items():
        if (value := figure["value"]) is not None:
            how = ("above" if value > 0 else "below") if is_certain(figure) else "not certainly above"
            said.setdefault(how, []).append(f"{name} ({number(value, 'value')})")
    return ", ".join(f"{how} chance by {in_a_row(names)}" for how, names in said.items())


def _icc_in_words(sides: Row) -> str:
    text, change = number(sides["raw"]["value"], "value"), sides["change"]
    if change is None or change["value"] is None:
        return text
    how = ("a certain rise" if change["value"] > 0 else "a certain fall") if is_certain(change) else "no certain change"
    return f"{text}, rescaled {number(sides['rescaled']['value'], 'value')} ({how}),"


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


def _table(
    name: str, title: str, rows: list[Row], p_values: list[str], reading: str, caption: str = DOTS
) -> FigureTable:
    is_rescaled = _is_rescaled(rows)
    return FigureTable(
        name=name,
        title=title,
        reading=reading,
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
        text = f"{row['statistic']} is not defined: {row['undefined_because'].rstrip('.')}"
        return text if row["rescaled"] is None else f"{text}; rescaled, it is {number(row['rescaled'], 'value')}"
    text = f"{row['statistic']}: {number(row['raw'], 'value')}" + (" raw" if is_rescaled else "")
    if row["rescaled"] is not None:
        text += f", {number(row['rescaled'], 'value')} rescaled"
    return text


TABLES = {
    "aspects": TableOf((), lambda asked: aspects_table(asked.snapshot.head)),
    "agreement": TableOf(
        ("pairwise_tau", "krippendorff_alpha", "fleiss_kappa"), lambda asked: agreement_table(asked.figures)
    ),
    "coefficients": TableOf(
        ("percent_agreement", "gwet_ac", "cohen_kappa", "intraclass_correlation"),
        lambda asked: coefficients_table(asked.figures),
    ),
}

"""Agreement as a whole: every coefficient of an aspect, and the aspects beside each other."""

from collections.abc import Mapping

from annotation_platform.analysis.measuring.certainty import is_certain
from annotation_platform.analysis.measuring.figures import (
    CountedFigure,
    Figure,
    MeanChange,
    TestedDifference,
)
from annotation_platform.analysis.sections.agreement.figures import (
    COHEN_KAPPA,
    FLEISS_KAPPA,
    GWET_AC,
    INTRACLASS_CORRELATION,
    KRIPPENDORFF_ALPHA,
    PERCENT_AGREEMENT,
    Reliability,
)
from annotation_platform.analysis.sections.pairs.figures import PAIRWISE_TAU
from annotation_platform.analysis.snapshots.words import alpha_in_words, change_in_words, extremes_in_words
from annotation_platform.analysis.tables.base import (
    SETTINGS,
    Column,
    FigureTable,
    Row,
    counts_of,
    in_a_row,
    number,
    sided,
)
from annotation_platform.analysis.tables.others import speaks_for_units
from annotation_platform.analysis.tables.request import TableOf, TableRequest

P_VALUES = {"p_value": "p", "p_value_holm": "p (Holm)"}
DOTS = "Dots are the figures, lines their 95\u00a0% intervals."


SETTINGS_IN_WORDS = {
    "all": "Over all items",
    "incomplete": "Where at least one of two annotators chose less than the best label",
}


def in_words(asked: TableRequest) -> list[str]:
    """What the figures of an aspect say, one sentence for each setting that has something to say."""
    if asked.head.is_nominal:
        words = alpha_in_words(asked.section(KRIPPENDORFF_ALPHA).raw)
        return [words[0].upper() + words[1:]]
    tau = asked.section(PAIRWISE_TAU).by_setting
    return [
        f"{where}, {change_in_words(*tau[key].means, is_rescaled=asked.head.is_rescaled)}"
        for key, where in SETTINGS_IN_WORDS.items()
        if tau[key].raw.mean.value is not None
    ]


def agreement_table(asked: TableRequest) -> FigureTable:
    """The main coefficients of agreement, raw beside rescaled."""
    rows: list[Row] = []
    is_nominal, tau = asked.head.is_nominal, asked.section(PAIRWISE_TAU).by_setting
    for setting, name in {} if is_nominal else SETTINGS.items():
        rows.append(_row(f"τ, {name}", *tau[setting].means))
    alpha = asked.section(KRIPPENDORFF_ALPHA)
    rows.append(_row("Krippendorff α", alpha.raw, alpha.rescaled))
    rows.append(_row("Fleiss κ" if is_nominal else "Fleiss κ, best or not", asked.section(FLEISS_KAPPA)))
    is_rescaled = _is_rescaled(rows)
    title = "Agreement, raw and rescaled" if is_rescaled else "Agreement"
    reading = "; ".join(_reading(row, is_rescaled=is_rescaled) for row in rows) + "."
    return _table(asked, "agreement", title, rows, list(P_VALUES), reading)


def coefficients_table(asked: TableRequest) -> FigureTable:
    """The coefficients beside the main ones, as far as they fit the level of measurement."""
    is_nominal, gwet, icc = asked.head.is_nominal, asked.section(GWET_AC), asked.section(INTRACLASS_CORRELATION)
    rows = [_row("Percent agreement", asked.section(PERCENT_AGREEMENT)), _row("Gwet AC1", gwet.ac1)]
    if not is_nominal:
        rows.append(_row("Gwet AC2, weighted", gwet.ac2))
    rows.append(_row("Cohen κ, pairs" if is_nominal else "Cohen κ, weighted, pairs", asked.section(COHEN_KAPPA)))
    if not is_nominal:
        of = {"ICC(2,1), one rater": icc.icc_2_1, "ICC(2,k), mean of all": icc.icc_2_k}
        rows += [_row(name, each.raw, each.rescaled, each.change) for name, each in of.items()]
    caption = f"{DOTS} Percent agreement counts what chance alone would give; the others do not."
    reading = _coefficients_reading(asked, [row for row in rows if row["raw"] is None])
    return _table(asked, "coefficients", "More coefficients", rows, ["p_value"], reading, caption)


def _coefficients_reading(asked: TableRequest, undefined: list[Row]) -> str:
    """How often labels are equal, whether that is more than chance gives, and how reliable the numbers are."""
    gwet, cohen, icc = asked.section(GWET_AC), asked.section(COHEN_KAPPA), asked.section(INTRACLASS_CORRELATION)
    by_label: dict[str, Figure] = {"Gwet AC1": gwet.ac1}
    by_distance: dict[str, Figure] = {"Gwet AC2": gwet.ac2}
    (by_label if asked.head.is_nominal else by_distance)["Cohen κ"] = cohen
    said = []
    if (share := asked.section(PERCENT_AGREEMENT).value) is not None:
        beyond = _beyond_chance(by_label)
        same = f"Two judgments of the same item have the same label in {number(share, 'share')} of cases"
        said.append(f"{same}: {beyond}." if beyond else f"{same}.")
    if beyond := _beyond_chance(by_distance):
        said.append(f"Where near labels count in part, agreement is {beyond}.")
    of = {"one annotator": icc.icc_2_1, "the mean of all": icc.icc_2_k}
    if parts := [f"{_icc_in_words(each)} for {who}" for who, each in of.items() if each.raw.value is not None]:
        said.append(f"The labels' numbers have a reliability (ICC) of {in_a_row(parts)}.")
    reasons: dict[str, list[str]] = {}
    for row in undefined:
        reasons.setdefault(row["undefined_because"], []).append(row["statistic"])
    said += [f"Not defined: {'; '.join(names)}. {reason}" for reason, names in reasons.items()]
    return " ".join(said)


def _beyond_chance(figures: Mapping[str, Figure]) -> str:
    """Whether these coefficients, where 0 is chance, are significantly above it; nothing where none is defined."""
    said: dict[str, list[str]] = {}
    for name, figure in figures.items():
        if (value := figure.value) is not None:
            how = ("above" if value > 0 else "below") if is_certain(figure) else "not significantly above"
            said.setdefault(how, []).append(f"{name} ({number(value, 'value')})")
    return ", ".join(f"{how} chance by {in_a_row(names)}" for how, names in said.items())


def _icc_in_words(found: Reliability) -> str:
    text, change = number(found.raw.value, "value"), found.change
    if change is None or change.value is None or found.rescaled is None:
        return text
    how = "no significant change"
    if is_certain(change):
        how = "a significant rise" if change.value > 0 else "a significant fall"
    return f"{text}, rescaled {number(found.rescaled.value, 'value')} ({how}),"


def _row(
    statistic: str,
    raw: CountedFigure,
    rescaled: CountedFigure | None = None,
    change: MeanChange | TestedDifference | None = None,
) -> Row:
    p_values = {
        "p_value": change and change.p_value,
        "p_value_holm": change and change.corrected_p,
    }
    return (
        {"statistic": statistic, **counts_of(raw)}
        | sided("raw", raw)
        | sided("rescaled", rescaled)
        | sided("change", change)
        | p_values
    )


def _is_rescaled(rows: list[Row]) -> bool:
    return any(row["rescaled"] is not None for row in rows)


def _table(
    asked: TableRequest, name: str, title: str, rows: list[Row], p_values: list[str], reading: str, caption: str = DOTS
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
        unit=asked.head.unit,
        speaks_for=speaks_for_units(asked),
    )


def _any_value(rows: list[Row]) -> bool:
    return any(row["raw"] is not None or row["rescaled"] is not None for row in rows)


def aspects_table(asked: TableRequest) -> FigureTable | None:
    """Krippendorff α of every aspect at its own level: where annotators agree, and where not; None with just one."""
    aspects = asked.snapshot.head.headline.aspects
    if len(aspects) < 2:
        return None
    rows = [
        {"aspect": aspect.title, "level": aspect.alpha.level, **counts_of(aspect.alpha)}
        | sided("raw", aspect.alpha)
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
        unit=asked.head.unit,
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
    "aspects": TableOf((), aspects_table),
    "agreement": TableOf((PAIRWISE_TAU.key, KRIPPENDORFF_ALPHA.key, FLEISS_KAPPA.key), agreement_table),
    "coefficients": TableOf(
        (PERCENT_AGREEMENT.key, GWET_AC.key, COHEN_KAPPA.key, INTRACLASS_CORRELATION.key), coefficients_table
    ),
}

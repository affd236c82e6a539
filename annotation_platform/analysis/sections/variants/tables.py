"""Runs of rescaling side by side: prompt variants, mixtures, the guard's verdicts, and two runs compared."""

from collections.abc import Mapping

from annotation_platform.analysis.measuring.certainty import is_certain
from annotation_platform.analysis.measuring.figures import CountedFigure
from annotation_platform.analysis.sections.variants.chosen import (
    AS_GIVEN,
    chosen_variant,
    compared,
    name_of,
    own_mixture,
    part_of,
    run_name,
    runs_of,
    variants_of,
)
from annotation_platform.analysis.sections.variants.classes import classes_table, own_order_table
from annotation_platform.analysis.sections.variants.figures import VARIANTS
from annotation_platform.analysis.tables.base import (
    SETTINGS,
    Column,
    FigureTable,
    Row,
    counts_of,
    highest,
    in_a_row,
    number,
    sided,
)
from annotation_platform.analysis.tables.request import TableOf, TableRequest


def variants_table(asked: TableRequest) -> FigureTable | None:
    """Mean τ of the labels as given and of every run, in each setting (Tables 8 and 9 of the EBR paper)."""
    if not (variants := runs_of(asked)):
        return None
    runs = asked.section(VARIANTS).runs
    rows = [_tau_row(AS_GIVEN, part_of(asked, variants[0]).raw) | {"lambda": None, "remark": ""}]
    for variant in variants:
        run, mixture = runs[variant.key], own_mixture(variant, part_of(asked, variant))
        remarks = ["leaking: the model saw the answer"] if run.is_leaking else []
        remarks += [] if mixture.guard.is_good else [mixture.guard.sentence]
        row = _tau_row(run_name(run), mixture.tau)
        rows.append(row | {"lambda": variant.mixture, "remark": "; ".join(remarks)})
    return FigureTable(
        name="variants",
        title="Runs side by side",
        reading=_variants_reading(rows),
        columns=[
            Column("name", "Run"),
            *[Column(key, f"τ, {words}", "value", True) for key, words in SETTINGS.items()],
            Column("items", "Items", "count"),
            Column("annotators", "Annotators", "count"),
            Column("judgments", "Judgments", "count"),
            Column("remark", "Remark"),
        ],
        rows=rows,
        charts={"variants": "Dots are mean τ over pairs of annotators, lines their 95\u00a0% intervals."},
        meta={"query": asked.query_of("part")},
    )


def mixtures_table(asked: TableRequest) -> FigureTable | None:
    """Mean τ for every λ of one run, with what the guard says of it (Table 10 of the EBR paper)."""
    if (variant := chosen_variant(asked)) is None:
        return None
    part = part_of(asked, variant)
    rows = []
    for mixture in part.mixtures:
        guard, name = mixture.guard, f"λ = {mixture.mixture:g}"
        row = _tau_row(name, mixture.tau) | {"lambda": mixture.mixture, "remark": guard.sentence}
        row |= sided("spread", guard.spread) | sided("nuance", guard.nuance) | sided("reversed", guard.reversed)
        for setting in SETTINGS:
            row |= sided(f"change_{setting}", mixture.change[setting])
        rows.append(row)
    return FigureTable(
        name="mixtures",
        title="Mixtures of score and class mean",
        reading=_mixtures_reading(rows),
        columns=[
            Column("lambda", "λ", "text"),
            *[Column(key, f"τ, {words}", "value", True) for key, words in SETTINGS.items()],
            *[
                Column(f"change_{key}", f"Change from labels, {words}", "value", True)
                for key, words in SETTINGS.items()
            ],
            Column("spread", "Variance left", "share", True),
            Column("nuance", "of it within labels", "share", True),
            Column("reversed", "Own pairs reversed", "share", True),
            Column("items", "Items", "count"),
            Column("judgments", "Judgments", "count"),
            Column("remark", "The guard"),
        ],
        rows=rows,
        charts={
            "mixtures": "Lines are mean τ, bands their 95\u00a0% intervals; dashed: the labels as given. At λ = 0 the "
            "explanation's score counts alone, at 1 the annotator's mean score for the label."
        },
        meta={"raw": {setting: tau.value for setting, tau in part.raw.items()}}
        | {"query": asked.query_of("part", "variant")},
    )


def comparison_table(asked: TableRequest) -> FigureTable | None:
    """Two runs, or a run and the labels as given, each with its own λ: the paired difference with its test."""
    if (found := variants_of(asked)) is None or not found.comparisons:
        return None
    first, second = compared(asked)
    turned = -1 if (first, second) not in {(pair.first, pair.second) for pair in found.comparisons} else 1
    wanted = (first, second)[::turned]
    rows: list[Row] = []
    for pair in found.comparisons:
        if (pair.first, pair.second) == wanted:
            ends = pair.interval and tuple(sorted(turned * end for end in pair.interval))
            value = None if pair.value is None else turned * pair.value
            figure = pair.model_copy(update={"value": value, "interval": ends})
            row = {"setting": SETTINGS[pair.setting], "items": pair.items, **sided("difference", figure)}
            row |= {"p_value": pair.p_value, "p_holm": pair.p_holm, "is_certain": is_certain(figure)}
            rows.append(row | {"remark": pair.undefined_because or pair.no_p_value_because or ""})
    return FigureTable(
        name="comparison",
        title=f"{name_of(asked, second)} against {name_of(asked, first)}",
        reading=_comparison_reading(rows, name_of(asked, first), name_of(asked, second)),
        columns=[
            Column("setting", "Setting"),
            Column("difference", "Difference of mean τ", "value", True),
            Column("p_value", "p", "p"),
            Column("p_holm", "p, corrected (Holm)", "p"),
            Column("items", "Items", "count"),
            Column("remark", "Remark"),
        ],
        rows=rows,
        charts={"comparison": "Dots are differences of mean τ, lines their paired 95\u00a0% intervals."},
        meta={"query": asked.query_of("first", "second")},
    )


def _tau_row(name: str, tau: Mapping[str, CountedFigure]) -> Row:
    row: Row = {"name": name, **counts_of(tau["all"])}
    for setting in SETTINGS:
        row |= sided(setting, tau[setting])
    return row


def _variants_reading(rows: list[Row]) -> str:
    raw, *runs = rows
    parts = []
    for setting, words in SETTINGS.items():
        if best := highest(runs, setting, "value"):
            parts.append(
                f"{words}: {in_a_row([row['name'] for row in best])} with {number(best[0][setting], 'value')}"
                f" (labels as given {number(raw[setting], 'value')})"
            )
    if not parts:
        return "No τ is defined."
    if len(runs) == 1:
        return f"Mean τ, over {'; '.join(parts)}."
    return f"The highest mean τ of the runs, over {'; '.join(parts)}. Which of them differ, their comparison says."


def _mixtures_reading(rows: list[Row]) -> str:
    parts = []
    for setting, words in SETTINGS.items():
        if best := highest(rows, setting, "value"):
            where = in_a_row([f"{row['lambda']:g}" for row in best])
            parts.append(f"{words} {number(best[0][setting], 'value')} at λ = {where}")
    objections = [row for row in rows if not row["remark"].startswith("No objection")]
    guard = "The guard has no objection to any of them."
    if objections:
        guard = f"The guard objects to λ = {', '.join(format(row['lambda'], 'g') for row in objections)}."
    return f"The highest mean τ: {'; '.join(parts)}. {guard}" if parts else "No τ is defined."


def _comparison_reading(rows: list[Row], first: str, second: str) -> str:
    parts = []
    for row in rows:
        if row["difference"] is None:
            parts.append(f"{row['setting']}: not defined")
            continue
        how = "no significant difference"
        if row["is_certain"]:
            how = f"by {second}, annotators order answers {'more' if row['difference'] > 0 else 'less'} alike"
        p = "" if row["p_holm"] is None else f", corrected p {number(row['p_holm'], 'p')}"
        parts.append(f"{row['setting']}: {how} ({number(row['difference'], 'value')}{p})")
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}."


TABLES = {
    "variants": TableOf((VARIANTS.key,), variants_table),
    "mixtures": TableOf((VARIANTS.key,), mixtures_table),
    "classes": TableOf((VARIANTS.key,), classes_table),
    "own-order": TableOf((VARIANTS.key,), own_order_table),
    "comparison": TableOf((VARIANTS.key,), comparison_table),
}

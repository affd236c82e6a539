"""Runs of rescaling side by side: prompt variants, mixtures, the guard's verdicts, and two runs compared."""

from collections.abc import Callable
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotation_platform.accounts.language import why_in_language
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
from annotation_platform.analysis.sections.variants.figures import VARIANTS, BySetting, MixtureFigures
from annotation_platform.analysis.sections.variants.table_rows import ComparisonRow, MixtureRow, TauRow
from annotation_platform.analysis.tables.base import SETTINGS, TAU, Column, FigureTable
from annotation_platform.analysis.tables.leading import highest
from annotation_platform.analysis.tables.request import TableOf, TableRequest
from annotation_platform.analysis.tables.rows import estimate_of
from annotation_platform.analysis.tables.words import in_a_row, number, upper_first, with_commas

CHANGE = {
    "all": gettext_noop("Change from labels, all items"),
    "incomplete": gettext_noop("Change from labels, incomplete setting"),
    "no_ties": gettext_noop("Change from labels, without ties"),
}


def variants_table(asked: TableRequest) -> FigureTable | None:
    """Mean τ of the labels as given and of every run, in each setting (Tables 8 and 9 of the EBR paper)."""
    if not (variants := runs_of(asked)):
        return None
    runs = asked.section(VARIANTS).runs
    rows = [TauRow(name=_(AS_GIVEN), mixture=None, remark="", **_taus(part_of(asked, variants[0]).raw))]
    for variant in variants:
        run, mixture = runs[variant.key], own_mixture(variant, part_of(asked, variant))
        remarks = [_("leaking: the model saw the answer")] if run.is_leaking else []
        remarks += [] if mixture.guard.is_good else [why_in_language(mixture.guard.sentence)]
        remark = _("; ").join(remarks)
        rows.append(TauRow(name=run_name(run), mixture=variant.mixture, remark=remark, **_taus(mixture.tau)))
    return FigureTable(
        name="variants",
        title=_("Runs side by side"),
        reading=_variants_reading(rows),
        columns=[
            Column("name", _("Run")),
            *[Column(key, _(words), "value", True) for key, words in TAU.items()],
            Column("items", _("Items"), "count"),
            Column("annotators", _("Annotators"), "count"),
            Column("judgments", _("Judgments"), "count"),
            Column("remark", _("Remark")),
        ],
        rows=rows,
        charts={"variants": _("Dots are mean τ over pairs of annotators, lines their 95\u00a0% intervals.")},
        meta={"query": asked.query_of("part")},
    )


def mixtures_table(asked: TableRequest) -> FigureTable | None:
    """Mean τ for every λ of one run, with what the guard says of it (Table 10 of the EBR paper)."""
    if (variant := chosen_variant(asked)) is None:
        return None
    part = part_of(asked, variant)
    rows = [_mixture_row(mixture) for mixture in part.mixtures]
    return FigureTable(
        name="mixtures",
        title=_("Mixtures of score and class mean"),
        reading=_mixtures_reading(rows),
        columns=[
            Column("lambda", _("λ"), "text"),
            *[Column(key, _(words), "value", True) for key, words in TAU.items()],
            *[Column(f"change_{key}", _(words), "value", True) for key, words in CHANGE.items()],
            Column("spread", _("Variance left"), "share", True),
            Column("nuance", _("of it within labels"), "share", True),
            Column("reversed", _("Own pairs reversed"), "share", True),
            Column("items", _("Items"), "count"),
            Column("judgments", _("Judgments"), "count"),
            Column("remark", _("The guard")),
        ],
        rows=rows,
        charts={
            "mixtures": _(
                "Lines are mean τ, bands their 95\u00a0% intervals; dashed: the labels as given. At λ = 0 the "
                "explanation's score counts alone, at 1 the annotator's mean score for the label."
            )
        },
        meta={"raw": {setting: tau.value for setting, tau in part.raw.by_setting.items()}}
        | {"query": asked.query_of("part", "variant")},
    )


def comparison_table(asked: TableRequest) -> FigureTable | None:
    """Two runs, or a run and the labels as given, each with its own λ: the paired difference with its test."""
    if (found := variants_of(asked)) is None or not found.comparisons:
        return None
    first, second = compared(asked)
    turned = -1 if (first, second) not in {(pair.first, pair.second) for pair in found.comparisons} else 1
    wanted = (first, second)[::turned]
    rows: list[ComparisonRow] = []
    for pair in found.comparisons:
        if (pair.first, pair.second) == wanted:
            ends = pair.interval and tuple(sorted(turned * end for end in pair.interval))
            value = None if pair.value is None else turned * pair.value
            figure = pair.model_copy(update={"value": value, "interval": ends})
            rows.append(
                ComparisonRow(
                    setting=_(SETTINGS[pair.setting]),
                    items=pair.items,
                    difference=estimate_of(figure),
                    p_value=pair.p_value,
                    p_holm=pair.p_holm,
                    is_certain=is_certain(figure),
                    remark=pair.undefined_because or pair.no_p_value_because or "",
                )
            )
    return FigureTable(
        name="comparison",
        title=_("{second} against {first}").format(second=name_of(asked, second), first=name_of(asked, first)),
        reading=_comparison_reading(rows, name_of(asked, first), name_of(asked, second)),
        columns=[
            Column("setting", _("Setting")),
            Column("difference", _("Difference of mean τ"), "value", True),
            Column("p_value", "p", "p"),
            Column("p_holm", _("p, corrected (Holm)"), "p"),
            Column("items", _("Items"), "count"),
            Column("remark", _("Remark")),
        ],
        rows=rows,
        charts={"comparison": _("Dots are differences of mean τ, lines their paired 95\u00a0% intervals.")},
        meta={"query": asked.query_of("first", "second")},
    )


def _taus(tau: BySetting[CountedFigure]) -> dict[str, Any]:
    """τ in each setting, and what it rests on over all items: the fields of a row."""
    return {
        "items": tau.all.items,
        "annotators": tau.all.annotators,
        "judgments": tau.all.judgments,
        "undefined_because": tau.all.why_not,
        "all": estimate_of(tau.all),
        "incomplete": estimate_of(tau.incomplete),
        "no_ties": estimate_of(tau.no_ties),
    }


def _mixture_row(found: MixtureFigures) -> MixtureRow:
    guard = found.guard
    return MixtureRow(
        name=f"λ = {found.mixture:g}",
        mixture=found.mixture,
        remark=why_in_language(guard.sentence),
        is_good=guard.is_good,
        spread=estimate_of(guard.spread),
        nuance=estimate_of(guard.nuance),
        reversed=estimate_of(guard.reversed),
        change={setting: estimate_of(change) for setting, change in found.change.by_setting.items()},
        **_taus(found.tau),
    )


def _tau_in(setting: str) -> Callable[[TauRow], float | None]:
    return lambda row: row.by_setting[setting].value


def _variants_reading(rows: list[TauRow]) -> str:
    raw, *runs = rows
    parts = []
    for setting, words in SETTINGS.items():
        tau = _tau_in(setting)
        if best := highest(runs, tau, "value"):
            parts.append(
                _("{setting}: {runs} with {tau} (labels as given {raw})").format(
                    setting=_(words),
                    runs=in_a_row([row.name for row in best]),
                    tau=number(tau(best[0]), "value"),
                    raw=number(tau(raw), "value"),
                )
            )
    if not parts:
        return _("No τ is defined.")
    if len(runs) == 1:
        return _("Mean τ, over {words}.").format(words=_("; ").join(parts))
    said = _("The highest mean τ of the runs, over {words}. Which of them differ, their comparison says.")
    return said.format(words=_("; ").join(parts))


def _mixtures_reading(rows: list[MixtureRow]) -> str:
    parts = []
    for setting, words in SETTINGS.items():
        tau = _tau_in(setting)
        if best := highest(rows, tau, "value"):
            where = in_a_row([f"{row.mixture:g}" for row in best])
            at = _("{setting} {tau} at λ = {values}")
            parts.append(at.format(setting=_(words), tau=number(tau(best[0]), "value"), values=where))
    if not parts:
        return _("No τ is defined.")
    guard = _("The guard has no objection to any of them.")
    if objections := [f"{row.mixture:g}" for row in rows if not row.is_good]:
        guard = _("The guard objects to λ = {values}.").format(values=with_commas(objections))
    return _("The highest mean τ: {words}. {guard}").format(words=_("; ").join(parts), guard=guard)


def _comparison_reading(rows: list[ComparisonRow], first: str, second: str) -> str:
    parts = []
    for row in rows:
        if (value := row.difference.value) is None:
            parts.append(_("{setting}: not defined").format(setting=row.setting))
            continue
        how = _("no significant difference")
        if row.is_certain:
            more, less = (
                _("by {run}, annotators order answers more alike"),
                _("by {run}, annotators order answers less alike"),
            )
            how = (more if value > 0 else less).format(run=second)
        said = _("{setting}: {how} ({difference})")
        if row.p_holm is not None:
            said = _("{setting}: {how} ({difference}, corrected p {p})")
        difference, p = number(value, "value"), number(row.p_holm, "p")
        parts.append(said.format(setting=row.setting, how=how, difference=difference, p=p))
    return upper_first(_("{words}.").format(words=_("; ").join(parts)))


TABLES = {
    "variants": TableOf((VARIANTS.key,), variants_table),
    "mixtures": TableOf((VARIANTS.key,), mixtures_table),
    "classes": TableOf((VARIANTS.key,), classes_table),
    "own-order": TableOf((VARIANTS.key,), own_order_table),
    "comparison": TableOf((VARIANTS.key,), comparison_table),
}

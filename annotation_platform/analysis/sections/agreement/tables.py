"""Agreement as a whole: every coefficient of an aspect, and the aspects beside each other."""

from collections.abc import Mapping

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotation_platform.accounts.language import why_in_language
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
from annotation_platform.analysis.sections.agreement.table_rows import AspectRow, CoefficientRow
from annotation_platform.analysis.sections.pairs.figures import PAIRWISE_TAU
from annotation_platform.analysis.snapshots.words import alpha_in_words, change_in_words, extremes_in_words
from annotation_platform.analysis.tables.base import SETTINGS, TAU, Column, FigureTable
from annotation_platform.analysis.tables.others import speaks_for_units
from annotation_platform.analysis.tables.request import TableOf, TableRequest
from annotation_platform.analysis.tables.rows import NOTHING, estimate_of
from annotation_platform.analysis.tables.words import (
    change_heading,
    half_sentence,
    in_a_row,
    number,
    upper_first,
    with_commas,
)

P_VALUES = {"p_value": "p", "p_value_holm": gettext_noop("p (Holm)")}
DOTS = gettext_noop("Dots are the figures, lines their 95\u00a0% intervals.")

ABOVE = gettext_noop("above chance by {names}")
BELOW = gettext_noop("below chance by {names}")
NOT_ABOVE = gettext_noop("not significantly above chance by {names}")
NOT_KNOWN = gettext_noop("not known to be above chance, for want of an interval, by {names}")
LEVELS = {
    "nominal": gettext_noop("nominal"),
    "ordinal": gettext_noop("ordinal"),
    "interval": gettext_noop("interval"),
    "ratio": gettext_noop("ratio"),
}
SETTINGS_IN_WORDS = {
    "all": gettext_noop("Over all items"),
    "incomplete": gettext_noop("Where at least one of two annotators chose less than the best label"),
}


def level_in_words(level: str) -> str:
    """A level of measurement as pages call it."""
    return _(LEVELS[level])


def in_words(asked: TableRequest) -> list[str]:
    """What the figures of an aspect say, one sentence for each setting that has something to say."""
    if asked.head.is_nominal:
        return [upper_first(alpha_in_words(asked.section(KRIPPENDORFF_ALPHA).raw))]
    tau = asked.section(PAIRWISE_TAU).by_setting
    return [
        _("{where}, {what}").format(
            where=_(where), what=change_in_words(*tau[key].means, is_rescaled=asked.head.is_rescaled)
        )
        for key, where in SETTINGS_IN_WORDS.items()
        if tau[key].raw.mean.value is not None
    ]


def agreement_table(asked: TableRequest) -> FigureTable:
    """The main coefficients of agreement, raw beside rescaled."""
    rows: list[CoefficientRow] = []
    is_nominal, tau = asked.head.is_nominal, asked.section(PAIRWISE_TAU).by_setting
    for setting in () if is_nominal else SETTINGS:
        rows.append(_row(_(TAU[setting]), *tau[setting].means))
    alpha = asked.section(KRIPPENDORFF_ALPHA)
    rows.append(_row(_("Krippendorff α"), alpha.raw, alpha.rescaled))
    rows.append(_row(_("Fleiss κ") if is_nominal else _("Fleiss κ, best or not"), asked.section(FLEISS_KAPPA)))
    is_rescaled = _is_rescaled(rows)
    title = _("Agreement, raw and rescaled") if is_rescaled else _("Agreement")
    reading = _("{words}.").format(words=_("; ").join(_reading(row, is_rescaled=is_rescaled) for row in rows))
    return _table(asked, "agreement", title, rows, list(P_VALUES), reading)


def coefficients_table(asked: TableRequest) -> FigureTable:
    """The coefficients beside the main ones, as far as they fit the level of measurement."""
    is_nominal, gwet, icc = asked.head.is_nominal, asked.section(GWET_AC), asked.section(INTRACLASS_CORRELATION)
    rows = [_row(_("Percent agreement"), asked.section(PERCENT_AGREEMENT)), _row("Gwet AC1", gwet.ac1)]
    if not is_nominal:
        rows.append(_row(_("Gwet AC2, weighted"), gwet.ac2))
    kappa = _("Cohen κ, pairs") if is_nominal else _("Cohen κ, weighted, pairs")
    rows.append(_row(kappa, asked.section(COHEN_KAPPA)))
    if not is_nominal:
        of = {_("ICC(2,1), one rater"): icc.icc_2_1, _("ICC(2,k), mean of all"): icc.icc_2_k}
        rows += [_row(name, each.raw, each.rescaled, each.change) for name, each in of.items()]
    caption = " ".join([_(DOTS), _("Percent agreement counts what chance alone would give; the others do not.")])
    reading = _coefficients_reading(asked, [row for row in rows if row.raw.value is None])
    return _table(asked, "coefficients", _("More coefficients"), rows, ["p_value"], reading, caption)


def _coefficients_reading(asked: TableRequest, undefined: list[CoefficientRow]) -> str:
    """How often labels are equal, whether that is more than chance gives, and how reliable the numbers are."""
    gwet, cohen, icc = asked.section(GWET_AC), asked.section(COHEN_KAPPA), asked.section(INTRACLASS_CORRELATION)
    by_label: dict[str, Figure] = {"Gwet AC1": gwet.ac1}
    by_distance: dict[str, Figure] = {"Gwet AC2": gwet.ac2}
    (by_label if asked.head.is_nominal else by_distance)[_("Cohen κ")] = cohen
    said = []
    if (share := asked.section(PERCENT_AGREEMENT).value) is not None:
        how_many = number(share, "share")
        if beyond := _beyond_chance(by_label):
            same = _("Two judgments of the same item have the same label in {share} of cases: {beyond}.")
            said.append(same.format(share=how_many, beyond=beyond))
        else:
            same = _("Two judgments of the same item have the same label in {share} of cases.")
            said.append(same.format(share=how_many))
    if beyond := _beyond_chance(by_distance):
        said.append(_("Where near labels count in part, agreement is {beyond}.").format(beyond=beyond))
    of = {_("{icc} for one annotator"): icc.icc_2_1, _("{icc} for the mean of all"): icc.icc_2_k}
    if parts := [how.format(icc=_icc_in_words(each)) for how, each in of.items() if each.raw.value is not None]:
        said.append(_("The labels' numbers have a reliability (ICC) of {parts}.").format(parts=in_a_row(parts)))
    reasons: dict[str, list[str]] = {}
    for row in undefined:
        reasons.setdefault(row.undefined_because, []).append(row.statistic)
    said += [
        _("Not defined: {names}. {why}").format(names=_("; ").join(names), why=why_in_language(why))
        for why, names in reasons.items()
    ]
    return " ".join(said)


def _beyond_chance(figures: Mapping[str, Figure]) -> str:
    """Whether these coefficients, where 0 is chance, are significantly above it; nothing where none is defined."""
    said: dict[str, list[str]] = {}
    for name, figure in figures.items():
        if (value := figure.value) is not None:
            how = (ABOVE if value > 0 else BELOW) if is_certain(figure) else NOT_ABOVE if figure.interval else NOT_KNOWN
            said.setdefault(how, []).append(f"{name} ({number(value, 'value')})")
    return with_commas([_(how).format(names=in_a_row(names)) for how, names in said.items()])


def _icc_in_words(found: Reliability) -> str:
    text, change = number(found.raw.value, "value"), found.change
    if change is None or change.value is None or found.rescaled is None:
        return text
    how = _("no significant change")
    if is_certain(change):
        how = _("a significant rise") if change.value > 0 else _("a significant fall")
    return _("{raw}, rescaled {rescaled} ({how}),").format(
        raw=text, rescaled=number(found.rescaled.value, "value"), how=how
    )


def _row(
    statistic: str,
    raw: CountedFigure,
    rescaled: CountedFigure | None = None,
    change: MeanChange | TestedDifference | None = None,
) -> CoefficientRow:
    return CoefficientRow(
        statistic=statistic,
        items=raw.items,
        annotators=raw.annotators,
        judgments=raw.judgments,
        undefined_because=raw.why_not,
        raw=estimate_of(raw),
        rescaled=estimate_of(rescaled),
        change=estimate_of(change),
        p_value=change.p_value if change else None,
        p_value_holm=change.corrected_p if change else None,
    )


def _is_rescaled(rows: list[CoefficientRow]) -> bool:
    return any(row.rescaled.value is not None for row in rows)


def _table(
    asked: TableRequest,
    name: str,
    title: str,
    rows: list[CoefficientRow],
    p_values: list[str],
    reading: str,
    caption: str = "",
) -> FigureTable:
    is_rescaled = _is_rescaled(rows)
    return FigureTable(
        name=name,
        title=title,
        reading=reading,
        columns=[
            Column("statistic", _("Statistic")),
            Column("raw", _("Raw") if is_rescaled else _("Value"), "value", True),
            *([Column("rescaled", _("Rescaled"), "value", True)] if is_rescaled else []),
            *([Column("change", change_heading(), "value", True)] if is_rescaled else []),
            *([Column(key, _(P_VALUES[key]), "p") for key in p_values] if is_rescaled else []),
            Column("items", _("Items"), "count"),
            Column("annotators", _("Annotators"), "count"),
            Column("judgments", _("Judgments"), "count"),
            Column("undefined_because", _("Remark")),
        ],
        rows=rows,
        charts={name: caption or _(DOTS)} if _any_value(rows) else {},
        unit=asked.head.unit,
        speaks_for=speaks_for_units(asked),
    )


def _any_value(rows: list[CoefficientRow]) -> bool:
    return any(row.raw.value is not None or row.rescaled.value is not None for row in rows)


def aspects_table(asked: TableRequest) -> FigureTable | None:
    """Krippendorff α of every aspect at its own level: where annotators agree, and where not; None with just one."""
    aspects = asked.snapshot.head.headline.aspects
    if len(aspects) < 2:
        return None
    rows = [
        AspectRow(
            aspect=aspect.title,
            level=level_in_words(aspect.alpha.level),
            items=aspect.alpha.items,
            annotators=aspect.alpha.annotators,
            judgments=aspect.alpha.judgments,
            undefined_because=aspect.alpha.why_not,
            raw=estimate_of(aspect.alpha),
            rescaled=NOTHING,
        )
        for aspect in aspects
    ]
    return FigureTable(
        name="aspects",
        title=_("Agreement by aspect"),
        reading=extremes_in_words(aspects),
        columns=[
            Column("aspect", _("Aspect")),
            Column("level", _("Level")),
            Column("raw", _("Krippendorff α"), "value", True),
            Column("items", _("Items"), "count"),
            Column("annotators", _("Annotators"), "count"),
            Column("judgments", _("Judgments"), "count"),
            Column("undefined_because", _("Remark")),
        ],
        rows=rows,
        charts={"aspects": _("Dots are Krippendorff α of the labels, lines 95\u00a0% intervals.")},
        unit=asked.head.unit,
    )


def _reading(row: CoefficientRow, *, is_rescaled: bool) -> str:
    said = {"statistic": row.statistic, "raw": number(row.raw.value, "value")}
    said |= {"rescaled": number(row.rescaled.value, "value"), "why": half_sentence(row.undefined_because)}
    if row.raw.value is None:
        if row.rescaled.value is None:
            return _("{statistic} is not defined: {why}").format(**said)
        return _("{statistic} is not defined: {why}; rescaled, it is {rescaled}").format(**said)
    if row.rescaled.value is not None:
        return _("{statistic}: {raw} raw, {rescaled} rescaled").format(**said)
    return (_("{statistic}: {raw} raw") if is_rescaled else _("{statistic}: {raw}")).format(**said)


TABLES = {
    "aspects": TableOf((), aspects_table, of_study=True),
    "agreement": TableOf((PAIRWISE_TAU.key, KRIPPENDORFF_ALPHA.key, FLEISS_KAPPA.key), agreement_table),
    "coefficients": TableOf(
        (PERCENT_AGREEMENT.key, GWET_AC.key, COHEN_KAPPA.key, INTRACLASS_CORRELATION.key), coefficients_table
    ),
}

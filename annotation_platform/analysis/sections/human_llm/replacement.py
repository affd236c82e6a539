"""The model in the place of a random person: what becomes of their agreement."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation_platform.analysis.sections.agreement.tables import level_in_words
from annotation_platform.analysis.sections.human_llm.figures import JudgedAspect, Replacement
from annotation_platform.analysis.sections.human_llm.table_rows import (
    ReplacementRow,
)
from annotation_platform.analysis.tables.base import Column, FigureTable
from annotation_platform.analysis.tables.rows import estimate_of
from annotation_platform.analysis.tables.words import change_heading, in_a_row


def replacement_table(aspects: list[tuple[str, JudgedAspect]]) -> FigureTable | None:
    """α among people, and with the model in the place of a random one of them (ACORN, figure 3)."""
    if not aspects:
        return None
    rows = [_replacement(title, figures.replacement, level_in_words(figures.level)) for title, figures in aspects]
    return FigureTable(
        name="llm-replacement",
        title=_("In a rater's place"),
        reading=replacement_reading(rows),
        columns=[
            Column("aspect", _("Aspect")),
            Column("level", _("Level")),
            Column("raters", _("α of people"), "value", True),
            Column("expected", _("α with the model"), "value", True),
            Column("change", change_heading(), "value", True),
            Column("p_value", "p", "p"),
            Column("mean_of_draws", _("Mean of 20 draws"), "value"),
            Column("items", _("Items"), "count"),
            Column("judgments", _("Judgments"), "count"),
            Column("without_label", _("Items without a label"), "count"),
            Column("undefined_because", _("Remark")),
        ],
        rows=rows,
        charts={
            "llm-replacement": _(
                "Dots are Krippendorff's α, with the model as expected over all draws of whom it replaces; lines "
                "95\u00a0% intervals; light ticks: 20 such draws."
            )
        }
        if any(row.raters.value is not None for row in rows)
        else {},
        draws={"llm-replacement": ("raters", "expected")},
    )


def _replacement(title: str, figures: Replacement, level: str) -> ReplacementRow:
    if figures.raters is None or figures.expected is None or figures.change is None:
        return ReplacementRow(aspect=title, undefined_because=figures.undefined_because, level=level)
    return ReplacementRow(
        aspect=title,
        p_value=figures.change.p_value,
        mean_of_draws=figures.mean_of_draws,
        draws=figures.draws,
        without_label=figures.without_label,
        items=figures.raters.items,
        judgments=figures.raters.judgments,
        raters=estimate_of(figures.raters),
        expected=estimate_of(figures.expected),
        change=estimate_of(figures.change),
        undefined_because=figures.raters.why_not or figures.expected.why_not,
        level=level,
    )


def replacement_reading(rows: list[ReplacementRow]) -> str:
    sure = [row for row in rows if row.change.low is not None]
    lower = [row.aspect for row in sure if row.change.is_below]
    higher = [row.aspect for row in sure if row.change.is_above]
    parts = []
    if lower:
        parts.append(_("agreement significantly falls on {aspects}").format(aspects=named(lower)))
    if higher:
        parts.append(_("agreement significantly rises on {aspects}").format(aspects=named(higher)))
    rest = len(sure) - len(lower) - len(higher)
    if rest:
        none = ngettext(
            "on {n} aspect no significant change is seen", "on {n} aspects no significant change is seen", rest
        )
        parts.append(none.format(n=rest))
    if not parts:
        return _("With the model in a random person's place, nothing can be said.")
    return _("With the model in a random person's place, {words}.").format(words=_("; ").join(parts))


def named(names: list[str]) -> str:
    return in_a_row([_("“{name}”").format(name=name) for name in names])

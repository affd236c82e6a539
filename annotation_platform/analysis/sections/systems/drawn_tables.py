"""Systems by all their answers, weighed by the chances with which tasks were drawn; and what plain figures say then."""

from collections.abc import Callable, Collection
from dataclasses import replace

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation_platform.accounts.language import why_in_language
from annotation_platform.analysis.measuring.certainty import is_certain
from annotation_platform.analysis.sections.systems.columns import columns_of_differences, columns_of_means
from annotation_platform.analysis.sections.systems.figures import (
    DRAWN_SYSTEMS,
    DrawnSystems,
    PossibleRanks,
    WeighedDifference,
    WeighedMean,
    WeighedSystems,
)
from annotation_platform.analysis.sections.systems.table_rows import WeighedDifferenceRow, WeighedRow
from annotation_platform.analysis.sections.systems.words import UNPAIRED, how_many_differ
from annotation_platform.analysis.tables.base import Column, FigureTable
from annotation_platform.analysis.tables.others import as_asked, drawn_by, speaks_for_both
from annotation_platform.analysis.tables.request import TableOf, TableRequest
from annotation_platform.analysis.tables.rows import Estimate, estimate_of
from annotation_platform.analysis.tables.words import number, number_kind, possible_ranks, with_commas

Build = Callable[[TableRequest], FigureTable | None]


def drawn_of(asked: TableRequest) -> DrawnSystems | None:
    """None where plain figures speak for all answers."""
    return asked.section(DRAWN_SYSTEMS).get(asked.aspect) if asked.has(DRAWN_SYSTEMS) else None


def has_weighed(found: Collection[str]) -> bool:
    """Whether a page that shows these tables has weighed ones among them."""
    return any(name in found for name in TABLES)


def of_judged_ones_only(build: Build, *, of_study: bool = False) -> Build:
    """A table of plain figures that says so where tasks were drawn with chances that differ; one ``of_study`` is about
    every aspect, whichever is shown."""

    def told(asked: TableRequest) -> FigureTable | None:
        table = build(asked)
        is_uneven = bool(asked.section(DRAWN_SYSTEMS)) if of_study else drawn_of(asked) is not None
        if table is None or not is_uneven:
            return table
        return replace(table, reading=f"{table.reading} {only_of_judged_ones()}")

    return told


def only_of_judged_ones() -> str:
    return _(
        "What people judged is no even part of all, and this is not weighed by the chances of the draw: it speaks "
        "of the judged answers only, not of all."
    )


def means_table(asked: TableRequest) -> FigureTable | None:
    """The weighed mean of each system; None where plain means speak for all answers, and without numbers."""
    if (found := drawn_of(asked)) is None or found.raw is None:
        return None
    side, shown = _shown(found.raw, found.rescaled)
    kind = number_kind(asked.head)
    rescaled = {mean.system: mean for mean in found.rescaled.means} if found.rescaled else {}
    ranks = {each.system: each for each in shown.ranks}
    rows = [_mean_row(asked, mean, rescaled.get(mean.system), ranks.get(mean.system)) for mean in found.raw.means]
    known = sorted(((mean.value, mean.system) for mean in shown.means if mean.value is not None), reverse=True)
    order = with_commas([f"{system} ({number(value, kind)})" for value, system in known])
    by_mean = _("By {side} mean of all answers, from the highest: {order}.").format(side=_(side), order=order)
    return FigureTable(
        name="means-drawn",
        title=_("Mean by system, all answers"),
        reading=" ".join([by_mean if known else _("No system has a mean."), *_how(found)]),
        columns=[
            *columns_of_means(rows, kind, is_rescaled=bool(found.rescaled)),
            *([Column("possible", _("Possible ranks, by pairs"))] if ranks else []),
            Column("judgments", _("Judgments"), "count"),
            Column("items", _("Answers that count"), "count"),
            Column("answers", _("Answers in all"), "count"),
        ],
        rows=rows,
        charts={"means-drawn": _("Dots are weighed means in the scale's numbers, lines their 95\u00a0% intervals.")},
        meta={"query": asked.query_of("others")},
        unit=asked.head.unit,
        speaks_for=speaks_for_both(asked),
        offers_others=True,
        are_wide=asked.others,
    )


def differences_table(asked: TableRequest) -> FigureTable | None:
    """Every two systems by their weighed means; None where plain differences speak for all answers."""
    if (found := drawn_of(asked)) is None or found.raw is None:
        return None
    side, shown = _shown(found.raw, found.rescaled)
    if not shown.differences:
        return None
    differences = [as_asked(asked, each) for each in shown.differences]
    rows = [_difference_row(each) for each in differences]
    sure = sum(is_certain(each) for each in differences)
    return FigureTable(
        name="differences-drawn",
        title=_("Differences of systems, all answers"),
        reading=" ".join([how_many_differ(side, sure, rows), *_how(found)]),
        columns=columns_of_differences(
            (
                Column("counted_of_first", _("Answers that count, of the first"), "count"),
                Column("counted_of_second", _("of the second"), "count"),
            ),
            number_kind(asked.head),
            found.unit,
        ),
        rows=rows,
        charts={
            "differences-drawn": _(
                "Weighed mean of the second minus that of the first, with 95\u00a0% intervals by {unit}; a line across "
                "zero may be chance."
            ).format(unit=drawn_by(_(found.unit), others=asked.others))
        },
        meta={"side": side.capitalize(), "query": asked.query_of("others")},
        unit=asked.head.unit,
        speaks_for=speaks_for_both(asked),
        offers_others=True,
        are_wide=asked.others,
    )


def _shown(raw: WeighedSystems, rescaled: WeighedSystems | None) -> tuple[str, WeighedSystems]:
    """By which numbers systems are compared: rescaled ones where there are any, as elsewhere."""
    return ("raw", raw) if rescaled is None else ("rescaled", rescaled)


def _how(found: DrawnSystems) -> list[str]:
    """How judgments are weighed, and for which answers they do not speak."""
    said = [
        _(
            "Each judged answer is weighed by one over the chance with which its task was drawn, so that the figures "
            "speak of all answers; judgments outside of the draws do not count."
        )
    ]
    if found.leaves_out:
        said.append(
            _(
                "But some of what was drawn has not been judged, and it is not known that chance decided what: if it "
                "differs from what was judged, the figures are wrong for all answers. Have it judged, too, or say in "
                "the study's settings that it is missing by chance."
            )
        )
    if n := found.out_of_reach:
        left = ngettext(
            "{n:,} answer in a batch that is still open is left out.",
            "{n:,} answers in batches that are still open are left out.",
            n,
        )
        said.append(left.format(n=n))
    return said


def _mean_row(
    asked: TableRequest, raw: WeighedMean, rescaled: WeighedMean | None, ranks: PossibleRanks | None
) -> WeighedRow:
    return WeighedRow(
        system=raw.system,
        items=raw.items,
        annotators=raw.annotators,
        judgments=raw.judgments,
        undefined_because=raw.why_not,
        raw=estimate_of(as_asked(asked, raw)),
        rescaled=estimate_of(as_asked(asked, rescaled)) if rescaled else Estimate(None),
        raw_rank=raw.rank,
        rescaled_rank=rescaled.rank if rescaled else None,
        answers=raw.answers,
        possible=possible_ranks((ranks.best, ranks.worst) if ranks else None),
    )


def _difference_row(each: WeighedDifference) -> WeighedDifferenceRow:
    why = ["" if each.is_paired else _(UNPAIRED), why_in_language(each.why_not)]
    return WeighedDifferenceRow(
        pair=" → ".join(each.systems),
        questions=max(each.answers) if each.is_paired else sum(each.answers),
        units=each.units,
        judgments=each.judgments,
        difference=estimate_of(each),
        p_value=each.p_value,
        p_holm=each.p_holm,
        answered_by_first=each.answers[0],
        answered_by_second=each.answers[1],
        undefined_because=" ".join(filter(None, why)),
        counted_of_first=each.counted[0],
        counted_of_second=each.counted[1],
    )


TABLES = {
    "means-drawn": TableOf((DRAWN_SYSTEMS.key,), means_table),
    "differences-drawn": TableOf((DRAWN_SYSTEMS.key,), differences_table),
}

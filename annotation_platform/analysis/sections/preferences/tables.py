"""Where people chose the best of several answers: wins, ties and losses of each two systems."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation_platform.analysis.measuring.certainty import SURE_BELOW
from annotation_platform.analysis.sections.preferences.figures import PREFERENCES, ComparedSystems, PreferredShare
from annotation_platform.analysis.sections.preferences.strengths import effects_table, strengths_table
from annotation_platform.analysis.sections.preferences.table_rows import WinRow
from annotation_platform.analysis.sections.systems.drawn_tables import of_judged_ones_only
from annotation_platform.analysis.sections.systems.figures import DRAWN_SYSTEMS
from annotation_platform.analysis.tables.base import Column, FigureTable
from annotation_platform.analysis.tables.others import as_asked, over, speaks_for
from annotation_platform.analysis.tables.request import TableOf, TableRequest
from annotation_platform.analysis.tables.rows import estimate_of
from annotation_platform.analysis.tables.words import (
    between,
    in_a_row,
    number,
    some,
    units_called,
    upper_first,
)


def preferences_table(asked: TableRequest) -> FigureTable | None:
    """None where the aspect does not ask for the best of several answers, or no two systems were compared."""
    found = asked.section(PREFERENCES).get(asked.aspect)
    if not found or not found.pairs:
        return None
    pairs = tuple(as_asked(asked, pair) for pair in found.pairs)
    rows, unit = [_row(pair) for pair in pairs], found.unit
    # For other annotators, too, the effect of the order stands in the table of effects alone.
    order = [] if asked.others else [_order_in_words(found.first_shown)]
    groups = units_called(unit)
    caption = _(
        "How often the first of the two was preferred, a tie counted as half, with 95\u00a0% intervals over {groups}; "
        "a line across 50\u00a0% may be chance."
    )
    return FigureTable(
        name="wins",
        title=_("Wins, ties and losses"),
        reading=" ".join([_who_wins(pairs), *_forced(found.forced), *order]),
        columns=[
            Column("pair", _("First over second")),
            Column("win_rate", _("Win rate"), "share", True),
            Column("wins", _("Wins"), "count"),
            Column("ties", _("Ties"), "count"),
            Column("losses", _("Losses"), "count"),
            Column("questions_won", _("Questions won"), "count"),
            Column("questions_tied", _("tied"), "count"),
            Column("questions_lost", _("lost"), "count"),
            Column("p_holm", _("p (Holm)"), "p"),
            *([Column("units", upper_first(groups), "count")] if found.group_is == "article" else []),
            Column("questions", _("Questions"), "count"),
            Column("judgments", _("Judgments"), "count"),
            Column("annotators", _("Annotators"), "count"),
            Column("shown_first", _("First shown before second"), "count"),
            Column("shown_second", _("behind it"), "count"),
            Column("undefined_because", _("Remark")),
        ],
        rows=rows,
        charts={"wins": caption.format(groups=over(asked, groups))},
        meta={"query": asked.query_of("others")},
        unit=unit,
        speaks_for=speaks_for(asked, unit),
        offers_others=True,
        are_wide=asked.others,
    )


def _row(pair: ComparedSystems) -> WinRow:
    one, other = pair.systems
    return WinRow(
        units=pair.units,
        undefined_because=pair.no_interval_because or "",
        judgments=pair.judgments,
        wins=pair.wins,
        ties=pair.ties,
        losses=pair.losses,
        questions=pair.questions,
        questions_won=pair.questions_won,
        questions_tied=pair.questions_tied,
        questions_lost=pair.questions_lost,
        annotators=pair.annotators,
        shown_first=pair.shown_first,
        shown_second=pair.shown_second,
        p_holm=pair.p_holm,
        pair=_("{one} over {other}").format(one=one, other=other),
        win_rate=estimate_of(pair),
    )


def _who_wins(pairs: tuple[ComparedSystems, ...]) -> str:
    sure = [pair for pair in pairs if is_preferred(pair)]
    if not sure:
        return ngettext(
            "It is not certain that people prefer one of the two systems to the other.",
            "Of none of the {n} pairs of systems is it certain which one people prefer.",
            len(pairs),
        ).format(n=len(pairs))
    preferred = _("{one} is preferred to {other} in {share} of judgments")
    said = [
        preferred.format(one=pair.systems[0], other=pair.systems[1], share=number(pair.value, "share"))
        for pair in sorted(sure, key=lambda pair: -(pair.value or 0))
    ]
    sentence = ngettext(
        "{pairs}, a tie counted as half (p below 0.05).",
        "{pairs}, a tie counted as half ({sure} of {n} pairs, p below 0.05 after Holm).",
        len(pairs),
    )
    return sentence.format(pairs=in_a_row(some(said)), sure=len(sure), n=len(pairs))


def is_preferred(pair: ComparedSystems) -> bool:
    """Whether the first of a pair is significantly preferred: p says so, and the interval, where there is one."""
    low = pair.interval[0] if pair.interval else 1.0
    return pair.p_holm is not None and pair.p_holm < SURE_BELOW and low > 0.5


def _order_in_words(order: PreferredShare) -> str:
    if order.value is None:
        return _("In which order the answers were shown is not known.")
    share = number(order.value, "share")
    if order.interval is None:
        return _("Of two answers, the one shown first was preferred in {share} of judgments.").format(share=share)
    low, high = order.interval
    if low > 0.5:
        said = _(
            "The order mattered: of two answers, the one shown first was preferred in {share} of judgments "
            "({interval}), so being shown first helped."
        )
    elif high < 0.5:
        said = _(
            "The order mattered: of two answers, the one shown first was preferred in {share} of judgments "
            "({interval}), so being shown second helped."
        )
    else:
        said = _(
            "It is not certain that the order mattered: the one shown first was preferred in {share} of judgments "
            "({interval})."
        )
    return said.format(share=share, interval=between(order.interval, "share"))


def _forced(count: int) -> list[str]:
    if not count:
        return []
    said = _("In {n} of the judgments no answer was acceptable; whichever was named still counts.")
    return [said.format(n=number(count, "count"))]


TABLES = {
    name: TableOf((PREFERENCES.key, DRAWN_SYSTEMS.key), of_judged_ones_only(build))
    for name, build in {
        "strengths": strengths_table,
        "preference-effects": effects_table,
        "wins": preferences_table,
    }.items()
}

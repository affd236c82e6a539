"""Where people chose the best of several answers: strengths of the systems, and wins, ties and losses of each two."""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from annotation_platform.accounts.language import why_in_language
from annotation_platform.analysis.measuring.certainty import SURE_BELOW
from annotation_platform.analysis.sections.preferences.figures import (
    PREFERENCES,
    ComparedSystems,
    Effect,
    Preferences,
    PreferredShare,
    Ranking,
    StrengthOfSystem,
)
from annotation_platform.analysis.sections.preferences.table_rows import EffectRow, StrengthRow, WinRow
from annotation_platform.analysis.tables.base import Column, FigureTable
from annotation_platform.analysis.tables.others import as_asked, speaks_for
from annotation_platform.analysis.tables.request import TableOf, TableRequest
from annotation_platform.analysis.tables.rows import estimate_of
from annotation_platform.analysis.tables.words import (
    between,
    in_a_row,
    number,
    possible_ranks,
    some,
    units_called,
    upper_first,
)
from annotation_platform.core.few_units import UnitName
from annotation_platform.core.rank_intervals import is_sole_first


def preferences_table(asked: TableRequest) -> FigureTable | None:
    """None where the aspect does not ask for the best of several answers, or no two systems were compared."""
    found = asked.section(PREFERENCES).get(asked.aspect)
    if not found or not found.pairs:
        return None
    pairs = tuple(as_asked(asked, pair) for pair in found.pairs)
    rows, unit = [_row(pair) for pair in pairs], unit_of(found)
    groups = units_called(unit)
    caption = _(
        "How often the first of the two was preferred, a tie counted as half, with 95\u00a0% intervals over {groups}; "
        "a line across 50\u00a0% may be chance."
    )
    return FigureTable(
        name="wins",
        title=_("Wins, ties and losses"),
        reading=" ".join([_who_wins(pairs), *_forced(found.forced), _order_in_words(found.first_shown)]),
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
        charts={"wins": caption.format(groups=_over(groups, others=asked.others))},
        meta={"query": asked.query_of("others")},
        unit=unit,
        speaks_for=speaks_for(asked, unit),
        offers_others=True,
        are_wide=asked.others,
    )


def unit_of(found: Preferences) -> UnitName:
    """What intervals draw."""
    return "article" if found.group_is == "article" else "question"


def _over(groups: str, *, others: bool) -> str:
    """What intervals are over."""
    return _("{groups} and annotators").format(groups=groups) if others else groups


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


EFFECTS = {
    "shown_first": gettext_noop("Shown first"),
    "length": gettext_noop("Twice as long"),
    "formatting": gettext_noop("Twice as much formatting"),
}


def strengths_table(asked: TableRequest) -> FigureTable | None:
    """All systems on one scale; None where the aspect does not ask for the best of several answers."""
    found = asked.section(PREFERENCES).get(asked.aspect)
    if not found or not found.ranking.systems:
        return None
    ranking = _ranking_as_asked(asked, found.ranking)
    rows = [_strength_row(each) for each in ranking.systems]
    has_controls = any(each.controlled for each in ranking.systems)
    groups = units_called(found.group_is)
    caption = _(
        "How often each system is preferred to one of average strength, a tie counted as half, with the effect of the "
        "order in which answers were shown taken out where it is known; lines are 95\u00a0% intervals over {groups}."
    )
    return FigureTable(
        name="strengths",
        title=_("Strength of each system"),
        reading=_strongest(ranking),
        columns=[
            Column("system", _("System")),
            Column("share", _("Preferred to an average system"), "share", True),
            Column("rank", _("Rank"), "count"),
            Column("possible", _("Possible ranks")),
            *([Column("controlled", _("At equal length and formatting"), "share", True)] if has_controls else []),
            *([Column("controlled_rank", _("Rank at equal length and formatting"), "count")] if has_controls else []),
            Column("strength", _("Strength, log π"), "value", True),
            Column("units", upper_first(groups), "count"),
            Column("comparisons", _("Comparisons"), "count"),
            Column("undefined_because", _("Remark")),
        ],
        rows=rows,
        charts={"strengths": caption.format(groups=_over(groups, others=asked.others))},
        meta={"query": asked.query_of("others")},
        unit=unit_of(found),
        speaks_for=speaks_for(asked, unit_of(found)),
        offers_others=True,
        are_wide=asked.others,
    )


def _ranking_as_asked(asked: TableRequest, ranking: Ranking) -> Ranking:
    """With the intervals, ranks and p that were asked for."""
    systems = [
        each.model_copy(
            update={
                "strength": as_asked(asked, each.strength),
                "share": as_asked(asked, each.share),
                "controlled": each.controlled and as_asked(asked, each.controlled),
                "ranks": each.ranks_for_others if asked.others else each.ranks,
            }
        )
        for each in ranking.systems
    ]
    effects = [each.model_copy(update={"share": as_asked(asked, each.share)}) for each in ranking.effects]
    return ranking.model_copy(update={"systems": tuple(systems), "effects": tuple(effects)})


def _strength_row(each: StrengthOfSystem) -> StrengthRow:
    return StrengthRow(
        system=each.system,
        rank=each.rank,
        possible=possible_ranks(each.ranks),
        comparisons=each.comparisons,
        controlled_rank=each.controlled_rank,
        units=each.share.units,
        undefined_because=each.share.why_not,
        share=estimate_of(each.share),
        strength=estimate_of(each.strength),
        controlled=estimate_of(each.controlled),
    )


def _strongest(found: Ranking) -> str:
    if len(found.parts) > 1:
        parts = _("; ").join(in_a_row(some(list(part))) for part in found.parts)
        return _("There is no common scale, since no comparison connects these: {parts}.").format(parts=parts)
    if found.systems[0].rank is None:
        return why_in_language(found.systems[0].share.why_not)
    order = in_a_row(some([f"{each.system} ({number(each.share.value, 'share')})" for each in found.systems]))
    return " ".join(
        [
            _(
                "By how often each would be preferred to a system of average strength, from the highest: {order}."
            ).format(order=order),
            _first_places(found.systems),
            *_at_equal_length(found.systems),
        ]
    )


def _first_places(systems: tuple[StrengthOfSystem, ...]) -> str:
    if any(each.ranks is None for each in systems):
        return _("How sure this order is cannot be said.")
    first = [each.system for each in systems if each.ranks and each.ranks[0] == 1]
    if is_sole_first(each.ranks for each in systems if each.ranks):
        said = _("{names} is significantly stronger than all others (all pairs at once, p below 0.05 after Holm).")
    elif len(first) == 1:
        said = _(
            "Only {names} may be the strongest: each of the others is significantly weaker than another system (all "
            "pairs at once, p below 0.05 after Holm)."
        )
    elif len(first) == len(systems):
        said = _(
            "Any of them may be the strongest: no two differ significantly (all pairs at once, no p below 0.05 after "
            "Holm)."
        )
    else:
        said = _(
            "Each of {names} may be the strongest, and each of the others is significantly weaker than another system "
            "(all pairs at once, p below 0.05 after Holm)."
        )
    return said.format(names=in_a_row(some(first)))


def _at_equal_length(systems: tuple[StrengthOfSystem, ...]) -> list[str]:
    if all(each.controlled is None for each in systems):
        return [_("Length and formatting cannot be told from the systems, so they are not held equal.")]
    if all(each.rank == each.controlled_rank for each in systems):
        return [_("At equal length and formatting the estimated order is the same.")]
    ranked = sorted((each.controlled_rank, each.system) for each in systems if each.controlled_rank is not None)
    order = in_a_row(some([system for _rank, system in ranked]))
    said = _("At equal length and formatting the estimated order is another, from the highest: {order}.")
    return [said.format(order=order)]


def effects_table(asked: TableRequest) -> FigureTable | None:
    """What else than the system makes an answer preferred; None where no two systems were compared."""
    found = asked.section(PREFERENCES).get(asked.aspect)
    if not found or not found.ranking.systems:
        return None
    ranking = _ranking_as_asked(asked, found.ranking)
    rows = [
        EffectRow(
            effect=_(EFFECTS[each.what]),
            p_value=each.share.p_value,
            undefined_because=each.share.why_not,
            share=estimate_of(each.share),
            units=each.share.units,
        )
        for each in ranking.effects
    ]
    ties = ranking.share_of_ties
    said = [_effect_in_words(each) for each in ranking.effects if each.share.value is not None]
    if ties:
        tie = _("Two equally strong answers tie in {share} of judgments.")
        said.append(tie.format(share=number(ties, "share")))
    return FigureTable(
        name="preference-effects",
        title=_("Order, length and formatting"),
        reading=" ".join(said) or _("Nothing besides the systems can be told to matter."),
        columns=[
            Column("effect", _("Of two answers of equal strength")),
            Column("share", _("Preferred"), "share", True),
            Column("p_value", "p", "p"),
            Column("units", upper_first(units_called(found.group_is)), "count"),
            Column("undefined_because", _("Remark")),
        ],
        rows=rows,
        charts={
            "preference-effects": _(
                "How often such an answer is preferred to one that is equal but for this, a tie counted as half, with "
                "95\u00a0% intervals; 50\u00a0% is no effect."
            )
        },
        meta={"query": asked.query_of("others")},
        unit=unit_of(found),
        speaks_for=speaks_for(asked, unit_of(found)),
        offers_others=True,
        are_wide=asked.others,
    )


_BETTER_OFF = {
    "shown_first": gettext_noop("the answer shown first"),
    "length": gettext_noop("an answer twice as long"),
    "formatting": gettext_noop("an answer with twice as much formatting"),
}


def _effect_in_words(effect: Effect) -> str:
    share, interval = number(effect.share.value, "share"), effect.share.interval
    what = _(_BETTER_OFF[effect.what])
    if interval is None:
        return _("Whether {what} is preferred, all else equal, cannot be said from these judgments.").format(what=what)
    low, high = interval
    if low > 0.5 or high < 0.5:
        said = _("All else equal, {what} is preferred in {share} of judgments ({interval}).")
    else:
        said = _("All else equal, {what} is preferred in {share} of judgments ({interval}), which may be chance.")
    return said.format(what=what, share=share, interval=between(interval, "share"))


TABLES = {
    "strengths": TableOf((PREFERENCES.key,), strengths_table),
    "preference-effects": TableOf((PREFERENCES.key,), effects_table),
    "wins": TableOf((PREFERENCES.key,), preferences_table),
}

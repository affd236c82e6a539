"""All systems on one scale, from people's preferences: how strong each is, and what else an answer is preferred for."""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotation_platform.accounts.language import why_in_language
from annotation_platform.analysis.sections.preferences.figures import PREFERENCES, Effect, Ranking, StrengthOfSystem
from annotation_platform.analysis.sections.preferences.table_rows import EffectRow, StrengthRow
from annotation_platform.analysis.tables.base import Column, FigureTable
from annotation_platform.analysis.tables.others import as_asked, over, speaks_for
from annotation_platform.analysis.tables.request import TableRequest
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
from annotation_platform.core.rank_intervals import is_sole_first

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
        charts={"strengths": caption.format(groups=over(asked, groups))},
        meta={"query": asked.query_of("others")},
        unit=found.unit,
        speaks_for=speaks_for(asked, found.unit),
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
    if ranking.undefined_because:
        no_tie = _("How often two equally strong answers tie is not defined: {why}")
        said.append(no_tie.format(why=why_in_language(ranking.undefined_because)))
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
        unit=found.unit,
        speaks_for=speaks_for(asked, found.unit),
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

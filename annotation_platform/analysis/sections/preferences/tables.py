"""Where people chose the best of several answers: strengths of the systems, and wins, ties and losses of each two."""

from annotation_platform.analysis.measuring.certainty import SURE_BELOW
from annotation_platform.analysis.sections.preferences.figures import (
    PREFERENCES,
    ComparedSystems,
    Effect,
    PreferredShare,
    Ranking,
    StrengthOfSystem,
)
from annotation_platform.analysis.tables.base import (
    Column,
    FigureTable,
    Row,
    in_a_row,
    number,
    possible_ranks,
    sided,
    some,
)
from annotation_platform.analysis.tables.request import TableOf, TableRequest


def preferences_table(asked: TableRequest) -> FigureTable | None:
    """None where the aspect does not ask for the best of several answers, or no two systems were compared."""
    found = asked.section(PREFERENCES).get(asked.aspect)
    if not found or not found.pairs:
        return None
    rows = [_row(pair) for pair in found.pairs]
    groups = f"{found.group_is.capitalize()}s"
    return FigureTable(
        name="wins",
        title="Wins, ties and losses",
        reading=" ".join([_who_wins(found.pairs), *_forced(found.forced), _order_in_words(found.first_shown)]),
        columns=[
            Column("pair", "First over second"),
            Column("win_rate", "Win rate", "share", True),
            Column("wins", "Wins", "count"),
            Column("ties", "Ties", "count"),
            Column("losses", "Losses", "count"),
            Column("questions_won", "Questions won", "count"),
            Column("questions_tied", "tied", "count"),
            Column("questions_lost", "lost", "count"),
            Column("p_holm", "p (Holm)", "p"),
            *([Column("units", groups, "count")] if found.group_is == "article" else []),
            Column("questions", "Questions", "count"),
            Column("judgments", "Judgments", "count"),
            Column("annotators", "Annotators", "count"),
            Column("shown_first", "First shown before second", "count"),
            Column("shown_second", "behind it", "count"),
            Column("undefined_because", "Remark"),
        ],
        rows=rows,
        charts={
            "wins": "How often the first of the two was preferred, a tie counted as half, with 95\u00a0% intervals "
            f"over {groups.lower()}; a line across 50\u00a0% may be chance."
        },
        unit="article" if found.group_is == "article" else "question",
    )


def _row(pair: ComparedSystems) -> Row:
    one, other = pair.systems
    counted = pair.model_dump(exclude={"value", "interval", "systems", "p_value", "no_interval_because"})
    return (
        counted
        | {"pair": f"{one} over {other}", "undefined_because": pair.no_interval_because or ""}
        | sided("win_rate", pair)
    )


def _who_wins(pairs: tuple[ComparedSystems, ...]) -> str:
    sure = [pair for pair in pairs if is_preferred(pair)]
    if not sure:
        if len(pairs) == 1:
            return "It is not certain that people prefer one of the two systems to the other."
        return f"Of none of the {len(pairs)} pairs of systems is it certain which one people prefer."
    said = [
        f"{pair.systems[0]} is preferred to {pair.systems[1]} in {number(pair.value, 'share')} of judgments"
        for pair in sorted(sure, key=lambda pair: -(pair.value or 0))
    ]
    how = "p below 0.05" if len(pairs) == 1 else f"{len(sure)} of {len(pairs)} pairs, p below 0.05 after Holm"
    return f"{in_a_row(some(said))}, a tie counted as half ({how})."


def is_preferred(pair: ComparedSystems) -> bool:
    """Whether the first of a pair is significantly preferred: p says so, and the interval, where there is one."""
    low = pair.interval[0] if pair.interval else 1.0
    return pair.p_holm is not None and pair.p_holm < SURE_BELOW and low > 0.5


def _order_in_words(order: PreferredShare) -> str:
    if order.value is None:
        return "In which order the answers were shown is not known."
    share = f"{number(order.value, 'share')} of judgments"
    if order.interval is None:
        return f"Of two answers, the one shown first was preferred in {share}."
    low, high = order.interval
    between = f"95\u00a0% interval {number(low, 'share')} to {number(high, 'share')}"
    if low > 0.5 or high < 0.5:
        which = "first" if low > 0.5 else "second"
        return (
            f"The order mattered: of two answers, the one shown first was preferred in {share} ({between}), so "
            f"being shown {which} helped."
        )
    return f"It is not certain that the order mattered: the one shown first was preferred in {share} ({between})."


def _forced(count: int) -> list[str]:
    if not count:
        return []
    return [f"In {number(count, 'count')} of the judgments no answer was acceptable; whichever was named still counts."]


EFFECTS = {"shown_first": "Shown first", "length": "Twice as long", "formatting": "Twice as much formatting"}


def strengths_table(asked: TableRequest) -> FigureTable | None:
    """All systems on one scale; None where the aspect does not ask for the best of several answers."""
    found = asked.section(PREFERENCES).get(asked.aspect)
    if not found or not found.ranking.systems:
        return None
    systems = found.ranking.systems
    rows = [_strength_row(each) for each in systems]
    has_controls = any(each.controlled for each in systems)
    groups = f"{found.group_is.capitalize()}s"
    return FigureTable(
        name="strengths",
        title="Strength of each system",
        reading=_strongest(found.ranking),
        columns=[
            Column("system", "System"),
            Column("share", "Preferred to an average system", "share", True),
            Column("rank", "Rank", "count"),
            Column("possible", "Possible ranks"),
            *([Column("controlled", "At equal length and formatting", "share", True)] if has_controls else []),
            *([Column("controlled_rank", "Rank at equal length and formatting", "count")] if has_controls else []),
            Column("strength", "Strength, log π", "value", True),
            Column("units", groups, "count"),
            Column("comparisons", "Comparisons", "count"),
            Column("undefined_because", "Remark"),
        ],
        rows=rows,
        charts={
            "strengths": "How often each system is preferred to one of average strength, a tie counted as half, with "
            "the effect of the order in which answers were shown taken out where it is known; lines are 95\u00a0% "
            f"intervals over {groups.lower()}."
        },
        unit="article" if found.group_is == "article" else "question",
    )


def _strength_row(each: StrengthOfSystem) -> Row:
    possible = possible_ranks(each.ranks)
    counted = {"system": each.system, "rank": each.rank, "possible": possible, "comparisons": each.comparisons}
    return (
        counted
        | {"controlled_rank": each.controlled_rank, "units": each.share.units, "undefined_because": each.share.why_not}
        | sided("share", each.share)
        | sided("strength", each.strength)
        | sided("controlled", each.controlled)
    )


def _strongest(found: Ranking) -> str:
    if len(found.parts) > 1:
        parts = "; ".join(in_a_row(some(list(part))) for part in found.parts)
        return f"There is no common scale, since no comparison connects these: {parts}."
    if found.systems[0].rank is None:
        return found.systems[0].share.why_not
    order = in_a_row(some([f"{each.system} ({number(each.share.value, 'share')})" for each in found.systems]))
    return " ".join(
        [
            f"By how often each would be preferred to a system of average strength, from the highest: {order}.",
            _first_places(found.systems),
            *_at_equal_length(found.systems),
        ]
    )


def _first_places(systems: tuple[StrengthOfSystem, ...]) -> str:
    if any(each.ranks is None for each in systems):
        return "How sure this order is cannot be said."
    first = [each.system for each in systems if each.ranks and each.ranks[0] == 1]
    if len(first) == 1:
        return f"{first[0]} is significantly stronger than all others (all pairs at once, p below 0.05 after Holm)."
    if len(first) == len(systems):
        return (
            "Any of them may be the strongest: no two differ significantly (all pairs at once, no p below 0.05 after "
            "Holm)."
        )
    return (
        f"Each of {in_a_row(some(first))} may be the strongest, and each of the others is significantly weaker than "
        "another system (all pairs at once, p below 0.05 after Holm)."
    )


def _at_equal_length(systems: tuple[StrengthOfSystem, ...]) -> list[str]:
    if all(each.controlled is None for each in systems):
        return ["Length and formatting cannot be told from the systems, so they are not held equal."]
    if all(each.rank == each.controlled_rank for each in systems):
        return ["At equal length and formatting the estimated order is the same."]
    ranked = sorted((each.controlled_rank, each.system) for each in systems if each.controlled_rank is not None)
    order = in_a_row(some([system for _, system in ranked]))
    return [f"At equal length and formatting the estimated order is another, from the highest: {order}."]


def effects_table(asked: TableRequest) -> FigureTable | None:
    """What else than the system makes an answer preferred; None where no two systems were compared."""
    found = asked.section(PREFERENCES).get(asked.aspect)
    if not found or not found.ranking.systems:
        return None
    rows = [
        {"effect": EFFECTS[each.what], "p_value": each.p_value, "undefined_because": each.share.why_not}
        | sided("share", each.share)
        | {"units": each.share.units}
        for each in found.ranking.effects
    ]
    ties = found.ranking.share_of_ties
    said = [_effect_in_words(each) for each in found.ranking.effects if each.share.value is not None]
    if ties:
        said.append(f"Two equally strong answers tie in {number(ties, 'share')} of judgments.")
    return FigureTable(
        name="preference-effects",
        title="Order, length and formatting",
        reading=" ".join(said) or "Nothing besides the systems can be told to matter.",
        columns=[
            Column("effect", "Of two answers of equal strength"),
            Column("share", "Preferred", "share", True),
            Column("p_value", "p", "p"),
            Column("units", f"{found.group_is.capitalize()}s", "count"),
            Column("undefined_because", "Remark"),
        ],
        rows=rows,
        charts={
            "preference-effects": "How often such an answer is preferred to one that is equal but for this, a tie "
            "counted as half, with 95\u00a0% intervals; 50\u00a0% is no effect."
        },
        unit="article" if found.group_is == "article" else "question",
    )


def _effect_in_words(effect: Effect) -> str:
    share, interval = number(effect.share.value, "share"), effect.share.interval
    what = {
        "shown_first": "the answer shown first",
        "length": "an answer twice as long",
        "formatting": "an answer with twice as much formatting",
    }[effect.what]
    if interval is None:
        return f"Whether {what} is preferred, all else equal, cannot be said from these judgments."
    low, high = interval
    between = f"95\u00a0% interval {number(low, 'share')} to {number(high, 'share')}"
    significantly = "" if low > 0.5 or high < 0.5 else ", which may be chance"
    return f"All else equal, {what} is preferred in {share} of judgments ({between}){significantly}."


TABLES = {
    "strengths": TableOf(("preferences",), strengths_table),
    "preference-effects": TableOf(("preferences",), effects_table),
    "wins": TableOf(("preferences",), preferences_table),
}

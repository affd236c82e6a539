"""Wins, ties and losses of every two systems, where people chose the best of several answers."""

from annotation_platform.analysis.measuring.certainty import SURE_BELOW
from annotation_platform.analysis.sections.preferences.figures import PREFERENCES, ComparedSystems, PreferredShare
from annotation_platform.analysis.tables.base import Column, FigureTable, Row, in_a_row, number, sided, some
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
            "wins": "How often the first of the two was preferred, a tie as half, with 95\u00a0% intervals over "
            f"{groups.lower()}; a line across 50\u00a0% may be chance."
        },
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
        what = "the two systems" if len(pairs) == 1 else f"any two of the systems ({len(pairs)} pairs)"
        return f"It is not certain that people prefer one of {what} to the other."
    said = [
        f"{pair.systems[0]} is preferred to {pair.systems[1]} in {number(pair.value, 'share')} of judgments"
        for pair in sorted(sure, key=lambda pair: -(pair.value or 0))
    ]
    how = "p below 0.05" if len(pairs) == 1 else f"{len(sure)} of {len(pairs)} pairs, p below 0.05 after Holm"
    return f"{in_a_row(some(said))}, a tie counted as half ({how})."


def is_preferred(pair: ComparedSystems) -> bool:
    """Whether the first of a pair is certainly preferred: p says so, and the interval, where there is one."""
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


TABLES = {
    "wins": TableOf(("preferences",), preferences_table),
}

"""Systems and preferences: no sentence says more than its figures do."""

from typing import Any

import pytest

from annotation_platform.analysis.measuring.figures import ForOthers
from annotation_platform.analysis.sections.preferences import strengths
from annotation_platform.analysis.sections.preferences import tables as preferences
from annotation_platform.analysis.sections.preferences.figures import (
    ComparedSystems,
    Effect,
    OnOneScale,
    Preferred,
    PreferredShare,
    Ranking,
    StrengthOfSystem,
)
from annotation_platform.analysis.sections.systems import tables as systems
from annotation_platform.analysis.sections.systems import words as systems_words
from annotation_platform.analysis.sections.systems.figures import DifferenceOfSystems
from annotation_platform.analysis.sections.systems.table_rows import AspectsRow, MeanOnAspect, RankRow
from annotation_platform.analysis.sections.systems.table_rows import DifferenceRow as DifferenceOfTwo
from annotation_platform.analysis.tables.base import Row
from tests.analysis.made_figures import Span, head
from tests.analysis.sentences.rows import says, stored, typed


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (
            [
                typed(RankRow, system="a", rank=1, shares={1: 0.97}),
                typed(RankRow, system="b", rank=2, shares={2: 0.97}),
            ],
            "a comes first, alone or with another, in 97.0\u00a0% of the resamples.",
        ),
        (
            [typed(RankRow, system="a", rank=1, shares={1: 0.6}), typed(RankRow, system="b", rank=1, shares={1: 0.5})],
            "2 systems have the same highest mean; of the resamples, a in 60.0\u00a0% and b in 50.0\u00a0% come first.",
        ),
    ],
)
def test_who_comes_first(rows: list[RankRow], said: str) -> None:
    says(systems._who_comes_first([each for each in rows if each.rank == 1]), said)


@pytest.mark.parametrize(
    ("share", "possible", "said"),
    [
        (0.97, {"a": (1, 1), "b": (2, 2)}, "The whole order is stable."),
        (0.97, {}, "The whole order is stable."),
        (0.97, {"a": (1, 2), "b": (1, 2)}, "The places of a and b are not certain."),
        (0.6, {"a": (1, 1), "b": (2, 2)}, "The places of a and b are not certain."),
    ],
)
def test_an_order_is_stable_only_where_its_pairs_differ(
    share: float, possible: dict[str, tuple[int, int]], said: str
) -> None:
    rows = [
        typed(RankRow, system="a", rank=1, shares={1: share}),
        typed(RankRow, system="b", rank=2, shares={2: share}),
    ]
    assert [*systems._order_in_words(rows, possible)][1:] == [said]


@pytest.mark.parametrize(
    ("sure", "p_values", "said"),
    [
        (0, [None], "it cannot be tested whether any two systems differ."),
        (0, [0.4], "it is not certain that the two systems differ."),
        (0, [0.4, None], "it is not certain that any two of the systems (2 pairs) differ."),
        (1, [0.01], "the two systems differ (p below 0.05"),
        (1, [0.01, 0.3], "1 of 2 pairs of systems differ significantly (p below 0.05"),
    ],
)
def test_how_many_systems_differ(sure: int, p_values: list[float | None], said: str) -> None:
    says(systems_words.how_many_differ("raw", sure, [typed(DifferenceOfTwo, p_holm=p) for p in p_values]), said)


def two_systems(items: int, units: int, *, is_paired: bool = True, systems: tuple[str, str] = ("a", "b")) -> Any:
    return DifferenceOfSystems(
        **{"value": 1.0, "interval": (0.5, 1.5), "undefined_because": None, "no_interval_because": None},
        **{"items": items, "p_value": 0.01, "no_p_value_because": None, "judgments": 2 * items, "answered": (9, 9)},
        **{"systems": systems, "is_paired": is_paired, "units": units},
    )


@pytest.mark.parametrize(
    ("found", "unit", "said"),
    [
        (
            [two_systems(9, 6)],
            "article",
            "They are compared on the questions that both answered (9). … by article (n = 6),",
        ),
        (
            [two_systems(9, 6), two_systems(1200, 7)],
            "article",
            "Every two are … (9 to 1,200). … by article (n = 6 to 7),",
        ),
        (
            [two_systems(9, 9), two_systems(8, 8, is_paired=False, systems=("b", "c"))],
            "question",
            "No question was answered by both of b → c: there … unpaired. Intervals and p are by question.",
        ),
        ([two_systems(8, 8, is_paired=False)] * 6, "item", "by both of 6 pairs: there … are by item."),
    ],
)
def test_on_what_systems_are_compared(found: list[Any], unit: str, said: str) -> None:
    says(" ".join(systems_words.compared_on(tuple(found), unit)), said)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([None], "“T”: no system has a mean."),
        ([2.0], "“T”: 2.0 for a."),
        ([2.0, 2.0], "“T”: 2.0 for all."),
        ([1.0, 2.0], "“T”: from 1.0 (a) to 2.0 (b)."),
    ],
)
def test_means_on_every_aspect(values: list[float | None], said: str) -> None:
    rows = [
        AspectsRow(system=name, means={"x": MeanOnAspect(value, aspect="T", judgments=None)})
        for name, value in zip("ab", values, strict=False)
    ]
    says(systems._most_and_least(head(title="T"), rows), said)


WINS = dict.fromkeys(
    ("wins", "ties", "losses", "questions", "questions_won", "questions_tied", "questions_lost"), 1
) | {"annotators": 3, "shown_first": 1, "shown_second": 1}


def share(value: float | None, interval: Span = None) -> dict[str, Any]:
    """A stored share of judgments, and what stands beside it."""
    found = stored(value, interval)
    kept = {key: found[key] for key in ("value", "interval", "undefined_because", "no_interval_because")}
    return kept | {"judgments": 30, "units": 10, "p_value": None}


def duel(value: float, interval: Span, p: float | None) -> ComparedSystems:
    return ComparedSystems(systems=("a", "b"), p_holm=p, **WINS, **share(value, interval))


@pytest.mark.parametrize(
    ("duels", "said"),
    [
        ([duel(0.8, (0.6, 0.9), 0.01)], "a is preferred to b in 80.0\u00a0% of judgments, a tie counted as half"),
        ([duel(0.8, (0.6, 0.9), 0.2)], "It is not certain that people prefer one of the two systems"),
        ([duel(0.8, (0.49, 0.9), 0.04)], "It is not certain that people prefer one of the two systems"),
        ([duel(0.5, None, None)], "It is not certain that people prefer"),
        ([duel(0.8, (0.4, 0.9), 0.2)] * 3, "Of none of the 3 pairs of systems is it certain which one people prefer."),
        ([duel(0.8, (0.6, 0.9), 0.01), duel(0.6, (0.4, 0.8), 0.3)], "(1 of 2 pairs, p below 0.05 after Holm)"),
    ],
)
def test_who_is_preferred(duels: list[ComparedSystems], said: str) -> None:
    says(preferences._who_wins(tuple(duels)), said)


@pytest.mark.parametrize(
    ("order", "said"),
    [
        (share(None), "In which order the answers were shown is not known."),
        (share(0.7), "the one shown first was preferred in 70.0\u00a0% of judgments. ≠ mattered"),
        (share(0.7, (0.6, 0.8)), "The order mattered … being shown first helped."),
        (share(0.3, (0.2, 0.4)), "The order mattered … being shown second helped."),
        (share(0.6, (0.4, 0.8)), "It is not certain that the order mattered ≠ helped"),
    ],
)
def test_whether_the_order_mattered(order: Row, said: str) -> None:
    says(preferences._order_in_words(PreferredShare(**order)), said)


def even(value: float | None, interval: Span = None) -> dict[str, Any]:
    why = "no reason"
    return {
        "value": value,
        "interval": interval,
        "units": 30,
        "undefined_because": None if value is not None else why,
        "no_interval_because": None if interval else why,
    }


UNSAID = ForOthers(interval=None, no_interval_because="no reason", units=30, annotators=2)


def strong(system: str, rank: int | None, ranks: tuple[int, int] | None, then: int | None = None) -> StrengthOfSystem:
    value = OnOneScale(**even(0.6 if rank else None, (0.5, 0.7) if ranks else None), for_others=UNSAID)
    controlled = None if then is None else value
    return StrengthOfSystem(
        system=system,
        strength=value,
        share=value,
        rank=rank,
        ranks=ranks,
        ranks_for_others=None,
        controlled=controlled,
        controlled_rank=then,
        comparisons=9,
    )


@pytest.mark.parametrize(
    ("systems", "parts", "said"),
    [
        (
            [strong("a", 1, (1, 1), 1), strong("b", 2, (2, 2), 2)],
            [("a", "b")],
            "from the highest: a (60.0\u00a0%) and b (60.0\u00a0%). a is significantly stronger than all others (all "
            "pairs at once, p below 0.05 after Holm). At equal length and formatting the estimated order is the same.",
        ),
        (
            [strong("a", 1, (1, 2), 2), strong("b", 2, (1, 2), 1)],
            [("a", "b")],
            "Any of them may be the strongest: no two differ significantly (all pairs at once, no p below 0.05 after "
            "Holm). At equal length and formatting the estimated order is another, from the highest: b and a.",
        ),
        (
            [strong("a", 1, (1, 2), 1), strong("b", 2, (1, 2), 2), strong("c", 3, (3, 3), 3)],
            [("a", "b", "c")],
            "Each of a and b may be the strongest, and each of the others is significantly weaker than another system "
            "(all pairs at once, p below 0.05 after Holm).",
        ),
        (
            [strong("a", 1, (1, 2), 1), strong("b", 2, (2, 2), 2), strong("c", 3, (2, 3), 3)],
            [("a", "b", "c")],
            "Only a may be the strongest: each of the others is significantly weaker than another system",
        ),
        (
            [strong("a", 1, None), strong("b", 2, None)],
            [("a", "b")],
            "How sure this order is cannot be said. Length and formatting cannot be told from the systems, so they are "
            "not held equal.",
        ),
        (
            [strong(each, None, None) for each in "abcd"],
            [("a", "b"), ("c", "d")],
            "There is no common scale, since no comparison connects these: a and b; c and d.",
        ),
        ([strong("a", None, None), strong("b", None, None)], [("a", "b")], "no reason"),
    ],
)
def test_who_is_strongest(systems: list[StrengthOfSystem], parts: Any, said: str) -> None:
    found = Ranking(systems=tuple(systems), effects=(), share_of_ties=None, undefined_because=None, parts=tuple(parts))
    assert said in strengths._strongest(found)


@pytest.mark.parametrize(
    ("what", "share", "said"),
    [
        ("shown_first", even(0.6, (0.55, 0.65)), "the answer shown first is preferred in 60.0\u00a0% of judgments (95"),
        ("length", even(0.6, (0.45, 0.7)), "70.0\u00a0%), which may be chance."),
        ("formatting", even(0.4, (0.3, 0.45)), "an answer with twice as much formatting is preferred in 40.0"),
        (
            "formatting",
            even(0.4),
            "Whether an answer with twice as much formatting is preferred, all else",
        ),
    ],
)
def test_what_else_matters(what: str, share: dict[str, Any], said: str) -> None:
    found = strengths._effect_in_words(Effect(what=what, share=Preferred(**share, for_others=UNSAID, p_value=None)))
    assert said in found
    assert found.endswith(".")
    assert ("40.0" in found) == (
        what == "formatting" and share["interval"] is not None
    )  # no figure of which nothing is known
    is_sure = share["interval"] is not None and not share["interval"][0] <= 0.5 <= share["interval"][1]
    assert ("chance" in found) == (share["interval"] is not None and not is_sure)


@pytest.mark.parametrize(
    ("possible", "said"),
    [
        ({}, ""),
        (
            {"a": (1, 1), "b": (2, 2)},
            "Compared two by two, a is significantly better than every",
        ),
        (
            {"a": (1, 2), "b": (1, 2)},
            "Compared two by two, each of a and b may be the best.",
        ),
        (
            {"a": (1, 2), "b": (2, 2), "c": (2, 3)},
            "Compared two by two, only a may be the best:",
        ),
    ],
)
def test_who_may_come_first_by_pairs(possible: dict[str, tuple[int, int]], said: str) -> None:
    assert " ".join(systems._open_first_place(possible)).startswith(said)

"""Consensus labels and words: no sentence says more than its figures do."""

from dataclasses import replace

import pytest

from annotation_platform.analysis.sections.consensus import tables as consensus
from annotation_platform.analysis.sections.consensus import words as consensus_words
from annotation_platform.analysis.sections.consensus.table_rows import CompetenceRow, TwoWaysRow
from annotation_platform.analysis.sections.explanations import tables as explanations
from annotation_platform.analysis.sections.explanations.figures import (
    ExplanationsOfAspect,
    GroupWords,
    Quotation,
    Theme,
    WordApart,
)
from tests.analysis.sentences.rows import says, typed


def competent(name: str, value: float | None, low: float | None = None, high: float | None = None) -> CompetenceRow:
    why = "" if value is not None else "Nobody else judged any of these items."
    return typed(CompetenceRow, name=name, mace=(value, low, high), undefined_because=why)


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ([competent("1", 0.2, 0.1, 0.3), competent("2", 0.8, 0.7, 0.9)], "and their intervals do not meet."),
        ([competent("1", 0.5, 0.1, 0.8), competent("2", 0.8, 0.7, 0.9)], "a difference that may be chance."),
        ([competent("1", 0.5), competent("2", 0.8, 0.7, 0.9)], "so that nobody can be said to be more reliable."),
        ([competent("1", 0.5, 0.1, 0.8), competent("2", None)], "Annotator 1 knows the label (MACE) in 50.0"),
        ([competent("1", None)], "is not defined: Nobody else judged"),
    ],
)
def test_who_is_more_competent_follows_from_the_intervals(rows: list[CompetenceRow], sentence: str) -> None:
    mace = {row.name: row.mace for row in rows}
    assert sentence in consensus_words.between_whom(mace, consensus_words.MACE, rows[0].undefined_because)


def test_only_who_surely_guesses_is_said_to() -> None:
    sure, unsure = competent("1", 0.2, 0.1, 0.45), competent("2", 0.3, 0.1, 0.55)
    assert consensus_words.guessing([unsure, competent("3", 0.2)]) == []
    assert consensus_words.guessing([sure, unsure])[0].startswith("Annotator 1 guesses more often")
    assert consensus_words.guessing([sure, unsure, replace(sure, name="4")])[0].startswith("Annotators 1 and 4 guess")


def test_ways_are_compared_with_their_intervals() -> None:
    row = typed(TwoWaysRow, name="A and B", same=(0.9, 0.85, 0.93))
    alone, undefined = typed(TwoWaysRow, name="A and C", same=(0.8,)), typed(TwoWaysRow, name="A and C")
    found = consensus._compared_reading([row, alone, undefined])
    assert "A and B give the same label to 90.0\u00a0% [85.0\u00a0%, 93.0\u00a0%] and A and C to 80.0\u00a0%." in found
    assert consensus._compared_reading([undefined]) == "No item has a label in two ways."


def apart(*terms: str, more: int = 0, of_one: int = 0, documents: int = 9, why: str | None = None) -> GroupWords:
    quoted = Quotation(item=1, annotator="1", system="", label="a", text="…")
    known = {"log_odds": 1.0, "z": 5.0, "p_holm": 0.01, "documents": 6, "others": 1, "wordings": 6}
    return GroupWords(
        name="a",
        documents=documents,
        others=20,
        words=tuple(WordApart(term=term, z_without_one=None, example=quoted, **known) for term in terms),
        more=more,
        of_one_annotator=of_one,
        undefined_because=why,
    )


@pytest.mark.parametrize(
    ("group", "said"),
    [
        (apart(), "“A”, 9 explanations: no word is significantly more usual than in what the same annotators wrote"),
        (apart("x"), "9 explanations: “x” is more usual than in what the same annotators wrote with other labels."),
        (apart("x", "y"), "“x” and “y” are more usual than"),
        (apart("x", "y", "z", "w"), "“x”, “y”, “z” and 1 more are more usual than"),
        (apart("x", more=1_200), "“x” and 1,200 more are"),
        (apart(documents=1, why="Nothing was written."), "“A”, 1 explanation: Nothing was written."),
    ],
)
def test_words_are_no_more_than_more_usual(group: GroupWords, said: str) -> None:
    says(explanations.group_reading(group, "A", "labels"), said)


@pytest.mark.parametrize(
    ("of_one", "said"),
    [(0, ""), (1, "1 more rests on one annotator and is left out."), (2, "2 more rest on one annotator and are")],
)
def test_words_of_one_annotator_are_counted(of_one: int, said: str) -> None:
    assert explanations.left_out_reading(apart(of_one=of_one)).startswith(said)


def explained(*sizes: int, n: int = 100, annotators: int = 3, left_out: int = 0) -> ExplanationsOfAspect:
    about = [Theme(words=("x", "y"), documents=size, by_label={}, quotations=(), items=()) for size in sizes]
    stability = {2: 0.5, 3: 0.6}
    return ExplanationsOfAspect(
        text="Why?",
        explanations=n,
        of=n,
        different=n - 10,
        annotators=annotators,
        unit="article",
        units=9,
        terms=50,
        groups={},
        left_out={"systems": left_out},
        themes=tuple(about),
        themes_undefined_because=None if sizes else "There are too few.",
        stability=stability,
        of_shuffled={2: 0.2, 3: 0.1},
    )


def test_themes_say_how_many_they_leave_out_and_how_stable_they_are() -> None:
    says(
        explanations.themes_reading(explained(60, 39)),
        "2 themes: … in 100 explanations (90 different ones) … 1 has none",
    )
    says(explanations.themes_reading(explained(60, 30)), "10 have none of the words")
    says(explanations.themes_reading(explained(60, 40)), "most of it belongs to. ≠ none of the words")
    says(explanations.stability_reading(explained(60, 40)), "Of 2 to 3 themes, 2 … alike by 0.500 … 0.200 where words")
    assert explanations.stability_reading(explained()) == ""


def test_groups_that_are_not_shown_and_a_lone_annotator_are_said() -> None:
    assert explanations.left_out_groups(explained(left_out=1), "systems").startswith("1 system with fewer")
    assert "2 systems with fewer explanations are not shown." in explanations.left_out_groups(
        explained(left_out=2), "systems"
    )
    assert explanations.left_out_groups(explained(), "systems") == ""
    assert explanations.cautions(explained(annotators=1), "labels")[0].startswith("One annotator wrote all")
    assert explanations.cautions(explained(annotators=2), "labels") == ()
    assert explanations.cautions(explained(annotators=1), "annotators") == ()

"""Each sign by its stated rule, and what is not enough for one."""

from annotation_platform.crowd.monitor import signs
from annotation_platform.crowd.monitor.signs import Explained, Labelled, Timed, comparable

LONG = "The answer leaves out that the library closes for two weeks in June."


def timed(own: float, others: float, items: int) -> list[Timed]:
    rows = [(1, item, own) for item in range(items)] + [(2, item, others) for item in range(items)]
    rows += [(3, item, others) for item in range(items)]
    return [Timed(member, item, number, seconds) for number, (member, item, seconds) in enumerate(rows)]


def test_haste_is_measured_on_the_same_items() -> None:
    (found,) = signs.hasty(timed(10, 60, 6))
    assert found.member == 1
    assert "Over 6 items" in found.words
    assert "17%" in found.words
    assert found.evidence[0]["said"] == "10 s; others 60 s"
    assert not list(signs.hasty(timed(10, 60, 4)))  # too few
    assert not list(signs.hasty(timed(25, 60, 6)))
    # Short items are no haste: whoever judged those alone is compared with nobody.
    alone = [Timed(1, item, item, 2) for item in range(9)] + [Timed(2, item, item, 90) for item in range(20, 29)]
    assert not list(signs.hasty(alone))


def labelled(others: str, n: int) -> list[Labelled]:
    rows = []
    for item in range(n):
        rows.append(Labelled(1, (item, "a", 0), "yes"))
        rows += [Labelled(member, (item, "a", 0), others) for member in (2, 3, 4)]
    return rows


def test_one_label_each_time_where_the_others_gave_another() -> None:
    found = [each for each in signs.one_label(labelled("no", 8), {"a": "Correct"}) if each.member == 1]
    assert "all of 8 cases" in found[0].words
    assert "3e-06" in found[0].words  # (1 / 5) ** 8
    assert found[0].evidence[0] == {"item": 0, "said": "yes"}
    assert not list(signs.one_label(labelled("yes", 30), {}))  # everybody says so
    split = [row if row.member != 4 else Labelled(4, row.unit, "yes") for row in labelled("no", 20)]
    split = [row for row in split if row.member != 3]  # of two others, one says so each time
    assert not [each for each in signs.one_label(split, {}) if each.member == 1]
    assert not [each for each in signs.one_label(labelled("no", 7), {}) if each.member == 1]


def explained(member: int, item: int, text: str) -> Explained:
    return Explained(member, item, 100 * member + item, "reasons", comparable(text), len(text))


def test_copied_means_nearly_the_same_words_about_the_same_item() -> None:
    rows = [explained(1, 1, LONG), explained(2, 1, LONG.replace("June", "July").upper()), explained(3, 2, LONG)]
    found = {each.member: each for each in signs.copied(rows)}
    assert set(found) == {1, 2}
    assert (found[1].evidence[0]["annotation"], found[1].evidence[0]["other"]) == (101, 201)
    assert "Who copied from whom" in found[1].words
    assert not list(signs.copied([explained(1, 1, "No date."), explained(2, 1, "No date.")]))  # short


def test_the_same_explanation_under_three_items() -> None:
    (found,) = signs.repeated([explained(1, item, LONG) for item in range(3)])
    assert "under 3 items" in found.words
    assert not list(signs.repeated([explained(1, item, LONG) for item in range(2)]))


def test_words_of_the_text_itself() -> None:
    texts = {1: comparable(f"Before. {LONG} After.")}
    (found,) = signs.from_text([explained(1, 1, LONG), explained(2, 2, LONG)], texts)
    assert found.member == 1


def test_a_paste_of_most_of_what_was_submitted() -> None:
    row = explained(1, 1, LONG)
    (found,) = signs.pasted([row], {(1, 1, "reasons"): len(LONG)})
    assert f"{len(LONG)} characters pasted" in found.evidence[0]["said"]
    assert not list(signs.pasted([row], {(1, 1, "reasons"): len(LONG) // 2}))
    assert not list(signs.pasted([row], {(2, 1, "reasons"): len(LONG)}))


def test_a_paste_is_held_against_the_text_as_it_was_submitted_with_all_its_marks() -> None:
    text = "「1989年」と、「1991年」は、本文に、ありません。" * 4
    most = round(0.8 * len(text))
    assert not list(signs.pasted([explained(1, 1, text)], {(1, 1, "reasons"): most - 5}))
    (found,) = signs.pasted([explained(1, 1, text)], {(1, 1, "reasons"): most + 1})
    assert f"{most + 1} characters pasted, {len(text)} submitted" in found.evidence[0]["said"]

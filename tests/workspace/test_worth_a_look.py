"""The hints of the batch page: each by its rule, with its evidence, and none where the rule does not hold."""

from typing import Any

import pytest

from annotation_platform.annotations.models import Annotation
from annotation_platform.studies.models import Item, Member, Study
from annotation_platform.workspace.batches.worth_a_look import Sign, worth_a_look
from tests.factories import make_corpus, study_with_judgments

pytestmark = pytest.mark.django_db

LABELS = ("complete", "missing_minor", "missing_major", "missing_all")


def judged(**by_name: Any) -> Study:
    """Twelve items by A, B and C; what ``by_name`` says of an item replaces varied labels and texts."""

    def values(member: Member, item: Item) -> dict[str, Any]:
        usual = {
            "completeness": LABELS[item.pk % 4],
            "correct": "yes" if item.pk % 2 else "no",
            "reasons": f"{member.pseudonym} finds that item {item.pk} leaves out a matter of its own.",
        }
        own = by_name.get(member.pseudonym)
        return usual | (own(item) if own else {})

    return study_with_judgments(
        annotators=3, corpus=make_corpus(articles=1, questions=4), values=values, close=False, questions_per_hit=4
    )


def signs(study: Study) -> list[Sign]:
    return list(worth_a_look(study.batches.get(), study.scheme()).signs)


def test_varied_work_gives_no_hint() -> None:
    assert signs(judged()) == []


def test_half_of_the_judgments_in_a_third_of_the_time_of_the_others_is_a_hint() -> None:
    study = judged()
    Annotation.objects.filter(annotator__pseudonym="A").update(seconds=9.9)
    (sign,) = signs(study)
    assert (sign.annotator, sign.kind) == ("A", "Much faster than the others")
    assert sign.words == (
        "Half of 12 judgments took 10 s or less; of the others' 24, half took 30 s or less. "
        "The shortest: 10 s, 10 s, 10 s, 10 s, 10 s."
    )
    assert len(sign.items) == 5
    Annotation.objects.filter(annotator__pseudonym="A").update(seconds=10)
    assert signs(study) == []
    Annotation.objects.update(seconds=None)
    found = worth_a_look(study.batches.get(), study.scheme())
    assert (found.signs, found.median_task_seconds) == ((), None)


def test_one_explanation_under_three_items_is_a_hint_whatever_its_case_and_marks() -> None:
    def text(item: Item) -> dict[str, Any]:
        return (
            {"reasons": ["It is all in the text.", "it is all in the text"][item.pk % 2]} if item.position < 2 else {}
        )

    (sign,) = signs(judged(B=text))
    assert (sign.annotator, sign.kind) == ("B", "Equal explanations")
    assert sign.words == "The same explanation stands under 3 items."
    assert sign.text.casefold().startswith("it is all in the text")
    assert len(sign.items) == 3


def test_two_items_or_a_short_text_are_no_hint() -> None:
    assert signs(judged(B=lambda item: {"reasons": "Seems fine to me."})) == []
    study = judged()
    two = list(Annotation.objects.filter(annotator__pseudonym="B")[:2])
    for annotation in two:
        annotation.values |= {"reasons": "It is all in the text, says B."}
        annotation.save()
    assert signs(study) == []


def test_two_people_with_the_same_long_words_about_one_item_are_a_hint() -> None:
    def copied(item: Item) -> dict[str, Any]:
        same = f"Number {item.pk} leaves out when it happened, and who said so."
        return {"reasons": same} if item.position == 1 else {}

    (sign,) = signs(judged(A=copied, C=copied))
    assert (sign.annotator, sign.kind) == ("A and C", "The same words")
    assert sign.words == "They explain 3 items with the same words."


def test_one_label_throughout_is_a_hint_only_where_the_others_use_several() -> None:
    (sign,) = signs(judged(C=lambda item: {"correct": "yes"}))
    assert (sign.annotator, sign.kind) == ("C", "One label only")
    assert "12 times out of 12. The others said on the same items: “" in sign.words
    assert "12, “" in sign.words
    everybody = {name: lambda item: {"correct": "yes"} for name in "ABC"}
    assert signs(judged(**everybody)) == []

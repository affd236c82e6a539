"""The batch page's hints: the monitor's rules (tests/crowd/monitor/test_signs.py) on the judgments of one batch."""

from typing import Any

import pytest
from django.test import Client

from annotation_platform.annotations.models import Annotation
from annotation_platform.crowd.monitor.selectors import ShownSign
from annotation_platform.studies.models import Item, Member, Role, Study
from annotation_platform.workspace.batches import worth_a_look as looking
from annotation_platform.workspace.batches.worth_a_look import worth_a_look
from tests.factories import MemberFactory, make_corpus, study_with_judgments

pytestmark = pytest.mark.django_db

WORDS = {
    "A": "The roof and what it costs are left out",
    "B": "Nobody is told who came",
    "C": "A date would have helped",
}
LABELS = ("complete", "missing_minor", "missing_major", "missing_all")


def judged(**by_name: Any) -> Study:
    """Twelve items by A, B and C; what ``by_name`` says of an item replaces varied labels and texts."""

    def values(member: Member, item: Item) -> dict[str, Any]:
        usual = {
            "completeness": LABELS[item.pk % 4],
            "correct": "yes" if item.pk % 2 else "no",
            "reasons": f"{WORDS[member.pseudonym]} of item {item.pk}, which says something else.",
        }
        own = by_name.get(member.pseudonym)
        return usual | (own(item) if own else {})

    return study_with_judgments(
        annotators=3, corpus=make_corpus(articles=1, questions=4), values=values, close=False, questions_per_hit=4
    )


def signs(study: Study) -> list[ShownSign]:
    return worth_a_look(study.batches.get(), study.scheme()).signs


def about(found: list[ShownSign]) -> list[tuple[str, str]]:
    return [(each.sign.member.pseudonym, each.sign.kind) for each in found]


def test_varied_work_gives_no_hint() -> None:
    assert signs(judged()) == []


def test_haste_is_judged_by_the_others_time_for_the_same_items() -> None:
    study = judged()
    Annotation.objects.filter(annotator__pseudonym="A").update(seconds=9.9)
    (found,) = signs(study)
    assert about([found]) == [("A", "haste")]
    assert "Over 12 items that others judged too" in found.sign.words
    assert [case.said for case in found.cases] == ["10 s; others 30 s"] * 10
    Annotation.objects.filter(annotator__pseudonym="A").update(seconds=10)
    assert signs(study) == []
    Annotation.objects.update(seconds=None)
    nothing = worth_a_look(study.batches.get(), study.scheme())
    assert (nothing.signs, nothing.median_task_seconds) == ([], None)


def test_each_kind_has_its_evidence() -> None:
    def same(item: Item) -> dict[str, Any]:
        return {"reasons": f"Number {item.pk} leaves out when it happened, and who said so."} if item.position else {}

    study = judged(A=same, C=same, B=lambda item: {"reasons": "It is all in the text."})
    found = signs(study)
    assert about(found) == [("A", "copied"), ("B", "repeated"), ("C", "copied")]
    assert found[0].cases[0].whose == "C"
    assert found[0].cases[0].text == found[0].cases[0].beside != ""


def test_one_label_is_a_hint_where_most_others_say_something_else() -> None:
    no = {name: lambda item: {"correct": "no"} for name in "AB"}
    (found,) = [
        each for each in signs(judged(C=lambda item: {"correct": "yes"}, **no)) if each.sign.member.pseudonym == "C"
    ]
    assert found.sign.kind == "one_label"
    assert "in all of 12 cases that others labelled too" in found.sign.words


def test_of_a_large_batch_the_first_judgments_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    study = judged(B=lambda item: {"reasons": "It is all in the text."})
    first_of_b = Annotation.objects.filter(annotator__pseudonym="B").order_by("pk").values_list("pk", flat=True)
    read = Annotation.objects.filter(pk__lte=first_of_b[2]).count()
    for most, kinds in ((read, [("B", "repeated")]), (read - 1, [])):
        monkeypatch.setattr(looking, "MOST_READ", most)
        found = worth_a_look(study.batches.get(), study.scheme())
        assert (found.judgments, found.is_cut, about(found.signs)) == (most, True, kinds)


def test_it_asks_no_more_of_the_database_for_more_hints(django_assert_max_num_queries: Any) -> None:
    study = judged(B=lambda item: {"reasons": "It is all in the text."})
    Annotation.objects.filter(annotator__pseudonym="A").update(seconds=1)
    with django_assert_max_num_queries(5):
        assert len(signs(study)) == 2


def test_the_page_shows_them_with_the_judgments_they_rest_on(client: Client) -> None:
    study = judged(B=lambda item: {"reasons": "It is all <b>in</b> the text."})
    client.force_login(MemberFactory(study=study, role=Role.RESEARCHER).user)
    page = client.get(f"/studies/{study.slug}/batches/1/").content.decode()
    assert "The same explanation again and again" in page
    assert "It is all &lt;b&gt;in&lt;/b&gt; the text." in page

"""Items that mirror each other: nobody gets two of them."""

import pytest
from django.test import Client
from django.urls import reverse

from annotation_platform.core.errors import InvalidInputError
from annotation_platform.corpus.models import Answer
from annotation_platform.studies.models import Assignment, AssignmentState, Item, Member, Role, SetAside, Study
from annotation_platform.studies.services import (
    MirrorRow,
    NothingToClaimError,
    claim_assignment,
    declare_mirrored,
    open_batch,
    plan_batches,
    set_aside,
)
from tests.factories import OPERATOR, MemberFactory, make_corpus, make_study

pytestmark = [pytest.mark.django_db, pytest.mark.pages]


def study_with_twins(text: str = "The same answer.") -> Study:
    """Three systems answered one question; two of them in the same words."""
    corpus = make_corpus(questions=1)
    for name, words in (("alder", "The same answer."), ("birch", text)):
        Answer.objects.filter(system__name=name, system__corpus=corpus).update(text=words)
    study = make_study(corpus=corpus, questions_per_hit=1, overlap=2)
    for batch in plan_batches(study=study):
        open_batch(batch=batch, actor=OPERATOR)
    study.refresh_from_db()
    return study


def annotator_of(study: Study) -> Member:
    return Member.objects.select_related("study").get(pk=MemberFactory(study=study).pk)


def take_all(annotator: Member) -> list[Assignment]:
    taken = []
    while True:
        try:
            place = claim_assignment(annotator=annotator, actor=OPERATOR)
        except NothingToClaimError:
            return taken
        Assignment.objects.filter(pk=place.pk).update(state=AssignmentState.SUBMITTED)
        taken.append(Assignment.objects.get(pk=place.pk))


@pytest.mark.parametrize("text", ["The same answer.", "  the SAME\nanswer. "])
def test_one_person_gets_one_of_two_items_that_say_the_same(text: str) -> None:
    study = study_with_twins(text)
    assert study.has_mirrored_items
    assert Item.objects.filter(study=study).exclude(mirror="").count() == 2
    taken = take_all(annotator_of(study))
    assert len(taken) == 2
    mirrors = [place.hit.items.get().mirror for place in taken]
    assert sum(bool(mirror) for mirror in mirrors) == 1


def test_another_answer_is_another_item() -> None:
    study = study_with_twins("Another answer.")
    assert not study.has_mirrored_items
    assert len(take_all(annotator_of(study))) == 3


def test_the_same_words_about_another_document_are_another_item() -> None:
    study = make_study(corpus=make_corpus(articles=2, questions=1))
    plan_batches(study=study)
    study.refresh_from_db()
    assert not study.has_mirrored_items


def test_what_was_set_aside_was_seen_all_the_same() -> None:
    study = study_with_twins()
    annotator = annotator_of(study)
    mirrored = next(place for place in take_all(annotator) if place.hit.items.get().mirror)
    set_aside(assignment=mirrored, kind=SetAside.Kind.REJECTED, because="Wrong", actor=OPERATOR)
    assert take_all(annotator) == []


def framed() -> Study:
    """A study of two questions, the second of which asks the first in another form."""
    study = make_study(corpus=make_corpus(questions=2, systems=("alder", "birch")), questions_per_hit=1, overlap=3)
    for batch in plan_batches(study=study):
        open_batch(batch=batch, actor=OPERATOR)
    return study


def rows_of(study: Study, *named: tuple[str, str, str]) -> list[MirrorRow]:
    article = study.corpus.articles.get().external_id
    return [MirrorRow(line, article, *each) for line, each in enumerate(named, start=2)]


FRAMINGS = (("q1", "alder", "a"), ("q2", "alder", "a"), ("q1", "birch", "b"), ("q2", "birch", "b"))


def test_declared_framings_of_the_same_answers_are_for_one_person_once() -> None:
    study = framed()
    assert len(take_all(annotator_of(study))) == 4
    assert declare_mirrored(study=study, rows=rows_of(study, *FRAMINGS), actor=OPERATOR) == 4
    taken = take_all(annotator_of(study))
    systems = [place.hit.items.get().answer.system.name for place in taken]
    assert sorted(systems) == ["alder", "birch"]
    assert declare_mirrored(study=study, rows=rows_of(study, ("q1", "", "x"), ("q2", "", "x")), actor=OPERATOR) == 4
    assert len(take_all(annotator_of(study))) == 1, "what was declared before holds no more"


def test_studies_share_their_groups_and_others_do_not() -> None:
    here, there, elsewhere = framed(), framed(), framed()
    declare_mirrored(study=there, rows=rows_of(there, ("q1", "alder", "a")), actor=OPERATOR)
    declare_mirrored(study=here, rows=rows_of(here, ("q2", "alder", "a")), shared_with=there, actor=OPERATOR)
    declare_mirrored(study=elsewhere, rows=rows_of(elsewhere, ("q2", "alder", "a")), actor=OPERATOR)
    person = annotator_of(there)
    take_all(person)
    for study, expected in ((here, 3), (elsewhere, 4)):
        member = MemberFactory(study=study, user=person.user)
        assert len(take_all(Member.objects.select_related("study").get(pk=member.pk))) == expected
    assert len(take_all(annotator_of(here))) == 4, "somebody else gets all"


def test_who_declares_anew_for_the_study_alone_shares_no_more() -> None:
    there, here = framed(), framed()
    declare_mirrored(study=there, rows=rows_of(there, ("q1", "alder", "a")), actor=OPERATOR)
    declare_mirrored(study=here, rows=rows_of(here, ("q2", "alder", "a")), shared_with=there, actor=OPERATOR)
    declare_mirrored(study=there, rows=rows_of(there, ("q1", "alder", "a")), actor=OPERATOR)
    person = annotator_of(there)
    take_all(person)
    member = MemberFactory(study=here, user=person.user)
    assert len(take_all(Member.objects.select_related("study").get(pk=member.pk))) == 4


def test_work_that_was_set_aside_counts_as_judged_in_a_shared_study() -> None:
    here, there = framed(), framed()
    declare_mirrored(study=there, rows=rows_of(there, ("q1", "", "a")), actor=OPERATOR)
    declare_mirrored(study=here, rows=rows_of(here, ("q1", "", "a")), shared_with=there, actor=OPERATOR)
    person = annotator_of(there)
    (place, *_) = take_all(person)
    for each in Assignment.objects.filter(annotator=person).exclude(pk=place.pk):
        Assignment.objects.filter(pk=each.pk).update(annotator=None, state=AssignmentState.OPEN)
    set_aside(assignment=place, kind=SetAside.Kind.REJECTED, because="Too short.", actor=OPERATOR)
    member = MemberFactory(study=here, user=person.user)
    taken = take_all(Member.objects.select_related("study").get(pk=member.pk))
    assert "q1" not in {each.hit.items.get().question.external_id for each in taken}


def test_what_mirrors_by_its_words_goes_into_the_group_too() -> None:
    study = study_with_twins()
    declare_mirrored(study=study, rows=rows_of(study, ("q1", "alder", "a"), ("q1", "cedar", "a")), actor=OPERATOR)
    assert Item.objects.filter(study=study).values("mirror").distinct().count() == 1, "birch says what alder says"
    assert len(take_all(annotator_of(study))) == 1


def test_rows_that_name_nothing_or_two_groups_are_told_and_nothing_is_stored() -> None:
    study = framed()
    wrong = rows_of(study, ("q1", "alder", "a"), ("q9", "", "a"), ("q1", "", "b"), ("q1", "larch", "a"))
    with pytest.raises(InvalidInputError) as refused:
        declare_mirrored(study=study, rows=wrong, actor=OPERATOR)
    told = [(reason.code, reason.parameters["line"]) for reason in refused.value.reasons]
    assert told == [("studies.mirror_unknown", 3), ("studies.mirror_twice", 4), ("studies.mirror_unknown", 5)]
    with pytest.raises(InvalidInputError):
        declare_mirrored(study=study, rows=[], actor=OPERATOR)
    study.refresh_from_db()
    assert (study.has_mirrored_items, study.mirror_set) == (False, None)


def test_a_researcher_declares_them_on_the_settings_page(client: Client) -> None:
    study, other = framed(), framed()
    researcher = MemberFactory(study=study, role=Role.RESEARCHER)
    client.force_login(researcher.user)
    article = study.corpus.articles.get().external_id
    page = reverse("study_settings", args=[study.slug])
    table = f"article,question,group\n{article},q1,a\n{article},q2,a"
    told = client.post(page, {"step": "mirrors", "mirrors": table}, follow=True).content.decode()
    assert "4 items mirror others" in told
    for sent in ({"mirrors": "article\nx"}, {"mirrors": "article,question,group\n,q1,a"}, {"mirrors": ""}):
        refused = client.post(page, {"step": "mirrors", **sent})
        assert refused.status_code == 422
        assert sent["mirrors"] in refused.content.decode()
    assert client.post(page, {"step": "mirrors", "mirrors": table, "shared_with": other.slug}).status_code == 422
    MemberFactory(study=other, role=Role.RESEARCHER, user=researcher.user)
    Study.objects.filter(pk=other.pk).update(qualifies_for=study)
    assert client.post(page, {"step": "mirrors", "mirrors": table, "shared_with": other.slug}).status_code == 422
    Study.objects.filter(pk=other.pk).update(qualifies_for=None)
    assert client.post(page, {"step": "mirrors", "mirrors": table, "shared_with": other.slug}).status_code == 302
    other.refresh_from_db()
    assert other.mirror_set == Study.objects.get(pk=study.pk).mirror_set == other.pk

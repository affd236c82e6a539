"""Deciding on items beside their judgments, blinded; and who may."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation_platform.accounts.models import Event
from annotation_platform.analysis.explorer.indexing import index_items
from annotation_platform.annotations.migrating import migrate_scheme
from annotation_platform.annotations.models import Annotation
from annotation_platform.core.errors import ConflictError, InvalidInputError
from annotation_platform.core.schemes import InvalidJudgmentError
from annotation_platform.crowd.adjudication.models import Adjudication
from annotation_platform.crowd.adjudication.selectors import adjudicated_labels, item_to_decide, queue
from annotation_platform.crowd.adjudication.services import adjudicate, make_gold
from annotation_platform.crowd.monitor.measuring import measure as measure_annotators
from annotation_platform.crowd.review.services import reject
from annotation_platform.studies.models import Item, Member, Role, Study
from annotation_platform.studies.services.deleting import delete_study
from tests.api.clients import ROOT, program
from tests.crowd.pieces import RECODED, UNDER_RECODED, recoded, signed_in, submitted_places, words
from tests.factories import OPERATOR, MemberFactory, judgment, make_corpus, study_with_judgments
from workers.tasks import take_snapshot

pytestmark = [pytest.mark.django_db, pytest.mark.pages]
ASPECT = "completeness"


@pytest.fixture(scope="module")
def stored(module_db: None) -> Study:
    return study_with_judgments(corpus=make_corpus(articles=1, questions=3))


@pytest.fixture
def researcher(study: Study) -> Member:
    return MemberFactory(study=study, role=Role.RESEARCHER)


def decided(item: Item, by: Member, note: str = "", **values: Any) -> Adjudication:
    return adjudicate(
        item=item,
        adjudicator=by,
        raw=judgment(**values),
        scheme_signature=item.study.scheme_version.signature,
        note=note,
        actor=OPERATOR,
    )


def first_item(study: Study) -> Item:
    item = study.items.order_by("pk").first()
    assert item is not None
    return item


def test_a_decision_stands_beside_the_judgments(study: Study, researcher: Member) -> None:
    item = first_item(study)
    before = list(Annotation.objects.order_by("pk").values_list("pk", "is_current", "values"))
    decided(item, researcher, completeness="missing_all", correct="no")
    again = decided(item, researcher, completeness="complete")
    assert list(Annotation.objects.order_by("pk").values_list("pk", "is_current", "values")) == before
    assert Adjudication.objects.get() == again
    assert again.values["completeness"] == "complete"
    assert Event.objects.filter(verb="adjudication.decided", subject_id=item.pk).count() == 2


def test_adjudicators_who_differ_stand_beside_each_other(study: Study, researcher: Member) -> None:
    item, other = first_item(study), MemberFactory(study=study, role=Role.ADMIN)
    decided(item, researcher, completeness="complete", correct="yes")
    decided(item, other, completeness="missing_all", correct="yes")
    assert Adjudication.objects.filter(item=item).count() == 2
    agreed = adjudicated_labels(study)
    assert agreed[item.pk, "correct", 0] == {"yes"}
    assert (item.pk, ASPECT, 0) not in agreed


def test_the_scheme_checks_it_and_annotators_decide_nothing(study: Study, researcher: Member) -> None:
    item = first_item(study)
    with pytest.raises(InvalidJudgmentError):
        decided(item, researcher, completeness="perhaps")
    with pytest.raises(InvalidInputError, match="Only the study's researchers"):
        decided(item, study.members.get(pseudonym="A"))
    with pytest.raises(InvalidInputError, match="Only the study's researchers"):
        decided(item, MemberFactory(role=Role.RESEARCHER))
    with pytest.raises(ConflictError):
        adjudicate(item=item, adjudicator=researcher, raw=judgment(), scheme_signature="old", actor=OPERATOR)
    assert not Adjudication.objects.exists()


def test_the_queue_begins_with_what_lies_farthest_apart(study: Study, researcher: Member) -> None:
    assert "Nothing is measured yet" in words(signed_in(researcher), reverse("adjudication", args=[study.slug]))
    measure(study)
    rows = list(queue(study, ASPECT, researcher))
    apart = [row.raw_disagreement for row in rows]
    assert len(rows) == study.items.count()
    assert apart == sorted(apart, reverse=True)
    assert apart[0] > apart[-1]
    decided(rows[0].item, researcher)
    assert rows[0].item not in [row.item for row in queue(study, ASPECT, researcher)]
    assert [row.item for row in queue(study, ASPECT, researcher, "mine")] == [rows[0].item]
    other = MemberFactory(study=study, role=Role.ADMIN)
    assert [row.item for row in queue(study, ASPECT, other, "others")] == [rows[0].item]


def test_what_was_decided_under_an_earlier_version_comes_into_the_queue_again(study: Study, researcher: Member) -> None:
    measure(study)
    item = first_item(study)
    decided(item, researcher)
    migrate_scheme(study=study, definition=recoded(), renamings=RECODED, actor=OPERATOR)
    study = Study.objects.get(pk=study.pk)
    assert not adjudicated_labels(study)
    assert item in [row.item for row in queue(study, ASPECT, researcher)]
    assert not queue(study, ASPECT, researcher, "mine").exists()


def test_who_decided_under_an_earlier_version_sees_no_decision_of_others_before_the_new_one(
    study: Study, researcher: Member
) -> None:
    item = first_item(study)
    decided(item, researcher, note="Seen twice")
    migrate_scheme(study=study, definition=recoded(), renamings=RECODED, actor=OPERATOR)
    item, client = Item.objects.get(pk=item.pk), signed_in(researcher)
    url = reverse("adjudicate", args=[study.slug, item.pk])
    decided(item, MemberFactory(study=study, role=Role.ADMIN), **UNDER_RECODED, note="What the other one says")
    page = words(client, url)
    assert "What the other one says" not in page
    assert "You decided on this item under an earlier version of the scheme" in page
    assert "Seen twice" in page, "the form begins with it"
    assert 'value="right" checked' in page
    assert client.post(reverse("make_item_gold", args=[study.slug, item.pk])).status_code == 404
    address = reverse("adjudication_file", args=[study.slug])
    assert "Seen twice" not in client.get(address).content.decode()
    told = program(researcher.user).get(f"{ROOT}/studies/{study.slug}/adjudications").json()["results"]
    assert [each["note"] for each in told] == ["What the other one says"]
    decided(item, researcher, **UNDER_RECODED)
    assert "What the other one says" in words(client, url)


def test_a_form_that_was_open_when_the_study_migrated_comes_back_under_the_new_keys(
    study: Study, researcher: Member
) -> None:
    client, url = signed_in(researcher), reverse("adjudicate", args=[study.slug, first_item(study).pk])
    sent = {"scheme": study.scheme_version.signature, "aspect-correct": "yes", "aspect-reasons": "It was long."}
    migrate_scheme(study=study, definition=recoded(), renamings=RECODED, actor=OPERATOR)
    refused = client.post(url, sent)
    page = refused.content.decode()
    assert refused.status_code == 422
    assert "another version of its scheme" in page
    assert 'value="right" checked' in " ".join(page.split())
    assert "It was long." in page


def test_a_decision_under_a_version_that_a_migration_has_just_ended_is_refused(
    study: Study, researcher: Member
) -> None:
    item = first_item(study)
    before = item_to_decide(study, item.pk, researcher).item
    signature = before.study.scheme_version.signature
    made = decided(item, researcher)
    made.item = before
    migrate_scheme(study=study, definition=recoded(), renamings=RECODED, actor=OPERATOR)
    by = {"adjudicator": researcher, "raw": judgment(), "scheme_signature": signature, "actor": OPERATOR}
    with pytest.raises(ConflictError, match="another version of its scheme"):
        adjudicate(item=before, **by)
    with pytest.raises(ConflictError, match="another version of its scheme"):
        make_gold(adjudication=made, actor=OPERATOR)


def measure(study: Study) -> None:
    """Have the agreement measured, and the explorer's figures after it."""
    take_snapshot(study, actor=OPERATOR)
    index_items(study=study)


def test_who_judged_stays_unsaid_and_the_order_is_the_same_each_time(study: Study, researcher: Member) -> None:
    item = first_item(study)
    names = [member.pseudonym for member in study.members.filter(role=Role.ANNOTATOR)]
    for number, name in enumerate(names):
        study.members.filter(pseudonym=name).update(pseudonym=f"worker-{number}-secret")
    page = words(signed_in(researcher), reverse("adjudicate", args=[study.slug, item.pk]))
    assert "secret" not in page
    assert item.answer.system.name not in page.replace(item.answer.text, "")
    first = [each.labels for each in item_to_decide(study, item.pk, researcher).judgments]
    assert first == [each.labels for each in item_to_decide(study, item.pk, researcher).judgments]
    assert [each.name for each in item_to_decide(study, item.pk, researcher).judgments] == ["A", "B", "C"]


def test_a_decision_is_made_in_the_schemes_own_form(study: Study, researcher: Member) -> None:
    item, client = first_item(study), signed_in(researcher)
    url = reverse("adjudicate", args=[study.slug, item.pk])
    sent = {
        "scheme": study.scheme_version.signature,
        "aspect-correct": "yes",
        "aspect-completeness": "complete",
        "aspect-sentences": "2",
        "aspect-reasons": "=Sentence 2 says so.",
        "note": "Seen twice",
    }
    wrong = client.post(url, {**sent, "aspect-sentences": "99"})
    assert wrong.status_code == 422
    assert "Seen twice" in wrong.content.decode()
    assert client.post(url, sent).url.startswith(url)
    assert Adjudication.objects.get().values["sentences"] == [2]
    assert "Seen twice" in words(client, url)
    other = MemberFactory(study=study, role=Role.ADMIN)
    assert "Seen twice" not in words(signed_in(other), url)
    decided(item, other)
    assert "Seen twice" in words(signed_in(other), url)
    written = client.get(reverse("adjudication_file", args=[study.slug])).content.decode()
    assert f"{item.pk}," in written
    assert "'=Sentence 2 says so." in written
    assert "completeness,complete" in written


def test_a_decision_becomes_a_gold_check(study: Study, researcher: Member) -> None:
    item, client = first_item(study), signed_in(researcher)
    url = reverse("make_item_gold", args=[study.slug, item.pk])
    assert client.post(url).status_code == 404  # nothing is decided yet
    decided(item, researcher, completeness="complete", sentences=[2, 3])
    client.post(url)
    check = study.checks.get()
    assert check.question == item.question
    assert (check.accepted["completeness"], check.accepted["sentences"]) == (["complete"], [2, 3])
    again = client.post(url, follow=True)
    assert "check" in again.content.decode()
    assert study.checks.count() == 1
    assert signed_in(study.members.get(pseudonym="A")).post(url).status_code == 404


def test_a_study_is_deleted_with_its_decisions_reviews_and_signs(study: Study, researcher: Member) -> None:
    item = first_item(study)
    make_gold(adjudication=decided(item, researcher), actor=OPERATOR)
    reject(assignment=submitted_places(study, "A")[0], because="No", by=researcher, actor=OPERATOR)
    measure_annotators(study)
    delete_study(study=study, typed_name=study.name, actor=OPERATOR)
    assert not Study.every.filter(pk=study.pk).exists()
    assert not Adjudication.objects.exists()


def test_nobody_else_enters(study: Study) -> None:
    item = first_item(study)
    pages = [
        reverse("adjudication", args=[study.slug]),
        reverse("adjudication_file", args=[study.slug]),
        reverse("adjudicate", args=[study.slug, item.pk]),
    ]
    for outsider in (study.members.get(pseudonym="A"), MemberFactory(role=Role.RESEARCHER)):
        client = signed_in(outsider)
        assert [client.get(url).status_code for url in pages] == [404] * 3
        assert client.post(pages[-1], {}).status_code == 404
    assert [Client().get(url).status_code for url in pages] == [302] * 3
    foreign = MemberFactory(study=study_with_judgments(corpus=make_corpus(questions=1)), role=Role.RESEARCHER)
    url = reverse("adjudicate", args=[foreign.study.slug, item.pk])
    assert signed_in(foreign).get(url).status_code == 404

"""Consent: no task without it, given once per person and version, never ticked beforehand."""

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse

from annotation_platform.crowd.consent.models import Consent
from annotation_platform.crowd.consent.selectors import missing_text, tally
from annotation_platform.crowd.consent.services import ConsentChangedError, answer, publish_text
from annotation_platform.studies.eligibility import NotEligibleError
from annotation_platform.studies.invitations import create_invitation, token_of
from annotation_platform.studies.models import Member, Role, Study
from annotation_platform.studies.services import claim_assignment
from tests.factories import OPERATOR, MemberFactory, make_study, open_study, submit
from tests.markup import markup

pytestmark = [pytest.mark.django_db, pytest.mark.pages]


@pytest.fixture(scope="module")
def stored(module_db: None) -> Study:
    study = open_study(name="Owls", overlap=3)
    publish_text(
        study=study, texts={"en": "We store what you write.", "ja": "書いたものを保存します。"}, actor=OPERATOR
    )
    return study


@pytest.fixture
def annotator(study: Study, client: Client) -> Member:
    member = MemberFactory(study=study)
    client.force_login(member.user)
    return member


def say(client: Client, study: Study, said: str = "", version: int = 1, language: str = "en") -> str:
    sent = {"said": said, "version": version, "language": language}
    return markup(client.post(reverse("consent", args=[study.slug]), sent, follow=True))


def test_without_consent_no_task_is_taken_and_the_way_leads_to_the_text(
    client: Client, study: Study, annotator: Member
) -> None:
    with pytest.raises(NotEligibleError, match="please read what you agree to"):
        claim_assignment(annotator=annotator, actor=OPERATOR)
    work = markup(client.get(reverse("work")))
    assert "please read what you agree to" in work
    assert reverse("consent", args=[study.slug]) in work
    page = markup(client.post(reverse("take", args=[study.slug]), follow=True))
    assert "We store what you write." in page
    assert "checked" not in page
    assert not Consent.objects.exists()


def test_a_yes_is_kept_with_version_language_and_what_was_read(client: Client, study: Study, annotator: Member) -> None:
    assert "Start the next task" in say(client, study, "yes", language="ja")
    given = Consent.objects.get()
    assert (given.member, given.text.number, given.agreed, given.language) == (annotator, 1, True, "ja")
    assert given.digest == given.text.digest("ja") != given.text.digest("en")
    say(client, study, "yes")
    assert Consent.objects.count() == 1
    assert claim_assignment(annotator=annotator, actor=OPERATOR)


@pytest.mark.storage
def test_the_database_keeps_one_yes_for_each_version(study: Study, annotator: Member) -> None:
    text = missing_text(annotator)
    assert text is not None
    answer(member=annotator, text=text, agreed=True, language="en", actor=OPERATOR)
    with pytest.raises(IntegrityError), transaction.atomic():
        Consent.objects.create(member=annotator, text=text, agreed=True, language="en", digest="x")


def test_no_answer_is_asked_for_again_and_a_no_gives_no_task_but_can_become_a_yes(
    client: Client, study: Study, annotator: Member
) -> None:
    assert "Choose one of the two" in say(client, study)
    assert "You do not take part" in say(client, study, "no")
    with pytest.raises(NotEligibleError):
        claim_assignment(annotator=annotator, actor=OPERATOR)
    assert [(each.agreed, each.declined) for each in tally(study)] == [(0, 1)]
    say(client, study, "yes")
    assert [(each.agreed, each.declined) for each in tally(study)] == [(1, 0)]


def test_a_new_version_is_asked_for_and_whoever_has_a_task_finishes_it(
    client: Client, study: Study, annotator: Member
) -> None:
    say(client, study, "yes")
    place = claim_assignment(annotator=annotator, actor=OPERATOR)
    old = study.consent_texts.get()
    publish_text(study=study, texts={"en": "We store everything."}, actor=OPERATOR)
    for item in place.hit.items.all():
        submit(place, item)
    with pytest.raises(NotEligibleError):
        claim_assignment(annotator=annotator, actor=OPERATOR)
    with pytest.raises(ConsentChangedError):
        answer(member=annotator, text=old, agreed=True, language="en", actor=OPERATOR)
    assert "The text has changed meanwhile" in say(client, study, "yes", version=1)
    assert "We store everything." in markup(client.get(reverse("consent", args=[study.slug])))


def test_whoever_joins_by_a_link_reads_it_first(study: Study, client: Client) -> None:
    invitation = create_invitation(study=study, role=Role.ANNOTATOR, actor=OPERATOR)
    page = client.post(reverse("join", args=[token_of(invitation)]), {"who": "Mika"}, follow=True)
    assert "We store what you write." in markup(page)


def test_each_reader_gets_their_language(study: Study, annotator: Member) -> None:
    reader = Client(headers={"accept-language": "ja"})
    reader.force_login(annotator.user)
    page = markup(reader.get(reverse("consent", args=[study.slug])))
    assert "書いたものを保存します。" in page
    assert "同意" in page


def test_researchers_publish_versions_and_an_equal_text_makes_none(study: Study, client: Client) -> None:
    client.force_login(MemberFactory(study=study, role=Role.RESEARCHER).user)
    address = reverse("consent_texts", args=[study.slug])
    assert "Write the text in at least one language" in markup(client.post(address, {"en": " ", "ja": ""}))
    client.post(address, {"en": "We store what you write.", "ja": "書いたものを保存します。"})
    assert study.consent_texts.count() == 1
    assert "Version 2 holds" in markup(client.post(address, {"en": "Shorter.", "ja": ""}, follow=True))


def test_only_who_belongs_there_sees_the_pages(study: Study, annotator: Member, client: Client) -> None:
    texts, text = reverse("consent_texts", args=[study.slug]), reverse("consent", args=[study.slug])
    assert client.get(texts).status_code == 404  # the annotator
    client.force_login(MemberFactory(study=make_study(name="Jays"), role=Role.RESEARCHER).user)
    assert (client.get(texts).status_code, client.get(text).status_code) == (404, 404)
    assert (Client().get(texts).status_code, Client().get(text).status_code) == (302, 302)

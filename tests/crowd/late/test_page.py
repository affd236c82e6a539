"""Crowd → Late work: what waits, and deciding about it."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation_platform.annotations.late import LateForm, keep_late_judgment
from annotation_platform.annotations.migrating import migrate_scheme
from annotation_platform.annotations.models import Annotation, LateJudgment
from annotation_platform.annotations.services import SchemeChangedError
from annotation_platform.core.schemes import preset
from annotation_platform.studies.models import Batch, BatchState, Member, Role, Study
from tests.annotations.desk import Desk
from tests.crowd.late.pieces import free_the_place, late_desk
from tests.crowd.pieces import RECODED, recoded
from tests.factories import OPERATOR, MemberFactory, judgment, make_study
from tests.markup import markup

pytestmark = [pytest.mark.django_db, pytest.mark.pages]


@pytest.fixture
def desk() -> Desk:
    return late_desk()


def client_of(member: Member) -> Client:
    client = Client()
    client.force_login(member.user, backend="allauth.account.auth_backends.AuthenticationBackend")
    return client


@pytest.fixture
def researcher(desk: Desk) -> Client:
    return client_of(MemberFactory(study=desk.study, role=Role.RESEARCHER))


def decide(desk: Desk, client: Client, **sent: Any) -> Any:
    return client.post(_address("crowd_late_decide", desk), sent)


def _address(name: str, desk: Desk) -> str:
    return reverse(name, args=[desk.study.slug, desk.assignment.hit_id, desk.annotator.pk])


def test_what_waits_is_listed_and_told_at_home(desk: Desk, researcher: Client) -> None:
    page = markup(researcher.get(reverse("crowd_late", args=[desk.study.slug])))
    assert f"{desk.annotator.pseudonym}:" in page
    assert "No place of the task is free. While its batch is open, a higher" in page
    assert f'href="{reverse("study_settings", args=[desk.study.slug])}#overlap"' in page
    assert "Late work in a task to decide about" in markup(researcher.get(reverse("study", args=[desk.study.slug])))
    assert "It leaves out sentence 4." in markup(researcher.get(_address("crowd_late_judgments", desk)))


def test_what_was_judged_late_is_told_in_words(desk: Desk, researcher: Client) -> None:
    page = markup(researcher.get(_address("crowd_late_judgments", desk)))
    scheme = desk.study.scheme()
    completeness = next(each for each in scheme.aspects if each.key == "completeness")
    label = next(each.label for each in completeness.scale.choices if each.key == "missing_minor")  # type: ignore[union-attr]
    assert label in page
    assert "missing_minor" not in page
    assert "2, 4, 5" in page
    assert "[2, 4, 5]" not in page


def test_what_was_judged_under_an_earlier_version_of_the_scheme_is_told_in_its_words(
    desk: Desk, researcher: Client
) -> None:
    definition = preset("ebr") | {"examples": [], "rescale": []}
    correct, *_others, reasons = definition["aspects"]
    correct["key"], reasons["key"] = "is_right", "why"
    renamings = ["correct = is_right", "reasons = why"]
    migrate_scheme(study=desk.study, definition=definition, renamings=renamings, actor=OPERATOR)
    page = markup(researcher.get(_address("crowd_late_judgments", desk)))
    for said in ("Is the answer correct?", "How complete is it?", "2, 4, 5", "It leaves out sentence 4."):
        assert said in page


def test_what_comes_while_the_scheme_migrates_is_not_kept_under_the_version_before(desk: Desk) -> None:
    """It could never be accepted; refused, it is shown to its annotator under the keys of today."""
    scheme = desk.study.scheme_version
    form = LateForm(1, scheme.scheme(), scheme.signature, judgment())
    annotator = Member.objects.select_related("study__scheme_version").get(pk=desk.annotator.pk)
    migrate_scheme(study=desk.study, definition=recoded(), renamings=RECODED, actor=OPERATOR)
    with pytest.raises(SchemeChangedError):
        keep_late_judgment(assignment=desk.assignment, annotator=annotator, form=form, actor=OPERATOR)


def test_accepted_it_counts_and_the_batch_that_is_complete_closes(desk: Desk, researcher: Client) -> None:
    free_the_place(desk)
    assert decide(desk, researcher, accept="1").status_code == 302
    assert Annotation.objects.current().count() == 2
    assert Batch.objects.get().state == BatchState.CLOSED


def test_without_a_free_place_it_is_refused_and_waits(desk: Desk, researcher: Client) -> None:
    response = decide(desk, researcher, accept="1")
    assert response.status_code == 422
    assert "No place of this task is free" in markup(response)
    assert LateJudgment.objects.filter(state="waiting").count() == 2


def test_it_is_declined_with_a_reason_only(desk: Desk, researcher: Client) -> None:
    assert decide(desk, researcher, because=" ").status_code == 422
    assert decide(desk, researcher, because="Too late").status_code == 302
    assert LateJudgment.objects.filter(state="declined").count() == 2
    page = markup(researcher.get(reverse("crowd_late", args=[desk.study.slug])))
    assert "Nothing waits for a decision." in page
    assert "declined: Too late" in page


def outsiders(study: Study) -> list[Client]:
    return [client_of(MemberFactory(study=study)), client_of(MemberFactory(study=make_study(), role=Role.ADMIN))]


def test_nobody_else_enters_or_decides(desk: Desk) -> None:
    for client in outsiders(desk.study):
        assert client.get(reverse("crowd_late", args=[desk.study.slug])).status_code == 404
        assert client.get(_address("crowd_late_judgments", desk)).status_code == 404
        assert decide(desk, client, because="No").status_code == 404
    assert Client().get(reverse("crowd_late", args=[desk.study.slug])).status_code == 302
    assert LateJudgment.objects.filter(state="waiting").count() == 2


def test_nothing_of_another_study_is_decided_here(desk: Desk) -> None:
    other = MemberFactory(study=make_study(), role=Role.ADMIN)
    address = reverse("crowd_late_decide", args=[other.study.slug, desk.assignment.hit_id, desk.annotator.pk])
    assert client_of(other).post(address, {"because": "No"}).status_code == 404

"""Coming from Prolific and going back: identifiers, consent, the right code, and who cannot come in."""

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation_platform.accounts.models import User
from annotation_platform.crowd.consent.services import publish_text
from annotation_platform.crowd.endings import Ending
from annotation_platform.crowd.providers.prolific.models import ProlificStudy, Submission
from annotation_platform.crowd.providers.prolific.visits import end, ending_of
from annotation_platform.crowd.rounds.models import Verdict
from annotation_platform.crowd.rounds.services import decide_without_attempt
from annotation_platform.studies.models import Assignment, Member, Role, Study
from annotation_platform.studies.services import archive_study, claim_assignment, exclude_member, remove_member
from tests.crowd.providers.pieces import PERSON, come, connected, identifiers, submission
from tests.crowd.rounds.pieces import new_round
from tests.factories import OPERATOR, MemberFactory, make_study, open_study, submit
from tests.markup import markup

pytestmark = [pytest.mark.django_db, pytest.mark.pages]


@pytest.fixture(scope="module")
def stored(module_db: None) -> Study:
    return open_study(name="Owls", overlap=2)


@pytest.fixture
def prolific(study: Study) -> ProlificStudy:
    return connected(study)


def finish_a_task(member: Member) -> None:
    place = claim_assignment(annotator=member, actor=OPERATOR)
    for item in place.hit.items.all():
        submit(place, item)


def leave(client: Client, study: Study) -> str:
    return markup(client.post(reverse("prolific_leaving", args=[study.slug])))


def test_somebody_arrives_without_an_account_does_a_task_and_goes_back_by_the_code(
    client: Client, study: Study, prolific: ProlificStudy
) -> None:
    assert come(prolific, client)["Location"] == reverse("work")
    one = Submission.objects.get()
    assert (one.external_id, one.member.role) == ("session01", Role.ANNOTATOR)
    page = reverse("prolific_leaving", args=[study.slug])
    assert page in markup(client.get(reverse("work")))
    assert "0 of one task is done" in markup(client.get(page))
    assert "DONE1" not in leave(client, study)
    finish_a_task(one.member)
    assert "Your submission is complete" in markup(client.get(page))
    said = leave(client, study)
    assert "https://app.prolific.com/submissions/complete?cc=DONE1" in said
    one.refresh_from_db()
    assert one.ending == Ending.DONE


def test_a_look_at_the_address_makes_nobody(client: Client, prolific: ProlificStudy) -> None:
    client.get(reverse("prolific_arriving", args=[prolific.address_token]), identifiers())
    assert not Submission.objects.exists()
    assert not User.objects.exists()


def test_coming_again_is_the_same_person_also_with_another_submission(study: Study, prolific: ProlificStudy) -> None:
    come(prolific)
    come(prolific)
    come(prolific, session="session02")
    assert study.members.count() == 1
    assert Submission.objects.count() == 2


def test_nobody_comes_in_by_the_submission_of_somebody_else(prolific: ProlificStudy) -> None:
    come(prolific)
    page = come(prolific, person="5f0000000000000000000002")
    assert page.status_code == 422
    assert "Somebody else came by this submission" in markup(page)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"PROLIFIC_PID": ""}, "the address lacks PROLIFIC_PID"),
        ({"SESSION_ID": "", "STUDY_ID": ""}, "the address lacks STUDY_ID, SESSION_ID"),
        ({"PROLIFIC_PID": "{{%PROLIFIC_PID%}}"}, "PROLIFIC_PID in the address is none that Prolific makes"),
        ({"SESSION_ID": "<script>alert(1)</script>"}, "SESSION_ID in the address is none"),
        ({"STUDY_ID": "x" * 500}, "STUDY_ID in the address is none"),
    ],
)
def test_wrong_identifiers_get_a_plain_page(
    client: Client, prolific: ProlificStudy, changed: dict[str, str], said: str
) -> None:
    page = client.get(reverse("prolific_arriving", args=[prolific.address_token]), identifiers() | changed)
    assert page.status_code == 422
    assert said in markup(page)


def test_a_closed_an_archived_and_another_study_take_nobody_in(study: Study, client: Client) -> None:
    address = reverse("prolific_arriving", args=[connected(study, external_studies=["another_study"]).address_token])
    assert "belongs to another study" in markup(client.get(address, identifiers()))
    connected(study, is_open=False)
    assert "takes nobody in at the moment" in markup(client.get(address, identifiers()))
    connected(study)
    archive_study(study=study, actor=OPERATOR)
    assert "takes nobody in at the moment" in markup(client.get(address, identifiers()))
    assert client.get(reverse("prolific_arriving", args=["nothing"]), identifiers()).status_code == 404


def test_a_removed_person_cannot_come_back(client: Client, study: Study, prolific: ProlificStudy) -> None:
    come(prolific)
    remove_member(member=study.members.get(), actor=OPERATOR)
    page = client.get(reverse("prolific_arriving", args=[prolific.address_token]), identifiers(session="session02"))
    assert page.status_code == 422
    assert study.members.count() == 1


def test_a_no_leads_back_by_its_code_and_leaves_nothing_about_the_person(
    client: Client, study: Study, prolific: ProlificStudy
) -> None:
    publish_text(study=study, texts={"en": "We store what you write."}, actor=OPERATOR)
    address = reverse("prolific_arriving", args=[prolific.address_token])
    page = markup(client.get(address, identifiers()))
    assert "We store what you write." in page
    assert "checked" not in page
    assert "Choose one of the two" in markup(come(prolific, client, said=""))
    assert "complete?cc=NO4" in markup(come(prolific, client, said="no"))
    assert not study.members.exists()
    come(prolific, client, said="yes")
    member = study.members.get()
    assert member.consents.get().agreed
    assert claim_assignment(annotator=member, actor=OPERATOR)


def test_who_says_no_later_goes_back_by_the_same_code(client: Client, study: Study, prolific: ProlificStudy) -> None:
    come(prolific, client)
    publish_text(study=study, texts={"en": "New words."}, actor=OPERATOR)
    page = client.post(reverse("consent", args=[study.slug]), {"said": "no", "version": 1, "language": "en"})
    assert "complete?cc=NO4" in markup(page)
    assert Submission.objects.get().ending == Ending.NO_CONSENT


def test_who_is_excluded_or_finds_nothing_is_screened_out_and_who_is_too_slow_timed_out(study: Study) -> None:
    prolific = connected(study)
    excluded, slow, late = (submission(prolific, number) for number in (1, 2, 3))
    exclude_member(member=excluded.member, because="The checks failed.", actor=OPERATOR)
    excluded.member.refresh_from_db()
    assert ending_of(excluded) == Ending.SCREENED_OUT
    place = claim_assignment(annotator=slow.member, actor=OPERATOR)
    assert ending_of(slow) is None
    Assignment.objects.filter(pk=place.pk).update(lease_expires_at=timezone.now() - timezone.timedelta(minutes=1))
    assert ending_of(slow) == Ending.TIMED_OUT
    back = end(slow.member, Ending.TIMED_OUT, OPERATOR)
    assert back is not None
    assert back.code == "TIME3"
    Assignment.objects.filter(hit__batch__study=study).delete()
    assert ending_of(late) == Ending.SCREENED_OUT


def test_who_has_no_attempt_left_of_a_round_is_screened_out(study: Study, prolific: ProlificStudy) -> None:
    round_ = new_round(study)
    one = submission(prolific)
    assert ending_of(one) is None
    by = MemberFactory(study=study, role=Role.RESEARCHER)
    decide_without_attempt(round_=round_, member=one.member, verdict=Verdict.FAILED, note="No.", by=by, actor=OPERATOR)
    assert ending_of(one) == Ending.SCREENED_OUT


def test_who_came_in_another_way_has_no_way_back(client: Client, study: Study, prolific: ProlificStudy) -> None:
    member = MemberFactory(study=study)
    assert end(member, Ending.DONE, OPERATOR) is None
    client.force_login(member.user)
    assert client.get(reverse("prolific_leaving", args=[study.slug])).status_code == 404
    assert "Finish and go back" not in markup(client.get(reverse("work")))


def test_the_page_of_sources_never_shows_who_somebody_is(client: Client, study: Study, prolific: ProlificStudy) -> None:
    come(prolific)
    client.force_login(MemberFactory(study=study, role=Role.ADMIN).user)
    one = Submission.objects.get()
    for address in (
        reverse("sources", args=[study.slug]),
        reverse("prolific", args=[study.slug]),
        reverse("prolific_submission", args=[study.slug, one.pk]),
        reverse("people", args=[study.slug]),
        reverse("history", args=[study.slug]),
    ):
        page = client.get(address)
        assert page.status_code == 200
        assert PERSON not in page.content.decode()


@pytest.mark.parametrize("page", ["sources", "prolific", "imported_work"])
def test_only_the_studys_researchers_enter(study: Study, prolific: ProlificStudy, page: str, client: Client) -> None:
    address = reverse(page, args=[study.slug])
    assert Client().get(address).status_code == 302
    for stranger in (MemberFactory(study=study), MemberFactory(study=make_study(name="Jays"), role=Role.ADMIN)):
        client.force_login(stranger.user)
        assert client.get(address).status_code == 404
    client.force_login(MemberFactory(study=study, role=Role.RESEARCHER).user)
    assert client.get(address).status_code == 200


def test_a_researcher_connects_and_mistakes_lose_nothing(study: Study, client: Client) -> None:
    client.force_login(MemberFactory(study=study, role=Role.RESEARCHER).user)
    address = reverse("prolific", args=[study.slug])
    sent = {"tasks_wanted": "2", "code_done": "ABC", "code_no_consent": "ABC", "is_open": "on", "token": "tok-5ecret"}
    page = client.post(address, sent)
    assert page.status_code == 422
    assert "Two endings have the same code" in markup(page)
    assert 'value="ABC"' in markup(page)
    page = client.post(address, sent | {"code_no_consent": "NO"}, follow=True)
    assert "A token is there" in markup(page)
    assert "5ecret" not in markup(page)
    assert "PROLIFIC_PID=" in markup(page)

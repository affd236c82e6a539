"""Coming from Prolific and going back: identifiers, consent, the right code, and who cannot come in."""

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation_platform.accounts.deleting import delete_account
from annotation_platform.accounts.models import User
from annotation_platform.crowd.consent.services import publish_text
from annotation_platform.crowd.endings import Ending
from annotation_platform.crowd.languages.services import require_languages, state_languages
from annotation_platform.crowd.pay.services import credit_assignment, credit_what_is_due
from annotation_platform.crowd.providers.prolific.models import ProlificStudy, Submission
from annotation_platform.crowd.providers.prolific.visits import end, ending_of
from annotation_platform.crowd.rounds.models import Verdict
from annotation_platform.crowd.rounds.services import begin_attempt, decide_without_attempt, end_round
from annotation_platform.studies.models import Assignment, AssignmentState, Member, Role, Study
from annotation_platform.studies.services import (
    archive_study,
    claim_assignment,
    close_batch,
    exclude_member,
    finish_batch,
    pause_member,
    remove_member,
    restore_member,
)
from tests.crowd.pay.paying import agree
from tests.crowd.providers.pieces import PERSON, come, connected, identifiers, submission
from tests.crowd.rounds.pieces import WRONG, acts, go_through, judge, new_round
from tests.factories import OPERATOR, MemberFactory, make_corpus, make_study, open_study, submit
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


def test_who_would_leave_the_study_is_told_to_go_back_first(
    client: Client, study: Study, prolific: ProlificStudy
) -> None:
    come(prolific, client)
    page = markup(client.get(reverse("leave_study", args=[study.slug])))
    assert "you find no completion code here any more" in page
    assert f'href="{reverse("prolific_leaving", args=[study.slug])}"' in page


def test_leaving_the_study_ends_the_visit_with_its_code_or_before_its_end(
    client: Client, study: Study, prolific: ProlificStudy
) -> None:
    come(prolific, client)
    one = Submission.objects.get()
    finish_a_task(one.member)
    assert "complete?cc=DONE1" in markup(client.post(reverse("leave_study", args=[study.slug]), follow=True))
    other = Client()
    come(prolific, other, person="5f0000000000000000000002", session="session02")
    page = markup(other.post(reverse("leave_study", args=[study.slug]), follow=True))
    assert "complete?cc" not in page
    assert [(each.ending, each.ended_at is None) for each in Submission.objects.order_by("pk")] == [
        ("done", False),
        ("", False),
    ]
    client.force_login(MemberFactory(study=study, role=Role.ADMIN).user)
    assert "Before its end" in markup(client.get(reverse("prolific", args=[study.slug])))


def test_who_is_removed_or_deletes_the_account_is_not_at_work_any_more(
    client: Client, study: Study, prolific: ProlificStudy
) -> None:
    for number in range(3):
        come(prolific, Client(), person=f"5f000000000000000000000{number}", session=f"session0{number}")
    done, at_work, gone = (each.member for each in Submission.objects.order_by("pk"))
    finish_a_task(done)
    claim_assignment(annotator=at_work, actor=OPERATOR)
    for member in (done, at_work):
        remove_member(member=member, actor=OPERATOR)
    assert gone.user is not None
    delete_account(user=gone.user, actor=OPERATOR)
    assert [(each.ending, each.ended_at is None) for each in Submission.objects.order_by("pk")] == [
        ("done", False),
        ("", False),
        ("", False),
    ]
    assert not Assignment.objects.filter(state=AssignmentState.CLAIMED).exists()
    left = Submission.objects.order_by("pk")[1]
    restore_member(member=at_work, actor=OPERATOR)
    come(prolific, Client(), person="5f0000000000000000000001", session="session01")
    left.refresh_from_db()
    assert left.ended_at is None, "let in again, the visit goes on"


def test_a_visit_that_has_ended_stays_as_it_ended_when_somebody_is_removed(
    client: Client, study: Study, prolific: ProlificStudy
) -> None:
    come(prolific, client)
    one = Submission.objects.get()
    end(one.member, Ending.TIMED_OUT, OPERATOR)
    ended = Submission.objects.values("ending", "ended_at").get()
    close_batch(batch=study.batches.get(), because="enough", actor=OPERATOR)
    remove_member(member=one.member, actor=OPERATOR)
    assert Submission.objects.values("ending", "ended_at").get() == ended == {**ended, "ending": "timed_out"}


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


def test_a_no_at_the_door_to_a_new_text_is_kept_and_what_was_held_goes_back(
    study: Study, prolific: ProlificStudy
) -> None:
    come(prolific)
    one = Submission.objects.get()
    place = claim_assignment(annotator=one.member, actor=OPERATOR)
    publish_text(study=study, texts={"en": "New words."}, actor=OPERATOR)
    assert "complete?cc=NO4" in markup(come(prolific, said="no"))
    one.refresh_from_db()
    place.refresh_from_db()
    assert (one.ending, place.annotator, one.member.consents.get().agreed) == (Ending.NO_CONSENT, None, False)


@pytest.mark.parametrize("said", ["yes", "no"])
def test_what_is_said_at_the_door_to_a_text_from_before_is_asked_again(
    study: Study, prolific: ProlificStudy, said: str
) -> None:
    come(prolific)
    for words in ("Old words.", "New words."):
        publish_text(study=study, texts={"en": words}, actor=OPERATOR)
    page = come(prolific, said=said, version="1")
    assert page.status_code == 409
    assert "New words." in markup(page)
    assert not Submission.objects.get().member.consents.exists()
    assert Submission.objects.get().ending == ""


def test_a_no_is_kept_in_the_language_that_was_read(study: Study, prolific: ProlificStudy, client: Client) -> None:
    come(prolific)
    publish_text(study=study, texts={"en": "New words.", "ja": "新しい文章。"}, actor=OPERATOR)
    address = reverse("prolific_arriving", args=[prolific.address_token])
    sent = {**identifiers(), "said": "no", "version": "1", "language": "ja"}
    assert client.post(address, sent, headers={"accept-language": "en"}).status_code == 200
    said = Submission.objects.get().member.consents.get()
    assert (said.agreed, said.language, said.digest) == (False, "ja", said.text.digest("ja"))


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


def test_who_was_too_slow_for_a_finishing_batch_goes_on_while_there_is_another() -> None:
    study = open_study(corpus=make_corpus(articles=2, questions=1, systems=("alder",)), overlap=2, hits_per_batch=1)
    one = submission(connected(study))
    place = claim_assignment(annotator=one.member, actor=OPERATOR)
    claim_assignment(annotator=MemberFactory(study=study), actor=OPERATOR)
    finish_batch(batch=place.hit.batch, because="by R", actor=OPERATOR)
    Assignment.objects.filter(pk=place.pk).update(lease_expires_at=timezone.now() - timezone.timedelta(minutes=1))
    assert ending_of(one) is None
    close_batch(batch=study.batches.exclude(pk=place.hit.batch_id).get(), because="by R", actor=OPERATOR)
    assert ending_of(one) == Ending.TIMED_OUT


def test_who_has_no_attempt_left_of_a_round_is_screened_out(study: Study, prolific: ProlificStudy) -> None:
    round_ = new_round(study)
    one = submission(prolific)
    assert ending_of(one) is None
    by = MemberFactory(study=study, role=Role.RESEARCHER)
    decide_without_attempt(round_=round_, member=one.member, verdict=Verdict.FAILED, note="No.", by=by, actor=OPERATOR)
    assert ending_of(one) == Ending.SCREENED_OUT


def test_who_gets_no_task_of_a_round_since_its_budget_is_used_up_goes_back(
    study: Study, prolific: ProlificStudy
) -> None:
    round_ = new_round(study, articles=2)
    agree(round_.study, reward=150, budget=300)
    one, two = submission(prolific), submission(prolific, 2)
    place = begin_attempt(round_=round_, member=one.member, actor=acts(one.member))
    assert (ending_of(one), ending_of(two)) == (None, Ending.SCREENED_OUT)
    judge(place, {})
    assert ending_of(one) is None, "a place waits for them"
    agree(round_.study, reward=150, budget=600)
    assert ending_of(two) is None
    go_through(round_, two.member, {}, {})
    agree(round_.study, reward=150, budget=300)
    assert ending_of(one) == Ending.DONE


def test_who_fails_a_round_that_was_added_finishes_the_task_in_hand_first(
    study: Study, prolific: ProlificStudy
) -> None:
    one = submission(prolific)
    place = claim_assignment(annotator=one.member, actor=OPERATOR)
    assert go_through(new_round(study), one.member, {1: WRONG}).verdict == Verdict.FAILED
    assert ending_of(one) is None
    Assignment.objects.filter(pk=place.pk).update(lease_expires_at=timezone.now())
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


def test_who_is_left_without_a_task_goes_back_as_done_with_what_they_did_or_screened_out(study: Study) -> None:
    """A pause, caps, and a day's cap: the reason is told, and the code says whether anything was submitted."""
    prolific = connected(study, tasks_wanted=2)
    worker, idler = submission(prolific, 1), submission(prolific, 2)
    finish_a_task(worker.member)
    for settings in ({"most_tasks": 1}, {"most_tasks_a_day": 1}):
        Study.objects.filter(pk=study.pk).update(most_tasks=None, most_tasks_a_day=None)
        assert ending_of(Submission.objects.get(pk=worker.pk)) is None
        Study.objects.filter(pk=study.pk).update(**settings)
        assert ending_of(Submission.objects.get(pk=worker.pk)) == Ending.DONE
    Study.objects.filter(pk=study.pk).update(most_tasks=None, most_tasks_a_day=None)
    for one, ending, code in ((worker, Ending.DONE, "DONE1"), (idler, Ending.SCREENED_OUT, "SCREEN2")):
        pause_member(member=one.member, because="Two checks in a row failed.", actor=OPERATOR)
        assert ending_of(Submission.objects.get(pk=one.pk)) == ending
        client = Client()
        client.force_login(one.member.user)
        page = markup(client.get(reverse("prolific_leaving", args=[study.slug])))
        assert "Two checks in a row failed." in page
        assert f"complete?cc={code}" in leave(client, study)


def test_who_paused_with_a_task_in_hand_finishes_it_first(study: Study, prolific: ProlificStudy) -> None:
    one = submission(prolific)
    claim_assignment(annotator=one.member, actor=OPERATOR)
    pause_member(member=one.member, because="A pause.", actor=OPERATOR)
    assert ending_of(Submission.objects.get()) is None


def test_who_reads_other_languages_goes_back_screened_out(
    client: Client, study: Study, prolific: ProlificStudy
) -> None:
    require_languages(study=study, codes=["ja"], actor=OPERATOR)
    come(prolific, client)
    one = Submission.objects.get()
    assert ending_of(one) is None, "they can say which languages they read"
    state_languages(member=one.member, codes=["fr"], actor=OPERATOR)
    assert ending_of(one) == Ending.SCREENED_OUT
    assert "日本語" in markup(client.get(reverse("prolific_leaving", args=[study.slug])))
    assert "complete?cc=SCREEN2" in leave(client, study)
    state_languages(member=one.member, codes=["fr", "ja"], actor=OPERATOR)
    assert ending_of(one) is None


def test_who_waits_for_a_verdict_goes_back_as_done_and_reads_so(
    client: Client, study: Study, prolific: ProlificStudy
) -> None:
    round_ = new_round(study, is_reviewed=True)
    come(prolific, client)
    one = Submission.objects.get()
    place = begin_attempt(round_=round_, member=one.member, actor=acts(one.member))
    assert ending_of(one) is None, "a round is under way"
    judge(place, {})
    page = reverse("prolific_leaving", args=[study.slug])
    assert page in markup(client.get(reverse("done", args=[place.pk]))), "the last task of a round leads back"
    said = markup(client.get(page))
    assert "0 of one task is done." in said
    assert "are being looked at" in said
    assert "the researcher looks at it" in said
    assert "complete?cc=DONE1" in leave(client, study)
    later = submission_again(one, "session02")
    assert ending_of(later) == Ending.SCREENED_OUT, "in this visit there was nothing to do"


def test_a_passed_round_without_an_open_task_after_it_is_a_visit_that_is_done(
    study: Study, prolific: ProlificStudy
) -> None:
    round_ = new_round(study)
    one = submission(prolific)
    go_through(round_, one.member)
    assert ending_of(one) is None, "the study's tasks are open to them now"
    Assignment.objects.filter(hit__batch__study=study).delete()
    assert ending_of(one) == Ending.DONE


def test_a_rounds_task_whose_time_ran_out_leads_back_and_goes_back(study: Study, prolific: ProlificStudy) -> None:
    round_ = new_round(study)
    one = submission(prolific)
    place = begin_attempt(round_=round_, member=one.member, actor=acts(one.member))
    Assignment.objects.filter(pk=place.pk).update(lease_expires_at=timezone.now() - timezone.timedelta(minutes=1))
    assert ending_of(one) == Ending.TIMED_OUT
    back = end(one.member, Ending.TIMED_OUT, OPERATOR)
    assert back is not None
    assert back.code == "TIME3"
    assert not Assignment.objects.filter(pk=place.pk, state=AssignmentState.CLAIMED).exists()


def test_a_round_that_ended_meanwhile_leads_back_and_says_why(
    client: Client, study: Study, prolific: ProlificStudy
) -> None:
    round_ = new_round(study)
    come(prolific, client)
    one = Submission.objects.get()
    begin_attempt(round_=round_, member=one.member, actor=acts(one.member))
    assert ending_of(one) is None
    end_round(round_=round_, actor=OPERATOR)
    said = markup(client.get(reverse("prolific_leaving", args=[study.slug])))
    assert "has ended before you had finished it. That does not count against you" in said
    assert "The way back opens when" not in said
    assert "complete?cc=SCREEN2" in leave(client, study)


def test_a_task_whose_batch_was_closed_keeps_nobody(study: Study, prolific: ProlificStudy) -> None:
    one = submission(prolific)
    place = claim_assignment(annotator=one.member, actor=OPERATOR)
    assert ending_of(one) is None
    close_batch(batch=place.hit.batch, because="enough", actor=OPERATOR)
    assert ending_of(one) == Ending.SCREENED_OUT


def test_the_last_page_says_what_was_earned_also_in_rounds(client: Client, study: Study) -> None:
    prolific = connected(study, tasks_wanted=3)
    round_ = new_round(study)
    page = reverse("prolific_leaving", args=[study.slug])
    come(prolific, client)
    one = Submission.objects.get()
    assert "earned" not in markup(client.get(page)), "nothing was agreed"
    agree(study, reward=150)
    agree(round_.study, reward=100, approval="at_once")
    assert "Nothing is credited to you here so far." in markup(client.get(page))
    go_through(round_, one.member)
    finish_a_task(one.member)
    credit_what_is_due(actor=OPERATOR)
    said = markup(client.get(page))
    assert "You have earned $1.00 here so far. 1 task of yours is still to be approved." in said
    credit_assignment(assignment=one.member.assignments.get(), annotator=one.member, actor=OPERATOR)
    assert "You have earned $2.50 here so far." in markup(client.get(page))
    assert "$2.50を獲得しました" in markup(client.get(page, headers={"Accept-Language": "ja"}))


def submission_again(one: Submission, session: str) -> Submission:
    """The same person, come by another submission."""
    return Submission.objects.create(
        connection=one.connection, member=one.member, external_id=session, external_study=one.external_study
    )

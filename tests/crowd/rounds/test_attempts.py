"""Going through rounds: who may begin, what follows the last task, and what it opens."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation_platform.accounts.models import Event
from annotation_platform.accounts.verbs import Verb
from annotation_platform.annotations.migrating import migrate_scheme
from annotation_platform.annotations.models import Annotation, Draft
from annotation_platform.annotations.selectors import assignments_of, studies_of, waiting_hits
from annotation_platform.annotations.services import save_draft
from annotation_platform.core.errors import ConflictError
from annotation_platform.core.qualification import AcceptedAnswersError
from annotation_platform.crowd.rounds import key_page
from annotation_platform.crowd.rounds.key_fields import sent_key
from annotation_platform.crowd.rounds.models import Attempt, ItemKey, Round, Rule, Verdict
from annotation_platform.crowd.rounds.results import results_of
from annotation_platform.crowd.rounds.selectors import items_of, standings_of
from annotation_platform.crowd.rounds.services import (
    begin_attempt,
    decide,
    decide_without_attempt,
    end_round,
    open_round,
    set_key,
)
from annotation_platform.crowd.rounds.services.attempts import MayNotBeginError
from annotation_platform.crowd.rounds.standing import State
from annotation_platform.studies.eligibility import Moment, NotEligibleError, refusal
from annotation_platform.studies.models import Assignment, AssignmentState, Member, Role, Study
from annotation_platform.studies.services import (
    archive_study,
    claim_assignment,
    close_due_batches,
    exclude_member,
    pause_member,
    remove_member,
    return_assignment,
)
from tests.api.clients import program, send
from tests.crowd.pieces import RECODED, UNDER_RECODED, recoded
from tests.crowd.rounds.pieces import RIGHT, WRONG, acts, go_through, judge, new_round
from tests.factories import OPERATOR, MemberFactory, judgment, open_study, submit
from tests.markup import markup

pytestmark = pytest.mark.pages


@pytest.fixture(scope="module")
def stored(module_db: None) -> Study:
    return open_study(overlap=5)


@pytest.fixture
def worker(study: Study) -> Member:
    return MemberFactory(study=study)


def code_for(member: Member, moment: Moment = Moment.TAKING) -> str | None:
    reason = refusal(Member.objects.select_related("study").get(pk=member.pk), moment)
    return None if reason is None else reason.code


def states(member: Member) -> list[State]:
    return [each.state for each in standings_of(member)]


def test_a_study_without_rounds_is_open_to_all(worker: Member) -> None:
    assert code_for(worker) is None
    assert standings_of(worker) == []


def test_who_has_not_passed_takes_no_task_and_who_passes_does(study: Study, worker: Member) -> None:
    new = new_round(study)
    with pytest.raises(NotEligibleError, match="First pass the round of qualification “Round 1”"):
        claim_assignment(annotator=worker, actor=acts(worker))
    attempt = go_through(new, worker)
    assert (attempt.verdict, attempt.matched, attempt.compared) == (Verdict.PASSED, 4, 4)
    assert claim_assignment(annotator=worker, actor=acts(worker)).hit.batch.study == study


def test_a_round_is_judged_under_the_same_pseudonym_and_in_no_figure_of_the_study(study: Study, worker: Member) -> None:
    attempt = go_through(new_round(study), worker)
    assert attempt.annotator is not None
    assert attempt.annotator.pseudonym == worker.pseudonym
    assert not Annotation.objects.filter(item__study=study).exists()


def test_who_matches_too_little_fails_and_has_no_attempt_left(study: Study, worker: Member) -> None:
    new = new_round(study)
    assert go_through(new, worker, {1: WRONG}).verdict == Verdict.FAILED
    assert states(worker) == [State.FAILED]
    assert code_for(worker) == "crowd.round_not_passed"
    with pytest.raises(ConflictError):
        begin_attempt(round_=new, member=worker, actor=acts(worker))


def test_the_key_of_a_round_migrates_with_its_scheme(study: Study, worker: Member) -> None:
    new = new_round(study)
    migrate_scheme(study=new.study, definition=recoded(), renamings=RECODED, actor=OPERATOR)
    assert list(ItemKey.objects.values_list("accepted", flat=True)) == [{"correct": ["right"]}] * 2
    new = Round.objects.get(pk=new.pk)
    attempt = go_through(new, worker, {1: UNDER_RECODED, 2: UNDER_RECODED})
    assert (attempt.verdict, attempt.matched, attempt.compared) == (Verdict.PASSED, 2, 2)


def test_no_key_is_stored_under_a_version_of_the_scheme_that_is_gone(study: Study, client: Client) -> None:
    new = new_round(study)
    item, signature = items_of(new)[0], new.study.scheme_version.signature
    migrate_scheme(study=new.study, definition=recoded(), renamings=RECODED, actor=OPERATOR)
    with pytest.raises(AcceptedAnswersError):
        set_key(round_=new, item=item, raw={"correct": ["yes"]}, must_pass=False, actor=OPERATOR)
    client.force_login(MemberFactory(study=study, role=Role.RESEARCHER).user)
    address = reverse("round_item_key", args=[study.slug, new.pk, 1])
    sent = {"accepted-completeness": ["complete"], "must_pass": "on", "explanation": "See sentence 4."}
    page = markup(client.post(address, sent | {"scheme": signature}))
    assert "another version of its scheme since you opened the page" in page
    assert "See sentence 4." in page, "what is of no scheme stays as it was typed"
    assert 'name="must_pass" checked' in page
    assert ItemKey.objects.get(item=item.item).accepted == {"correct": ["right"]}


def test_no_key_is_stored_under_a_version_that_a_migration_has_just_ended(
    study: Study, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    new = new_round(study)
    item, signature = items_of(new)[0], new.study.scheme_version.signature

    def read_while_it_migrates(*form: Any) -> Any:
        migrate_scheme(
            study=Study.objects.get(pk=new.study_id), definition=recoded(), renamings=RECODED, actor=OPERATOR
        )
        return sent_key(*form)

    monkeypatch.setattr(key_page, "sent_key", read_while_it_migrates)
    client.force_login(MemberFactory(study=study, role=Role.RESEARCHER).user)
    address = reverse("round_item_key", args=[study.slug, new.pk, 1])
    page = markup(client.post(address, {"accepted-completeness": ["complete"], "scheme": signature}))
    assert "another version of its scheme since you opened the page" in page
    assert 'name="accepted-correct" value="right" checked' in page, "what is accepted, as the form of today asks for it"
    assert ItemKey.objects.get(item=item.item).accepted == {"correct": ["right"]}


def test_a_must_pass_item_fails_whoever_misses_it(study: Study, worker: Member) -> None:
    new = new_round(study, questions=4, least_percent=50)
    ItemKey.objects.filter(item__study=new.study, item__position=4).update(must_pass=True)
    attempt = go_through(new, worker, {4: {**RIGHT, "correct": "no"}})
    assert (attempt.verdict, attempt.matched, attempt.failed) == (Verdict.FAILED, 7, 1)


def test_everybody_gets_all_tasks_of_a_round_and_it_stays_open(study: Study) -> None:
    new = new_round(study, articles=2)
    workers = [MemberFactory(study=study) for _ in range(3)]
    for each in workers:
        assert go_through(new, each, {}, {}).verdict == Verdict.PASSED
    close_due_batches(actor=OPERATOR)
    assert [batch.state for batch in new.study.batches.all()] == ["open"]
    hits = Assignment.objects.filter(hit__batch__study=new.study).values_list("hit", "annotator")
    assert len(hits) == len(set(hits)) == 6


def test_two_people_at_once_have_places_of_their_own(study: Study) -> None:
    new = new_round(study)
    first, second = MemberFactory(study=study), MemberFactory(study=study)
    place = begin_attempt(round_=new, member=first, actor=acts(first))
    other = begin_attempt(round_=new, member=second, actor=acts(second))
    assert place.hit == other.hit
    assert place.pk != other.pk


def test_nobody_begins_a_round_whose_deadline_has_passed(study: Study, worker: Member) -> None:
    new = new_round(study)
    new.study.batches.update(deadline_at=timezone.now() - timedelta(minutes=1), finishes_late=True)
    with pytest.raises(ConflictError):
        begin_attempt(round_=new, member=worker, actor=acts(worker))


def test_a_place_that_ran_out_or_was_given_back_stays_for_whose_it_was(study: Study) -> None:
    new = new_round(study)
    first, second = MemberFactory(study=study), MemberFactory(study=study)
    place = begin_attempt(round_=new, member=first, actor=acts(first))
    submit(place, place.hit.items.order_by("position")[0], **RIGHT)
    Assignment.objects.filter(pk=place.pk).update(lease_expires_at=timezone.now() - timedelta(hours=1))
    assert begin_attempt(round_=new, member=second, actor=acts(second)).pk != place.pk
    again = begin_attempt(round_=new, member=first, actor=acts(first))
    assert again.pk == place.pk
    return_assignment(assignment=again, annotator=again.annotator, actor=acts(first))
    third = MemberFactory(study=study)
    assert begin_attempt(round_=new, member=third, actor=acts(third)).pk != place.pk
    again = begin_attempt(round_=new, member=first, actor=acts(first))
    assert again.annotations.filter(is_current=True).count() == 1


def test_going_on_is_the_same_attempt(study: Study, worker: Member) -> None:
    new = new_round(study)
    place = begin_attempt(round_=new, member=worker, actor=acts(worker))
    assert begin_attempt(round_=new, member=worker, actor=acts(worker)) == place
    assert new.attempts.count() == 1
    assert code_for(worker) == "crowd.finish_the_round"


def test_a_second_attempt_begins_anew_and_leaves_the_first_as_it_was(study: Study, worker: Member) -> None:
    new = new_round(study, attempts_allowed=2)
    first = go_through(new, worker, {1: WRONG})
    assert states(worker) == [State.READY]
    annotator = Member.objects.get(pk=first.annotator_id)
    old = Assignment.objects.get(annotator=annotator)
    save_draft(annotator=annotator, item=old.hit.items.first(), values={"reasons": "x"}, seconds=1, version=0)
    place = begin_attempt(round_=new, member=worker, actor=acts(worker))
    assert (place.replicate, place.annotations.count()) == (1, 0)
    assert not Draft.objects.exists()
    with pytest.raises(ConflictError, match="earlier attempt"):
        submit(old, old.hit.items.first(), correct="yes", completeness="complete", reasons="Now I know better.")
    judge(place, {})
    second = new.attempts.get(number=2)
    assert (second.verdict, second.matched) == (Verdict.PASSED, 4)
    first.refresh_from_db()
    assert (first.verdict, first.matched) == (Verdict.FAILED, 2)


@pytest.mark.parametrize("is_same_place", [False, True])
def test_what_a_page_of_an_earlier_attempt_keeps_does_not_appear_in_the_next(
    study: Study, worker: Member, *, is_same_place: bool
) -> None:
    new = new_round(study, attempts_allowed=2)
    old = begin_attempt(round_=new, member=worker, actor=acts(worker))
    client = Client()
    client.force_login(worker.user, backend="allauth.account.auth_backends.AuthenticationBackend")
    page = client.get(reverse("judge", args=[old.pk, 1])).context
    if is_same_place:
        by = MemberFactory(study=study, role=Role.RESEARCHER)
        decide(attempt=new.attempts.get(), verdict=Verdict.FAILED, by=by, actor=OPERATOR)
    else:
        judge(old, {1: WRONG})
    place = begin_attempt(round_=new, member=worker, actor=acts(worker))
    assert (place.pk == old.pk) is is_same_place
    typed = {"aspect-reasons": "Of before", "scheme": study.scheme_version.signature, "version": "0"}
    kept = client.post(reverse("draft", args=[old.pk, 1]), typed | {"holder": page["held"].proof})
    assert (kept.status_code, "earlier attempt" in kept.json()["reason"]) == (422, True)
    assert not Draft.objects.exists()
    today = client.get(reverse("judge", args=[place.pk, 1])).context
    assert today["key"] != page["key"], "nor does what the browser has kept"
    goes_on = typed | {"holder": today["held"].proof, "scheme": new.study.scheme_version.signature}
    assert client.post(reverse("draft", args=[place.pk, 1]), goes_on).status_code == 200
    if not is_same_place:
        sent = {"values": {"reasons": "Of before"}, "version": 1}
        assert send(program(worker.user), "PUT", f"/tasks/{old.pk}/items/1/draft", sent).status_code == 409


def test_what_is_submitted_from_a_page_of_an_earlier_attempt_is_no_work_of_the_next(
    study: Study, worker: Member
) -> None:
    """Nor does the form that comes back save it, by itself, as what was typed in the next one."""
    new = new_round(study, attempts_allowed=2)
    place = begin_attempt(round_=new, member=worker, actor=acts(worker))
    client = Client()
    client.force_login(worker.user, backend="allauth.account.auth_backends.AuthenticationBackend")
    page = client.get(reverse("judge", args=[place.pk, 1])).context
    api, item = program(worker.user), f"/tasks/{place.pk}/items/1"
    holder = send(api, "GET", f"/tasks/{place.pk}").json()["holder"]
    by = MemberFactory(study=study, role=Role.RESEARCHER)
    decide(attempt=new.attempts.get(), verdict=Verdict.FAILED, by=by, actor=OPERATOR)
    assert begin_attempt(round_=new, member=worker, actor=acts(worker)).pk == place.pk, "the same place"
    scheme, values = new.study.scheme_version.signature, judgment(reasons="Of before")
    form = {f"aspect-{key}": value for key, value in values.items()}
    form |= {"scheme": scheme, "version": "0", "seconds": "1", "submission": str(uuid4()), "holder": page["held"].proof}
    answer = client.post(reverse("judge", args=[place.pk, 1]), form, headers={"HX-Request": "true"})
    assert (answer.status_code, "earlier attempt" in answer.content.decode()) == (409, True)
    again = answer.context
    assert (again["holder"], again["key"]) == (form["holder"], page["key"])
    sent = {"values": values, "scheme_signature": scheme, "holder": holder}
    refused = send(api, "POST", f"{item}/judgment", sent)
    assert (refused.status_code, refused.json()["code"]) == (409, "annotations.earlier_attempt")
    typed = {"values": {"reasons": "Of before"}, "version": 0, "holder": holder}
    assert send(api, "PUT", f"{item}/draft", typed).json()["code"] == "annotations.earlier_attempt"
    assert not Draft.objects.exists()
    assert not place.annotations(manager="given").exists()
    today = {"holder": send(api, "GET", f"/tasks/{place.pk}").json()["holder"]}
    assert send(api, "PUT", f"{item}/draft", typed | today).status_code == 200
    assert send(api, "POST", f"{item}/judgment", sent | today).status_code == 200


def test_who_was_decided_against_after_the_end_begins_anew_when_the_round_opens_again(
    study: Study, worker: Member
) -> None:
    new = new_round(study, attempts_allowed=2)
    place = begin_attempt(round_=new, member=worker, actor=acts(worker))
    submit(place, place.hit.items.order_by("position")[0], **WRONG)
    end_round(round_=new, actor=OPERATOR)
    researcher = MemberFactory(study=study, role=Role.RESEARCHER)
    decide(attempt=new.attempts.get(), verdict=Verdict.FAILED, by=researcher, actor=OPERATOR)
    open_round(round_=new, actor=OPERATOR)
    assert not assignments_of(worker.user, AssignmentState.CLAIMED)
    assert Event.objects.filter(verb=Verb.TASK_GIVEN_BACK, subject_id=place.pk).exists()
    assert go_through(new, worker).verdict == Verdict.PASSED


def test_a_place_of_an_earlier_attempt_keeps_nobody_from_the_tasks_of_the_next(study: Study, worker: Member) -> None:
    new = new_round(study, attempts_allowed=2)
    earlier = begin_attempt(round_=new, member=worker, actor=acts(worker))
    Attempt.objects.update(verdict=Verdict.FAILED, decided_at=timezone.now())  # and what they held was not given back
    place = begin_attempt(round_=new, member=worker, actor=acts(worker))
    assert (place.pk == earlier.pk, place.replicate) == (False, 1)


def test_what_is_finished_cannot_be_changed(study: Study, worker: Member) -> None:
    go_through(new_round(study), worker, {1: WRONG})
    place = Assignment.objects.get(annotator__user=worker.user)
    with pytest.raises(NotEligibleError, match="finished this round"):
        submit(place, place.hit.items.first(), **RIGHT)


def test_rounds_are_passed_one_after_the_other(study: Study, worker: Member) -> None:
    first, second = new_round(study), new_round(study, title="Round 2")
    assert states(worker) == [State.READY, State.LATER]
    with pytest.raises(ConflictError, match="Another round comes before"):
        begin_attempt(round_=second, member=worker, actor=acts(worker))
    go_through(first, worker)
    assert states(worker) == [State.PASSED, State.READY]
    assert code_for(worker) == "crowd.first_pass_the_round"
    go_through(second, worker)
    assert code_for(worker) is None


def test_a_trial_is_passed_by_whoever_finishes(study: Study, worker: Member) -> None:
    new = new_round(study, rule=Rule.ANYONE)
    assert go_through(new, worker, {1: WRONG, 2: WRONG}).verdict == Verdict.PASSED


def test_a_reviewed_round_waits_for_a_person(study: Study, worker: Member) -> None:
    new = new_round(study, is_reviewed=True)
    attempt = go_through(new, worker)
    assert (attempt.verdict, states(worker)) == (Verdict.PENDING, [State.REVIEWED])
    assert code_for(worker) == "crowd.round_is_reviewed"
    researcher = MemberFactory(study=study, role=Role.RESEARCHER)
    decide(attempt=attempt, verdict=Verdict.PASSED, note="Well done.", by=researcher, actor=acts(researcher))
    attempt.refresh_from_db()
    assert (attempt.verdict, attempt.note, attempt.decided_by) == (Verdict.PASSED, "Well done.", researcher)
    event = Event.objects.get(verb=Verb.ROUND_DECIDED)
    assert event.study == study.pk
    assert event.change["verdict"] == ["pending", "passed"]


def test_the_best_pass_when_the_round_ends_and_those_level_with_the_last(study: Study) -> None:
    new = new_round(study, rule=Rule.BEST, best_count=2, least_percent=50)
    said = {"A": {}, "B": {1: WRONG}, "C": {1: WRONG}, "D": {1: WRONG, 2: WRONG}}
    people = {name: MemberFactory(study=study, pseudonym=name) for name in said}
    found = {name: go_through(new, people[name], said[name]).verdict for name in said}
    assert found == {"A": "pending", "B": "pending", "C": "pending", "D": "failed"}
    assert end_round(round_=new, actor=OPERATOR) == 3
    passed = Attempt.objects.filter(verdict=Verdict.PASSED).values_list("member__pseudonym", flat=True)
    assert sorted(passed) == ["A", "B", "C"]
    with pytest.raises(ConflictError):
        end_round(round_=new, actor=OPERATOR)


def test_an_attempt_that_failed_a_must_is_not_somebodys_best(study: Study, worker: Member) -> None:
    new = new_round(study, rule=Rule.BEST, best_count=1, least_percent=25, attempts_allowed=2)
    second = items_of(new)[1]
    raw = {"correct": ["yes"], "completeness": ["complete"]}
    set_key(round_=new, item=second, raw=raw, must_pass=True, actor=OPERATOR)
    failed = go_through(new, worker, {second.item.position: RIGHT | {"correct": "no"}})
    assert (failed.verdict, failed.matched) == ("failed", 3)
    better = go_through(new, worker, {items_of(new)[0].item.position: WRONG})
    assert (better.verdict, better.matched) == ("pending", 2)
    end_round(round_=new, actor=OPERATOR)
    better.refresh_from_db()
    assert better.verdict == Verdict.PASSED


def test_who_was_refused_by_a_person_takes_no_place_among_the_best(study: Study) -> None:
    new = new_round(study, rule=Rule.BEST, best_count=1, least_percent=25)
    researcher = MemberFactory(study=study, role=Role.RESEARCHER)
    refused, barred, out, gone, third = (MemberFactory(study=study) for _ in range(5))
    attempts = [go_through(new, each) for each in (refused, barred, out, gone)]
    go_through(new, third, {1: WRONG})
    by = {"verdict": Verdict.FAILED, "by": researcher, "actor": acts(researcher)}
    decide(attempt=attempts[0], **by)
    decide_without_attempt(round_=new, member=barred, **by)
    exclude_member(member=out, because="Spam.", actor=OPERATOR)
    remove_member(member=gone, actor=OPERATOR)
    end_round(round_=new, actor=OPERATOR)
    passed = new.attempts.filter(verdict=Verdict.PASSED).values_list("member", flat=True)
    assert list(passed) == [third.pk]
    attempts[0].refresh_from_db()
    assert results_of(new, attempts[:1])[0].rule_says == Verdict.PASSED, "the table tells what the rule alone would say"


def test_who_was_barred_and_passes_after_all_has_a_place_among_the_best(study: Study) -> None:
    new = new_round(study, rule=Rule.BEST, best_count=1, least_percent=25)
    researcher = MemberFactory(study=study, role=Role.RESEARCHER)
    first, second = (MemberFactory(study=study) for _ in range(2))
    attempt = go_through(new, first)
    go_through(new, second, {1: WRONG})
    by = {"by": researcher, "actor": acts(researcher)}
    decide_without_attempt(round_=new, member=first, verdict=Verdict.FAILED, **by)
    decide(attempt=attempt, verdict=Verdict.PASSED, **by)
    end_round(round_=new, actor=OPERATOR)
    attempt.refresh_from_db()
    assert states(first) == [State.PASSED]
    assert states(second) == [State.FAILED]
    assert results_of(new, [attempt])[0].rule_says == Verdict.PASSED


def test_a_pass_expires_and_what_is_held_can_be_finished(study: Study, worker: Member) -> None:
    new = new_round(study, valid_days=30)
    go_through(new, worker)
    held = claim_assignment(annotator=worker, actor=acts(worker))
    Attempt.objects.update(
        decided_at=timezone.now() - timedelta(days=31), started_at=timezone.now() - timedelta(days=32)
    )
    assert code_for(worker) == "crowd.round_expired"
    submit(held, held.hit.items.first())
    assert states(worker) == [State.READY]
    assert go_through(new, worker).number == 2
    assert code_for(worker) is None


def test_a_pass_that_is_taken_back_ends_the_work(study: Study, worker: Member) -> None:
    attempt = go_through(new_round(study), worker)
    held = claim_assignment(annotator=worker, actor=acts(worker))
    researcher = MemberFactory(study=study, role=Role.RESEARCHER)
    decide(attempt=attempt, verdict=Verdict.FAILED, by=researcher, actor=acts(researcher))
    with pytest.raises(NotEligibleError, match="do not have the qualification"):
        submit(held, held.hit.items.first())


def test_who_tries_a_round_that_was_added_and_fails_finishes_the_task_in_hand(study: Study, worker: Member) -> None:
    held = claim_assignment(annotator=worker, actor=acts(worker))
    new = new_round(study)
    assert go_through(new, worker, {1: WRONG}).verdict == Verdict.FAILED
    assert code_for(worker, Moment.SUBMITTING) is None
    submit(held, held.hit.items.first())
    assert code_for(worker) == "crowd.round_not_passed"


def test_who_is_failed_by_a_person_is_not_told_that_a_pass_was_taken_back(study: Study, worker: Member) -> None:
    held = claim_assignment(annotator=worker, actor=acts(worker))
    new = new_round(study, is_reviewed=True)
    researcher = MemberFactory(study=study, role=Role.RESEARCHER)
    attempt = go_through(new, worker)
    decide(attempt=attempt, verdict=Verdict.FAILED, by=researcher, actor=acts(researcher))
    with pytest.raises(NotEligibleError) as refused:
        submit(held, held.hit.items.first())
    assert "taken back" not in str(refused.value)


def test_who_fails_again_after_a_pass_was_taken_back_submits_nothing(study: Study, worker: Member) -> None:
    new = new_round(study, attempts_allowed=2)
    attempt = go_through(new, worker)
    held = claim_assignment(annotator=worker, actor=acts(worker))
    researcher = MemberFactory(study=study, role=Role.RESEARCHER)
    decide(attempt=attempt, verdict=Verdict.FAILED, by=researcher, actor=acts(researcher))
    assert go_through(new, worker, {1: WRONG}).verdict == Verdict.FAILED
    with pytest.raises(NotEligibleError, match="do not have the qualification"):
        submit(held, held.hit.items.first())


def test_people_are_picked_by_hand(study: Study) -> None:
    new = new_round(study)
    researcher = MemberFactory(study=study, role=Role.RESEARCHER)
    chosen, barred, trying = (MemberFactory(study=study) for _ in range(3))
    begin_attempt(round_=new, member=trying, actor=acts(trying))
    by = {"by": researcher, "actor": acts(researcher), "round_": new}
    decide_without_attempt(member=chosen, verdict=Verdict.PASSED, note="We know you.", **by)
    decide_without_attempt(member=barred, verdict=Verdict.FAILED, **by)
    decide_without_attempt(member=trying, verdict=Verdict.PASSED, **by)
    assert code_for(chosen) is None
    assert code_for(barred) == "crowd.round_not_passed"
    assert code_for(trying) is None
    assert [(each.number, each.is_under_way) for each in new.attempts.filter(member=trying)] == [(1, False)]
    assert not Assignment.objects.filter(annotator__user=trying.user, state="claimed").exists()


def test_who_is_barred_by_hand_amid_an_attempt_begins_no_other(study: Study, worker: Member) -> None:
    new = new_round(study, attempts_allowed=3)
    researcher = MemberFactory(study=study, role=Role.RESEARCHER)
    begin_attempt(round_=new, member=worker, actor=acts(worker))
    by = {"by": researcher, "actor": acts(researcher), "round_": new, "member": worker}
    decide_without_attempt(verdict=Verdict.FAILED, note="We saw copied answers.", **by)
    assert [(each.number, each.verdict) for each in new.attempts.all()] == [(0, "failed"), (1, "failed")]
    assert states(worker) == [State.FAILED]
    with pytest.raises(MayNotBeginError):
        begin_attempt(round_=new, member=worker, actor=acts(worker))
    decide_without_attempt(verdict=Verdict.PASSED, **by)
    assert states(worker) == [State.PASSED]


def test_who_is_paused_or_excluded_begins_nothing(study: Study) -> None:
    new = new_round(study)
    out, paused = MemberFactory(study=study), MemberFactory(study=study)
    exclude_member(member=out, because="Spam.", actor=OPERATOR)
    pause_member(member=paused, because="Wait.", actor=OPERATOR)
    for each in (out, paused):
        with pytest.raises(NotEligibleError):
            begin_attempt(round_=new, member=Member.objects.get(pk=each.pk), actor=acts(each))
    assert not Attempt.objects.exists()


def test_a_round_is_no_study_to_annotators(study: Study, worker: Member) -> None:
    attempt = go_through(new_round(study), worker)
    assert [each.study for each in studies_of(worker.user, "en")] == [study]
    assert attempt.annotator is not None
    assert waiting_hits(attempt.annotator) == 0


def test_an_archived_round_asks_nothing_of_anybody(study: Study, worker: Member) -> None:
    new = new_round(study)
    archive_study(study=new.study, actor=OPERATOR)
    assert code_for(worker) is None
    with pytest.raises(ConflictError):
        begin_attempt(round_=new, member=worker, actor=acts(worker))


def test_nobody_begins_a_round_of_an_archived_study(study: Study, worker: Member) -> None:
    new = new_round(study)
    archive_study(study=study, actor=OPERATOR)
    with pytest.raises(ConflictError):
        begin_attempt(round_=new, member=Member.objects.select_related("study").get(pk=worker.pk), actor=acts(worker))

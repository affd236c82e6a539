"""What came of checks, and what the study does about somebody who fails them: never more than its rule says."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation_platform.accounts.models import Event
from annotation_platform.accounts.verbs import Verb
from annotation_platform.annotations.migrating import migrate_scheme
from annotation_platform.annotations.models import Annotation
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.core.qualification import AcceptedAnswersError
from annotation_platform.core.schemes import preset
from annotation_platform.crowd.checks import check_page
from annotation_platform.crowd.checks.fields import sent_accepted
from annotation_platform.crowd.checks.figures import Result, Share, by_check
from annotation_platform.crowd.checks.models import Action, Check, CheckAction, CheckResult
from annotation_platform.crowd.checks.rule import Limits, holds
from annotation_platform.crowd.checks.services import NewCheck, add_checks, correct_check, mix_in, retire_check, undo
from annotation_platform.crowd.pay.models import LedgerEntry
from annotation_platform.studies.eligibility import NotEligibleError
from annotation_platform.studies.models import Assignment, AssignmentState, Candidate, Item, Member, Role, Study
from annotation_platform.studies.services import close_batch, exclude_member, reopen_batch, resume_member
from annotation_platform.studies.services.claiming import lease_assignment
from tests.api.clients import ROOT, program
from tests.crowd.checks.pieces import RIGHT, WRONG, add_some, items_shown, judge, set_rule, study_with_checks, take
from tests.crowd.pay.paying import agree
from tests.crowd.pieces import RECODED, UNDER_RECODED, recoded
from tests.factories import OPERATOR, MemberFactory, submit
from tests.markup import markup

pytestmark = pytest.mark.pages

ONE_FAILED = Limits(1, None, 1)


@pytest.mark.parametrize(
    ("limits", "judged", "failed", "is_held"),
    [
        (Limits(2, None, 3), 9, 1, False),
        (Limits(2, None, 3), 2, 2, True),
        (Limits(None, 60, 5), 4, 4, False),
        (Limits(None, 60, 5), 5, 2, False),
        (Limits(None, 60, 5), 5, 3, True),
        (Limits(None, None, 1), 9, 9, False),
        (Limits(None, 50, 0), 0, 0, False),
    ],
)
def test_when_the_rule_holds(limits: Limits, judged: int, failed: int, is_held: bool) -> None:
    assert holds(limits, judged=judged, failed=failed) is is_held


def test_shares_have_wilsons_interval() -> None:
    low, high = Share(8, 10).interval or (0, 0)
    assert (round(low, 1), round(high, 1)) == (49.0, 94.3)
    assert Share(0, 0).interval is None


def test_a_check_that_good_annotators_fail_is_doubtful_and_one_that_bad_ones_fail_is_not() -> None:
    good = [Result(check, who, True) for who in range(4) for check in range(4)]
    wrong_key = [Result(9, who, False, ("correct",)) for who in range(4)]
    careless = [Result(check, who, False) for who in range(4, 9) for check in range(4)]
    found = by_check(good + wrong_key + careless)
    assert [check for check, figures in found.items() if figures.is_doubtful] == [9]
    assert found[9].missed == {"correct": 4}
    assert found[0].share == Share(4, 9)


@pytest.fixture(scope="module")
def stored(module_db: None) -> Study:
    return study_with_checks(articles=4)


@pytest.fixture
def annotator(study: Study) -> Member:
    return MemberFactory(study=study)


@pytest.fixture(autouse=True)
def _commits(django_capture_on_commit_callbacks: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """What follows a commit, follows at once: the tests' transaction never commits."""
    monkeypatch.setattr(
        "annotation_platform.crowd.checks.services.evaluating.transaction.on_commit", lambda work, **_: work()
    )


def test_each_check_has_a_result_when_its_task_is_submitted(study: Study, annotator: Member) -> None:
    place = take(annotator)
    *others, last = items_shown(place)
    for item in others:
        submit(place, item, **(RIGHT | {"completeness": "missing_all"} if item.is_check else RIGHT))
    assert not CheckResult.objects.exists(), "nothing before the end of the task"
    submit(place, last, **(RIGHT | {"completeness": "missing_all"} if last.is_check else RIGHT))
    result = CheckResult.objects.get()
    assert (result.passed, result.missed, result.annotator) == (False, ["completeness"], annotator)
    assert not CheckAction.objects.exists()
    place.refresh_from_db()
    assert place.state == AssignmentState.SUBMITTED
    judged = Annotation.given.get(is_check=True)
    assert not judged.ratings.exists()
    assert not judged.sentence_references.exists()


def test_a_migrated_scheme_makes_nobody_fail_a_check(study: Study, annotator: Member) -> None:
    set_rule(study, action=Action.EXCLUDE, most_failed=1)
    judge(take(annotator))
    migrate_scheme(study=study, definition=recoded(), renamings=RECODED, actor=OPERATOR)
    result = CheckResult.objects.get()
    check = result.check_item
    assert check.accepted == {"correct": ["right"]}, "what it accepted of the other aspect is gone"
    assert (result.annotation.is_current, result.annotation.values["correct"]) == (True, "right")
    event = Event.objects.filter(verb=Verb.CHECKS_CHANGED, subject_id=check.pk).latest("pk")
    assert event.change["aspects"] == [["completeness", "correct"], ["correct"]]
    place = take(Member.objects.get(pk=annotator.pk))
    for item in items_shown(place):
        submit(place, item, **UNDER_RECODED)
    assert list(CheckResult.objects.values_list("passed", flat=True)) == [True, True]
    assert correct_check(check=check, accepted={"correct": ["right"]}, actor=OPERATOR) == 0
    assert correct_check(check=check, accepted={"correct": ["wrong"]}, actor=OPERATOR) == 1
    assert not CheckAction.objects.exists()


def test_a_check_that_accepts_nothing_any_more_checks_nobody(study: Study, annotator: Member, client: Client) -> None:
    set_rule(study, action=Action.EXCLUDE, most_failed=1)
    migrate_scheme(study=study, definition=recoded(), actor=OPERATOR)  # without saying what yes and no are called now
    assert list(Check.objects.values_list("accepted", flat=True)) == [{}] * 4
    place = take(Member.objects.get(pk=annotator.pk))
    for item in items_shown(place):
        submit(place, item, **UNDER_RECODED)
    assert not CheckResult.objects.exists()
    client.force_login(MemberFactory(study=study, role=Role.RESEARCHER).user)
    assert "nobody is checked by it" in markup(client.get(reverse("checks", args=[study.slug])))
    with pytest.raises(InvalidInputError, match="no check in use"):
        mix_in(study=study, actor=OPERATOR)


def test_nothing_is_accepted_under_a_version_of_the_scheme_that_is_gone(study: Study, client: Client) -> None:
    check = Check.objects.filter(study=study).select_related("study__scheme_version").earliest("pk")
    signature = study.scheme_version.signature
    definition = preset("ebr") | {"examples": [], "rescale": []}
    definition["aspects"][1]["key"] = "fullness"
    migrate_scheme(study=study, definition=definition, renamings=["completeness = fullness"], actor=OPERATOR)
    with pytest.raises(AcceptedAnswersError):
        correct_check(check=check, accepted={"correct": ["yes"], "completeness": ["complete"]}, actor=OPERATOR)
    client.force_login(MemberFactory(study=study, role=Role.RESEARCHER).user)
    address = reverse("check", args=[study.slug, check.pk])
    sent = {"accepted-correct": ["yes"], "accepted-completeness": ["complete"], "scheme": signature}
    page = markup(client.post(address, sent))
    assert "another version of its scheme since you opened the page" in page
    assert 'name="accepted-fullness" value="complete" checked' in page
    assert Check.objects.get(pk=check.pk).accepted == {"correct": ["yes"], "fullness": ["complete"]}
    assert client.post(address, {"accepted-correct": ["no"]}).status_code == 302


def test_nothing_is_accepted_under_a_version_that_a_migration_has_just_ended(
    study: Study, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    check = Check.objects.filter(study=study).earliest("pk")
    signature = study.scheme_version.signature

    def read_while_it_migrates(*form: Any) -> Any:
        migrate_scheme(study=Study.objects.get(pk=study.pk), definition=recoded(), renamings=RECODED, actor=OPERATOR)
        return sent_accepted(*form)

    monkeypatch.setattr(check_page, "sent_accepted", read_while_it_migrates)
    client.force_login(MemberFactory(study=study, role=Role.RESEARCHER).user)
    address = reverse("check", args=[study.slug, check.pk])
    page = markup(client.post(address, {"accepted-completeness": ["missing_all"], "scheme": signature}))
    assert "another version of its scheme since you opened the page" in page
    assert 'name="accepted-correct" value="right" checked' in page, "what is accepted, as the form of today asks for it"
    assert Check.objects.get(pk=check.pk).accepted["correct"] == ["right"]


def test_no_new_check_accepts_what_a_version_of_the_scheme_had_that_is_gone(study: Study) -> None:
    (check,) = add_some(study, 1)
    new = NewCheck(check.question, [each.answer for each in check.answers.all()], {"correct": ["yes"]})
    check.delete()
    as_the_form_began = Study.objects.select_related("scheme_version").get(pk=study.pk)
    migrate_scheme(study=study, definition=recoded(), renamings=RECODED, actor=OPERATOR)
    with pytest.raises(AcceptedAnswersError):
        add_checks(study=as_the_form_began, new=[new], shapes=[new.shape(study.scheme())], actor=OPERATOR)


def test_what_was_missed_of_an_aspect_that_is_gone_is_told_of_no_other(study: Study, annotator: Member) -> None:
    judge(take(annotator), checks=RIGHT | {"completeness": "missing_all"})
    definition = preset("ebr") | {"examples": [], "rescale": []}
    definition["aspects"][0]["key"] = "completeness"
    definition["aspects"].pop(1)
    migrate_scheme(study=study, definition=definition, renamings=["correct = completeness"], actor=OPERATOR)
    result = CheckResult.objects.get()
    assert (result.passed, result.missed) == (False, [])


def test_what_was_missed_is_told_by_the_new_key(study: Study, annotator: Member) -> None:
    judge(take(annotator), checks=RIGHT | {"completeness": "missing_all"})
    definition = preset("ebr") | {"examples": [], "rescale": []}
    definition["aspects"][1]["key"] = "fullness"
    migrate_scheme(study=study, definition=definition, renamings=["completeness = fullness"], actor=OPERATOR)
    result = CheckResult.objects.get()
    assert (result.passed, result.missed) == (False, ["fullness"])


def test_tasks_with_new_checks_come_first_and_a_repeated_one_counts_for_nobody(study: Study, annotator: Member) -> None:
    set_rule(study, action=Action.PAUSE, most_failed=1)
    for _ in range(4):
        judge(take(annotator))
    mine = Candidate.every.filter(item__hit__assignments__annotator=annotator, is_check=True)
    assert mine.values("answer").distinct().count() == 4, "four tasks, four checks"
    judge(take(annotator), checks=WRONG)
    again = CheckResult.objects.filter(is_repeated=True)
    assert again.count() == 1
    assert not again.get().passed
    annotator.refresh_from_db()
    assert annotator.paused_at is None


def test_a_task_whose_check_they_had_met_waits_for_those_with_new_ones(study: Study, annotator: Member) -> None:
    first, second, *_ = Item.every.filter(study=study, is_check=True).order_by("hit__batch__number", "hit__position")
    same = first.candidates(manager="every").values("answer")
    Candidate.every.filter(item=second).update(answer=same)
    taken = []
    for _ in range(3):
        place = take(annotator)
        taken.append(place.hit_id)
        judge(place)
    assert taken[0] == first.hit_id
    assert second.hit_id not in taken


def test_a_warning_is_given_again_only_after_as_many_fails_anew(study: Study, annotator: Member) -> None:
    set_rule(study, action=Action.WARN, most_failed=2)
    for expected in (0, 1, 1, 2):
        judge(take(annotator), checks=WRONG)
        assert CheckAction.objects.filter(annotator=annotator).count() == expected
    event = Event.objects.filter(verb=Verb.CHECKS_ACTED).latest("pk")
    assert event.change["checks_failed"] == [0, 2]
    assert event.actor_kind == "worker"
    annotator.refresh_from_db()
    assert (annotator.paused_at, annotator.excluded_at) == (None, None)


def test_who_is_paused_takes_nothing_and_goes_on_when_it_is_undone(study: Study, annotator: Member) -> None:
    set_rule(study, action=Action.PAUSE, most_failed=1)
    judge(take(annotator), checks=WRONG)
    annotator = Member.objects.get(pk=annotator.pk)
    assert annotator.paused_because == "Read the whole document."
    with pytest.raises(NotEligibleError):
        take(annotator)
    undo(action=CheckAction.objects.get(), actor=OPERATOR)
    judge(take(Member.objects.get(pk=annotator.pk)))
    assert CheckAction.objects.count() == 1, "what was undone is not counted again"
    assert Event.objects.filter(verb=Verb.CHECKS_UNDONE).exists()


def test_undoing_a_pause_leaves_another_one(study: Study, annotator: Member) -> None:
    set_rule(study, action=Action.PAUSE, most_failed=1)
    judge(take(annotator), checks=WRONG)
    member = Member.objects.get(pk=annotator.pk)
    resume_member(member=member, actor=OPERATOR)
    Member.objects.filter(pk=member.pk).update(paused_at=member.joined_at, paused_because="Something else.")
    undo(action=CheckAction.objects.get(), actor=OPERATOR)
    assert Member.objects.get(pk=member.pk).paused_because == "Something else."


def test_what_stays_aside_is_told_when_an_exclusion_is_taken_back(
    study: Study, annotator: Member, client: Client
) -> None:
    set_rule(study, action=Action.EXCLUDE, most_failed=1)
    judge(take(annotator), checks=WRONG)
    action = CheckAction.objects.get()
    migrate_scheme(study=study, definition=recoded(), renamings=RECODED, actor=OPERATOR)
    client.force_login(MemberFactory(study=study, role=Role.RESEARCHER).user)
    said = markup(client.post(reverse("undo_check_action", args=[study.slug, action.pk]), follow=True))
    assert Member.objects.get(pk=annotator.pk).excluded_at is None
    assert f"1 task of {annotator} stays aside" in said
    assert "Without a verdict, it can be approved on Review to be paid." in said
    api = program(Member.objects.get(study=study, role=Role.RESEARCHER).user)
    told = api.get(f"{ROOT}/studies/{study.slug}/checks/actions").json()["results"]
    assert [each["left_aside"] for each in told] == [1]


def test_what_stays_aside_after_an_exclusion_was_taken_back_can_be_approved_and_is_paid(
    study: Study, annotator: Member, client: Client
) -> None:
    agree(study)
    set_rule(study, action=Action.EXCLUDE, most_failed=1)
    place = take(annotator)
    judge(place, checks=WRONG)
    review = reverse("review", args=[study.slug, place.pk, annotator.pk])
    client.force_login(MemberFactory(study=study, role=Role.RESEARCHER).user)
    assert review not in markup(client.get(reverse("reviews", args=[study.slug]))), "who is excluded is paid nothing"
    lease_assignment(place=Assignment.objects.get(pk=place.pk), annotator=MemberFactory(study=study))
    undo(action=CheckAction.objects.get(), actor=OPERATOR)
    assert review in markup(client.get(reverse("reviews", args=[study.slug])))
    assert "Approved, it can be paid" in markup(client.get(review))
    decide = reverse("decide_review", args=[study.slug, place.pk, annotator.pk])
    for _ in range(2):
        client.post(decide, {"decision": "approve"})
    assert LedgerEntry.objects.get().member == annotator
    assert not Annotation.given.current().filter(annotator=annotator).exists()
    assert review not in markup(client.get(reverse("reviews", args=[study.slug])))


def test_who_is_excluded_keeps_the_work_marked_and_its_places_open(study: Study, annotator: Member) -> None:
    judge(take(annotator))
    set_rule(study, action=Action.EXCLUDE, least_percent=80, least_judged=2)
    place = take(annotator)
    judge(place, checks=WRONG)
    assert Member.objects.get(pk=annotator.pk).excluded_because == "Read the whole document."
    assert not Assignment.objects.filter(annotator=annotator).exists()
    given = Annotation.given.filter(annotator=annotator)
    assert given.exists()
    assert not given.current().exists(), "checks too, so that the next one's can count"
    other = MemberFactory(study=study)
    judge(take(other))
    assert CheckResult.objects.filter(annotator=other, passed=True).count() == 1
    undo(action=CheckAction.objects.get(), actor=OPERATOR)
    assert Member.objects.get(pk=annotator.pk).excluded_at is None
    assert Assignment.objects.filter(annotator=annotator).exists()


def test_corrected_answers_are_compared_again_and_do_nothing_to_anybody(study: Study, annotator: Member) -> None:
    set_rule(study, action=Action.WARN, most_failed=1)
    judge(take(annotator), checks=WRONG)
    result = CheckResult.objects.get()
    check = result.check_item
    assert correct_check(check=check, accepted={"correct": ["no", "yes"]}, actor=OPERATOR) == 1
    result.refresh_from_db()
    assert (result.passed, result.missed) == (True, [])
    assert CheckAction.objects.filter(undone_at=None).count() == 1
    assert correct_check(check=check, accepted={"correct": ["yes"]}, actor=OPERATOR) == 1
    with pytest.raises(InvalidInputError):
        correct_check(check=check, accepted={}, actor=OPERATOR)


def test_checks_out_of_use_count_for_nobody(study: Study, annotator: Member) -> None:
    judge(take(annotator), checks=WRONG)
    retire_check(check=CheckResult.objects.get().check_item, actor=OPERATOR)
    set_rule(study, action=Action.PAUSE, most_failed=1)
    judge(take(annotator))
    assert not CheckAction.objects.exists()


def test_no_rule_without_a_limit_and_words(study: Study) -> None:
    with pytest.raises(InvalidInputError, match="how many failed"):
        set_rule(study, action=Action.PAUSE)
    with pytest.raises(InvalidInputError):
        set_rule(study, action=Action.PAUSE, most_failed=1, words=" ")
    with pytest.raises(InvalidInputError):
        set_rule(study, every=0)


def test_a_place_of_somebody_excluded_is_taken_whole_when_its_batch_opens_again(db: None) -> None:
    """Also where a check was judged: it counts for nobody, as their other judgments."""
    study = study_with_checks(articles=1, overlap=1)
    first, second = MemberFactory(study=study), MemberFactory(study=study)
    place = take(first)
    left, *others = sorted(items_shown(place), key=lambda item: item.is_check)
    for item in others:
        submit(place, item, **RIGHT)
    assert others[-1].is_check
    assert not left.is_check
    batch = study.batches.get()
    close_batch(batch=batch, because="for the test", actor=OPERATOR)
    exclude_member(member=first, because="Haste.", actor=OPERATOR)
    reopen_batch(batch=batch, actor=OPERATOR)
    assert not Annotation.given.current().filter(assignment=place).exists()
    judge(take(second))
    place.refresh_from_db()
    assert (place.annotator, place.state) == (second, AssignmentState.SUBMITTED)

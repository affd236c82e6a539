"""Who works through the API reads a check's warning and hears of a pause, as on the pages."""

from typing import Any

import pytest

from annotation_platform.crowd.checks.models import Action, CheckAction
from annotation_platform.crowd.checks.services import undo
from annotation_platform.studies.models import Member, Study
from tests.api.clients import program, send
from tests.crowd.checks.pieces import WRONG, judge, set_rule, study_with_checks, take
from tests.factories import OPERATOR, MemberFactory

pytestmark = [pytest.mark.django_db, pytest.mark.pages]


@pytest.fixture(scope="module")
def stored(module_db: None) -> Study:
    return study_with_checks()


@pytest.fixture
def annotator(study: Study) -> Member:
    return MemberFactory(study=study)


def fail_a_check(annotator: Member, action: str, commits: Any) -> None:
    set_rule(annotator.study, action=action, most_failed=1, words="Read the whole document.")
    with commits(execute=True):
        judge(take(annotator), checks=WRONG)


def test_a_warning_is_told_once_and_taking_goes_on_when_it_was_read(
    study: Study, annotator: Member, django_capture_on_commit_callbacks: Any
) -> None:
    fail_a_check(annotator, Action.WARN, django_capture_on_commit_callbacks)
    client, held = program(annotator.user), annotator.assignments.count()
    for _ in range(2):
        refused = send(client, "POST", f"/work/{study.slug}/take")
        told = refused.json()
        assert (refused.status_code, told["code"]) == (409, "annotations.note_unread")
        assert told["parameters"]["words"] == "Read the whole document."
        assert "check" not in told["detail"]
        assert annotator.assignments.count() == held, "no lease runs while they read"
    for _ in range(2):
        read = send(client, "POST", f"/work/{study.slug}/read-note", {"note": told["parameters"]["note"]})
        assert read.status_code == 204
    assert CheckAction.objects.get().read_at is not None
    assert send(client, "POST", f"/work/{study.slug}/take").status_code == 200


@pytest.mark.parametrize("note", ["", "crowd.checks", "nothing.1", "crowd.checks.²", f"crowd.checks.{9**30}"])
def test_what_is_no_note_is_refused(study: Study, annotator: Member, note: str) -> None:
    assert send(program(annotator.user), "POST", f"/work/{study.slug}/read-note", {"note": note}).status_code == 422


def test_nobody_reads_the_note_of_another_and_one_that_was_undone_is_gone(
    study: Study, annotator: Member, django_capture_on_commit_callbacks: Any
) -> None:
    fail_a_check(annotator, Action.WARN, django_capture_on_commit_callbacks)
    action = CheckAction.objects.get()
    address, body = f"/work/{study.slug}/read-note", {"note": f"crowd.checks.{action.pk}"}
    assert send(program(MemberFactory(study=study).user), "POST", address, body).status_code == 422
    action.refresh_from_db()
    assert action.read_at is None
    undo(action=action, actor=OPERATOR)
    assert send(program(annotator.user), "POST", address, body).status_code == 422
    assert send(program(annotator.user), "POST", f"/work/{study.slug}/take").status_code == 200


def test_a_pause_says_why(study: Study, annotator: Member, django_capture_on_commit_callbacks: Any) -> None:
    fail_a_check(annotator, Action.PAUSE, django_capture_on_commit_callbacks)
    refused = send(program(annotator.user, **{"accept-language": "ja"}), "POST", f"/work/{study.slug}/take")
    assert (refused.status_code, refused.json()["code"]) == (409, "studies.paused")
    assert refused.json()["parameters"] == {"because": "Read the whole document."}

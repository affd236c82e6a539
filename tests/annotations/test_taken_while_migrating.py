"""Who takes a task at the moment in which their study goes to another version of its scheme."""

import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from threading import Event
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from annotation_platform.annotations import judgment_migration, scheme_following
from annotation_platform.annotations.late import accept_late_work
from annotation_platform.annotations.migrating import migrate_scheme
from annotation_platform.annotations.models import Annotation, Draft
from annotation_platform.annotations.services import DraftConflictError, save_draft
from annotation_platform.annotations.taking import take_task
from annotation_platform.core.errors import ConflictError
from annotation_platform.studies.models import Assignment, Member, Study
from annotation_platform.studies.services import lease_assignment, return_assignment
from tests.annotations.desk import Desk, sit_down
from tests.api.clients import program, send
from tests.crowd.pieces import RECODED, recoded
from tests.factories import OPERATOR, MemberFactory, make_corpus, open_study
from tests.studies.test_concurrency import at_once

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.xdist_group("many connections")]


@pytest.fixture
def desk() -> Desk:
    return sit_down(open_study(corpus=make_corpus(questions=2, systems=["alder"]), questions_per_hit=2, overlap=1))


@pytest.fixture
def at_the_last_step() -> Iterator[Event]:
    """Set when a migration has locked the places; it holds them until somebody waits for one."""
    reached = Event()

    def hold(*_: object) -> None:
        reached.set()
        end = time.monotonic() + 30
        while connection.vendor == "postgresql" and time.monotonic() < end and not is_waited_for():
            time.sleep(0.05)

    scheme_following.add_follower("test", hold)
    yield reached
    del scheme_following._followers["test"]


def is_waited_for() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_clear_snapshot()")
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
        )
        return bool(cursor.fetchone()[0])


def while_migrating(study: Study, reached: Event, work: Callable[[], object]) -> object:
    def one(index: int) -> object:
        if index == 0:
            return migrate_scheme(study=study, definition=recoded(), renamings=RECODED, actor=OPERATOR)
        assert reached.wait(60)
        return work()

    return at_once(2, one)[1]


def test_what_was_given_back_does_not_count_again_under_the_old_version(desk: Desk) -> None:
    desk.submit(1)
    return_assignment(assignment=desk.assignment, annotator=desk.annotator, actor=OPERATOR)
    annotator = Member.objects.select_related("study__scheme_version").get(pk=desk.annotator.pk)  # as a request begins
    migrate_scheme(study=desk.study, definition=recoded(), renamings=RECODED, actor=OPERATOR)
    assert take_task(annotator=annotator, actor=OPERATOR).hit == desk.assignment.hit
    assert not Annotation.given.current().exists()


def test_late_work_is_not_accepted_under_the_old_version(desk: Desk, at_the_last_step: Event) -> None:
    Assignment.objects.filter(pk=desk.assignment.pk).update(lease_expires_at=timezone.now() - timedelta(minutes=1))
    desk.assignment.refresh_from_db()
    heir = MemberFactory(study=desk.study)
    assert lease_assignment(place=desk.assignment, annotator=heir)
    for position in (1, 2):
        desk.submit(position)
    desk.assignment.refresh_from_db()
    return_assignment(assignment=desk.assignment, annotator=heir, actor=OPERATOR)

    def accept() -> object:
        annotator = Member.objects.get(pk=desk.annotator.pk)
        return accept_late_work(hit=desk.assignment.hit, annotator=annotator, actor=OPERATOR)

    refused = while_migrating(desk.study, at_the_last_step, accept)
    assert isinstance(refused, ConflictError)
    assert refused.reason.code == "annotations.late_work_of_other_scheme"
    assert not Annotation.given.current().exists()


def test_what_is_typed_while_drafts_migrate_is_not_written_over(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    item = desk.items[0]
    save_draft(annotator=desk.annotator, item=item, values={"correct": "yes"}, seconds=1.0, version=0)
    read, migrate_draft = Event(), judgment_migration.migrate_draft

    def migrated_slowly(*what: Any) -> dict[str, Any]:
        if not read.is_set():
            read.set()
            time.sleep(1)
        return migrate_draft(*what)

    monkeypatch.setattr(judgment_migration, "migrate_draft", migrated_slowly)
    typed = {"correct": "no", "reasons": "It leaves out"}
    saved = while_migrating(
        desk.study,
        read,
        lambda: save_draft(annotator=desk.annotator, item=item, values=typed, seconds=2.0, version=1),
    )
    if isinstance(saved, DraftConflictError):  # it is told, and saved under the keys of today
        assert saved.current.values == {"correct": "right"}
    else:
        assert Draft.objects.get().values == {"correct": "wrong", "reasons": "It leaves out"}


@pytest.mark.parametrize("sent_by", ["page", "program"])
@pytest.mark.parametrize("is_first", [True, False])
def test_what_is_typed_while_a_migration_ends_stands_under_the_keys_of_today(
    desk: Desk, at_the_last_step: Event, is_first: bool, sent_by: str
) -> None:
    if not is_first:  # of fields whose keys stay, so that the page's number of the draft stays
        typed = {"reasons": "It leaves out"}
        save_draft(annotator=desk.annotator, item=desk.items[0], values=typed, seconds=1.0, version=0)
    version, signature = 0 if is_first else 1, desk.study.scheme_version.signature
    form = {"aspect-correct": "no"} | desk.hidden(version=str(version))
    body = {"values": {"correct": "no"}, "version": version, "scheme_signature": signature}
    client = program(desk.annotator.user)

    def keep() -> Any:
        if sent_by == "page":
            return desk.client.post(desk.url("draft"), form).status_code
        return send(client, "PUT", f"/tasks/{desk.assignment.pk}/items/1/draft", body).status_code

    assert while_migrating(desk.study, at_the_last_step, keep) == 200
    assert Draft.objects.get().values["correct"] == "wrong"

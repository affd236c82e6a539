"""Many places that one transaction locks, while a migration of the scheme locks all of the study."""

import time
from collections.abc import Callable
from threading import Event
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from annotation_platform.annotations.migrating import migrate_scheme
from annotation_platform.studies.models import Assignment, AssignmentState, Hit, Member, SetAside
from annotation_platform.studies.services import (
    exclude_member,
    leave_study,
    members,
    readmit_member,
    setting_aside,
)
from tests.annotations.test_taken_while_migrating import is_waited_for
from tests.crowd.pieces import RECODED, recoded
from tests.factories import OPERATOR, MemberFactory, make_corpus, open_study, submit
from tests.studies.test_concurrency import at_once

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.xdist_group("many connections")]


def then_wait(work: Callable[..., Any], has_one: Event) -> Callable[..., Any]:
    """After the first call, wait until somebody waits for what this transaction holds."""

    def worked(*args: Any, **named: Any) -> Any:
        done = work(*args, **named)
        if not has_one.is_set():
            has_one.set()
            end = time.monotonic() + 5
            while time.monotonic() < end and not is_waited_for():
                time.sleep(0.05)
            time.sleep(1.5)  # a deadlock then fails this transaction: who waited first, and tries again, has looked
        return done

    return worked


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has one writer at a time")
@pytest.mark.parametrize("what", ["leaves", "is excluded", "is readmitted"])
def test_who_is_let_out_or_in_and_a_migration_wait_for_each_other(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both lock places in the order of their keys, so that neither has what the other waits for."""
    study = open_study(corpus=make_corpus(articles=2, questions=1, systems=["alder"]), overlap=1)
    annotator = MemberFactory(study=study)
    Assignment.objects.update(annotator=annotator, state=AssignmentState.CLAIMED, claimed_at=timezone.now())
    low, high = Assignment.objects.order_by("pk")
    if what == "leaves":  # in another order than their keys, as in drawn batches
        Hit.objects.filter(pk=low.hit_id).update(position=9)
    else:
        submit(low, low.hit.items.get())
    if what == "is readmitted":
        submit(high, high.hit.items.get())
        exclude_member(member=annotator, because="Enough.", actor=OPERATOR)
        newer = SetAside.objects.get(assignment=low)
        SetAside.objects.filter(pk=newer.pk).delete()
        newer.pk = None
        newer.save()
    has_one = Event()
    monkeypatch.setattr(members, "return_assignment", then_wait(members.return_assignment, has_one))
    monkeypatch.setattr(setting_aside, "restore_work", then_wait(setting_aside.restore_work, has_one))

    def work(which: int) -> Any:
        if which == 1:
            has_one.wait(timeout=60)
            return migrate_scheme(study=study, definition=recoded(), renamings=RECODED, actor=OPERATOR)
        who = Member.objects.select_related("study").get(pk=annotator.pk)
        if what == "leaves":
            return leave_study(member=who, actor=OPERATOR)
        if what == "is excluded":
            return exclude_member(member=who, because="Enough.", actor=OPERATOR)
        return readmit_member(member=who, actor=OPERATOR)

    assert not [each for each in at_once(2, work) if isinstance(each, Exception)]

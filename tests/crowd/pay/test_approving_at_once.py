"""Approving at the moment in which a study goes to another version of its scheme, or a worker credits what is due."""

import time
from datetime import timedelta
from threading import Event
from typing import Any

import pytest
from django.db import connection, transaction
from django.utils import timezone

from annotation_platform.crowd.pay.approving import approve_oldest
from annotation_platform.crowd.pay.models import LedgerEntry
from annotation_platform.crowd.pay.services import credit_what_is_due, crediting
from annotation_platform.crowd.review import services
from annotation_platform.crowd.review.models import Review
from annotation_platform.crowd.review.services import approve
from annotation_platform.studies.models import Assignment, Role, Study
from tests.annotations.test_taken_while_migrating import is_waited_for
from tests.crowd.pay.paying import agree, paying_study
from tests.crowd.pay.work import do
from tests.factories import OPERATOR, MemberFactory, make_corpus, study_with_judgments
from tests.studies.test_concurrency import at_once

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.xdist_group("many connections")]


def test_who_approves_and_who_migrates_do_not_wait_for_each_other() -> None:
    study = study_with_judgments(corpus=make_corpus(articles=2, questions=2), close=False)
    agree(study)
    by, reached = MemberFactory(study=study, role=Role.ADMIN), Event()

    @transaction.atomic
    def migrate() -> int:
        list(Assignment.objects.filter(hit__batch__study=study).select_for_update().order_by("pk"))
        reached.set()
        end = time.monotonic() + 30
        while connection.vendor == "postgresql" and time.monotonic() < end and not is_waited_for():
            time.sleep(0.05)
        return Study.objects.filter(pk=study.pk).update(scheme_version=study.scheme_version_id)

    def one(index: int) -> int:
        if index == 0:
            return migrate()
        assert reached.wait(60)
        return approve_oldest(study=study, by=by, actor=OPERATOR)

    migrated, approved = at_once(2, one)
    assert migrated == 1
    assert isinstance(approved, int)
    assert approved > 0


def test_who_approves_all_and_who_credits_what_is_due_go_in_one_order(monkeypatch: pytest.MonkeyPatch) -> None:
    study = paying_study(articles=3, approval="at_once")
    by, annotator = MemberFactory(study=study, role=Role.ADMIN), MemberFactory(study=study)
    places = sorted(do(annotator).pk for _ in range(3))
    for days, pk in enumerate(places):  # the last one was submitted first
        submitted_at = timezone.now() - timedelta(days=days)
        Assignment.objects.filter(pk=pk).update(submitted_at=submitted_at)
    has_entered, approved_one = Event(), services.work_is_approved

    def approved_slowly(**what: Any) -> None:
        approved_one(**what)
        if not has_entered.is_set():
            has_entered.set()
            time.sleep(1)

    monkeypatch.setattr(services, "work_is_approved", approved_slowly)

    def one(index: int) -> int:
        if index == 0:
            return approve_oldest(study=study, by=by, actor=OPERATOR)
        assert has_entered.wait(60)
        return credit_what_is_due(actor=OPERATOR)

    approved, credited = at_once(2, one)
    assert approved == 3
    assert not isinstance(credited, Exception), credited
    assert LedgerEntry.objects.filter(kind="reward").count() == 3


def test_who_approves_what_a_worker_credits_waits_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which refers to the place's key, as the database sees when the worker is done."""
    study = paying_study(approval="at_once")
    place = do(MemberFactory(study=study))
    has_entered, record = Event(), crediting.record

    def recorded_slowly(*what: Any, **more: Any) -> None:
        record(*what, **more)
        if not has_entered.is_set():
            has_entered.set()
            time.sleep(1)

    monkeypatch.setattr(crediting, "record", recorded_slowly)

    def one(index: int) -> Any:
        if index == 0:
            return credit_what_is_due(actor=OPERATOR)
        assert has_entered.wait(60)
        return approve(assignment=place, by=None, actor=OPERATOR)

    credited, approved = at_once(2, one)
    assert credited == 1
    assert isinstance(approved, Review), approved
    assert LedgerEntry.objects.count() == 1

"""Approving many tasks at the moment in which their study goes to another version of its scheme."""

import time
from threading import Event

import pytest
from django.db import connection, transaction

from annotation_platform.crowd.pay.approving import approve_oldest
from annotation_platform.studies.models import Assignment, Role, Study
from tests.annotations.test_taken_while_migrating import is_waited_for
from tests.crowd.pay.paying import agree
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

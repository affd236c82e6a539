"""Several workers at one moment, and the chore of the sweep."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any

import pytest
from django.db import connection, transaction

from annotation_platform.accounts.actors import Actor
from annotation_platform.core.schemes.migration import compare_schemes
from annotation_platform.crowd.pacing import services
from annotation_platform.crowd.pacing.limits import carry_limits
from annotation_platform.crowd.pacing.models import BatchRelease
from annotation_platform.crowd.pacing.services import release_due, set_pacing
from annotation_platform.studies.models import Assignment, BatchState, Study
from annotation_platform.studies.services import archive_study, plan_batches, restore_study
from tests.factories import OPERATOR, make_corpus, make_study
from workers.kinds import CHORES


@pytest.mark.django_db(transaction=True)
def test_of_four_workers_one_releases() -> None:
    study = make_study(corpus=make_corpus(articles=2, questions=2), questions_per_hit=1, hits_per_batch=2)
    plan_batches(study=study)
    set_pacing(study=study, is_on=True, batches_at_once=2, every_hours=24, limits={}, actor=OPERATOR)

    def work(_: int) -> list[Any]:
        try:
            return release_due(actor=Actor.worker("sweep"))
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        released = [each for found in pool.map(work, range(4)) for each in found]
    assert len(released) == BatchRelease.objects.count() == 1
    batches = study.batches.filter(state=BatchState.OPEN)
    assert [each.number for each in batches] == [1, 2]
    assert Assignment.objects.count() == sum(each.hits.count() for each in batches) * study.overlap


@pytest.mark.django_db(transaction=True)
def test_a_release_and_a_migration_of_the_scheme_wait_for_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both lock the study before its pacing, so that neither has what the other waits for."""
    study = make_study(corpus=make_corpus(questions=2))
    plan_batches(study=study)
    set_pacing(study=study, is_on=True, batches_at_once=1, every_hours=24, limits={}, actor=OPERATOR)
    has_begun, has_study = Event(), Event()
    release = services._release

    def slowly(*what: Any, **how: Any) -> BatchRelease:
        has_begun.set()
        has_study.wait(timeout=2)
        return release(*what, **how)

    monkeypatch.setattr(services, "_release", slowly)

    def work(which: int) -> Any:
        try:
            if which == 0:
                return release_due(actor=Actor.worker("sweep"))
            has_begun.wait(timeout=60)
            with transaction.atomic():
                Study.objects.filter(pk=study.pk).update(scheme_version=study.scheme_version_id)
                has_study.set()
                carry_limits(study, study.scheme_version, compare_schemes(study.scheme(), study.scheme()), OPERATOR)
            return None
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        released, _ = pool.map(work, range(2))
    assert len(released) == 1


@pytest.mark.django_db(transaction=True)
def test_a_study_that_is_archived_while_its_gates_are_read_releases_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    study = make_study(corpus=make_corpus(questions=2))
    plan_batches(study=study)
    set_pacing(study=study, is_on=True, batches_at_once=1, every_hours=24, limits={}, actor=OPERATOR)
    read = services.verdicts_of

    def read_while_it_is_archived(pacing: Any) -> Any:
        verdicts = read(pacing)
        archive_study(study=study, actor=OPERATOR)
        return verdicts

    monkeypatch.setattr(services, "verdicts_of", read_while_it_is_archived)
    assert release_due(actor=Actor.worker("sweep")) == []
    assert not study.batches.exclude(state=BatchState.DRAFT).exists()
    restore_study(study=study, actor=OPERATOR)
    monkeypatch.undo()
    assert len(release_due(actor=Actor.worker("sweep"))) == 1, "it is due as it was"


def test_the_sweep_does_it() -> None:
    assert "release batches that are due" in [chore.name for chore in CHORES]

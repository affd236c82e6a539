"""What a webhook tells of, each written down by what really happens."""

import json
from pathlib import Path
from typing import Any

import pytest

from annotation_platform.jobs.contract import JobKind, run_job
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.releases.models import Release
from annotation_platform.scoring.models import ScoringRun
from annotation_platform.scoring.services import start_run, stop_run
from annotation_platform.studies.models import Role, Study
from annotation_platform.studies.services import claim_assignment
from annotation_platform.webhooks.kinds import Kind
from annotation_platform.webhooks.models import Endpoint
from annotation_platform.webhooks.services import add_webhook
from tests.crowd.checks.pieces import items_shown, study_with_checks
from tests.factories import OPERATOR, MemberFactory, open_study, study_with_judgments, submit
from workers.kinds import KINDS
from workers.tasks import take_snapshot

pytestmark = pytest.mark.django_db


def hook(study: Study) -> Endpoint:
    endpoint, _ = add_webhook(study=study, address="https://example.org/", kinds=list(Kind), actor=OPERATOR)
    return endpoint


def told(endpoint: Endpoint) -> list[tuple[str, dict[str, Any]]]:
    return [(each.kind, json.loads(each.body)["data"]) for each in endpoint.deliveries.order_by("pk")]


def kind_of(model: type[Any]) -> JobKind[Any]:
    return next(kind for kind in KINDS if kind.model is model)


def test_each_judgment_that_is_submitted() -> None:
    study = open_study()
    endpoint = hook(study)
    annotator = MemberFactory(study=study, role=Role.ANNOTATOR)
    place = claim_assignment(annotator=annotator, actor=OPERATOR)
    item = place.hit.items.first()
    submit(place, item)
    stored = item.annotations.get()
    (kind, data), *_ = told(endpoint)
    assert kind == "judgment.submitted"
    assert data == {"study": study.slug, "judgment": stored.pk, "item": item.pk, "revision": 1}


def test_a_judgment_of_a_check_is_nobodys_business() -> None:
    study = study_with_checks()
    endpoint = hook(study)
    annotator = MemberFactory(study=study, role=Role.ANNOTATOR)
    place = claim_assignment(annotator=annotator, actor=OPERATOR)
    shown = items_shown(place)
    for item in shown:
        submit(place, item)
    judged = [data["item"] for kind, data in told(endpoint) if kind == "judgment.submitted"]
    assert judged == [item.pk for item in shown if not item.is_check]
    assert len(judged) < len(shown)


@pytest.mark.parametrize("kind", ["run.done", "run.failed"])
def test_a_run_that_ended(kind: str) -> None:
    study = study_with_judgments()
    endpoint = hook(study)
    run = start_run(study=study, method="ebr", scorer="distilled", actor=OPERATOR)
    if kind == "run.failed":
        ScoringRun.objects.filter(pk=run.pk).update(parameters={"made": "up"})
    run_job(kind_of(ScoringRun), run.pk)
    ((told_kind, data),) = told(endpoint)
    assert (told_kind, data["run"], data["method"]) == (kind, run.pk, "ebr")
    assert bool(data["error"]) == (kind == "run.failed")


def test_a_snapshot_that_was_taken() -> None:
    study = study_with_judgments()
    endpoint = hook(study)
    take_snapshot(study, actor=OPERATOR)
    snapshot = study.snapshots.get()
    assert told(endpoint) == [
        ("snapshot.taken", {"study": study.slug, "snapshot": snapshot.pk, "signature": snapshot.signature})
    ]


def test_a_release_that_is_ready(tmp_path: Path, settings: Any) -> None:
    settings.RELEASES_DIR = tmp_path
    study = study_with_judgments()
    endpoint = hook(study)
    admin = MemberFactory(study=study, role=Role.ADMIN)
    release = Release.objects.create(
        study=study,
        requested_by=admin,
        number=1,
        title="One",
        authors="A, B",
        licence="CC0-1.0",
        pseudonym_key="00" * 32,
    )
    run_job(kind_of(Release), release.pk)
    release.refresh_from_db()
    release.findings.update(verdict="kept")
    if release.status == JobStatus.DRAFT:
        assert told(endpoint) == []  # it waits for a person
        Release.objects.filter(pk=release.pk).update(status=JobStatus.PENDING)
        run_job(kind_of(Release), release.pk)
        release.refresh_from_db()
    assert release.status == JobStatus.DONE, release.error
    assert told(endpoint)[-1] == (
        "release.ready",
        {"study": study.slug, "release": 1, "sha256": release.digest},
    )


def test_a_run_that_a_person_stopped_has_failed_for_who_waits_for_it() -> None:
    study = study_with_judgments()
    endpoint = hook(study)
    run = start_run(study=study, method="ebr", scorer="distilled", actor=OPERATOR)
    stop_run(run=run, actor=OPERATOR)
    ((kind, data),) = told(endpoint)
    assert (kind, data["run"]) == ("run.failed", run.pk)
    assert data["error"].startswith("Stopped by hand.")

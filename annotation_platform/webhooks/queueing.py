"""Writing down what is to be told: within the transaction in which it happened, for every endpoint that wants it."""

import json
import secrets
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import models
from django.utils import timezone

from annotation_platform.accounts import events
from annotation_platform.accounts.events import StudyNamed
from annotation_platform.accounts.verbs import Verb
from annotation_platform.analysis.models import SnapshotJob
from annotation_platform.annotations.models import Annotation
from annotation_platform.jobs import contract
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.releases.models import Release
from annotation_platform.scoring.models import ScoringRun
from annotation_platform.server.compiled_queries import CompiledQuery
from annotation_platform.studies.models import Batch
from annotation_platform.webhooks.kinds import Kind
from annotation_platform.webhooks.models import Delivery, Endpoint

NAME = "webhooks"


_SWITCHED_ON = CompiledQuery(lambda study: Endpoint.objects.switched_on().filter(study=study).values_list("pk")[:1])


def follow() -> None:
    """Be called where something happens that a webhook can tell of."""
    events.add_follower(NAME, Verb.BATCH_CLOSED, _batch_closed)
    events.add_follower(NAME, Verb.JUDGMENT_SUBMITTED, _judgment_submitted)
    contract.add_follower(NAME, ScoringRun, _run_ended)
    contract.add_follower(NAME, SnapshotJob, _snapshot_taken)
    contract.add_follower(NAME, Release, _release_ready)


def tell(study: StudyNamed, kind: Kind, data: Mapping[str, Any]) -> None:
    """Put a message into the outbox for every endpoint of a study that is switched on and wants this kind."""
    if not _SWITCHED_ON.rows(study.pk):
        return
    wanting = [each for each in Endpoint.objects.switched_on().filter(study=study.pk) if kind in each.kinds]
    if wanting:
        now = timezone.now()
        body = body_of(kind, now, {"study": study.slug, **data})
        Delivery.objects.bulk_create(message(each, kind, body, now) for each in wanting)


def message(endpoint: Endpoint, kind: str, body: str, now: datetime) -> Delivery:
    message_id = f"msg_{secrets.token_urlsafe(18)}"
    return Delivery(endpoint=endpoint, kind=kind, body=body, message_id=message_id, created_at=now, due_at=now)


def body_of(kind: str, at: datetime, data: Mapping[str, Any]) -> str:
    return json.dumps({"type": str(kind), "timestamp": at.isoformat(), "data": data}, ensure_ascii=False)


def _batch_closed(batch: models.Model, study: StudyNamed) -> None:
    assert isinstance(batch, Batch)
    tell(study, Kind.BATCH_CLOSED, {"batch": batch.number, "because": batch.closed_because})


def _judgment_submitted(judgment: models.Model, study: StudyNamed) -> None:
    assert isinstance(judgment, Annotation)
    if not judgment.is_check:
        about = {"judgment": judgment.pk, "item": judgment.item_id, "revision": judgment.revision}
        tell(study, Kind.JUDGMENT_SUBMITTED, about)


def _run_ended(run: ScoringRun) -> None:
    kind = Kind.RUN_DONE if run.status == JobStatus.DONE else Kind.RUN_FAILED
    tell(run.study, kind, {"run": run.pk, "method": run.method, "error": str(run.error)})


def _snapshot_taken(job: SnapshotJob) -> None:
    newest = job.study.snapshots.order_by("-measured_at", "-pk").only("signature").first()
    if job.status == JobStatus.DONE and newest is not None:
        tell(job.study, Kind.SNAPSHOT_TAKEN, {"snapshot": newest.pk, "signature": newest.signature})


def _release_ready(release: Release) -> None:
    if release.status == JobStatus.DONE:
        tell(release.study, Kind.RELEASE_READY, {"release": release.number, "sha256": release.digest})

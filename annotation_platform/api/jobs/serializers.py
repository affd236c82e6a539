"""Jobs as they are given, and what the reply to a request for one is."""

from collections.abc import Mapping
from typing import Any

from django.urls import reverse
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation_platform.accounts.language import in_language
from annotation_platform.api.frame.serializers import Output, choice
from annotation_platform.api.jobs.kinds import KINDS, kind_of
from annotation_platform.core.reasons import Reason, from_data
from annotation_platform.jobs.rows import Job, JobStatus
from annotation_platform.jobs.worker_status import worker_state


class JobRead(Output):
    id = serializers.CharField(help_text="Names it in addresses: the kind and a number.")
    kind = choice([*KINDS])
    study = serializers.CharField(allow_null=True, help_text="Its slug; null: of an import that made none.")
    state = choice(
        JobStatus.values,
        help_text="draft: it waits for a person; paused: until it is resumed.",
    )
    done = serializers.IntegerField(help_text="Steps.")
    total = serializers.IntegerField(help_text="Steps, as far as they are known; 0: not yet.")
    error = serializers.CharField(allow_null=True, help_text="Why it failed or paused, in the reader's language.")
    error_code = serializers.CharField(allow_null=True)
    created_at = serializers.DateTimeField()
    started_at = serializers.DateTimeField(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)
    address = serializers.CharField(help_text="Of this job.")
    resource = serializers.CharField(allow_null=True, help_text="Address of what it works on: a run, an export, …")
    result = serializers.CharField(allow_null=True, help_text="Address of what it made, once it is done.")
    worker_is_running = serializers.BooleanField(help_text="Whether a worker was heard of in the last seconds.")


def told(request: Request, job: Any) -> Mapping[str, Any]:
    """A job of :data:`KINDS` as :class:`JobRead` says; it comes with its ``study``."""
    name = kind_of(job)
    kind = KINDS[name]
    why = why_ended(job)
    is_done = job.status == JobStatus.DONE
    return {
        "id": f"{name}-{job.pk}",
        "kind": name,
        "study": job.study.slug if job.study else None,
        "state": job.status,
        "done": job.done,
        "total": job.total,
        "error": in_language(why) if why else None,
        "error_code": why.code if isinstance(why, Reason) else None,
        "created_at": job.created_at,
        "started_at": job.started_at,
        "finished_at": job.finished_at,
        "address": address_of(request, job),
        "resource": _whole(request, kind.resource(job)),
        "result": _whole(request, kind.result(job)) if is_done else None,
        "worker_is_running": worker_state().is_running,
    }


def why_ended(job: Any) -> str:
    """Why a job failed or paused; of a scheme's migration and of an import, the first of its reasons."""
    reasons = from_data(getattr(job, "reasons", None) or getattr(job, "mistakes", []))
    return job.error or (reasons[0] if reasons else "")


def address_of(request: Request, job: Job) -> str:
    path = reverse("api_job", args=[f"{kind_of(job)}-{job.pk}"])
    return request.build_absolute_uri(path)


def accepted(request: Request, job: Any) -> Response:
    """202: the work is in the queue, and its job tells how far it is."""
    return Response(dict(told(request, job)), status=202, headers={"Location": address_of(request, job)})


def _whole(request: Request, path: str | None) -> str | None:
    return request.build_absolute_uri(path) if path else None

"""Whether the platform is well, for whoever watches over it: no names, no counts, no addresses."""

from django.conf import settings
from django.db import DatabaseError
from django.http import HttpRequest, JsonResponse
from django.views.decorators.http import require_safe

from annotation_platform.jobs.models import OutgoingMail
from annotation_platform.jobs.worker_status import worker_state

REDIS_SECONDS = 0.5


@require_safe
def health(request: HttpRequest) -> JsonResponse:
    """200 while pages work, with what does not beside them; 503 when the database does not answer."""
    try:
        trouble = {"worker": _worker(), "mail": _mail(), "redis": _redis()}
    except DatabaseError:
        return JsonResponse({"status": "down", "trouble": {"database": "The database does not answer."}}, status=503)
    if found := {part: sentence for part, sentence in trouble.items() if sentence}:
        return JsonResponse({"status": "degraded", "trouble": found})
    return JsonResponse({"status": "ok"})


def _worker() -> str:
    if worker_state().is_running:
        return ""
    return "No background worker is running: nothing is scored, measured, exported or sent until one is."


def _mail() -> str:
    if OutgoingMail.objects.overdue().exists():
        return "Mail has been waiting for minutes. The admin site's list of outgoing mail says why."
    if OutgoingMail.objects.are_refused():
        return "The mail server refused the last mails. The admin site's list of outgoing mail says why."
    return ""


def _redis() -> str:
    if not settings.REDIS_URL:
        return ""
    import redis

    try:
        with redis.Redis.from_url(
            settings.REDIS_URL, socket_timeout=REDIS_SECONDS, socket_connect_timeout=REDIS_SECONDS, retry=None
        ) as client:
            client.ping()
    except redis.RedisError:
        return "Redis does not answer: pages work, what the worker does waits until it is back."
    return ""

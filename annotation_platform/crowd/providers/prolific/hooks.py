"""What Prolific tells by itself: believed only with its signature, and once."""

import base64
import hashlib
import hmac
import json
import time

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from annotation_platform.crowd.providers.prolific.models import HookEvent, ProlificStudy
from annotation_platform.crowd.providers.prolific.polling import take_over
from annotation_platform.crowd.providers.vault.secrets import decrypt

TOLERANCE = 300  # seconds between Prolific's clock and ours, and on the way
SUBMISSION_CHANGED = "submission.status.change"


def is_signed(*, secret: str, timestamp: str, body: bytes, signature: str) -> bool:
    """Whether a body, as it came, was signed with the secret at that time."""
    expected = base64.b64encode(hmac.new(secret.encode(), timestamp.encode() + body, hashlib.sha256).digest())
    return hmac.compare_digest(expected, signature.encode(errors="replace"))


def is_fresh(timestamp: str) -> bool:
    try:
        return abs(time.time() - float(timestamp)) <= TOLERANCE
    except ValueError:
        return False


@csrf_exempt
@require_POST
def hook(request: HttpRequest, token: str) -> HttpResponse:
    """Take an event in: 200 when it is believed, also when it was told before or concerns nobody here; else 403."""
    if request.content_type != "application/json":
        return HttpResponse(status=403)
    body = request.body
    timestamp = request.headers.get("X-Prolific-Request-Timestamp", "")
    signature = request.headers.get("X-Prolific-Request-Signature", "")
    connection = ProlificStudy.objects.filter(address_token=token).exclude(encrypted_hook_secret="").first()
    if connection is None or not is_fresh(timestamp):
        return HttpResponse(status=403)
    secret = decrypt(connection.encrypted_hook_secret)
    if not is_signed(secret=secret, timestamp=timestamp, body=body, signature=signature):
        return HttpResponse(status=403)
    try:
        told = json.loads(body)
    except (ValueError, RecursionError):
        return HttpResponse(status=400)
    digest = hashlib.sha256(timestamp.encode() + body).hexdigest()
    with transaction.atomic():
        _, is_new = HookEvent.objects.get_or_create(connection=connection, digest=digest)
        if is_new and isinstance(told, dict) and told.get("event_type") == SUBMISSION_CHANGED:
            take_over(connection, [{"id": told.get("resource_id"), "status": told.get("status")}])
    return HttpResponse(status=200)

"""``Idempotency-Key``: a POST that is sent again within a day gets the first reply again and does nothing."""

import re
from collections.abc import Mapping
from datetime import timedelta
from hashlib import sha256
from typing import Any

from django.db import IntegrityError, transaction
from django.http.response import HttpResponseBase
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from annotation_platform.accounts.models import User
from annotation_platform.api.frame.problems import KeyReusedError
from annotation_platform.api.frame.rendering import BodyRenderer
from annotation_platform.api.models import KeptReply
from annotation_platform.core.errors import ConflictError, InvalidInputError

HEADER = "Idempotency-Key"
KEPT_FOR = timedelta(days=1)
KEPT_HEADERS = ("Location", "ETag")
_KEY = re.compile(r"[\x21-\x7e]{1,255}")


class KeyInFlightError(ConflictError):
    """The first request with this key has not ended."""


class ToldOnce(Response):
    """A reply with a secret: what is kept of it, and given again for the same key, has an empty one in its place."""

    def __init__(self, data: Mapping[str, Any], *, secret: str, status: int = 200) -> None:
        super().__init__({**data, "secret": secret}, status=status)

    @property
    def kept_content(self) -> bytes:
        return BodyRenderer().render({**self.data, "secret": ""})


def begin(request: Request, body_digest: str) -> KeptReply | None:
    """Take the key of a request: its row, to be filled by :func:`keep`, or the one that has the reply already.

    None for a request without a key.

    Raises
    ------
    KeyReusedError
        When the key came with another request before.
    KeyInFlightError
        When that one has not ended: it is being worked on, or its process died over it.
    """
    if (key := request.headers.get(HEADER)) is None:
        return None
    if not _KEY.fullmatch(key):
        raise InvalidInputError("api.key_wrong")
    user = request.user
    assert isinstance(user, User)
    digest = sha256(f"{request.method} {request.get_full_path()} {body_digest}".encode()).hexdigest()
    now = timezone.now()
    KeptReply.objects.filter(begun_at__lt=now - KEPT_FOR).delete()  # anybody's: nothing else forgets them
    try:
        with transaction.atomic():
            return KeptReply.objects.create(user=user, key=key, digest=digest, begun_at=now)
    except IntegrityError:
        kept = KeptReply.objects.filter(user=user, key=key).first()
    if kept is not None and kept.digest != digest:
        raise KeyReusedError("api.key_used")
    if kept is None or kept.status is None:
        raise KeyInFlightError("api.key_in_flight")
    return kept


def keep(row: KeptReply, response: HttpResponseBase) -> None:
    """Keep a reply; one that says that the platform could not is forgotten, so that it can be tried again."""
    if response.status_code >= 500 or not isinstance(response, Response):
        row.delete()
        return
    body = response.rendered_content  # which says what its type is
    KeptReply.objects.filter(pk=row.pk).update(
        status=response.status_code,
        content_type=response.get("Content-Type", "")[:80],
        headers={name: response[name] for name in KEPT_HEADERS if name in response},
        body=response.kept_content if isinstance(response, ToldOnce) else body,
    )


def again(kept: KeptReply) -> tuple[bytes, int, dict[str, Any]]:
    """Body, status and headers of a kept reply."""
    headers = {**kept.headers, "Content-Type": kept.content_type, "Idempotent-Replay": "true"}
    return bytes(kept.body), kept.status or 200, headers

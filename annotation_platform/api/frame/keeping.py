"""``Idempotency-Key``: a POST that is sent again within a day gets the first reply again and does nothing."""

import re
from collections.abc import Mapping
from contextlib import ExitStack
from datetime import timedelta
from hashlib import sha256
from typing import Any, NamedTuple

from django.http.response import HttpResponse, HttpResponseBase
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from annotation_platform.accounts.models import User
from annotation_platform.api.frame.holding import Hold, hold
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


class KeyDiedError(ConflictError):
    """The process of the first request with this key ended in the middle of it, and doing it again may pay twice."""


class Key(NamedTuple):
    """The key of a request: its row, and what holds it while the request is worked on."""

    row: KeptReply
    held: Hold | None

    def release(self) -> None:
        if self.held is not None:
            self.held.release()


class ToldOnce(Response):
    """A reply with a secret: what is kept of it, and given again for the same key, has an empty one in its place."""

    def __init__(self, data: Mapping[str, Any], *, secret: str, status: int = 200) -> None:
        super().__init__({**data, "secret": secret}, status=status)

    @property
    def kept_content(self) -> bytes:
        return BodyRenderer().render({**self.data, "secret": ""})


def begin(request: Request, body_digest: str, *, pays_each_time: bool) -> Key | None:
    """Take the key of a request, to be filled by :func:`keep` and then released. Its row may have the reply already.

    None for a request without a key. A key whose process died over the request is taken up again.

    Parameters
    ----------
    pays_each_time
        Doing the request again costs money again, so that a key whose process died is left to people.

    Raises
    ------
    KeyReusedError
        When the key came with another request before.
    KeyInFlightError
        When that one is being worked on.
    KeyDiedError
        When its process died over it, and it ``pays_each_time``.
    """
    if (key := request.headers.get(HEADER)) is None:
        return None
    if not _KEY.fullmatch(key):
        raise InvalidInputError("api.key_wrong")
    user = request.user
    assert isinstance(user, User)
    digest = sha256(f"{request.method} {request.get_full_path()} {body_digest}".encode()).hexdigest()
    KeptReply.objects.filter(begun_at__lt=timezone.now() - KEPT_FOR).delete()  # anybody's: nothing else forgets them
    with ExitStack() as stack:
        # Held before its row is made, and until the reply is kept: a row without one that nobody holds is of the dead.
        if (held := hold(f"reply {user.pk} {key}")) is not None:
            stack.callback(held.release)
        row = _row_of(user, key, digest, is_held=held is not None, pays_each_time=pays_each_time)
        stack.pop_all()
    return Key(row, held)


def _row_of(user: User, key: str, digest: str, *, is_held: bool, pays_each_time: bool) -> KeptReply:
    row = KeptReply.objects.filter(user=user, key=key).first()
    if row is None and is_held:
        return KeptReply.objects.create(user=user, key=key, digest=digest, begun_at=timezone.now())
    if row is not None and row.digest != digest:
        raise KeyReusedError("api.key_used")
    if row is None or (row.status is None and not is_held):
        raise KeyInFlightError("api.key_in_flight")
    if row.status is None and pays_each_time:
        raise KeyDiedError("api.key_died")
    return row


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


def again(kept: KeptReply) -> HttpResponse:
    """A kept reply, as it was; one that says nothing has no type."""
    headers = {**kept.headers, "Content-Type": kept.content_type, "Idempotent-Replay": "true"}
    reply = HttpResponse(bytes(kept.body), status=kept.status or 200, headers=headers)
    if not kept.content_type:
        del reply["Content-Type"]
    return reply

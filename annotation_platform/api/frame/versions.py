"""What two may change: an ``ETag`` when it is read, which ``If-Match`` sends back when it is changed."""

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.utils.encoders import JSONEncoder

from annotation_platform.api.frame.problems import VersionDiffersError, VersionNeededError


def tagged(row: Mapping[str, Any], *, of: Mapping[str, Any] | None = None, status: int = 200) -> Response:
    """A row with its version: that of all of it, or of what can be changed in it, where the rest moves by itself."""
    return Response(dict(row), status=status, headers={"ETag": tag_of(row if of is None else of)})


def tag_of(row: Mapping[str, Any]) -> str:
    text = json.dumps(row, sort_keys=True, cls=JSONEncoder)
    return f'"{sha256(text.encode()).hexdigest()[:32]}"'


def check_version(request: Request, row: Mapping[str, Any] | None, *, needed: bool = True) -> None:
    """Whether the row is still what was read; call it where the row is locked.

    Parameters
    ----------
    row
        What the tag is of (:func:`tagged`); None: there is nothing yet, which only ``If-None-Match: *`` expects.
    needed
        Whether ``If-Match`` must be there. It need not on addresses of ``v1`` that took changes without it before.

    Raises
    ------
    VersionNeededError
        When ``If-Match`` is missing where it is needed.
    VersionDiffersError
        When the row is another one by now, or is there although it should not be.
    """
    if row is not None and request.headers.get("If-None-Match", "").strip() == "*":
        raise VersionDiffersError("api.version_differs")
    if (asked := request.headers.get("If-Match")) is None:
        if needed:
            raise VersionNeededError("api.version_needed")
        return
    tags = {tag.strip().removeprefix("W/") for tag in asked.split(",")}
    if row is None or ("*" not in tags and tag_of(row) not in tags):
        raise VersionDiffersError("api.version_differs")

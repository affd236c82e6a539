"""What two may change: an ``ETag`` when it is read, which ``If-Match`` sends back when it is changed."""

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.utils.encoders import JSONEncoder

from annotation_platform.api.frame.problems import VersionDiffersError, VersionNeededError


def tagged(row: Mapping[str, Any], *, status: int = 200) -> Response:
    """A row with its version."""
    return Response(dict(row), status=status, headers={"ETag": tag_of(row)})


def tag_of(row: Mapping[str, Any]) -> str:
    text = json.dumps(row, sort_keys=True, cls=JSONEncoder)
    return f'"{sha256(text.encode()).hexdigest()[:32]}"'


def check_version(request: Request, row: Mapping[str, Any]) -> None:
    """Whether the row is still what was read; call it where the row is locked.

    Raises
    ------
    VersionNeededError
        When ``If-Match`` is missing.
    VersionDiffersError
        When the row is another one by now.
    """
    if (asked := request.headers.get("If-Match")) is None:
        raise VersionNeededError("api.version_needed")
    tags = {tag.strip().removeprefix("W/") for tag in asked.split(",")}
    if "*" not in tags and tag_of(row) not in tags:
        raise VersionDiffersError("api.version_differs")

"""Bodies that are files: taken as they are, for the topic to read, or as parts of a form."""

from collections.abc import Iterator
from hashlib import sha256
from typing import IO, Any

from django.core.exceptions import TooManyFieldsSent, TooManyFilesSent
from django.http import QueryDict
from rest_framework.parsers import BaseParser
from rest_framework.request import Request

from annotation_platform.core.errors import InvalidInputError


class CsvParser(BaseParser):
    """``text/csv``, as its bytes."""

    media_type = "text/csv"

    def parse(self, stream: IO[bytes], media_type: str | None = None, parser_context: Any = None) -> Any:
        return stream.read()


class PartParser(BaseParser):
    """``application/offset+octet-stream``: a part of a file, as its bytes."""

    media_type = "application/offset+octet-stream"

    def parse(self, stream: IO[bytes], media_type: str | None = None, parser_context: Any = None) -> Any:
        return stream.read()


def digest_of_parts(request: Request) -> str:
    """Of what a form's parts say, for their boundary is another one each time. They are taken in here.

    Raises
    ------
    InvalidInputError
        When there are more of them than a form may have.
    """
    digest = sha256()
    try:
        for part in _parts(request):
            digest.update(f"{len(part)}:".encode() + part)
    except (TooManyFieldsSent, TooManyFilesSent):
        raise InvalidInputError("api.too_many_parts") from None
    return digest.hexdigest()


def _parts(request: Request) -> Iterator[bytes]:
    """Names and contents of a form's parts."""
    form = request.data
    for name, texts in form.lists() if isinstance(form, QueryDict) else ():  # without a body it is an empty dict
        for text in texts:
            yield from (name.encode(), text.encode()) if isinstance(text, str) else ()
    for name, files in request.FILES.lists():
        for file in files:
            yield from (name.encode(), str(file.name).encode(), *file.chunks())
            file.seek(0)

"""Bodies that are files: taken as they are, for the topic to read."""

from typing import IO, Any

from rest_framework.parsers import BaseParser


class CsvParser(BaseParser):
    """``text/csv``, as its bytes."""

    media_type = "text/csv"

    def parse(self, stream: IO[bytes], media_type: str | None = None, parser_context: Any = None) -> Any:
        return stream.read()

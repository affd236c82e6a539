"""Taking in many rows: they are read from the connection into a file, and from there as an upload's are."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from django.conf import settings

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.models import User
from annotation_platform.api.schemes.reading import preset_named
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.core.schemes import build_scheme
from annotation_platform.corpus.importers import FORMATS, Options, open_files, read_study
from annotation_platform.corpus.importers.warnings import warnings_of
from annotation_platform.corpus.models import Corpus
from annotation_platform.imports.findings import left_out_lines
from annotation_platform.imports.storing import import_corpus

SUFFIXES = {"application/x-ndjson": ".ndjson", "application/json": ".json", "text/csv": ".csv"}
MOST_ITEMS = 100_000
BLOCK = 1 << 20


@dataclass(frozen=True)
class Body:
    """The rows of a request, in a file, and their SHA-256."""

    path: Path
    digest: str


@contextmanager
def spooled(stream: Any, suffix: str) -> Iterator[Body]:
    """The body of a request in a file, which is gone afterwards.

    Raises
    ------
    InvalidInputError
        When it is larger than an upload may be.
    """
    most = settings.IMPORT_MAX_MEGABYTES * 1_000_000
    settings.IMPORTS_DIR.mkdir(parents=True, exist_ok=True)
    with NamedTemporaryFile(dir=settings.IMPORTS_DIR, prefix="rows-", suffix=suffix) as file:
        digest, length = sha256(), 0
        while block := stream.read(BLOCK):
            length += len(block)
            if length > most:
                raise InvalidInputError("api.body_too_large", most=most)
            digest.update(block)
            file.write(block)
        file.flush()
        yield Body(Path(file.name), digest.hexdigest())


def store_rows(
    *, body: Body, owner: User, name: str, scheme: str, language: str, actor: Actor
) -> tuple[Corpus, dict[str, Any]]:
    """Make a corpus of rows, all of them or none; and what was counted.

    Raises
    ------
    ImportFileError
        With every row and field that is wrong.
    InvalidInputError
        When there are too many items, or the name is taken.
    """
    definition = preset_named(scheme)
    options = Options(definition=definition, language=language, wants_judgments=False)
    format = FORMATS["table"]
    stored: list[Corpus] = []
    with read_study(format, open_files(format, [body.path], ["rows"]), options) as imported:
        counts = imported.counts
        items = counts.questions if build_scheme(dict(definition)).judges_candidates else counts.answers
        if items > MOST_ITEMS:
            raise InvalidInputError("api.too_many_items", most=MOST_ITEMS)
        import_corpus(imported=imported, name=name, owner=owner, actor=actor, and_then=stored.append)
        told = {field: getattr(counts, field) for field in ("articles", "questions", "answers")}
        warnings = [*left_out_lines(counts.left_out.items()), *warnings_of(imported)]
        return stored[0], told | {"warnings": warnings}

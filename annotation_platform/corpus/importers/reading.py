"""Reading files of any format, the same way for the page and the command line."""

from collections.abc import Callable, Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Any

from annotation_platform.corpus.importers.consistency import check_study
from annotation_platform.corpus.importers.format import Format, Options
from annotation_platform.corpus.importers.mistakes import ImportFileError, Mistakes, wrong_at
from annotation_platform.corpus.importers.staged import ImportedStudy
from annotation_platform.corpus.importers.staging import Staging
from annotation_platform.corpus.importers.study import Entry, Source

TOLD_EVERY = 10_000


def read_study(
    format: Format,
    sources: Sequence[Source],
    options: Options | None = None,
    progress: Callable[[int], None] | None = None,
) -> ImportedStudy:
    """Read and check whole files.

    Parameters
    ----------
    format
        One of :data:`annotation_platform.corpus.importers.FORMATS`.
    sources
        What the format's ``open`` gave for each file.
    progress
        Told of the number of entries read, now and then.

    Returns
    -------
    ImportedStudy
        All of it, waiting in a temporary file; use it in a ``with`` block.

    Raises
    ------
    ImportFileError
        With everything that is wrong. Nothing is kept then.
    """
    mistakes = Mistakes()
    staging = Staging(sources, mistakes)
    try:
        header, entries = format.begin(sources, options or Options(), mistakes)
        staging.take(_told(entries, progress) if progress else entries)
        study = ImportedStudy(header, staging)
        check_study(study, mistakes)
        if not mistakes.count and not study.counts.answers:
            mistakes.add(wrong_at(sources[0].name, "corpus.without_answers"))
        mistakes.refuse()
    except BaseException:
        staging.close()
        raise
    return study


def open_files(format: Format, paths: Sequence[Path], names: Sequence[str] = (), sheet: str = "") -> list[Source]:
    """All files, or everything that is wrong with them; ``names`` are what messages call them.

    ``sheet`` is what is read of workbooks; "" for the first one of each.
    """
    mistakes = Mistakes()
    sources = []
    for number, path in enumerate(paths):
        try:
            sources.append(format.open(path, names[number] if names else "", sheet))
        except ImportFileError as error:
            for reason in error.reasons:
                mistakes.add(reason)
    mistakes.refuse()
    return sources


def _told(entries: Iterator[Entry], progress: Callable[[int], Any]) -> Iterator[Entry]:
    for number, entry in zip(count(1), entries, strict=False):
        if number % TOLD_EVERY == 0:
            progress(number)
        yield entry

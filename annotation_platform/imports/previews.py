"""The first rows of an import job's files, and whether they are small enough to be looked at while a page waits."""

from collections.abc import Sequence

from annotation_platform.core.errors import InvalidInputError
from annotation_platform.corpus.importers import FORMATS, Preview, size_to_read
from annotation_platform.corpus.importers.workbook import Workbook, is_workbook
from annotation_platform.imports.job_files import names_of, opened_files, options_of
from annotation_platform.imports.models import ImportJob

# Bytes; so little is checked and imported before the page comes back. They may hold two thousand rows, which take a
# second; ten times as many keep a web process for ten.
AT_ONCE = 20_000


def preview_of(job: ImportJob, *, reader: str = "en") -> Preview:
    """The first rows of a job's files, as they are mapped now; a scheme's words in the language of the ``reader``.

    Raises
    ------
    InvalidInputError
        When the files or the scheme cannot be read.
    """
    if job.first_rows is not None:
        return FORMATS[job.format].preview_noted(job.first_rows, options_of(job, reader))
    if looks_later(job):
        raise InvalidInputError("imports.rows_unread", list(job.mistakes))
    return FORMATS[job.format].preview(opened_files(job), options_of(job, reader))


def sheets_of(job: ImportJob) -> Sequence[str]:
    """The sheets of a job's workbook, to choose from also where the one that is read cannot be shown; else empty."""
    if not is_workbook(job.paths[0]):
        return ()
    try:
        return Workbook(job.paths[0], names_of(job)[0]).sheets
    except InvalidInputError:  # it cannot be read at all, as the reader is told
        return ()


def is_quick(job: ImportJob) -> bool:
    """Whether a job's files are so small that whoever uploads them need not wait for the worker."""
    return sum(map(size_to_read, job.paths)) <= AT_ONCE


def looks_later(job: ImportJob) -> bool:
    """Whether the first rows wait for the worker."""
    return job.first_rows is None and not is_quick(job)

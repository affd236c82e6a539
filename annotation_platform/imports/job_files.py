"""The files of an import job, and the options under which they are read."""

import shutil
from collections.abc import Mapping
from typing import Any

from annotation_platform.core.errors import InvalidInputError
from annotation_platform.core.reasons import Reason
from annotation_platform.core.schemes import SchemeError, preset, read_scheme
from annotation_platform.corpus.importers import FORMATS, Options, open_files
from annotation_platform.corpus.importers.study import Source
from annotation_platform.imports.models import ImportJob


def options_of(job: ImportJob, reader: str = "en") -> Options:
    """What was chosen for a job; a scheme's words in the language of the ``reader``.

    Raises
    ------
    InvalidInputError
        When the scheme cannot be read.
    """
    try:
        if job.scheme_text.strip():
            definition: Mapping[str, Any] | None = read_scheme(job.scheme_text, source=Reason("imports.own_scheme"))
        else:
            definition = preset(job.scheme) if job.scheme else None
    except SchemeError as error:
        raise InvalidInputError("imports.scheme_wrong", error.reasons) from None
    return Options(
        definition=definition,
        language=job.language,
        columns=job.columns,
        values=job.values,
        wants_judgments=job.target != ImportJob.Target.CORPUS,
        reader=reader,
    )


def opened_files(job: ImportJob) -> list[Source]:
    return open_files(FORMATS[job.format], job.paths, names_of(job), job.sheet)


def names_of(job: ImportJob) -> list[str]:
    return [file["name"] for file in job.files]


def remove_files(job: ImportJob) -> None:
    shutil.rmtree(job.folder, ignore_errors=True)

"""Reads of files of results: whose they are, what was found in one, what came of them in a study."""

from typing import Any

from django.db.models import Count, Q, QuerySet

from annotation_platform.core.errors import NotThereError
from annotation_platform.crowd.providers.results_file.models import ImportedWork, ResultsFile
from annotation_platform.studies.models import Study


def files_of(user: Any) -> QuerySet[ResultsFile]:
    """The files that somebody had read, the newest first, each with what was found in it.

    ``assignments``, ``workers`` and ``tasks`` count its rows, and ``approved``, ``rejected`` and ``submitted`` those
    that the marketplace had so.
    """
    by_state = {status.name.lower(): Count("work", filter=Q(work__status=status)) for status in ImportedWork.Status}
    return (
        ResultsFile.objects.filter(owner=user.pk)
        .select_related("job", "study")
        .annotate(
            assignments=Count("work"),
            workers=Count("work__pseudonym", distinct=True),
            tasks=Count("work__task", distinct=True),
            **by_state,
        )
    )


def file_of(user: Any, pk: int) -> Any:
    """One of :func:`files_of`.

    Raises
    ------
    NotThereError
        When it is none of theirs.
    """
    file = files_of(user).filter(pk=pk).first()
    if file is None:
        raise NotThereError("crowd.no_results_file")
    return file


def work_of(study: Study) -> QuerySet[ImportedWork]:
    """What came with files of results into a study: each assignment with its times and what was decided about it."""
    return ImportedWork.objects.filter(file__study=study).select_related("member")


def decided_of(study: Study) -> dict[str, int]:
    """How many assignments came, and how many of them had been approved and rejected."""
    status = ImportedWork.Status
    return ImportedWork.objects.filter(file__study=study).aggregate(
        all=Count("pk"),
        approved=Count("pk", filter=Q(status=status.APPROVED)),
        rejected=Count("pk", filter=Q(status=status.REJECTED)),
    )

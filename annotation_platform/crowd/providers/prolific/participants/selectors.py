"""Reads of files of participants, and of what was kept of people."""

from django.db.models import Exists, OuterRef, QuerySet

from annotation_platform.core.errors import NotThereError
from annotation_platform.crowd.consent.selectors import agreeing_members
from annotation_platform.crowd.providers.prolific.models import ProlificStudy, Submission, SubmissionState
from annotation_platform.crowd.providers.prolific.participants.comparing import withdrawn_among
from annotation_platform.crowd.providers.prolific.participants.models import ParticipantAttributes, ParticipantsFile
from annotation_platform.studies.models import Study


def files_of(connection: ProlificStudy) -> QuerySet[ParticipantsFile]:
    return connection.participants_files.select_related("created_by")


def file_in(study: Study, pk: int) -> ParticipantsFile:
    """
    Raises
    ------
    NotThereError
        When the study has no such file, or it was forgotten.
    """
    found = ParticipantsFile.objects.select_related("connection__study").filter(pk=pk, connection__study=study)
    if (file := found.first()) is None:
        raise NotThereError("crowd.no_participants_file")
    return file


def kept_of(study: Study) -> QuerySet[ParticipantAttributes]:
    """What was kept of a study's annotators, but of those who have withdrawn since, or returned all that they took."""
    kept = ParticipantAttributes.objects.filter(member__study=study).exclude(values={}, missing={})
    taken = Submission.objects.filter(member=OuterRef("member"))
    kept = kept.exclude(Exists(taken) & ~Exists(taken.exclude(state=SubmissionState.RETURNED)))
    gone = withdrawn_among([each.member for each in kept.select_related("member")])
    return kept.exclude(member__in=gone).select_related("member").order_by("pk")


def kept_of_agreeing(study: Study) -> QuerySet[ParticipantAttributes]:
    """The same, and only of those who have agreed to the study's newest consent text, where it has one."""
    kept, agreeing = kept_of(study), agreeing_members(study)
    return kept if agreeing is None else kept.filter(member__in=agreeing)


def columns_of(kept: QuerySet[ParticipantAttributes]) -> list[str]:
    """All columns that were kept of somebody, in order of first appearance."""
    return list(dict.fromkeys(name for each in kept for name in each.values))

"""Orders and submissions of a study by their keys."""

from annotation_platform.core.errors import NotThereError
from annotation_platform.crowd.providers.prolific.models import ProviderCall, Submission
from annotation_platform.studies.models import Study


def call_in(study: Study, pk: int) -> ProviderCall:
    """
    Raises
    ------
    NotThereError
        When the study has no such order.
    """
    call = ProviderCall.objects.select_related("connection__study").filter(pk=pk, connection__study=study).first()
    if call is None:
        raise NotThereError("crowd.no_such_order")
    return call


def submission_in(study: Study, pk: int) -> Submission:
    """
    Raises
    ------
    NotThereError
        When the study has no such submission.
    """
    found = Submission.objects.select_related("connection__study", "member").filter(pk=pk, connection__study=study)
    if (one := found.first()) is None:
        raise NotThereError("crowd.no_such_submission")
    return one

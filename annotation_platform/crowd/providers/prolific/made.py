"""Studies on Prolific by which people may come in, once they were made from here."""

from annotation_platform.core.errors import InvalidInputError
from annotation_platform.crowd.providers.prolific.models import ProlificStudy, ProviderCall
from annotation_platform.crowd.providers.prolific.visits import IDENTIFIER


def note_made(call: ProviderCall, external_study: str) -> None:
    """Let people in by a study that was made; call this within the transaction that notes it."""
    ProviderCall.objects.filter(pk=call.pk).update(external_study=external_study)
    connection = ProlificStudy.objects.select_for_update(no_key=True).get(pk=call.connection_id)
    known = list(connection.external_studies)
    if not known:  # any was let in so far: those by whom people came stay
        came = connection.submissions.order_by("external_study").values_list("external_study", flat=True)
        known = [each for each in came.distinct() if each]
    if external_study not in known:
        ProlificStudy.objects.filter(pk=connection.pk).update(external_studies=[*known, external_study])


def check_identifier(external_study: str) -> str:
    """
    Raises
    ------
    InvalidInputError
        When it is none of a study on Prolific.
    """
    if not IDENTIFIER.fullmatch(external_study):
        raise InvalidInputError("crowd.external_study_wrong", study=external_study)
    return external_study

"""The eligibility rule: who does not say that they read a study's languages takes none of its tasks."""

from annotation_platform.core.reasons import Reason
from annotation_platform.crowd.languages.models import RequiredLanguages, StatedLanguages
from annotation_platform.crowd.languages.services import NAMES
from annotation_platform.studies.eligibility import Moment
from annotation_platform.studies.models import Member


def languages(annotator: Member, moment: Moment) -> Reason | None:
    """Asked when a task is taken; who has one finishes it."""
    if moment != Moment.TAKING:
        return None
    required = RequiredLanguages.objects.filter(study=annotator.study_id).values_list("codes", flat=True).first()
    if not required:
        return None
    stated = StatedLanguages.objects.filter(member=annotator).values_list("codes", flat=True).first()
    if set(required) <= set(stated or ()):
        return None
    code = "crowd.languages_not_stated" if stated is None else "crowd.languages_missing"
    return Reason(code, languages=[NAMES[each] for each in required])

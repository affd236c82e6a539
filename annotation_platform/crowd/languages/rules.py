"""The eligibility rule: who does not say that they read a study's languages takes none of its tasks."""

from annotation_platform.core.reasons import Reason
from annotation_platform.crowd.endings import Stage
from annotation_platform.crowd.languages.models import RequiredLanguages, StatedLanguages
from annotation_platform.crowd.languages.services import NAMES
from annotation_platform.studies.eligibility import Moment
from annotation_platform.studies.models import Member


def languages(annotator: Member, moment: Moment) -> Reason | None:
    """Asked when a task is taken; who has one finishes it."""
    if moment != Moment.TAKING or not (lacking := _lacking(annotator)):
        return None
    code = "crowd.languages_missing" if _has_said(annotator) else "crowd.languages_not_stated"
    return Reason(code, languages=[NAMES[each] for each in lacking])


def stage(annotator: Member) -> Stage | None:
    """Who has not said which languages they read can do that; who reads others cannot change it."""
    return Stage.TO_DO if _lacking(annotator) and not _has_said(annotator) else None


def _lacking(annotator: Member) -> list[str]:
    """The languages that are asked for, where somebody does not say that they read all of them."""
    required = RequiredLanguages.objects.filter(study=annotator.study_id).values_list("codes", flat=True).first()
    if not required:
        return []
    stated = StatedLanguages.objects.filter(member=annotator).values_list("codes", flat=True).first()
    return [] if set(required) <= set(stated or ()) else list(required)


def _has_said(annotator: Member) -> bool:
    return StatedLanguages.objects.filter(member=annotator).exists()

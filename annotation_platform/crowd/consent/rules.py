"""No task without consent, where the study has a consent text."""

from django.urls import reverse

from annotation_platform.core.reasons import Reason
from annotation_platform.crowd.consent.selectors import missing_text
from annotation_platform.crowd.endings import Stage
from annotation_platform.studies.eligibility import Moment
from annotation_platform.studies.models import Member


def consent(annotator: Member, moment: Moment) -> Reason | None:
    """Who has not agreed to the newest text takes no task; who holds one may finish it."""
    if moment != Moment.TAKING or missing_text(annotator) is None:
        return None
    return Reason("crowd.consent_missing")


def page_of_consent(annotator: Member) -> str | None:
    """Where they read and agree, as the step before the next task."""
    return reverse("consent", args=[annotator.study.slug]) if missing_text(annotator) else None


def stage(annotator: Member) -> Stage | None:
    """Who has something to agree to can do that, or say no, which leads them back."""
    return Stage.TO_DO if missing_text(annotator) else None

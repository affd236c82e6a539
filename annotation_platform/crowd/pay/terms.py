"""Which terms hold: of a study now, and of a task since it was taken."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import BigIntegerField, Case, OuterRef, Subquery, Value, When
from django.db.models.functions import Coalesce

from annotation_platform.annotations.models import Annotation
from annotation_platform.crowd.pay.models import PayTerms
from annotation_platform.studies.models import Assignment, Study


def terms_of(study: Study) -> PayTerms | None:
    """The newest version; None where nothing was agreed."""
    return PayTerms.objects.filter(study=study).order_by("-number").first()


@dataclass(frozen=True)
class Versions:
    """All versions of a study's terms, the oldest first; there is at least one."""

    all: Sequence[PayTerms]

    @property
    def newest(self) -> PayTerms:
        return self.all[-1]

    def at(self, moment: datetime | None) -> PayTerms:
        """The version of a moment; the first one holds for what was there before it, the newest without a moment."""
        if moment is None:
            return self.newest
        return next((terms for terms in reversed(self.all) if terms.made_at <= moment), self.all[0])

    def of(self, place: Assignment) -> PayTerms:
        """What was promised when a submitted task was taken."""
        return self.at(taken_at(place))


def taken_at(place: Assignment) -> datetime | None:
    """When a submitted task was taken; of one that has lost that moment, when its first judgment was made.

    It is lost by work that was set aside, and by work that came late.
    """
    if place.claimed_at is not None:
        return place.claimed_at
    judged = Annotation.objects.filter(assignment=place, annotator=place.annotator_id).order_by("created_at")
    return judged.values_list("created_at", flat=True).first() or place.submitted_at


def taken_at_in_query() -> Coalesce:
    """The same as :func:`taken_at`, for a query of places."""
    judged = Annotation.objects.filter(assignment=OuterRef("pk"), annotator=OuterRef("annotator"))
    first = judged.order_by("created_at").values("created_at")[:1]
    return Coalesce("claimed_at", Subquery(first), "submitted_at")


def promised_in_query(versions: Versions, name: str) -> Case:
    """What is said by the terms of places, as their ``reward``, for a query of places with ``taken_at``."""
    newest_first = reversed([(terms.made_at, Value(getattr(terms, name))) for terms in versions.all])
    promised = (When(taken_at__gte=made_at, then=value) for made_at, value in newest_first)
    return Case(*promised, default=Value(getattr(versions.all[0], name)), output_field=BigIntegerField())


def versions_of(study_id: int) -> Versions | None:
    found = list(PayTerms.objects.filter(study=study_id).order_by("number"))
    return Versions(found) if found else None

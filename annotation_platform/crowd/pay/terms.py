"""Which terms hold: of a study now, and of a task since it was taken."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

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
        """What was promised when a task was taken.

        Work that counts again after it was set aside has lost that moment, and goes by the one when it was submitted.
        """
        return self.at(place.claimed_at or place.submitted_at)


def versions_of(study_id: int) -> Versions | None:
    found = list(PayTerms.objects.filter(study=study_id).order_by("number"))
    return Versions(found) if found else None

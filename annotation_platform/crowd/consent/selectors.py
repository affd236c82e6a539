"""Which consent text holds, and who has agreed to it."""

from dataclasses import dataclass

from django.db.models import QuerySet

from annotation_platform.crowd.consent.models import Consent, ConsentText
from annotation_platform.studies.models import Member, Study


def current_text(study: Study) -> ConsentText | None:
    """The newest version; None where the study asks for no consent."""
    return ConsentText.objects.filter(study=study).order_by("-number").first()


def missing_text(member: Member) -> ConsentText | None:
    """What a member has to agree to before the next task; None when there is nothing."""
    text = current_text(member.study)
    if text is None or Consent.objects.filter(member=member, text=text, agreed=True).exists():
        return None
    return text


def agreeing_members(study: Study) -> QuerySet[Member] | None:
    """Those who have agreed to the newest version; None where the study asks for no consent."""
    text = current_text(study)
    return None if text is None else Member.objects.filter(consents__text=text, consents__agreed=True)


@dataclass(frozen=True)
class VersionTally:
    """A version, how many agreed to it, and how many said no and nothing else since."""

    text: ConsentText
    agreed: int
    declined: int


def tally(study: Study) -> list[VersionTally]:
    """Every version, the newest first."""
    found = []
    for text in ConsentText.objects.filter(study=study).order_by("-number"):
        agreed = Consent.objects.filter(text=text, agreed=True)
        declined = Consent.objects.filter(text=text, agreed=False).exclude(member__in=agreed.values("member"))
        found.append(VersionTally(text, agreed.count(), declined.values("member").distinct().count()))
    return found

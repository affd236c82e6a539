"""What the errors of this app say, topic by topic."""

from annotation_platform.crowd.adjudication import sentences as adjudication
from annotation_platform.crowd.checks import sentences as checks
from annotation_platform.crowd.consent import sentences as consent
from annotation_platform.crowd.languages import sentences as languages
from annotation_platform.crowd.late import sentences as late
from annotation_platform.crowd.monitor import sentences as monitor
from annotation_platform.crowd.pacing import sentences as pacing
from annotation_platform.crowd.pay import sentences as pay
from annotation_platform.crowd.providers import sentences as providers
from annotation_platform.crowd.review import sentences as review
from annotation_platform.crowd.rounds import sentences as rounds
from annotation_platform.crowd.talk import sentences as talk
from annotation_platform.crowd.uploads import sentences as uploads

__all__ = [
    "adjudication",
    "checks",
    "consent",
    "languages",
    "late",
    "monitor",
    "pacing",
    "pay",
    "providers",
    "review",
    "rounds",
    "talk",
    "uploads",
]

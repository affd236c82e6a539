"""What the errors of this app say, topic by topic."""

from annotation_platform.crowd.languages import sentences as languages
from annotation_platform.crowd.late import sentences as late
from annotation_platform.crowd.pacing import sentences as pacing
from annotation_platform.crowd.pay import sentences as pay
from annotation_platform.crowd.rounds import sentences as rounds

__all__ = ["languages", "late", "pacing", "pay", "rounds"]

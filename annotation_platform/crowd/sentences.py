"""What the errors of this app say, topic by topic."""

from annotation_platform.crowd.checks import sentences as checks
from annotation_platform.crowd.rounds import sentences as rounds

__all__ = ["checks", "rounds"]

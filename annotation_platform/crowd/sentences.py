"""What the errors of this app say, topic by topic."""

from annotation_platform.crowd.rounds import sentences as rounds
from annotation_platform.crowd.talk import sentences as talk

__all__ = ["rounds", "talk"]

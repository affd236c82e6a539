"""What the errors of this app say, topic by topic."""

from annotation_platform.crowd.adjudication import sentences as adjudication
from annotation_platform.crowd.review import sentences as review
from annotation_platform.crowd.rounds import sentences as rounds

__all__ = ["adjudication", "review", "rounds"]

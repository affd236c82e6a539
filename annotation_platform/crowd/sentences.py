"""What the errors of this app say, topic by topic."""

from annotation_platform.crowd.pay import sentences as pay

__all__ = ["pay"]

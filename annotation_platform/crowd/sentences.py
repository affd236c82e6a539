"""What the errors of this app say, topic by topic."""

from annotation_platform.crowd.checks import sentences as checks

__all__ = ["checks"]

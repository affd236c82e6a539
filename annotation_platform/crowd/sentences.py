"""What the errors of this app say, topic by topic."""

from annotation_platform.crowd.talk import sentences as _talk  # noqa: F401

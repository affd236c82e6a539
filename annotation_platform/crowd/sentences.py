"""What the errors of this app say, topic by topic."""

from annotation_platform.crowd.consent import sentences as consent
from annotation_platform.crowd.providers import sentences as providers

__all__ = ["consent", "providers"]

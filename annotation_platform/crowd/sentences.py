"""What the errors of this app say, topic by topic."""

from annotation_platform.crowd.languages import sentences as _languages  # noqa: F401
from annotation_platform.crowd.late import sentences as _late  # noqa: F401
from annotation_platform.crowd.pacing import sentences as _pacing  # noqa: F401

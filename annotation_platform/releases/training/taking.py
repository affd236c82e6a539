"""A release for training, while somebody waits for it."""

from annotation_platform.core.errors import InvalidInputError
from annotation_platform.releases.models import Release
from annotation_platform.releases.training.preferences import Preferences, TrainingFormat, preferences

MOST_AT_ONCE = 50_000  # judgments, which take a second or two


def to_train_on(release: Release, format: TrainingFormat, aspect: str) -> Preferences:
    """
    Raises
    ------
    InvalidInputError
        When the release is too large to wait for, or :func:`preferences` refuses.
    """
    if release.database_state.get("judgments", 0) > MOST_AT_ONCE:
        raise InvalidInputError("releases.too_many_for_a_page", most=MOST_AT_ONCE)
    return preferences(release.folder, format, aspect)

"""What else is done when something that is known of a study's people is forgotten: apps above bring it."""

from collections.abc import Callable

from annotation_platform.studies.models import Study

Follower = Callable[[Study], None]
_followers: dict[str, Follower] = {}


def add_follower_of_forgetting(name: str, follower: Follower) -> None:
    """Have this called, in the same transaction, whenever something was forgotten; one of the same name is replaced."""
    _followers[name] = follower


def tell_forgotten(study: Study) -> None:
    """Within the transaction that forgets, once the rows are gone."""
    for follower in _followers.values():
        follower(study)

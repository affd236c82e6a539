"""What follows when a study gets another version of its scheme: apps above carry along what they keep by its keys.

A *follower* is called in the transaction in which the migrated revisions begin to count, with the study as it was
before, its new version, what became of the aspects, and who asked. What it raises undoes the migration, so it raises
nothing.
"""

from collections.abc import Callable

from annotation_platform.accounts.actors import Actor
from annotation_platform.core.schemes.migration import SchemeChanges
from annotation_platform.studies.models import SchemeVersion, Study

Follower = Callable[[Study, SchemeVersion, SchemeChanges, Actor], None]

_followers: dict[str, Follower] = {}


def add_follower(name: str, follower: Follower) -> None:
    """Have a follower called from now on; one of the same name is replaced."""
    _followers[name] = follower


def scheme_is_migrated(study: Study, version: SchemeVersion, changes: SchemeChanges, actor: Actor) -> None:
    """Call all followers, in the order in which they were added."""
    for follower in _followers.values():
        follower(study, version, changes, actor)

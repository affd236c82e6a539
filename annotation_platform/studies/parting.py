"""What else is done when somebody is let out of a study, of their own will or not: apps above say so here."""

from collections.abc import Callable

from annotation_platform.accounts.actors import Actor
from annotation_platform.studies.models import Member

Follower = Callable[[Member, Actor], None]

_followers: dict[str, Follower] = {}


def add_follower(name: str, follower: Follower) -> None:
    """Have a follower called from now on; one of the same name is replaced."""
    _followers[name] = follower


def tell_parting(member: Member, actor: Actor) -> None:
    """Call all followers, in the transaction that lets a member out, while the member still holds what they hold."""
    for follower in _followers.values():
        follower(member, actor)

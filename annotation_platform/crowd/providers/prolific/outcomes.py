"""What follows when bonuses were paid: topics above, such as pay, say so here.

A *follower* is called once for each order, in the transaction that notes that it was carried out.
"""

from collections.abc import Callable

from annotation_platform.accounts.actors import Actor
from annotation_platform.crowd.providers.prolific.models import ProviderCall

Follower = Callable[[ProviderCall, Actor], None]

_followers: dict[str, Follower] = {}


def add_bonus_follower(name: str, follower: Follower) -> None:
    """Have a follower called from now on; one of the same name is replaced."""
    _followers[name] = follower


def bonuses_are_paid(call: ProviderCall, actor: Actor) -> None:
    """Call all followers, in the order in which they were added."""
    for follower in _followers.values():
        follower(call, actor)

"""What follows when somebody's work is approved or rejected: other topics, such as pay, say so here.

A *follower* is called in the transaction that decides, once for each piece of work.
"""

from typing import Protocol

from annotation_platform.accounts.actors import Actor
from annotation_platform.studies.models import Assignment, Member


class Follower(Protocol):
    def __call__(self, *, assignment: Assignment, annotator: Member, actor: Actor) -> object: ...


_followers: dict[str, Follower] = {}
_rejection_followers: dict[str, Follower] = {}


def add_approval_follower(name: str, follower: Follower) -> None:
    """Have a follower called from now on; one of the same name is replaced."""
    _followers[name] = follower


def work_is_approved(*, assignment: Assignment, annotator: Member, actor: Actor) -> None:
    """Call all followers, in the order in which they were added."""
    for follower in _followers.values():
        follower(assignment=assignment, annotator=annotator, actor=actor)


def add_rejection_follower(name: str, follower: Follower) -> None:
    """Have a follower called when work was rejected; one of the same name is replaced."""
    _rejection_followers[name] = follower


def work_is_rejected(*, assignment: Assignment, annotator: Member, actor: Actor) -> None:
    """Call all of these, in the order in which they were added; the rejection with its reason is stored by then."""
    for follower in _rejection_followers.values():
        follower(assignment=assignment, annotator=annotator, actor=actor)

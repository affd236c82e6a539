"""What follows when somebody has submitted a whole task: apps above say so here, and are called where it happens.

A *follower* is called in the transaction that submits the task, once, with its place (whose annotator has it) and who
acted. Whoever submits waits for it, so it is quick; what it raises undoes the submission, so it raises nothing.
"""

from collections.abc import Callable

from annotation_platform.accounts.actors import Actor
from annotation_platform.studies.models import Assignment

Follower = Callable[[Assignment, Actor], None]

_followers: dict[str, Follower] = {}


def add_follower(name: str, follower: Follower) -> None:
    """Have a follower called from now on; one of the same name is replaced."""
    _followers[name] = follower


def task_is_submitted(assignment: Assignment, actor: Actor) -> None:
    """Call all followers, in the order in which they were added."""
    for follower in _followers.values():
        follower(assignment, actor)

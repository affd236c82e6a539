"""What is done to a draft batch before its places are made: apps above say so here.

A *preparation* finishes the tasks of a draft that is about to open. It writes in short transactions of its own, and
does nothing a second time: an opening that was broken off begins anew.
"""

from collections.abc import Callable

from annotation_platform.accounts.actors import Actor
from annotation_platform.studies.models import Batch

Preparation = Callable[[Batch, Actor], None]

_preparations: dict[str, Preparation] = {}


def add_preparation(name: str, preparation: Preparation) -> None:
    """Have a preparation made from now on; one of the same name is replaced."""
    _preparations[name] = preparation


def prepare(batch: Batch, actor: Actor) -> None:
    """Make all preparations of a draft."""
    for preparation in _preparations.values():
        preparation(batch, actor)

"""What an annotator reads before the next task: rooms above say so here, and are asked when somebody takes one.

A *stop* gives the address of a page that leads on to the task, or None when it has nothing to say.
"""

from collections.abc import Callable

from annotation_platform.studies.models import Member

Stop = Callable[[Member], str | None]

_stops: dict[str, Stop] = {}


def add_stop(name: str, stop: Stop) -> None:
    """Have a stop asked from now on; one of the same name is replaced."""
    _stops[name] = stop


def next_stop(annotator: Member) -> str | None:
    """The address of the first page that they should read; None when they can go on."""
    return next((address for stop in _stops.values() if (address := stop(annotator)) is not None), None)

"""What an annotator does before the next task, and how they leave: pages of apps above, which add theirs here.

The rules of :mod:`~annotation_platform.studies.eligibility` say that somebody may not take a task yet; a step says on
which page they change that. A way out is offered beside the tasks.
"""

from collections.abc import Callable

from annotation_platform.studies.models import Member

Step = Callable[[Member], str | None]
"""The address of its page, while it is to be done."""

_steps: dict[str, Step] = {}
_ways_out: dict[str, Step] = {}


def add_step(name: str, step: Step) -> None:
    """Have a step asked for from now on; one of the same name is replaced."""
    _steps[name] = step


def add_way_out(name: str, way: Step) -> None:
    """Have a way out offered from now on; one of the same name is replaced."""
    _ways_out[name] = way


def next_step(annotator: Member) -> str | None:
    """The page of the first step that is to be done before a task; None when there is none."""
    return next((address for step in _steps.values() if (address := step(annotator)) is not None), None)


def way_out(annotator: Member) -> str | None:
    """The page by which somebody goes back to where they came from; None when they came by themselves."""
    return next((address for way in _ways_out.values() if (address := way(annotator)) is not None), None)

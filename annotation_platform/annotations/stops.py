"""What an annotator reads before the next task: apps above say so here, and are asked when somebody takes one.

On the pages, a note has a page of its own that leads on to the task; a program is told its words, and says that they
were read.
"""

from collections.abc import Callable
from typing import NamedTuple

from annotation_platform.core.errors import ConflictError, InvalidInputError
from annotation_platform.core.text import typed_number
from annotation_platform.studies.models import Member


class Note(NamedTuple):
    """Words that an annotator has not read yet. ``pk`` is its number where it comes from."""

    pk: int
    words: str
    address: str


class Stop(NamedTuple):
    """Where notes come from: the one that waits for an annotator, and that one of theirs was read.

    ``mark_read`` gives False for what is no note of this annotator; one that was read before stays so.
    """

    unread: Callable[[Member], Note | None]
    mark_read: Callable[[Member, int], bool]


class NoteUnreadError(ConflictError):
    """Something waits to be read before the next task."""


_stops: dict[str, Stop] = {}


def add_stop(name: str, stop: Stop) -> None:
    """Have a stop asked from now on; one of the same name is replaced."""
    _stops[name] = stop


def next_stop(annotator: Member) -> str | None:
    """The address of the first page that they should read; None when they can go on."""
    found = _first(annotator)
    return None if found is None else found[1].address


def check_read(annotator: Member) -> None:
    """Raise what waits to be read.

    Raises
    ------
    NoteUnreadError
        With the ``words``, and the name of the ``note`` that :func:`read_note` takes.
    """
    if (found := _first(annotator)) is not None:
        name, note = found
        raise NoteUnreadError("annotations.note_unread", note=f"{name}.{note.pk}", words=note.words)


def read_note(annotator: Member, note: str) -> None:
    """Say that a note was read; again, too.

    Raises
    ------
    InvalidInputError
        When it is no note of this annotator.
    """
    name, _, pk = note.rpartition(".")
    number = typed_number(pk)
    if name not in _stops or number is None or not _stops[name].mark_read(annotator, number):
        raise InvalidInputError("annotations.no_such_note", note=note)


def _first(annotator: Member) -> tuple[str, Note] | None:
    return next(((name, note) for name, stop in _stops.items() if (note := stop.unread(annotator)) is not None), None)

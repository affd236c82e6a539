"""How somebody's visit to a study ends, and the way back to where they came from.

Topics that end a visit (consent, qualification) ask here; providers that have a way back add theirs when the app is
set up, so that neither knows the other.
"""

from collections.abc import Callable
from dataclasses import dataclass

from django.db import models

from annotation_platform.accounts.actors import Actor
from annotation_platform.studies.models import Member


class Ending(models.TextChoices):
    DONE = "done", "Done"
    SCREENED_OUT = "screened_out", "Screened out"
    TIMED_OUT = "timed_out", "Timed out"
    NO_CONSENT = "no_consent", "No consent"


@dataclass(frozen=True)
class WayBack:
    """Where somebody is sent, and the code that they can also type there."""

    address: str
    code: str


EndVisit = Callable[[Member, Ending, Actor], WayBack | None]

Screen = Callable[[Member], bool]

_ends: dict[str, EndVisit] = {}
_screens: dict[str, Screen] = {}


def add_way_back(name: str, end: EndVisit) -> None:
    """Have a provider end the visits of those who came by it; one of the same name is replaced."""
    _ends[name] = end


def add_screen(name: str, screen: Screen) -> None:
    """Have it asked whether somebody can get no task of their study any more; one of the same name is replaced."""
    _screens[name] = screen


def is_screened_out(member: Member) -> bool:
    return any(screen(member) for screen in _screens.values())


def end_visit(member: Member, ending: Ending, *, actor: Actor) -> WayBack | None:
    """End somebody's visit and say how they get back; None where their provider has no way back, or no such code."""
    return next((back for end in _ends.values() if (back := end(member, ending, actor)) is not None), None)

"""How somebody's visit to a study ends, and the way back to where they came from.

Topics that end a visit (consent, qualification) ask here; providers that have a way back add theirs when the app is
set up, so that neither knows the other.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from django.db import models, transaction
from django.utils.translation import gettext_lazy as _

from annotation_platform.accounts.actors import Actor
from annotation_platform.studies.models import Member
from annotation_platform.studies.services import leave_study


class Ending(models.TextChoices):
    DONE = "done", _("Done")
    SCREENED_OUT = "screened_out", _("Screened out")
    TIMED_OUT = "timed_out", _("Timed out")
    NO_CONSENT = "no_consent", _("No consent")


class Stage(StrEnum):
    """How far somebody is with what comes before tasks."""

    OUT = "out"  # they can get no task any more
    TO_DO = "to_do"  # there is something that they can do themselves now, such as a round


@dataclass(frozen=True)
class WayBack:
    """Where somebody is sent, and the code that they can also type there."""

    address: str
    code: str


EndVisit = Callable[[Member, Ending, Actor], WayBack | None]

WayBackOf = Callable[[Member], WayBack | None]

StageOf = Callable[[Member], Stage | None]

Earned = Callable[[Member], str]

_ends: dict[str, EndVisit] = {}
_ways_back: dict[str, WayBackOf] = {}
_stages: dict[str, StageOf] = {}
_earned: dict[str, Earned] = {}


def add_way_back(name: str, end: EndVisit, way_back: WayBackOf) -> None:
    """Have a provider end the visits of those who came by it; one of the same name is replaced.

    ``way_back`` is of a visit that has ended; one that was left before its end has none.
    """
    _ends[name] = end
    _ways_back[name] = way_back


def add_stage(name: str, stage: StageOf) -> None:
    """Have it asked how far somebody is with what comes before tasks; one of the same name is replaced."""
    _stages[name] = stage


def add_earned(name: str, earned: Earned) -> None:
    """Have it told on the last page what somebody has earned, in their language; one of the same name is replaced."""
    _earned[name] = earned


def stage_of(member: Member) -> Stage | None:
    """The last word of all topics: who is out at one of them is out; None when nothing comes before tasks."""
    stages = {stage(member) for stage in _stages.values()}
    return next((stage for stage in Stage if stage in stages), None)


def earned_by(member: Member) -> list[str]:
    """Sentences about what somebody has earned here; none where nothing was agreed."""
    return [words for earned in _earned.values() if (words := earned(member))]


def end_visit(member: Member, ending: Ending, *, actor: Actor) -> WayBack | None:
    """End somebody's visit and say how they get back; None where their provider has no way back, or no such code."""
    return next((back for end in _ends.values() if (back := end(member, ending, actor)) is not None), None)


@transaction.atomic
def leave(*, member: Member, actor: Actor) -> WayBack | None:
    """Let an annotator out of a study as they wish, which ends their visit; how they get back, if they can.

    Raises
    ------
    InvalidInputError
        When it is no annotator.
    """
    leave_study(member=member, actor=actor)
    return next((back for way in _ways_back.values() if (back := way(member)) is not None), None)

"""Leaving a study, with the visit by which somebody came to it."""

from django.db import transaction

from annotation_platform.accounts.actors import Actor
from annotation_platform.crowd.endings import WayBack, leave_visit
from annotation_platform.studies.models import Member
from annotation_platform.studies.services import leave_study


@transaction.atomic
def leave(*, member: Member, actor: Actor) -> WayBack | None:
    """Let an annotator out of a study as they wish; the way back to where they came from, where there is a code for it.

    Raises
    ------
    InvalidInputError
        When it is no annotator.
    """
    back = leave_visit(member, actor=actor)
    leave_study(member=member, actor=actor)
    return back

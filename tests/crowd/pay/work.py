"""Tasks done as annotators do them."""

from annotation_platform.studies.models import Assignment, Member
from annotation_platform.studies.services import claim_assignment
from tests.factories import OPERATOR, submit


def take(annotator: Member) -> Assignment:
    return claim_assignment(annotator=annotator, actor=OPERATOR)


def do(annotator: Member, *, items: int | None = None) -> Assignment:
    """Take the next task and judge its items, all or the first ones."""
    place = take(annotator)
    for item in list(place.hit.items.all())[:items]:
        submit(place, item)
    place.refresh_from_db()
    return place

"""Places of a round of qualification: everybody gets all of its tasks, so a place is made when somebody takes it."""

from collections.abc import Iterator

from django.db.models import Exists, Max, OuterRef, Q, QuerySet

from annotation_platform.studies.models import Assignment, AssignmentState, Hit, Member, Study, goes_on
from annotation_platform.studies.opening_rules import check_places


def hits_left(annotator: Member) -> QuerySet[Hit]:
    """The HITs that somebody has not had yet, this time through, and can take now."""
    had = Assignment.objects.filter(hit=OuterRef("pk"), annotator=annotator, replicate=annotator.replicate)
    return Hit.objects.filter(
        ~Exists(had),
        goes_on("batch__"),
        batch__study=annotator.study_id,
        batch__study__archived_at=None,
    ).order_by("batch__number", "position")


def place_of_their_own(annotator: Member) -> Iterator[Assignment]:
    """A free place of the first HIT that is left: one that nobody has worked in, or a new one.

    What others have given back, or let run out, stays theirs. The HIT is locked, so that no two get one number. Before
    a new place is made, the rules are asked for all that somebody has left, so that few begin what they cannot finish.

    Raises
    ------
    OpeningRefusedError
        When a rule keeps places from being added, such as a budget.
    """
    hit = hits_left(annotator).select_for_update(no_key=True, of=("self",)).first()
    if hit is None:
        return
    places = Assignment.objects.filter(hit=hit)
    own = Q(annotations__annotator=annotator, replicate=annotator.replicate)
    free = places.filter(own | Q(annotations=None), state=AssignmentState.OPEN).order_by("place").first()
    if free is None:
        Study.objects.select_for_update(no_key=True).get(pk=annotator.study_id)
        check_places(annotator.study, hits_left(annotator).count())
        free = Assignment.objects.create(hit=hit, place=(places.aggregate(last=Max("place"))["last"] or 0) + 1)
    yield free

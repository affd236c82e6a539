"""Places of a round of qualification: everybody gets all of its tasks, so a place is made when somebody takes it."""

from collections.abc import Iterator

from django.db.models import Exists, Max, OuterRef, Q, QuerySet

from annotation_platform.studies.models import Assignment, AssignmentState, Hit, Member, Study, goes_on
from annotation_platform.studies.opening_rules import OpeningRefusedError, check_places


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

    What others have given back, or let run out, stays theirs. Before a new place is made, the rules are asked for all
    that somebody has left, so that few begin what they cannot finish. Call it with the study locked, so that no two get
    one number, or what is there for one.

    Raises
    ------
    OpeningRefusedError
        When a rule keeps places from being added, such as a budget.
    """
    hit = hits_left(annotator).first()
    if hit is None:
        return
    free = _free_places(hit, annotator).order_by("place").first()
    if free is None:
        check_places(annotator.study, hits_left(annotator).count())
        last = Assignment.objects.filter(hit=hit).aggregate(last=Max("place"))["last"] or 0
        free = Assignment.objects.create(hit=hit, place=last + 1)
    yield free


def gives_a_place(study: Study, annotator: Member | None) -> bool:
    """Whether a round has a place for whoever goes on in it, or (None) begins it, as far as rules allow new ones."""
    hits = Hit.objects.filter(goes_on("batch__"), batch__study=study) if annotator is None else hits_left(annotator)
    hit = hits.order_by("batch__number", "position").first()
    if hit is None or _free_places(hit, annotator).exists():
        return True
    try:
        check_places(study, hits.count())
    except OpeningRefusedError:
        return False
    return True


def _free_places(hit: Hit, annotator: Member | None) -> QuerySet[Assignment]:
    """Open places of a HIT that nobody else has worked in."""
    untouched = Q(annotations=None)
    if annotator is not None:
        untouched |= Q(annotations__annotator=annotator, replicate=annotator.replicate)
    return Assignment.objects.filter(untouched, hit=hit, state=AssignmentState.OPEN)

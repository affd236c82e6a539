"""The rows of an open study that people have judged one after the other, without the requests that made them.

Where it is not the submitting that a test is about: a tenth of the statements. ``test_judged_in_bulk`` compares the
rows with those that claiming and submitting leave.
"""

from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from typing import Any

from django.utils import timezone

from annotation_platform.annotations.models import Annotation
from annotation_platform.annotations.services import store_judgments
from annotation_platform.core.schemes import ItemShape, check_judgment
from annotation_platform.studies.models import Assignment, AssignmentState, Hit, Item, Member, Study
from annotation_platform.studies.selectors import item_shapes, presentation_order

SECONDS = 30.0


def judge_in_bulk(study: Study, members: Sequence[Member], raw: Callable[[Member, Item], dict[str, Any]]) -> None:
    """Let each member in turn take every HIT that has a place left, and judge it as ``raw`` says.

    Raises
    ------
    InvalidJudgmentError
        When the scheme does not accept one of them.
    """
    scheme, shapes = study.scheme(), item_shapes(study)
    taken: list[Assignment] = []
    judged: list[tuple[Annotation, ItemShape]] = []
    for place, items in _taken_in_turn(study, members):
        taken.append(place)
        for item in items:
            assert place.annotator is not None
            item.study = study
            shape = shapes[item.pk]
            presented = presentation_order(item_id=item.pk, member_id=place.annotator.pk, count=shape.candidates)
            annotation = Annotation(
                assignment=place,
                item=item,
                annotator=place.annotator,
                scheme_version=study.scheme_version,
                values=check_judgment(scheme, raw(place.annotator, item), shape),
                presented=presented if scheme.judges_candidates else None,
                seconds=SECONDS,
                created_at=timezone.now(),
            )
            judged.append((annotation, shape))
        place.submitted_at = timezone.now()
    Assignment.objects.bulk_update(taken, ["annotator", "state", "claimed_at", "lease_expires_at", "submitted_at"])
    store_judgments(scheme=scheme, judgments=judged)


def _taken_in_turn(study: Study, members: Sequence[Member]) -> Iterator[tuple[Assignment, list[Item]]]:
    """Each place that a member takes, in that order, with the items of its HIT."""
    hits = Hit.objects.filter(batch__study=study).order_by("batch__number", "position")
    ways = ("items__question__article", "items__candidates__answer__system", "assignments")
    found = list(hits.prefetch_related(*ways))
    free = {hit.pk: list(hit.assignments.all()) for hit in found}
    lease = timedelta(minutes=study.time_limit_minutes)
    for member in members:
        for hit in found:
            if free[hit.pk]:
                place, now = free[hit.pk].pop(0), timezone.now()
                place.annotator, place.state = member, AssignmentState.SUBMITTED
                place.claimed_at, place.lease_expires_at = now, now + lease
                yield place, list(hit.items.all())

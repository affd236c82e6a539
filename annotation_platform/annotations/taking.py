"""Taking a task, going on in it where one stopped before, holding it while one types, and giving it back."""

from typing import Any

from django.db import transaction
from django.db.models import F, Max

from annotation_platform.accounts.actors import Actor
from annotation_platform.annotations import selectors
from annotation_platform.annotations.models import Annotation
from annotation_platform.annotations.services import store_judgments
from annotation_platform.core.errors import ConflictError
from annotation_platform.studies.models import Assignment, Batch, BatchState, Item, Member
from annotation_platform.studies.selectors import item_shape
from annotation_platform.studies.services import claim_assignment, return_assignment


@transaction.atomic
def take_task(*, annotator: Member, actor: Actor) -> Assignment:
    """Give an annotator an assignment, where all that they submitted in its HIT before counts again.

    They can have given the HIT back, or lost it when the time ran out, and then get the same one or another one.

    Raises
    ------
    NothingToClaimError
        When nothing is left for them.
    """
    assignment = claim_assignment(annotator=annotator, actor=actor)
    count_again(assignment, annotator)
    return assignment


def hold_item(user: Any, pk: int, position: int, *, proof: str = "") -> tuple[selectors.HeldAssignment, Item]:
    """The assignment with one of its items, for who keeps what is typed there; call it in a transaction.

    Until that ends, the study keeps the version of its scheme: a migration, which holds all places at its end, is
    waited for, or waits.
    """
    places = Assignment.objects.select_for_update(no_key=True, of=("self",))
    held = selectors.held_assignment(user, pk, proof=proof, places=places)
    study, items = held.assignment.hit.batch.study, Item.every.filter(hit=held.assignment.hit_id, position=position)
    # Read after the lock.
    item: Any = selectors.at_position(items.annotate(version=F("study__scheme_version")), position)
    if item.version != study.scheme_version_id:
        study.refresh_from_db(fields=["scheme_version"])
    return held, item


def give_back_task(*, assignment: Assignment, annotator: Member, actor: Actor) -> None:
    """Free a task for somebody else; what its annotator typed and submitted stays theirs, should they take it again.

    Raises
    ------
    ConflictError
        When its batch has closed, or it is not theirs to give back.
    """
    if return_assignment(assignment=assignment, annotator=annotator, actor=actor):
        return
    is_open = Batch.objects.get(pk=assignment.hit.batch_id).state == BatchState.OPEN
    raise ConflictError("annotations.task_not_yours_to_give_back" if is_open else "annotations.batch_closed")


def count_again(assignment: Assignment, annotator: Member) -> None:
    """Let all that an annotator submitted in the HIT of a place that they hold now count there."""
    again = _last_judgments(assignment, annotator)
    here = [each.pk for each in again if each.assignment_id == assignment.pk]
    Annotation.given.filter(pk__in=here).update(is_current=True)
    elsewhere = [each for each in again if each.assignment_id != assignment.pk]
    if elsewhere:
        scheme = annotator.study.scheme()
        copies = [(_copy(each, assignment), item_shape(each.item)) for each in elsewhere]
        store_judgments(scheme=scheme, judgments=copies)


def _last_judgments(assignment: Assignment, annotator: Member) -> list[Annotation]:
    """Of each item of the HIT that has none in this assignment, the annotator's last one under the study's scheme.

    Those of another time through the study's tasks do not count.
    """
    counted = Annotation.given.current().filter(assignment=assignment).values("item")
    before = (
        Annotation.given.filter(
            item__hit=assignment.hit_id, annotator=annotator, assignment__replicate=assignment.replicate
        )
        .exclude(item__in=counted)
        .select_related("item__question__article")
        .order_by("created_at", "pk")
    )
    last = {each.item_id: each for each in before}
    if last:  # read after the place was taken, for which a migration of the scheme waits, or which waits for it
        annotator.study.refresh_from_db(fields=["scheme_version"])
    return [each for each in last.values() if each.scheme_version_id == annotator.study.scheme_version_id]


def _copy(judgment: Annotation, assignment: Assignment) -> Annotation:
    """The judgment as a revision of its own in another assignment, since a judgment stays where it was made."""
    mine = Annotation.given.filter(assignment=assignment, item=judgment.item_id, annotator=judgment.annotator_id)
    return Annotation(
        assignment=assignment,
        item_id=judgment.item_id,
        annotator_id=judgment.annotator_id,
        revision=(mine.aggregate(Max("revision"))["revision__max"] or 0) + 1,
        scheme_version_id=judgment.scheme_version_id,
        values=judgment.values,
        presented=judgment.presented,
        seconds=judgment.seconds,
        created_at=judgment.created_at,
        carried_from=judgment,
        is_check=judgment.is_check,
    )

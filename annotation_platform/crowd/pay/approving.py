"""Approving what was submitted and has no reward yet, many tasks at once."""

from django.db import transaction

from annotation_platform.accounts.actors import Actor
from annotation_platform.core.errors import ConflictError, InvalidInputError
from annotation_platform.crowd.pay.selectors import to_approve
from annotation_platform.crowd.pay.services import approved_aside, credit_assignment, credit_submitted
from annotation_platform.crowd.pay.terms import terms_of
from annotation_platform.crowd.review.services import approve_many
from annotation_platform.studies.models import Member, Study

APPROVED_AT_ONCE = 200


@transaction.atomic
def approve_oldest(*, study: Study, by: Member, oldest: int | None = None, actor: Actor) -> int:
    """Approve and credit the submitted tasks that have no reward yet, or were done anew after it was taken back, the
    oldest first, then what is aside and was approved before any pay was agreed; how many were taken up.

    ``oldest``: the key of the submitted task that whoever approves saw first, 0 where there was none, so that a second
    click approves no others.

    Raises
    ------
    InvalidInputError
        When no pay was agreed, so that nothing could be credited.
    ConflictError
        When another one is the oldest by now.
    """
    if terms_of(study) is None:
        raise InvalidInputError("crowd.pay_no_terms")
    # A second click waits here. The study is no row to hold that long: whoever opens a batch would wait.
    Member.objects.select_for_update(no_key=True).get(pk=by.pk)
    places = list(to_approve(study)[:APPROVED_AT_ONCE])
    if oldest is not None and oldest != (places[0].pk if places else 0):
        raise ConflictError("crowd.pay_nothing_waits_so")
    approve_many(assignments=places, by=by, actor=actor)
    credit_submitted(study=study, places=places, actor=actor)  # what was approved before pay was agreed
    before_pay = approved_aside(study).select_related("assignment", "annotator__study")
    asides = list(before_pay[: APPROVED_AT_ONCE - len(places)])
    for each in asides:
        credit_assignment(assignment=each.assignment, annotator=each.annotator, actor=actor)
    return len(places) + len(asides)

"""Approving what was submitted and has no reward yet, many tasks at once."""

from django.db import transaction

from annotation_platform.accounts.actors import Actor
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.crowd.pay.selectors import to_approve
from annotation_platform.crowd.pay.services import credit_submitted
from annotation_platform.crowd.pay.terms import terms_of
from annotation_platform.crowd.review.services import approve_many
from annotation_platform.studies.models import Member, Study

APPROVED_AT_ONCE = 200


@transaction.atomic
def approve_oldest(*, study: Study, by: Member, actor: Actor) -> int:
    """Approve and credit the submitted tasks that have no reward yet, the oldest first; how many were taken up.

    Raises
    ------
    InvalidInputError
        When no pay was agreed, so that nothing could be credited.
    """
    if terms_of(study) is None:
        raise InvalidInputError("crowd.pay_no_terms")
    places = list(to_approve(study)[:APPROVED_AT_ONCE])
    approve_many(assignments=places, by=by, actor=actor)
    credit_submitted(study=study, places=places, actor=actor)  # what was approved before pay was agreed
    return len(places)

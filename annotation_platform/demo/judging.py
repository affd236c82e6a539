"""Submitting in the demo as the judge's page does."""

from collections.abc import Mapping
from typing import Any
from uuid import uuid4

from annotation_platform.accounts.actors import Actor
from annotation_platform.annotations.services import submit_judgment
from annotation_platform.studies.models import Assignment, Item


def submit(place: Assignment, item: Item, values: Mapping[str, Any], seconds: float) -> None:
    """Whoever has the place judges one of its items."""
    assert place.annotator is not None
    study = place.annotator.study
    submit_judgment(
        actor=Actor.person(place.annotator.user_id),
        assignment_id=place.pk,
        position=item.position,
        scheme=study.scheme(),
        scheme_signature=study.scheme_version.signature,
        raw=values,
        seconds=seconds,
        submission_id=uuid4(),
    )

"""An annotator who holds a place, and what their browser sends."""

from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from django.test import Client
from django.urls import reverse

from annotation_platform.annotations.selectors import HeldAssignment
from annotation_platform.studies.models import Assignment, Item, Member, Study
from annotation_platform.studies.services import claim_assignment
from tests.factories import OPERATOR, MemberFactory

FORM = {
    "aspect-correct": "yes",
    "aspect-completeness": "missing_minor",
    "aspect-sentences": "2, 4-5",
    "aspect-reasons": "It leaves out sentence 4.",
}


@dataclass
class Desk:
    """An annotator signed in, with a place in a HIT of three questions."""

    study: Study
    annotator: Member
    assignment: Assignment
    client: Client

    @property
    def items(self) -> list[Item]:
        return list(self.assignment.hit.items.order_by("position"))

    def url(self, name: str = "judge", position: int | None = 1) -> str:
        return reverse(name, args=[self.assignment.pk] + ([position] if position else []))

    def hidden(self, **fields: Any) -> dict[str, Any]:
        proof = HeldAssignment(self.assignment, self.annotator, is_lost=False).proof
        signature = self.study.scheme_version.signature
        return {
            "scheme": signature,
            "holder": proof,
            "submission": str(uuid4()),
            "version": "0",
            "seconds": "12.5",
        } | fields

    def submit(self, position: int = 1, form: dict[str, Any] | None = None, **hidden: Any) -> Any:
        headers = hidden.pop("headers", None)
        data = (FORM if form is None else form) | self.hidden(**hidden)
        return self.client.post(self.url(position=position), data, headers=headers)


def sit_down(study: Study) -> Desk:
    """A new annotator of the study takes a place."""
    annotator = MemberFactory(study=study)
    client = Client()
    client.force_login(annotator.user, backend="allauth.account.auth_backends.AuthenticationBackend")
    return Desk(study, annotator, claim_assignment(annotator=annotator, actor=OPERATOR), client)


def client_of(member: Member) -> Client:
    client = Client()
    client.force_login(member.user, backend="allauth.account.auth_backends.AuthenticationBackend")
    return client

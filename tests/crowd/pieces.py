"""People at pages, and what they read there."""

from typing import Any

from django.test import Client

from annotation_platform.core.schemes import preset
from annotation_platform.studies.models import Assignment, AssignmentState, Member, Study


def signed_in(member: Member, language: str = "en") -> Client:
    client = Client(headers={"accept-language": language})
    client.force_login(member.user)
    return client


def words(client: Client, url: str, status: int = 200) -> str:
    page = client.get(url)
    assert page.status_code == status
    return " ".join(page.content.decode().split())


def submitted_places(study: Study, pseudonym: str) -> list[Assignment]:
    """The places in which somebody has submitted, in order."""
    found = Assignment.objects.filter(
        hit__batch__study=study, annotator__pseudonym=pseudonym, state=AssignmentState.SUBMITTED
    )
    return list(found.order_by("pk"))


RECODED = ["correct.yes = right", "correct.no = wrong"]
UNDER_RECODED = {"correct": "right", "completeness": "full"}


def recoded() -> dict[str, Any]:
    """The ``ebr`` scheme with other keys of its yes and no, and of complete, which ``RECODED`` does not name."""
    definition = preset("ebr") | {"examples": []}
    yes, no = definition["aspects"][0]["scale"]["choices"]
    yes["key"], no["key"] = "right", "wrong"
    definition["aspects"][1]["scale"]["choices"][0]["key"] = "full"
    return definition

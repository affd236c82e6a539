"""People at pages, and what they read there."""

from django.test import Client

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

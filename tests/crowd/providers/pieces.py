"""What several tests of providers begin with."""

from typing import Any

from django.test import Client
from django.urls import reverse

from annotation_platform.accounts.actors import Actor
from annotation_platform.crowd.endings import Ending
from annotation_platform.crowd.providers.prolific.connecting import connect
from annotation_platform.crowd.providers.prolific.models import ProlificStudy, Submission
from annotation_platform.crowd.providers.prolific.visits import Arrival, arrive
from annotation_platform.studies.models import Study
from tests.factories import OPERATOR
from tests.servers.prolific import TOKEN

PERSON, EXTERNAL_STUDY = "5f0000000000000000000001", "60000000000000000000aaaa"
CODES = {Ending.DONE: "DONE1", Ending.SCREENED_OUT: "SCREEN2", Ending.TIMED_OUT: "TIME3", Ending.NO_CONSENT: "NO4"}


def connected(study: Study, **settings: Any) -> ProlificStudy:
    given = {"codes": CODES, "tasks_wanted": 1, "token": TOKEN, "hook_secret": "hush", **settings}
    return connect(study=study, **given, actor=OPERATOR)


def identifiers(person: str = PERSON, session: str = "session01", study: str = EXTERNAL_STUDY) -> dict[str, str]:
    return {"PROLIFIC_PID": person, "STUDY_ID": study, "SESSION_ID": session}


def come(
    connection: ProlificStudy, client: Client | None = None, said: str = "", *, version: str = "", **who: str
) -> Any:
    """Arrive as a browser does: look at the page, then press its button; ``version``: of a page from before."""
    client = client or Client()
    address = reverse("prolific_arriving", args=[connection.address_token])
    page = client.get(address, identifiers(**who))
    assert page.status_code == 200
    text, language = page.context["text"], page.context["language"]
    read = {"version": version or (text.number if text else ""), "language": language}
    return client.post(address, {**identifiers(**who), "said": said, **read})


def submission(connection: ProlificStudy, number: int = 1) -> Submission:
    """The submission of a person of their own."""
    arrival = Arrival(f"5f000000000000000000{number:04}", EXTERNAL_STUDY, f"session{number:02}")
    member = arrive(connection=connection, arrival=arrival, agreed_to=None, language="en", actor=Actor.person(None))
    return member.submissions.get()

"""What Prolific tells by itself is believed with its signature only, while it is fresh, and once."""

import base64
import hashlib
import hmac
import json
import time
from typing import Any

import pytest
from django.db import IntegrityError
from django.test import Client
from django.urls import reverse

from annotation_platform.crowd.providers.prolific import hooks
from annotation_platform.crowd.providers.prolific.models import HookEvent, Submission
from tests.crowd.providers.pieces import connected, submission
from tests.factories import make_study

pytestmark = [pytest.mark.django_db, pytest.mark.pages]


@pytest.fixture
def one() -> Submission:
    return submission(connected(make_study(name="Owls")))


def tell(one: Submission, *, secret: str = "hush", at: float | None = None, body: str = "", **changed: Any) -> int:
    told = {"resource_id": one.external_id, "event_type": "submission.status.change", "status": "RETURNED"}
    body = body or json.dumps({"participant_id": "5f0000000000000000000001", **told, **changed})
    timestamp = str(int(time.time() if at is None else at))
    digest = hmac.new(secret.encode(), (timestamp + body).encode(), hashlib.sha256).digest()
    answer = Client(enforce_csrf_checks=True).post(
        reverse("prolific_hook", args=[one.connection.address_token]),
        body,
        content_type="application/json",
        headers={
            "X-Prolific-Request-Signature": base64.b64encode(digest).decode(),
            "X-Prolific-Request-Timestamp": timestamp,
        },
    )
    one.refresh_from_db()
    return answer.status_code


def test_a_signed_event_changes_the_state_once(one: Submission) -> None:
    now = time.time()
    assert (tell(one, at=now), one.state) == (200, "RETURNED")
    Submission.objects.update(state="ACTIVE")
    assert (tell(one, at=now), one.state) == (200, "ACTIVE")
    assert HookEvent.objects.count() == 1


def test_an_event_that_could_not_be_stored_is_not_thanked_for_and_can_be_told_again(
    one: Submission, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: Any) -> None:
        raise IntegrityError("somebody was faster")

    now = time.time()
    with monkeypatch.context() as patched:
        patched.setattr(hooks, "take_over", fails)
        with pytest.raises(IntegrityError):
            tell(one, at=now)
    assert not HookEvent.objects.exists()
    assert (tell(one, at=now), one.state) == (200, "RETURNED")


@pytest.mark.parametrize(
    "wrong", [{"secret": "guessed"}, {"at": 1_000_000}, {"at": time.time() + 3600}, {"secret": "hush\n"}]
)
def test_what_is_not_signed_or_not_fresh_changes_nothing(one: Submission, wrong: dict[str, Any]) -> None:
    assert (tell(one, **wrong), one.state) == (403, "ACTIVE")
    assert not HookEvent.objects.exists()


def test_a_body_that_was_changed_on_the_way_is_not_believed(one: Submission) -> None:
    headers = {"X-Prolific-Request-Signature": "bm8=", "X-Prolific-Request-Timestamp": str(int(time.time()))}
    address = reverse("prolific_hook", args=[one.connection.address_token])
    assert Client().post(address, "{}", content_type="application/json", headers=headers).status_code == 403
    assert Client().post(address, "{}", content_type="application/json").status_code == 403
    assert Client().get(address).status_code == 405


def test_events_about_nothing_here_are_thanked_for(one: Submission) -> None:
    assert tell(one, resource_id="somebody-elses") == 200
    assert tell(one, status="DANCING") == 200
    assert tell(one, event_type="study.status.change") == 200
    assert tell(one, body="[1, 2]") == 200
    assert tell(one, body="no json") == 400
    assert one.state == "ACTIVE"


def test_without_a_secret_no_event_is_believed(one: Submission) -> None:
    type(one.connection).objects.update(encrypted_hook_secret="")
    assert tell(one, secret="") == 403

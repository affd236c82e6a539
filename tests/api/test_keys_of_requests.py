"""What is held is held against all others, is let go in the end, and dies with whoever held it."""

import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from http.client import RemoteDisconnected
from threading import Barrier
from typing import Any

import pytest
from django.conf import settings
from django.test import Client

from annotation_platform.api.frame.holding import hold
from annotation_platform.api.schemes import views
from annotation_platform.studies.models import Role
from tests.api.clients import program, send
from tests.api.holds import held_by_another
from tests.api.test_two_processes import installation, post
from tests.factories import MemberFactory
from tests.workers.installation import Installation

__all__ = ["installation"]

pytestmark = pytest.mark.storage


@pytest.mark.django_db
def test_a_name_is_held_against_others_until_it_is_released() -> None:
    held = hold("one")
    assert held is not None
    with held_by_another("one") as could, held_by_another("two") as could_another:
        assert (could, could_another) == (False, True)
        assert hold("two") is None
    held.release()
    with held_by_another("one") as could:
        assert could
    assert not any(settings.HOLDS_DIR.glob("*"))


def asked(client: Client, key: str, **body: Any) -> int:
    status: int = send(client, "POST", "/schemes/check", body, **{"idempotency-key": key}).status_code
    return status


@pytest.mark.django_db
def test_whatever_a_request_ends_in_its_key_is_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    user = MemberFactory(role=Role.RESEARCHER).user
    client = program(user)
    client.raise_request_exception = False
    assert [asked(client, "a", preset="ebr"), asked(client, "a", preset="ebr")] == [200, 200]
    assert [asked(client, "a", preset="lfqa"), asked(client, "b", text="{")] == [422, 422]

    def fail(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(views, "sent", fail)
    assert asked(client, "c", preset="ebr") == 500
    for key in "abc":
        with held_by_another(f"reply {user.pk} {key}") as could:
            assert could


@pytest.mark.long(
    "annotation_platform/api/frame/*.py", "annotation_platform/api/models.py", "tests/workers/installation.py"
)
def test_a_request_is_refused_while_another_is_at_work_and_done_once_that_one_was_killed(
    installation: Installation,  # the fixture
) -> None:
    with installation, ThreadPoolExecutor(4) as pool:
        token = installation.run("-m", "tests.api.seed_operator").strip()
        slow, quick = (installation.start("-m", "tests.api.serving", *how) for how in (["--stop-at-work"], []))
        assert slow.stdout
        assert quick.stdout
        ports = [int(server.stdout.readline()) for server in (slow, quick) if server.stdout]
        first = pool.submit(post, ports[0], token, "owls", Barrier(1))
        assert slow.stdout.readline() == "at work\n"
        refused = [post(ports[1], token, "owls", Barrier(1)) for _ in range(2)]
        assert [(status, b"api.key_in_flight" in body) for status, _, body in refused] == [(409, True)] * 2
        assert installation.rows("SELECT name FROM corpus_corpus") == []
        slow.kill()
        with pytest.raises((RemoteDisconnected, ConnectionError)):
            first.result()
        deadline = time.monotonic() + 30  # the database learns of it when it next looks at the connection
        told: Counter[tuple[int, bool]] = Counter()
        while not told[201, False]:
            assert time.monotonic() < deadline, told
            replies = [*pool.map(partial(post, ports[1], token, "owls"), [Barrier(4)] * 4)]
            told.update((status, is_again) for status, is_again, _ in replies)
        assert told[201, False] == 1
        assert set(told) <= {(201, False), (201, True), (409, False)}
        assert post(ports[1], token, "owls", Barrier(1))[:2] == (201, True)
        assert installation.rows("SELECT name FROM corpus_corpus") == [("owls",)]

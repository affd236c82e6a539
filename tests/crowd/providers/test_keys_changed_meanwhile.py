"""A secret that somebody changes, or that is forgotten, while all are encrypted with a new key stays as it is then."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db.models import Model

from annotation_platform.crowd.providers.prolific import connecting
from annotation_platform.crowd.providers.prolific.participants import services as participants
from annotation_platform.crowd.providers.prolific.participants.models import ParticipantsFile
from annotation_platform.crowd.providers.vault.secrets import encrypt, encrypt_again
from annotation_platform.scoreback import services as scoreback
from annotation_platform.scoreback.models import ScoreDestination
from annotation_platform.webhooks import services as webhooks
from annotation_platform.webhooks.models import Endpoint
from tests.crowd.providers.pieces import connected
from tests.factories import open_study

pytestmark = [pytest.mark.django_db, pytest.mark.storage]


def kept_in(kind: type[Model]) -> Any:
    """A row with a secret."""
    connection = connected(open_study())
    if kind is Endpoint:
        return connection.study.webhooks.create(address="https://a.example", kinds=[], encrypted_secret=encrypt("old"))
    if kind is ScoreDestination:
        return connection.study.score_destinations.create(
            program="langfuse", address="https://a.example", aspects=[], encrypted_secret=encrypt("old")
        )
    if kind is ParticipantsFile:
        return connection.participants_files.create(name="a.csv", encrypted_text=encrypt("old"), rows=1)
    return connection


@pytest.mark.parametrize(
    ("kind", "field", "module", "rotate"),
    [
        (Endpoint, "encrypted_secret", webhooks, webhooks.rotate_keys),
        (ScoreDestination, "encrypted_secret", scoreback, scoreback.rotate_keys),
        (ParticipantsFile, "encrypted_text", participants, participants.rotate_files),
        (connecting.ProlificStudy, "encrypted_token", connecting, connecting.rotate_secrets),
    ],
)
def test_what_is_changed_meanwhile_stays(
    kind: Any, field: str, module: Any, rotate: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    row = kept_in(kind)

    def changed_meanwhile(token: str) -> str:
        kind.objects.filter(pk=row.pk).update(**{field: "new"})
        return encrypt_again(token)

    monkeypatch.setattr(module, "encrypt_again", changed_meanwhile)
    rotate()
    row.refresh_from_db()
    assert getattr(row, field) == "new"

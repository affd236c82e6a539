"""The former secrets of webhooks that were there before each had a time of its own."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

from annotation_platform.studies.models import Study
from annotation_platform.webhooks.services import add_webhook
from tests.factories import OPERATOR, open_study

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.xdist_group("many connections")]
BEFORE, AFTER = "0001_first", "0002_each_former_secret_has_its_time"


def at(name: str) -> Any:
    """The webhooks' models as they are once the migrations up to this one hold, and no later one."""
    executor = MigrationExecutor(connection)
    return executor.migrate([("webhooks", name)]).apps


@pytest.fixture
def newest() -> Iterator[None]:
    """Leave the database with all migrations, and the table made anew as the server's vacuum leaves the others."""
    yield
    executor = MigrationExecutor(connection)
    executor.migrate(executor.loader.graph.leaf_nodes("webhooks"))
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("ALTER TABLE webhooks_formersecret SET (autovacuum_enabled = off)")


def hook(study: Study, number: int) -> int:
    address = f"https://owls.example/{number}"
    endpoint, _ = add_webhook(study=study, address=address, kinds=["batch.closed"], actor=OPERATOR)
    return endpoint.pk


def test_each_former_secret_signs_as_long_as_before(newest: None, settings: Any) -> None:
    settings.WEBHOOK_PRIVATE_ADDRESSES = True
    study, now = open_study(), timezone.now()
    two, over, none = (hook(study, number) for number in range(3))
    endpoints = at(BEFORE).get_model("webhooks", "Endpoint").objects
    still, gone = now + timedelta(hours=5), now - timedelta(hours=5)
    endpoints.filter(pk=two).update(encrypted_former_secret="first\nsecond", former_until=still)
    endpoints.filter(pk=over).update(encrypted_former_secret="old", former_until=gone)
    secrets = at(AFTER).get_model("webhooks", "FormerSecret").objects
    rows = secrets.values_list("endpoint", "encrypted_secret", "signs_until")
    assert sorted(rows) == sorted([(two, "first", still), (two, "second", still), (over, "old", gone)])
    secrets.filter(encrypted_secret="first").update(signs_until=gone)
    back = at(BEFORE).get_model("webhooks", "Endpoint").objects
    told = {row.pk: (row.encrypted_former_secret.split(), row.former_until) for row in back.all()}
    assert told == {two: (["second"], still), over: ([], None), none: ([], None)}, "what is over signs no more"

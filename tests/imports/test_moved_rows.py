"""Rows of imports from when they belonged to scoring are still there."""

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from tests.factories import UserFactory

BEFORE = [("scoring", "0018_first_rows_of_large_files"), ("imports", None)]


@pytest.mark.django_db(transaction=True)
def test_a_draft_of_before_keeps_its_number_and_its_choices() -> None:
    executor = MigrationExecutor(connection)
    latest = executor.loader.graph.leaf_nodes()
    owner = UserFactory()
    try:
        executor.migrate(BEFORE)
        old = executor.loader.project_state([BEFORE[0]]).apps.get_model("scoring", "ImportJob")
        pk = old.objects.create(owner_id=owner.pk, name="Ferries", format="table", columns={"Frage": "question"}).pk
    finally:
        executor = MigrationExecutor(connection)
        executor.migrate(latest)
    new = executor.loader.project_state(latest).apps.get_model("imports", "ImportJob")
    kept = new.objects.get(pk=pk)
    assert (kept.name, kept.columns, kept.owner_id) == ("Ferries", {"Frage": "question"}, owner.pk)
    assert new.objects.create(owner_id=owner.pk, format="table").pk > pk

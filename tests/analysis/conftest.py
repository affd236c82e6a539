"""What several modules ask of the released annotations, computed once."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db import transaction
from pytest_django import DjangoDbBlocker

NAME = "Released"


@pytest.fixture(scope="session")
def released_report(release_data: list[Path], django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Any:
    """What ``report_study --json`` prints after the import and a run over the recorded replies; no row is left.

    Modules that use it are marked ``xdist_group("released report")``, so that one process computes it for all.
    """
    out = StringIO()
    quiet = {"stdout": StringIO(), "stderr": StringIO()}
    with django_db_blocker.unblock(), transaction.atomic():
        call_command("import_study", "ebr", *release_data, name=NAME, **quiet)
        call_command("score_study", NAME, method="ebr", scorer="recorded", **quiet)
        call_command("report_study", NAME, "--json", stdout=out, stderr=StringIO())
        transaction.set_rollback(True)
    return json.loads(out.getvalue())

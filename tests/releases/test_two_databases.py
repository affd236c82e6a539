"""SQLite and PostgreSQL hold the same rows: their exports are the same files, byte for byte."""

import json
import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.core import management
from django.db import connection

from annotation_platform.annotations.models import Annotation
from annotation_platform.scoring.models import Scorer
from tests import migrated
from tests.releases import rows

FORMATS = ("csv", "jsonl", "parquet", "spreadsheet")
IN_TURN = """
import json, sys
import django
from django.core.management import call_command
django.setup()
for command in json.loads(sys.argv[1]):
    call_command(*command)
"""


@pytest.mark.postgres
@pytest.mark.pages  # whichever it begins with, it looks at both
@pytest.mark.django_db
def test_both_databases_give_the_same_files(tmp_path: Path, postgres_url: str) -> None:
    study = rows.hard_study(name="=Study")
    for number, annotation in enumerate(Annotation.objects.order_by("pk")):
        annotation.created_at = datetime(2026, 3, 2, 8, tzinfo=UTC) + timedelta(milliseconds=370 * number)
        annotation.save(update_fields=["created_at"])
    rows.score(study)
    rows.score(study, Scorer.RECORDED, first=1 / 3)
    dump = tmp_path / "rows.json"
    management.call_command("dumpdata", "--exclude=contenttypes", "--exclude=auth", output=str(dump), verbosity=0)

    if connection.vendor == "postgresql":
        other = f"sqlite:///{tmp_path / 'other.sqlite3'}"
        migrated.copy_to(tmp_path / "other.sqlite3")
    else:
        other = postgres_url
    exports = [["export_study", study.name, f"--format={each}", f"--output={tmp_path / each}"] for each in FORMATS]
    run(other, ["loaddata", "--verbosity=0", str(dump)], *exports)
    for format in FORMATS:
        there = (tmp_path / format).read_bytes()
        assert there == rows.export(study, tmp_path, format).read_bytes(), format


def run(database_url: str, *commands: list[str]) -> None:
    """Run commands one after the other in one process, which has this database."""
    # The name of a test database in the environment is this process's own.
    environment = {key: value for key, value in os.environ.items() if key != "TEST_DB_NAME"}
    subprocess.run(
        [sys.executable, "-c", IN_TURN, json.dumps(commands)],
        cwd=Path(__file__).resolve().parents[2],
        env=environment | {"DATABASE_URL": database_url},
        check=True,
    )

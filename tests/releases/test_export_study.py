"""``manage.py export_study``."""

import hashlib
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from annotation_platform.releases.management.commands import export_study
from tests.factories import make_study, study_with_judgments
from tests.releases import rows

pytestmark = pytest.mark.django_db


def run(*arguments: object) -> tuple[str, str]:
    out, err = StringIO(), StringIO()
    call_command("export_study", *map(str, arguments), stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


@pytest.mark.parametrize("format", ["csv", "jsonl", "parquet", "spreadsheet"])
def test_it_writes_the_file_and_says_how_much_of_what(format: str, tmp_path: Path) -> None:
    study = rows.hard_study()
    path = tmp_path / "out"
    said, _ = run(study.name, "--format", format, "--output", path)
    assert path.read_bytes() == rows.export(study, tmp_path, format).read_bytes()
    assert "18 rows" in said
    assert hashlib.sha256(path.read_bytes()).hexdigest() in said


def test_it_replaces_an_older_file_and_reports_progress(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export_study, "REPORT_EVERY", 0)
    study = study_with_judgments(annotators=2, close=False)
    path = tmp_path / "out.csv"
    path.write_text("old")
    said, progress = run(study.name, "--output", path)
    assert "0 rows" in said
    said, progress = run(study.name, "--output", path, "--all-batches")
    assert "48 rows" in said
    assert "48 of 48 rows" in progress
    assert len(rows.read_csv(path)) == 48


def test_an_unknown_study_is_answered_with_those_that_there_are(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"no study named “Rivers”\. Studies: none yet"):
        run("Rivers", "--output", tmp_path / "out.csv")
    make_study(name="Lakes")
    with pytest.raises(CommandError, match="Studies: “Lakes”"):
        run("Rivers", "--output", tmp_path / "out.csv")


def test_a_path_that_cannot_be_written_is_named_before_any_work(tmp_path: Path) -> None:
    make_study(name="Lakes")
    with pytest.raises(CommandError, match=r"there is no .*missing"):
        run("Lakes", "--output", tmp_path / "missing" / "out.csv")
    with pytest.raises(CommandError, match="is a folder"):
        run("Lakes", "--output", tmp_path)
    with pytest.raises(CommandError, match="cannot be written"):
        run("Lakes", "--output", tmp_path / ("x" * 250))
    assert list(tmp_path.iterdir()) == []

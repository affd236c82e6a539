"""``manage.py export_study``."""

import hashlib
import json
import os
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from annotation_platform.releases.management.commands import export_study
from tests.factories import make_study, study_with_judgments
from tests.releases import rows
from tests.workers.installation import Installation

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
    with pytest.raises(CommandError, match="File name too long"):
        run("Lakes", "--output", tmp_path / ("x" * 300))
    with pytest.raises(CommandError, match="--output is empty"):
        run("Lakes", "--output", "")
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_file_is_left_as_it_is(tmp_path: Path) -> None:
    """The file would take its place: a device such as /dev/null would be gone for everybody."""
    make_study(name="Lakes")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for command in ("export_study", "paper_bundle"):
        for output in (pipe, "-"):
            with pytest.raises(CommandError, match="is no file"):
                call_command(command, "Lakes", "--output", str(output), stdout=StringIO(), stderr=StringIO())
    answers = tmp_path / "answers.csv"
    answers.write_text("question,references,candidate\nWho?,Ann,Ann\n", encoding="utf-8")
    with pytest.raises(CommandError, match="is no file"):
        call_command("equivalence", str(answers), "--output", str(pipe))
    assert pipe.is_fifo()
    assert not Path("-").exists()


def test_a_link_stays_and_leads_to_the_new_file(tmp_path: Path) -> None:
    study = make_study(name="Lakes")
    target, link = tmp_path / "target.csv", tmp_path / "link.csv"
    target.write_text("old", encoding="utf-8")
    link.symlink_to(target)
    run(study.name, "--output", link)
    assert link.is_symlink()
    assert target.read_text(encoding="utf-8") != "old"


MODULES_AFTER = """
import json, sys
from django.core.management import execute_from_command_line
execute_from_command_line(["manage.py", *sys.argv[1:]])
print(json.dumps(sorted(sys.modules)))
"""
NOT_LOADED = {
    *("altair", "celery", "httpx", "jinja2", "numpy", "openai", "pandas", "pyarrow", "redis", "scipy", "sklearn"),
    *(
        "annotation_platform.urls",
        "annotation_platform.analysis.urls",
        "annotation_platform.scoring.methods",
        "workers",
    ),
}


def test_it_loads_neither_the_pages_nor_the_scientific_libraries(tmp_path: Path) -> None:
    """As on the command line, in a process of its own: what is loaded is held by an export of any size."""
    with Installation(tmp_path) as installation:
        installation.run("-m", "tests.workers.seed_closed_study", "openai")
        ((name,),) = installation.rows("SELECT name FROM studies_study")
        path = tmp_path / "out.csv"
        said = installation.run("-c", MODULES_AFTER, "export_study", name, "--output", str(path))
    assert path.read_text().count("\n") > 1
    assert not NOT_LOADED & set(json.loads(said.splitlines()[-1]))


COLUMNS_OF_ARROW = """
import sys
import django
django.setup()
import numpy as np
from annotation_platform.releases.freeze.judged import _digests
from annotation_platform.releases.selectors.columns import Column, Kind
from annotation_platform.releases.services.formats import KEY_COLUMN, _arrays, _join
lines = [b'1000,yes,"3 5"\\n', b'1001,,""\\n', b'1002,no,\\n']
keys, labels, cited = _arrays((KEY_COLUMN, Column("label", Kind.TEXT, ""), Column("cited", Kind.NUMBERS, "")), lines)
of_candidates, of_judgments = _join(np.array([1000]), np.from_dlpack(keys))
print(cited.take(of_judgments).to_pylist(), of_candidates.to_pylist(), len(set(_digests("label", labels).tolist())))
_digests("cited", cited)
print("pandas" in sys.modules)
"""


def test_columns_of_arrow_load_no_pandas() -> None:
    """It takes thirty megabytes, which a freeze of a million judgments does not have to spare."""
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "annotation_platform.settings"}
    command = [sys.executable, "-c", COLUMNS_OF_ARROW]
    said = subprocess.run(command, env=environment, cwd=settings.BASE_DIR, check=True, capture_output=True, text=True)
    assert said.stdout.splitlines() == ["[[3, 5], [], None] [0, 0, 0] 3", "False"]

"""Marked spans in exports, in what is read back from them, and in a release."""

import csv
import io
import json
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest

from annotation_platform.annotations.models import Annotation
from annotation_platform.core.schemes import preset
from annotation_platform.corpus.models import Answer
from annotation_platform.releases.freeze.marked import PATH
from annotation_platform.releases.freeze.rebuilding import rebuild
from annotation_platform.releases.freeze.services import settle_findings
from annotation_platform.releases.freeze.verify import problems_of
from annotation_platform.releases.models import Finding
from annotation_platform.releases.services import write_export
from tests.factories import OPERATOR, study_with_judgments
from tests.journeys.test_export_comes_back import brought_back
from tests.marked_study import ANSWER, MARKED, marked_study
from tests.releases.freeze.frozen import asked, frozen, frozen_without, worked
from tests.some import some

pytestmark = pytest.mark.django_db


def test_every_format_has_the_spans_as_one_column_of_json(tmp_path: Path) -> None:
    study = marked_study()
    for format in ("csv", "jsonl", "parquet"):
        path = tmp_path / f"export.{format}"
        write_export(study=study, format=format, path=path)
        if format == "csv":
            rows = list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"), newline="")))
        elif format == "jsonl":
            rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        else:
            rows = pq.read_table(path).to_pylist()
        assert len(rows) == 12
        for row in some(rows):
            marked = sorted(MARKED[row["annotator"]], key=lambda each: each["start"])
            assert json.loads(row["errors"]) == marked, format
            assert int(row["errors_count"]) == len(marked)
            assert row["errors"].startswith('[{"text":"answer","start":') or row["errors"] == "[]"  # on both databases


@pytest.mark.parametrize("format", ["csv", "jsonl", "parquet"])
def test_an_export_comes_back_as_it_was(tmp_path: Path, format: str) -> None:
    study = marked_study()
    again, _ = brought_back(study, tmp_path, format, preset("error_spans"))
    before, after = (
        sorted(
            json.dumps(values, sort_keys=True)
            for values in Annotation.objects.filter(item__study=each).values_list("values", flat=True)
        )
        for each in (study, again)
    )
    assert before == after


def test_a_release_has_a_table_of_spans_and_notes_are_looked_through() -> None:
    study = marked_study()
    note = MARKED["A"][1]["note"]
    name = study.members.filter(pseudonym="A").get()
    name.pseudonym = "Ann Other"
    name.save()
    release = asked(study)
    (finding,) = release.findings.filter(text="Ann Other")
    verdicts = dict.fromkeys(release.findings.values_list("pk", flat=True), Finding.Verdict.KEPT)
    settle_findings(release=release, verdicts=verdicts | {finding.pk: Finding.Verdict.REMOVED}, actor=OPERATOR)
    release = worked(release)
    assert problems_of(release.folder) == []
    assert rebuild(release).different == ()
    rows = list(csv.DictReader(io.StringIO((release.folder / PATH).read_text(encoding="utf-8"), newline="")))
    assert len(rows) == 16
    for row in rows:
        assert ANSWER[int(row["start"]) : int(row["end"])] == row["words"]
        assert row["annotator"].startswith("annotator-")
    assert {row["note"] for row in rows} == {"", note.replace("Ann Other", "[removed]")}
    assert "Ann Other" not in (release.folder / "data/judgments.csv").read_text(encoding="utf-8")
    described = json.loads((release.folder / "croissant.json").read_text())
    assert [each["@id"] for each in described["recordSet"]] == ["judgments", "items", "spans"]
    assert PATH in (release.folder / "README.md").read_text()
    assert json.loads((release.folder / "figures.json").read_text())["spans"][0]["aspect"] == "errors"


def test_marked_words_that_end_within_a_line_end_are_one_cell_of_the_table() -> None:
    study = marked_study()
    answer, end = f"It is so.\r\n{ANSWER}", len("It is so.\r")
    Answer.objects.filter(question__article__corpus=study.corpus).update(text=answer)
    marks = [{"text": "answer", "start": 0, "end": end, "label": "irrelevant"}]
    for annotation in Annotation.objects.filter(item__study=study):
        Annotation.objects.filter(pk=annotation.pk).update(values={**annotation.values, "errors": marks})
    text = (frozen(study).folder / PATH).read_bytes().decode()
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert {row["words"] for row in rows} == {"It is so.\r"}
    assert len(pd.read_csv(io.StringIO(text, newline=""))) == len(rows) == 12


def test_a_release_of_another_scheme_has_no_such_file() -> None:
    release = frozen(study_with_judgments(annotators=5))
    assert not (release.folder / PATH).exists()


def test_removed_words_leave_the_item_s_words_and_the_names_of_annotators() -> None:
    release = frozen_without(marked_study(), "annotator-0", "June", "says")
    rows = list(csv.DictReader(io.StringIO((release.folder / PATH).read_text(encoding="utf-8"), newline="")))
    assert {row["annotator"] for row in rows} <= set(release.pseudonyms.values_list("pseudonym", flat=True))
    assert any("June" in row["words"] for row in rows)
    assert all(ANSWER[int(row["start"]) : int(row["end"])] == row["words"] for row in rows)
    assert {row["note"] for row in rows} == {"", '[removed] "Ann Other"'}

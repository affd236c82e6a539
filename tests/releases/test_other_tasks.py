"""Exports of studies whose judgments are about groups of candidates, the item's own choices and several of a list."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from django.core.management import call_command

from annotation_platform.annotations.models import Annotation
from annotation_platform.corpus.models import Question
from annotation_platform.releases.selectors.query import count_rows
from annotation_platform.studies.models import Candidate, Study
from tests.analysis.test_other_tasks import GROUPS, opinion
from tests.factories import make_corpus, study_with_judgments

pytestmark = pytest.mark.django_db
CHOICES = ["red, or so", '"green"', "青"]


@pytest.fixture(scope="module")
def stored(module_db: None) -> Study:
    corpus = make_corpus(articles=1, questions=3, sentences=0)
    Question.objects.filter(article__corpus=corpus).update(choices=CHOICES)
    return study_with_judgments(corpus=corpus, definition=GROUPS, values=opinion, name="Groups")


def exported(study: Study, tmp_path: Path, format: str) -> Path:
    path = tmp_path / f"export.{format}"
    call_command("export_study", study.name, format=format, output=path, stdout=io.StringIO(), stderr=io.StringIO())
    return path


def expected(study: Study) -> list[dict[str, Any]]:
    """By hand, from the record: a row for each judgment and candidate."""
    rows = []
    annotations = Annotation.objects.closed().filter(item__study=study).select_related("annotator")
    for candidate in Candidate.objects.filter(study=study).select_related("answer__system"):
        for annotation in annotations.filter(item=candidate.item_id):
            values, n = annotation.values, candidate.number
            rows.append(
                {
                    "system": candidate.answer.system.name,
                    "annotator": annotation.annotator.pseudonym,
                    "candidate": n,
                    "choices": "\n".join(CHOICES),
                    "presented": annotation.presented,
                    "supported": values["supported"],
                    "truth": values[f"truth.{n}"],
                    "truth_number": float(values[f"truth.{n}"]),
                    "length_number": float(values[f"length.{n}"]),
                    "winner": int(values["winner"] == str(n)),
                    "winner_forced": int("winner.forced" in values),
                    "faults": values["faults"],
                    "faults_count": len(values["faults"]),
                    "scheme_version": study.scheme_version.number,
                    "annotation_id": annotation.pk,
                }
            )
    return sorted(rows, key=lambda row: (row["annotation_id"], row["candidate"]))


def by_key(rows: list[dict[str, Any]], names: Any) -> list[dict[str, Any]]:
    chosen = [{name: row[name] for name in names} for row in rows]
    return sorted(chosen, key=lambda row: (int(row["annotation_id"]), int(row["candidate"])))


def test_json_lines_have_a_row_for_each_candidate(study: Study, tmp_path: Path) -> None:
    rows = [json.loads(line) for line in exported(study, tmp_path, "jsonl").read_text().splitlines()]
    wanted = expected(study)
    assert by_key(rows, wanted[0]) == wanted
    assert count_rows(study) == len(wanted) > Annotation.objects.closed().count()
    assert {tuple(row["faults"]) for row in rows} == {(), ("style",), ("style", "facts")}


def test_parquet_keeps_lists_and_numbers(study: Study, tmp_path: Path) -> None:
    wanted = expected(study)
    assert by_key(pq.read_table(exported(study, tmp_path, "parquet")).to_pylist(), wanted[0]) == wanted


def test_csv_writes_lists_with_spaces(study: Study, tmp_path: Path) -> None:
    wanted = expected(study)
    for row in wanted:
        row["faults"], row["presented"] = " ".join(row["faults"]), " ".join(map(str, row["presented"]))
    with exported(study, tmp_path, "csv").open(newline="") as file:
        rows = by_key(list(csv.DictReader(file)), wanted[0])
    as_text = [
        {name: f"{value:g}" if isinstance(value, float) else str(value) for name, value in row.items()}
        for row in wanted
    ]
    assert rows == as_text


def test_consensus_labels_of_candidates_and_of_whole_items(study: Study, tmp_path: Path) -> None:
    rows = list(csv.DictReader(exported(study, tmp_path, "consensus").read_text().splitlines()))
    for row in rows:
        of_item = Annotation.objects.closed().filter(item=row["item_id"])
        key = f"{row['aspect']}.{row['candidate']}" if row["candidate"] else row["aspect"]
        given = [annotation.values[key] for annotation in of_item if key in annotation.values]
        assert len(given) == int(row["judgments"])
        if row["candidate"]:
            candidate = Candidate.objects.get(item=row["item_id"], number=row["candidate"])
            assert row["system"] == candidate.answer.system.name
            assert not row["majority"] or given.count(row["majority"]) == max(map(given.count, given))
        else:
            assert row["system"] == ""
    of_candidates = {row["aspect"] for row in rows if row["candidate"]}
    assert {"truth", "length"} <= of_candidates
    assert {"winner", "supported"} <= {row["aspect"] for row in rows} - of_candidates

"""What an export says, in every format, on whichever database the tests run; and that both databases say the same."""

import copy
import shutil
from datetime import datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest
from django.db import connection

from annotation_platform.accounts.actors import Actor
from annotation_platform.annotations.migrating import migrate_scheme
from annotation_platform.annotations.models import Annotation
from annotation_platform.annotations.services import submit_judgment
from annotation_platform.core.schemes import preset
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.releases.selectors.columns import score_joins
from annotation_platform.releases.selectors.query import count_rows
from annotation_platform.releases.services import blocks
from annotation_platform.scoring.models import Method, Scorer, ScoringRun
from annotation_platform.studies.services import claim_assignment
from tests.factories import OPERATOR, MemberFactory, make_corpus, make_study, open_study, study_with_judgments, submit
from tests.releases import rows
from tests.some import some

pytestmark = pytest.mark.django_db


def test_json_lines_hold_every_judgment_with_its_texts_numbers_and_scores(tmp_path: Path) -> None:
    study = rows.hard_study()
    runs = {scorer: rows.score(study, scorer) for scorer in (Scorer.DISTILLED, Scorer.RECORDED)}
    expected = rows.expected_rows(study, runs)
    found = rows.exported(study, tmp_path)
    assert found == expected
    assert [list(row) for row in found] == [list(row) for row in expected]  # columns in one order


def test_csv_says_the_same_as_text(tmp_path: Path) -> None:
    study = rows.hard_study()
    expected = rows.expected_rows(study, {Scorer.DISTILLED: rows.score(study)})

    def text(value: object) -> str:
        if value is None:
            return ""
        if isinstance(value, list):
            return " ".join(map(str, value))
        return f"{value:.0f}" if isinstance(value, float) and value.is_integer() else str(value)

    wanted = [{name: text(value) for name, value in row.items()} for row in expected]
    assert rows.read_csv(rows.export(study, tmp_path, "csv")) == wanted


def test_parquet_keeps_types_and_tells_an_empty_list_and_text_from_a_missing_one(tmp_path: Path) -> None:
    study = rows.hard_study()
    expected = rows.expected_rows(study, {Scorer.DISTILLED: rows.score(study)})
    missing = Annotation.objects.get(pk=expected[0]["annotation_id"])
    del missing.values["sentences"]
    Annotation.objects.filter(pk=missing.pk).update(values=missing.values)
    expected[0] |= {"sentences": None, "sentences_count": None}

    path = rows.export(study, tmp_path, "parquet")
    assert rows.read_parquet(path) == [
        row | {"created_at": datetime.fromisoformat(row["created_at"])} for row in expected
    ]
    assert {row["sentences"] == [] for row in expected} == {True, False}
    assert any(row["answer"] == "" for row in expected)
    types = {field.name: field.type for field in pyarrow.parquet.read_schema(path)}
    assert types["sentences"] == pa.list_(pa.int32())
    assert types["created_at"] == pa.timestamp("us", tz="UTC")
    assert types["completeness_number"] == types["completeness_distilled_score"] == pa.float64()
    assert types["item_id"] == types["sentences_count"] == pa.int64()
    assert types["answer"] == types["completeness"] == pa.string()


def test_csv_marks_an_empty_text_by_quotes(tmp_path: Path) -> None:
    study = rows.hard_study()
    Annotation.objects.filter(item__study=study).update(seconds=None)
    text = rows.export(study, tmp_path, "csv").read_text(encoding="utf-8")
    assert ',"",' in text  # the empty answer
    assert ",,1," in text  # the missing time on task, before the revision


def test_csv_for_spreadsheets_begins_with_a_byte_order_mark_and_holds_no_formula(tmp_path: Path) -> None:
    study = rows.hard_study(name="=2+3")
    path = rows.export(study, tmp_path, "spreadsheet")
    assert path.read_bytes().startswith(b"\xef\xbb\xbfstudy,")
    plain, guarded = rows.read_csv(rows.export(study, tmp_path, "csv")), rows.read_csv(path, "utf-8-sig")
    starts = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")
    changed = 0
    for before, after in zip(plain, guarded, strict=True):
        for name, text in some(before.items()):
            must = text.startswith(starts)
            assert after[name] == (f"'{text}" if must else text), name
            changed += must
    assert changed > len(plain)  # the study's name in each row, and answers and reasons besides


def test_scores_come_from_the_newest_finished_run_of_each_scorer(tmp_path: Path) -> None:
    study = rows.hard_study()
    rows.score(study, first=10)
    newest = rows.score(study, first=50)
    rows.score(study, first=90, status=JobStatus.FAILED)
    rows.score(study, Scorer.LANGUAGE_MODEL, status=JobStatus.RUNNING)
    found = rows.exported(study, tmp_path)
    assert {row["completeness_distilled_run"] for row in found} == {newest.pk, None}
    assert min(row["completeness_distilled_score"] for row in found if row["completeness_distilled_run"]) == 50
    assert "completeness_openai_score" not in found[0]


def test_only_current_revisions_count_and_only_those_of_closed_batches(tmp_path: Path) -> None:
    study = study_with_judgments(corpus=make_corpus(articles=2, questions=2), annotators=2, hits_per_batch=1)
    open_one = study.batches.get(number=2)
    study.batches.filter(pk=open_one.pk).update(state="open")
    replaced = Annotation.objects.filter(item__hit__batch__number=1).first()
    assert replaced is not None
    Annotation.objects.filter(pk=replaced.pk).update(is_current=False)
    newer = Annotation.objects.get(pk=replaced.pk)
    newer.pk, newer.is_current, newer.revision, newer.submission_id = None, True, 2, None
    newer.save(force_insert=True)

    closed, everything = rows.exported(study, tmp_path), rows.exported(study, tmp_path, all_batches=True)
    assert {row["annotation_id"] for row in closed} == set(
        Annotation.objects.closed().filter(item__study=study).values_list("pk", flat=True)
    )
    assert replaced.pk not in {row["annotation_id"] for row in everything}
    assert [row["revision"] for row in closed if row["annotation_id"] == newer.pk] == [2]
    assert 2 not in {row["batch"] for row in closed}
    assert 2 in {row["batch"] for row in everything}
    assert [row for row in everything if row["batch"] != 2] == closed


def test_a_draft_batch_and_another_study_are_never_exported(tmp_path: Path) -> None:
    other = rows.hard_study()
    study = make_study(corpus=other.corpus, name="Another of the same corpus")
    assert rows.exported(study, tmp_path, all_batches=True) == []
    assert rows.read_csv(rows.export(study, tmp_path, "csv")) == []
    table = pyarrow.parquet.read_table(rows.export(study, tmp_path, "parquet"))
    assert (table.num_rows, table.schema.field("seconds").type) == (0, pa.float64())


def test_columns_follow_any_scheme_and_keep_apart_from_the_platforms_own(tmp_path: Path) -> None:
    definition = preset("ebr") | {
        "key": "fluency",
        "examples": [],
        "rescale": [],
        "aspects": [
            {
                "key": "system",
                "kind": "choice",
                "title": "Which kind of system wrote this?",
                "scale": {
                    "level": "nominal",
                    "choices": [{"key": "person", "label": "A person"}, {"key": "model", "label": "A model"}],
                },
            },
            {"key": "remark", "kind": "text", "title": "Anything else?", "required": False},
        ],
    }
    study = open_study(corpus=make_corpus(questions=1, systems=["alder"]), definition=definition, overlap=1)
    annotator = MemberFactory(study=study, pseudonym="A")
    submit_judgment(
        actor=Actor.person(annotator.user_id),
        assignment_id=claim_assignment(annotator=annotator, actor=OPERATOR).pk,
        position=1,
        scheme=study.scheme(),
        scheme_signature=study.scheme_version.signature,
        raw={"system": "person"},
    )
    (row,) = rows.exported(study, tmp_path, all_batches=True)
    assert list(row)[13:-6] == ["aspect_system", "system_number", "remark"]
    assert (row["system"], row["aspect_system"], row["system_number"], row["remark"]) == ("alder", "person", None, None)


@pytest.mark.parametrize("format", ["jsonl", "csv", "parquet", "spreadsheet"])
def test_all_revisions_are_exported_from_the_first_to_the_last_with_what_earlier_versions_asked(
    tmp_path: Path, format: str
) -> None:
    study = study_with_judgments(corpus=make_corpus(articles=1, questions=1), annotators=2)
    data = copy.deepcopy(study.scheme_version.definition) | {"rescale": [], "examples": []}
    for aspect in data["aspects"]:
        aspect.pop("at_least_one_when", None)
    reasons = next(each for each in data["aspects"] if each["key"] == "reasons")
    reasons["min_length"] = 4_000
    correct = next(each for each in data["aspects"] if each["key"] == "correct")
    correct["scale"]["choices"][0]["number"] = 7
    data["aspects"] = [each for each in data["aspects"] if each["key"] not in ("completeness", "sentences")]
    judgments = Annotation.objects.count()
    migrate_scheme(study=study, definition=data, actor=OPERATOR)
    study.refresh_from_db()
    assert count_rows(study) == judgments
    assert count_rows(study, all_revisions=True) == 2 * judgments

    path = rows.export(study, tmp_path, format, all_revisions=True)
    if format in ("csv", "spreadsheet"):
        assert [row["revision"] for row in rows.read_csv(path, "utf-8-sig")] == ["1", "2"] * judgments
        return
    found = rows.read_jsonl(path) if format == "jsonl" else rows.read_parquet(path)
    assert [row["revision"] for row in found] == [1, 2] * judgments
    assert [row["scheme_version"] for row in found] == [1, 2] * judgments
    assert [row["is_current"] for row in found] == [0, 1] * judgments
    for first, second in zip(found[::2], found[1::2], strict=True):
        old, new = (Annotation.objects.get(pk=row["annotation_id"]) for row in (first, second))
        assert first["reasons"] == second["reasons"] == old.values["reasons"]
        assert (first["under_earlier_rule"], second["under_earlier_rule"]) == ([], ["reasons"])
        assert (first["completeness"], second["completeness"]) == (old.values["completeness"], None)
        assert (first["sentences"], second["sentences"]) == (old.values["sentences"], None)
        assert first["correct"] == second["correct"] == new.values["correct"]
        if new.values["correct"] == correct["scale"]["choices"][0]["key"]:
            assert (first["correct_number"], second["correct_number"]) == (None, 7)
            assert (first["correct_number_v1"], second["correct_number_v1"]) != (7, None)
    assert "completeness" not in rows.exported(study, tmp_path)[0]


def test_the_same_data_gives_the_same_bytes(tmp_path: Path) -> None:
    study = rows.hard_study()
    rows.score(study)
    for format in ("csv", "jsonl", "parquet", "spreadsheet"):
        first = rows.export(study, tmp_path, format).read_bytes()
        assert rows.export(study, tmp_path, format).read_bytes() == first


@pytest.mark.parametrize("format", ["csv", "jsonl", "parquet", "spreadsheet"])
def test_hits_that_nobody_has_judged_are_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, format: str
) -> None:
    monkeypatch.setattr(blocks, "HITS_AT_ONCE", 1)
    study = open_study(corpus=make_corpus(questions=4, systems=["alder"]), overlap=1, questions_per_hit=1)
    unjudged = rows.export(study, tmp_path, format, all_batches=True).stat().st_size
    assignment = claim_assignment(annotator=MemberFactory(study=study), actor=OPERATOR)
    assert assignment is not None
    submit(assignment, assignment.hit.items.get())
    assert len(rows.exported(study, tmp_path, all_batches=True)) == count_rows(study, all_batches=True) == 1
    assert rows.export(study, tmp_path, format, all_batches=True).stat().st_size > unjudged


def test_statements_may_be_logged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "force_debug_cursor", True)
    assert rows.exported(rows.hard_study(), tmp_path)


@pytest.mark.django_db(transaction=True)
def test_a_file_that_cannot_be_finished_leaves_the_old_one_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blocks, "HITS_AT_ONCE", 1)  # so that others are under way when it fails
    study = rows.hard_study()
    path = rows.export(study, tmp_path, "csv")
    before = path.read_bytes()

    class FullDiskError(Exception):
        pass

    def fail(_: int) -> None:
        raise FullDiskError

    for format in ("csv", "parquet"):
        with pytest.raises(FullDiskError):
            rows.write_export(study=study, format=format, path=path, on_rows=fail)
        assert path.read_bytes() == before
        assert list(tmp_path.iterdir()) == [path]
        assert Annotation.objects.update(seconds=1)  # the connection is fit for use, for writing too
    shutil.rmtree(tmp_path)


def test_scores_are_of_the_newest_finished_run_of_each_method_and_scorer_among_those_asked() -> None:
    study = open_study()
    older, newer, other = (
        ScoringRun.objects.create(study=study, method=Method.EBR, scorer=scorer, status=JobStatus.DONE)
        for scorer in (Scorer.RECORDED, Scorer.RECORDED, Scorer.DISTILLED)
    )
    ScoringRun.objects.create(study=study, method=Method.EBR, scorer=Scorer.RECORDED, status=JobStatus.FAILED)
    ScoringRun.objects.create(
        study=open_study(name="Other"), method=Method.EBR, scorer=Scorer.RECORDED, status=JobStatus.DONE
    )
    for among, runs in (
        (None, {newer, other}),
        ([older.pk, other.pk], {older, other}),
        ([older.pk], {older}),
        ([], set()),
    ):
        assert {joined.run for joined in score_joins(study, among)} == runs

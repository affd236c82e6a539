"""What a file seems to be, and what is told before it is too late."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from django.test import Client
from django.urls import reverse

from annotation_platform.annotations.models import Annotation
from annotation_platform.core.schemes import preset
from annotation_platform.corpus.importers import (
    FORMATS,
    ImportFileError,
    Options,
    Preview,
    guess_format,
    open_files,
    read_study,
)
from annotation_platform.corpus.importers.spelling import moment_of
from annotation_platform.imports.storing import import_study
from annotation_platform.studies.models import Assignment, Role
from tests.corpus.reading import read_files
from tests.corpus.test_importers import NATIVE, native, release, released
from tests.corpus.test_published_formats import RATING, acorn, annotation, studio, task, write
from tests.factories import OPERATOR, MemberFactory
from tests.markup import markup

pytestmark = pytest.mark.pages

EQUIVALENCE = Options(definition=preset("equivalence"))
MIN = {
    "id": 4, "question": "Why?", "answer": "So.", "reference": "So", "equivalent": "yes", "annotator": 7,
    "annotation_id": 9, "lead_time": 3.5,
}  # fmt: skip


def table(tmp_path: Path, text: str, name: str = "t.csv") -> list[Any]:
    path = tmp_path / name
    path.write_text(text)
    return open_files(FORMATS["table"], [path])


def preview(tmp_path: Path, header: str, options: Options) -> Preview:
    return FORMATS["table"].preview(table(tmp_path, f"{header}\n{header}\n"), options)


def test_the_short_export_of_label_studio_is_a_table(tmp_path: Path) -> None:
    path = tmp_path / "min.json"
    path.write_text(json.dumps([MIN]))
    assert guess_format(path, path.name).key == "table"
    with read_study(FORMATS["table"], open_files(FORMATS["table"], [path]), EQUIVALENCE) as study:
        assert study.annotators() == ["7"]
        assert study.one("SELECT seconds FROM judgment") == 3.5
    studio = FORMATS["label_studio"]
    with pytest.raises(ImportFileError, match="this is Label Studio's JSON-MIN: give the labelling configuration"):
        read_study(studio, open_files(studio, [path]), EQUIVALENCE)


def test_the_usual_layout_of_pairs_is_known(tmp_path: Path) -> None:
    mapping = preview(
        tmp_path, "prompt,model_a,model_b,response_a,response_b", Options(definition=preset("lfqa"))
    ).mapping
    assert list(mapping.values()) == ["question", "system.1", "system.2", "answer.1", "answer.2"]


def test_that_no_column_has_the_answers_is_told_once(tmp_path: Path) -> None:
    wrong = preview(tmp_path, "prompt,left,right", Options(definition=preset("lfqa"))).wrong
    assert [reason for reason in wrong if "'answer.1'" in reason]


def table_of_wren(path: Path) -> object:
    row = "question,answer,reference,equivalent,annotator\nWhy?,So.,So,yes,wren@example.org\n"
    return read_study(FORMATS["table"], table(path, row), EQUIVALENCE)


@pytest.mark.parametrize(
    "read",
    [
        table_of_wren,
        lambda _: native(NATIVE.replace("annotator: Wren", "annotator: wren@example.org")),
        lambda _: released({"inq.json": json.loads(json.dumps(release()).replace('"5"', '"wren@example.org"'))}),
        lambda path: read_files("acorn", write(path / "a.jsonl", acorn(worker_ratings={"wren@example.org": RATING}))),
        lambda path: studio(path / "l.json", task(annotation(by="wren@example.org"))),
    ],
    ids=["table", "native", "ebr", "acorn", "label_studio"],
)
def test_an_address_for_mail_is_no_pseudonym_in_any_format(tmp_path: Path, read: Callable[[Path], object]) -> None:
    with pytest.raises(ImportFileError, match=r"e-mail address|no number that says who judged"):
        read(tmp_path)


@pytest.mark.parametrize(("format", "name"), [("table", "study.ods"), ("evouna", "study.xlsx"), ("evouna", "upload")])
def test_a_workbook_that_is_not_read_is_told_how_to_become_a_table(tmp_path: Path, format: str, name: str) -> None:
    path = tmp_path / name
    with ZipFile(path, "w") as workbook:
        workbook.writestr("content.xml" if name.endswith(".ods") else "xl/workbook.xml", "<workbook/>")
    with pytest.raises(ImportFileError, match=r"(\.xlsx|\.ods)\), which is not read here.*CSV UTF-8"):
        open_files(FORMATS[format], [path], [name])


@pytest.mark.django_db
def test_judgments_keep_the_time_that_the_file_gives(tmp_path: Path) -> None:
    rows = "question,answer,reference,equivalent,annotator,created_at\nWhy?,So.,So,yes,Wren,{}\nHow?,A,A,no,Wren,\n"
    text = rows.format("2024-05-31 09:30:00+02:00")
    with read_study(FORMATS["table"], table(tmp_path, text), EQUIVALENCE) as read:
        study = import_study(imported=read, name="Old", actor=OPERATOR).study
    at = datetime(2024, 5, 31, 7, 30, tzinfo=UTC)
    known = Annotation.objects.get(item__question__text="Why?")
    assert (known.created_at, known.assignment.submitted_at) == (at, at)
    other = Annotation.objects.get(item__question__text="How?")
    assert other.assignment.submitted_at is None
    client = Client()
    client.force_login(MemberFactory(study=study, role=Role.ADMIN).user)
    page = markup(client.get(reverse("assignment", args=[study.slug, 1, known.assignment_id])))
    assert "not known" not in page
    assert "31 May 2024" in page or "2024-05-31" in page
    assert ", imported " in markup(client.get(reverse("item", args=[study.slug, other.item_id])))
    with pytest.raises(ImportFileError, match="'last May' is not a date and time"):
        read_study(FORMATS["table"], table(tmp_path, rows.format("last May")), EQUIVALENCE)


@pytest.mark.parametrize(
    "written",
    [
        *("1717147800", 1717147800000, "2024-05-31T09:30:00.000000Z"),
        *("20240531093000", 20240531093000, 20240531093000.0, "202405310930", "20240531T093000"),
    ],
)
def test_times_may_be_numbers(written: Any) -> None:
    assert moment_of(written) == datetime(2024, 5, 31, 9, 30, tzinfo=UTC)


@pytest.mark.parametrize("written", ["2611-05-26", 20260499093000, "20491231235900", 4_000_000_000])
def test_a_time_to_come_is_a_mistake(written: Any, tmp_path: Path) -> None:
    rows = "question,answer,reference,equivalent,annotator,judged_at\nWhy?,So.,So,yes,Wren,{}\n"
    with pytest.raises(ImportFileError, match="which is yet to come"):
        read_study(FORMATS["table"], table(tmp_path, rows.format(written)), EQUIVALENCE)


@pytest.mark.django_db
def test_imported_judgments_have_no_time_of_their_own(tmp_path: Path) -> None:
    rows = "question,answer,reference,equivalent,annotator\nWhy?,So.,So,yes,Wren\n"
    with read_study(FORMATS["table"], table(tmp_path, rows), EQUIVALENCE) as read:
        study = import_study(imported=read, name="Old", actor=OPERATOR).study
    assert Assignment.objects.get().submitted_at is None
    client = Client()
    client.force_login(MemberFactory(study=study, role=Role.ADMIN).user)
    assert client.get(reverse("study", args=[study.slug])).status_code == 200
    place = reverse("assignment", args=[study.slug, 1, Assignment.objects.get().pk])
    assert "when it was judged is not known" in markup(client.get(place))

"""Workbooks are read as the tables that their sheets are, and refused with a sentence where they are too much."""

from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from openpyxl import Workbook

from annotation_platform.annotations.models import Annotation
from annotation_platform.core.schemes import preset
from annotation_platform.corpus.importers import FORMATS, ImportFileError, guess_format, open_files, workbook
from annotation_platform.corpus.importers.mistakes import Mistakes
from annotation_platform.imports.models import ImportJob
from annotation_platform.studies.models import Role, Study
from tests.corpus.reading import read_files
from tests.factories import MemberFactory, make_study
from tests.markup import markup

pytestmark = pytest.mark.pages

HEADER = ["question", "answer", "reference", "equivalent", "annotator", "seconds", "judged_at"]
WHEN = datetime(2024, 5, 31, 9, 30, 15)
ROWS = [
    HEADER,
    ["Why?", "So.", "So", "yes", "Wren", 12.25, WHEN],
    [],
    ["Why?", "So.", None, True, 7, timedelta(minutes=1, seconds=30), date(2024, 6, 1)],
]
EQUIVALENCE = preset("equivalence")


def save(path: Path, **sheets: list[list[Any]]) -> Path:
    book = Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


def computed(path: Path, **formulas: str) -> None:
    """Give the formulas of the first sheet the values that a spreadsheet program would have saved."""
    with ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    sheet = parts["xl/worksheets/sheet1.xml"].decode()
    for formula, value in formulas.items():
        assert f"<f>{formula}</f><v />" in sheet
        sheet = sheet.replace(f"<f>{formula}</f><v />", f"<f>{formula}</f><v>{value}</v>")
    with ZipFile(path, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, sheet if name == "xl/worksheets/sheet1.xml" else content)


def rows_of(path: Path, sheet: str = "") -> list[dict[str, Any]]:
    (source,) = open_files(FORMATS["table"], [path], sheet=sheet)
    assert isinstance(source, workbook.Workbook)
    mistakes = Mistakes()
    rows = [row.values for row in source.rows(mistakes)]
    mistakes.refuse()
    return rows


def test_a_sheet_is_a_table_with_its_dates_times_and_numbers(tmp_path: Path) -> None:
    path = save(tmp_path / "study.xlsx", Answers=ROWS)
    assert guess_format(path, path.name).key == "table"
    read = read_files("table", path, definition=EQUIVALENCE)
    assert read.counts.judgments == 2
    assert [(each.annotator, each.seconds, each.values) for each in read.judgments] == [
        ("Wren", 12.25, {"equivalent": "yes"}),
        ("7", 90.0, {"equivalent": "yes"}),
    ]
    assert read.judgments[1].where == f"{path}, row 4"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.1 + 0.7, "0.7999999999999999"),
        (1e-7, "1e-07"),
        (12_345_678_901, "12345678901"),
        (70.0, "70"),
        (True, "true"),
        (WHEN, "2024-05-31T09:30:15"),
        (date(2024, 6, 1), "2024-06-01"),
        (time(9, 30), "09:30:00"),
        ("一行\r\n二行", "一行\n二行"),
        ("007", "007"),
    ],
)
def test_values_become_texts_that_read_back_as_the_same(tmp_path: Path, value: Any, text: str) -> None:
    (row,) = rows_of(save(tmp_path / "t.xlsx", One=[["a", "b"], [value, "x"]]))
    assert row["a"].replace("\r", "") == text


def test_another_sheet_is_read_where_it_is_chosen(tmp_path: Path) -> None:
    path = save(tmp_path / "t.xlsx", Notes=[["read me"], ["x"]], Answers=ROWS)
    assert [row["annotator"] for row in rows_of(path, "Answers")] == ["Wren", "7"]
    with pytest.raises(ImportFileError, match="has no sheet “Ratings”; there are: Notes, Answers"):
        rows_of(path, "Ratings")


def test_formulas_are_what_they_came_to(tmp_path: Path) -> None:
    path = save(tmp_path / "t.xlsx", One=[["a", "b"], ["=1+2", "x"], ["=3+4", "y"]])
    with pytest.raises(ImportFileError, match="its formulas have no values"):
        rows_of(path)
    computed(path, **{"1+2": "3"})
    assert rows_of(path) == [{"a": "3", "b": "x"}, {"a": "", "b": "y"}]


def test_what_is_wrong_names_sheet_row_and_column(tmp_path: Path) -> None:
    rows = [["a", "b"], ["x", "#N/A"], [1, 2, 3]]
    path = save(tmp_path / "t.xlsx", First=[], Second=rows)
    with pytest.raises(ImportFileError) as caught:
        rows_of(path, "Second")
    assert "sheet “Second”, row 2: b: holds the error #N/A" in caught.value.reasons[0]
    assert "sheet “Second”, row 3: has 3 cells; the first row names 2 columns" in caught.value.reasons[1]
    with pytest.raises(ImportFileError, match="has no rows"):
        read_files("table", path, definition=EQUIVALENCE)
    with pytest.raises(ImportFileError, match="row 1: the column 'a' is there twice"):
        rows_of(save(tmp_path / "t.xlsx", One=[["a", "a"], [1, 2]]))
    with pytest.raises(ImportFileError, match="names 1,001 columns; at most 1,000"):
        rows_of(save(tmp_path / "t.xlsx", One=[[f"c{n}" for n in range(1_001)]]))


def too_many_rows(path: Path) -> None:
    book = Workbook()
    book.active["A1"] = "question"
    book.active[f"A{workbook.MOST_ROWS + 1}"] = "Why?"
    book.save(path)


def bomb(path: Path) -> None:
    save(path, One=ROWS)
    with ZipFile(path, "a", ZIP_DEFLATED) as archive, archive.open("xl/sharedStrings2.xml", "w") as part:
        for _ in range(workbook.MOST_UNPACKED // 1_000_000 + 1):
            part.write(bytes(1_000_000))


def lying(path: Path) -> None:
    """A part that says it is smaller than it is."""
    save(path, One=[["question"], ["Why? " * 5_000]])
    content = bytearray(path.read_bytes())
    at = content.rindex(b"PK\x01\x02", 0, content.rindex(b"xl/worksheets/sheet1.xml"))
    content[at + 24 : at + 28] = (40).to_bytes(4, "little")
    path.write_bytes(bytes(content))


def entities(path: Path) -> None:
    save(path, One=ROWS)
    with ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    laughs = '<!DOCTYPE x [<!ENTITY a "ha">' + "".join(
        f'<!ENTITY {name} "{f"&{before};" * 10}">' for before, name in zip("abcdefgh", "bcdefghi", strict=True)
    )
    sheet = parts["xl/worksheets/sheet1.xml"].decode()
    parts["xl/worksheets/sheet1.xml"] = f"{laughs}]>{sheet.replace('<v>0</v>', '<v>&i;</v>')}".encode()
    with ZipFile(path, "w") as archive:
        for name, part in parts.items():
            archive.writestr(name, part)


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (too_many_rows, "row 200,001: at most 200,000 rows of a sheet are read. Save the sheet as “CSV UTF-8"),
        (bomb, r"unpacks to 101 MB in \d+ parts; at most 100 MB in 1,000 are read"),
        (lying, "cannot be read on as a workbook"),
        (entities, "cannot be read"),
        (lambda path: path.write_bytes(b"PK\x03\x04 xl/ and then nothing"), "cannot be read as a workbook"),
        (lambda path: path.write_bytes(b"\xd0\xcf\x11\xe0" + bytes(600)), r"\.xlsx without a password"),
    ],
)
def test_what_is_too_much_or_no_workbook_is_refused_with_a_sentence(
    tmp_path: Path, make: Callable[[Path], Any], reason: str
) -> None:
    path = tmp_path / "t.xlsx"
    make(path)
    with pytest.raises(ImportFileError, match=reason):
        read_files("table", path, definition=EQUIVALENCE)


@pytest.mark.django_db
def test_the_command_reads_a_sheet(tmp_path: Path) -> None:
    path = save(tmp_path / "t.xlsx", Notes=[["read me"], ["x"]], Answers=ROWS)
    told = StringIO()
    call_command("import_study", "table", str(path), "--scheme", "equivalence", "--preview", stdout=told)
    assert "Sheets (--sheet): Notes, Answers" in told.getvalue()
    options = ["--scheme", "equivalence", "--name", "Sheet", "--sheet", "Answers"]
    call_command("import_study", "table", str(path), *options, stdout=StringIO(), stderr=StringIO())
    times = Annotation.objects.order_by("created_at").values_list("created_at", flat=True)
    assert list(times) == [WHEN.replace(tzinfo=UTC), datetime(2024, 6, 1, tzinfo=UTC)]


@pytest.mark.django_db
def test_the_page_reads_the_sheet_that_is_chosen(tmp_path: Path, settings: Any) -> None:
    settings.IMPORTS_DIR = tmp_path / "imports"
    member = MemberFactory(study=make_study(), role=Role.RESEARCHER)
    client = Client()
    client.force_login(member.user)
    file = BytesIO(save(tmp_path / "t.xlsx", Notes=[["read me"], ["x"]], Answers=ROWS).read_bytes())
    file.name = "t.xlsx"
    client.post(reverse("import_study"), {"files": file, "target": "study"})
    job = ImportJob.objects.get()
    address = reverse("import_job", kwargs={"pk": job.pk})
    assert '<option value="Answers">' in markup(client.get(address))
    chosen = {"name": "Sheet", "format": "table", "scheme": "equivalence", "column:read me": ""}
    client.post(address, chosen | {"sheet": "Answers", "do": "look"})
    page = markup(client.get(address))
    assert '<option value="Answers" selected>' in page
    assert "2024-05-31T09:30:15" in page
    client.post(address, {"sheet": "Answers", "do": "import"})
    job.refresh_from_db()
    assert job.status == ImportJob.Status.DONE, job.mistakes
    assert Annotation.objects.filter(item__study=Study.objects.get(name="Sheet")).count() == 2

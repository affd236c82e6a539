"""The cells of a sheet are read from its XML as openpyxl reads them, in a stream."""

from collections.abc import Iterator
from datetime import date, datetime, timedelta
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl import Workbook, load_workbook

from annotation_platform.core.errors import CodedError
from annotation_platform.corpus.importers.sheet import BLOCK, Book, CellError, SheetReader, shared_strings
from annotation_platform.corpus.importers.workbook import _opened

BOOK = Book(["one", "two"], datetime(1899, 12, 30), frozenset({1, 2}), frozenset({2}))
CELLS = st.one_of(
    st.none(),
    st.integers(-(10**12), 10**12),
    st.floats(allow_nan=False, allow_infinity=False),
    st.booleans(),
    st.text(st.characters(blacklist_categories=("Cs", "Cc")), min_size=1, max_size=12).filter(
        lambda text: text.strip() and not text.startswith(("=", "#")) and "_x" not in text
    ),
    st.datetimes(datetime(1990, 1, 1), datetime(2090, 1, 1)).map(lambda at: at.replace(microsecond=0)),
)


def sheet(rows: str) -> SheetReader:
    return SheetReader(BytesIO(f"<worksheet><sheetData>{rows}</sheetData></worksheet>".encode()), BOOK)


def filled(rows: Any) -> Iterator[list[Any]]:
    for row in rows:
        values = list(row)
        while values and values[-1] is None:
            values.pop()
        yield values


def shown(value: Any) -> Any:
    """A number that was too large for its digits as spreadsheet programs show it."""
    return "#NUM!" if value in (float("inf"), -float("inf")) else value


@settings(max_examples=20)
@given(st.lists(st.lists(CELLS, max_size=5), min_size=1, max_size=6))
def test_values_are_those_that_openpyxl_reads(tmp_path_factory: pytest.TempPathFactory, rows: list[list[Any]]) -> None:
    for streamed in (True, False):  # without dimensions, and with them
        path = tmp_path_factory.mktemp("sheet") / "t.xlsx"
        book = Workbook(write_only=streamed)
        written = book.create_sheet("One", 0)
        for row in rows:
            written.append(row)
        book.save(path)
        expected = [list(map(shown, row)) for row in filled(load_workbook(path)["One"].iter_rows(values_only=True))]
        with _opened(path) as opened, opened.archive.open(opened.sheets["One"]) as part:
            found = dict(SheetReader(part, opened.cells))
        assert list(filled(found.get(number, []) for number in range(1, len(expected) + 1))) == expected


def test_rows_and_cells_stand_where_the_file_says() -> None:
    rows = (
        '<row r="2"><c r="B2"><v>1</v></c><c><v>2</v></c><c r="AB2" t="s"><v>1</v></c></row>'
        '<row><c t="b"><v>0</v></c><c t="e"><v>#DIV/0!</v></c><c t="str"><v>x</v></c></row>'
        '<x:row xmlns:x="u" r="9"><x:c r="A9"><x:v>7.5</x:v></x:c></x:row>'
    )
    assert list(sheet(rows)) == [
        (2, [None, 1, 2, *[None] * 24, "two"]),
        (3, [False, CellError("#DIV/0!"), "x"]),
        (9, [7.5]),
    ]


def test_dates_are_numbers_in_the_style_of_dates() -> None:
    cells = '<c s="1"><v>45443.5</v></c><c s="2"><v>0.5</v></c><c t="d"><v>2024-06-01</v></c><c s="1"><v>-1e9</v></c>'
    ((_, values),) = sheet(f"<row>{cells}</row>")
    assert values == [datetime(2024, 5, 31, 12), timedelta(hours=12), date(2024, 6, 1), "#VALUE!"]
    assert isinstance(values[3], CellError)


def test_a_text_is_all_its_runs_without_how_they_are_pronounced() -> None:
    kanji = "<r><t>東</t></r><r><t>京</t></r><rPh sb='0' eb='2'><t>とうきょう</t></rPh>"
    strings = f"<sst><si>{kanji}</si><si><t/></si><si><t>a_x000D_\nb_x005F_c</t></si></sst>"
    assert shared_strings(BytesIO(strings.encode())) == ["東京", "", "a\nb_c"]
    ((_, values),) = sheet(f'<row><c t="inlineStr"><is>{kanji}</is></c></row>')
    assert values == ["東京"]


def test_formulas_are_counted_with_those_that_have_a_value() -> None:
    read = sheet("<row><c><f>1+2</f></c><c><f>1+2</f><v>3</v></c><c><v>3</v></c></row>")
    assert list(read) == [(1, [None, 3, 3])]
    assert (read.formulas, read.computed) == (2, 1)


def test_rows_come_before_the_file_is_read_to_its_end() -> None:
    row = '<row><c t="str"><v>x</v></c></row>'
    file = BytesIO(f"<worksheet><sheetData>{row * 100_000}</sheetData></worksheet>".encode())
    assert next(iter(SheetReader(file, BOOK))) == (1, ["x"])
    assert file.tell() == BLOCK


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ('<row><c r="XFE1"><v>1</v></c></row>', "there is no cell XFE1"),
        ('<row><c r="ÄÖ1"><v>1</v></c></row>', "there is no cell ÄÖ1"),
        (f"<row>{'<c/>' * 16_385}</row>", "row 1 has more than 16,384 cells"),
    ],
)
def test_cells_that_no_sheet_has_are_refused(rows: str, reason: str) -> None:
    with pytest.raises(CodedError, match=reason):
        list(sheet(rows))


def test_a_document_type_is_refused() -> None:
    file = BytesIO(b'<!DOCTYPE x [<!ENTITY a "ha">]><worksheet><row><c t="str"><v>&a;</v></c></row></worksheet>')
    with pytest.raises(CodedError, match="declares a document type"):
        list(SheetReader(file, BOOK))


def test_a_part_that_would_be_a_huge_tree_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.xlsx"
    Workbook().save(path)
    with ZipFile(path, "a", ZIP_DEFLATED) as archive:
        archive.writestr("xl/more/styles.xml", bytes(5_000_001))
    with pytest.raises(CodedError, match=r"xl/more/styles.xml has more than 5 MB"), _opened(path):
        pass

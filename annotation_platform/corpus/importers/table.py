"""Tables in our own columns, for any scheme: CSV, TSV, JSON Lines, a JSON list, Parquet, Arrow, or a workbook's sheet.

A row is one answer, and one annotator's judgment of it if it names an annotator. A group of candidates is one row for
each, or one row with numbered columns (``answer.1``, ``answer.2``). A later row of the same question, article or answer
may leave blank what an earlier one said. Which columns there are follows from the scheme: see fields.py.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar

from annotation_platform.core.reasons import Reason
from annotation_platform.core.schemes import Scheme
from annotation_platform.corpus.importers.arrow import SUFFIX as ARROW
from annotation_platform.corpus.importers.arrow import ArrowFile, is_arrow
from annotation_platform.corpus.importers.columns import choose_columns, wrong_columns
from annotation_platform.corpus.importers.exported import (
    ExportReader,
    columns_of_export,
    fields_of_export,
    is_export,
)
from annotation_platform.corpus.importers.fields import (
    ALIASES,
    BESIDE,
    CONVERSATIONS,
    IN_CONVERSATIONS,
    aliases_of,
    fields_of,
    judged_fields,
)
from annotation_platform.corpus.importers.format import NO_SCHEME, PREVIEWED, Field, Format, Options, Preview
from annotation_platform.corpus.importers.mistakes import ImportFileError, Mistakes, reason_of, wrong_at
from annotation_platform.corpus.importers.parquet import SUFFIX as PARQUET
from annotation_platform.corpus.importers.parquet import ParquetFile, is_parquet, unpacked_bytes
from annotation_platform.corpus.importers.previews import as_shown, different, lone_questions_warning, shortened
from annotation_platform.corpus.importers.row_reader import RowReader
from annotation_platform.corpus.importers.rows import COLUMNS_FROM, MOST_COLUMNS, Row, RowFile, first_rows
from annotation_platform.corpus.importers.saved import SavedFolder, is_saved_folder
from annotation_platform.corpus.importers.study import Entry, Finished, Header, LeftOut, Origin
from annotation_platform.corpus.importers.workbook import SUFFIXES, Workbook, is_workbook, size_of_workbook


def size_to_read(path: Path) -> int:
    """The bytes of a file that have to be read, of a packed one those that it unpacks to."""
    return unpacked_bytes(path) if is_parquet(path) else size_of_workbook(path)


class Table(Format):
    key = "table"
    called = "corpus.format_table"
    in_folders: ClassVar[Sequence[str]] = (ARROW, PARQUET)
    aliases: ClassVar[Mapping[str, str]] = ALIASES
    row_is_question: ClassVar[bool] = False
    """Without a name of its own, a question is called by its row, so that equal texts are two questions."""

    def _open(self, path: Path, name: str, sheet: str) -> RowFile:
        if is_parquet(path):
            return ParquetFile(path, name)
        if is_arrow(path):
            return ArrowFile(path, name)
        if is_saved_folder(path):
            return SavedFolder(path, name)
        return Workbook(path, name, sheet) if is_workbook(path) else RowFile(path, name)

    def fits(self, beginning: str, suffix: str) -> bool:
        # Label Studio's shorter export, JSON-MIN, is a table: each row has the task's fields and one annotation.
        is_json_min = suffix == ".json" and '"annotation_id"' in beginning and '"annotator"' in beginning
        return is_json_min or suffix in (".csv", ".tsv", ".jsonl", ".ndjson", ".txt", PARQUET, ARROW, *SUFFIXES)

    def fields(self, options: Options) -> list[Field]:
        return fields_of(self.scheme(options))

    def names_of_columns(self, scheme: Scheme) -> Mapping[str, str]:
        """Names that columns go by → the key of the field that each is then suggested for."""
        return aliases_of(scheme, self.aliases)

    def cells(self, row: Row) -> dict[str, Any]:
        """A row by the columns that can be mapped."""
        return row.values

    def preview(self, sources: Sequence[RowFile], options: Options) -> Preview:
        return self._preview(sources[0].name, self._first_cells(sources[0]), sources[0].sheets, options)

    def note(self, sources: Sequence[RowFile], options: Options) -> dict[str, Any]:
        rows = self._first_cells(sources[0])
        return {
            "name": sources[0].name,
            "columns": list(dict.fromkeys(chain.from_iterable(rows))),
            "rows": shortened(rows),
            "sheets": list(sources[0].sheets),
        }

    def preview_noted(self, noted: Mapping[str, Any], options: Options) -> Preview:
        first, *others = noted["rows"]
        rows = [dict.fromkeys(noted["columns"]) | first, *others]
        return self._preview(noted["name"], rows, noted["sheets"], options)

    def _first_cells(self, source: RowFile) -> list[dict[str, Any]]:
        """The first rows by their columns.

        Raises
        ------
        ImportFileError
            When there are none, or they have too many columns.
        """
        try:
            rows = [self.cells(row) for row in first_rows(source, COLUMNS_FROM)]
        except ValueError as error:
            raise ImportFileError([wrong_at(source.name, reason_of(error))]) from None
        if (count := len(set(chain.from_iterable(rows)))) > MOST_COLUMNS:
            raise ImportFileError([wrong_at(source.name, "corpus.first_rows_too_wide", count=count, most=MOST_COLUMNS)])
        return rows

    def _preview(
        self, name: str, rows: Sequence[Mapping[str, Any]], sheets: Sequence[str], options: Options
    ) -> Preview:
        left_out = [column for column, field in options.columns.items() if not field]  # perhaps in later rows only
        columns = list(dict.fromkeys([*chain.from_iterable(rows), *left_out]))
        shown = [[as_shown(row.get(column)) for column in columns] for row in rows[:PREVIEWED]]
        if self.lacks_scheme(options):
            return Preview(columns=columns, rows=shown, wrong=[Reason(NO_SCHEME)], sheets=sheets)
        scheme = self.scheme(options)
        if is_export(columns):
            fields, mapping = fields_of_export(scheme), columns_of_export(scheme, columns, options.columns)
        else:
            fields = self.fields(options)
            mapping = choose_columns(columns, fields, self.names_of_columns(scheme), options.columns)
        if not options.wants_judgments and not judged_fields(scheme, fields) & set(mapping.values()):
            mapping = {column: "" if field == "annotator" else field for column, field in mapping.items()}
        taken = set(mapping.values())
        if taken & CONVERSATIONS:  # which have question and answer in them
            fields = [replace(each, is_needed=each.is_needed and each.key not in IN_CONVERSATIONS) for each in fields]
        wrong = wrong_columns(mapping, fields, options.columns)
        if scheme.judges_candidates and not taken & {"answer", *CONVERSATIONS, *(f"answer.{n}" for n in BESIDE)}:
            wrong.append(Reason("corpus.no_column_of_answers", known=[*mapping]))
        wrong += [Reason("corpus.no_column", column=column) for column in options.values if column not in mapping]
        closed = {field.key for field in fields if field.values}
        values = {column: different(rows, column) for column, field in mapping.items() if field in closed}
        warnings = lone_questions_warning(rows, mapping)
        return Preview(columns, shown, mapping, fields, wrong, values, warnings, sheets)

    def begin(self, sources: Sequence[RowFile], options: Options, mistakes: Mistakes) -> tuple[Header, Iterator[Entry]]:
        return self._begun(self.preview(sources, options), sources, options, mistakes)

    def _begun(
        self, preview: Preview, sources: Sequence[RowFile], options: Options, mistakes: Mistakes
    ) -> tuple[Header, Iterator[Entry]]:
        if preview.wrong:
            raise ImportFileError([wrong_at(sources[0].name, reason) for reason in preview.wrong])
        reading = self.reading(self.scheme(options), options, preview.mapping, mistakes)
        header = Header(
            language=options.language,
            definition=self.definition(options),
            not_asked=reading.not_asked,
            finished=Finished.JUDGED,
            is_spelled=not is_export(preview.columns),
            is_export=is_export(preview.columns),
            names=reading.names,
            needs=reading.needs,
            warnings=reading.warnings([dict(zip(preview.columns, row, strict=True)) for row in preview.rows]),
        )
        return header, self._entries(sources, reading)

    def reading(self, scheme: Scheme, options: Options, mapping: Mapping[str, str], mistakes: Mistakes) -> RowReader:
        reader = ExportReader if is_export([*mapping]) else RowReader
        return reader(
            *(scheme, options.language, mapping, mistakes),
            row_is_question=self.row_is_question,
            values=options.values,
        )

    def _entries(self, sources: Sequence[RowFile], reading: RowReader) -> Iterator[Entry]:
        for file, source in enumerate(sources):
            reading.begin(source)
            for row in source.rows(reading.mistakes):
                try:
                    yield from self.entries(reading, Origin(file, (row.line,)), row)
                except ValueError as error:
                    reading.mistakes.add(wrong_at(source.where((row.line,)), reason_of(error)))
        yield from reading.dropped()

    def entries(self, reading: RowReader, origin: Origin, row: Row) -> Iterator[Entry]:
        """What a row says. A ValueError says what is wrong with it."""
        cells = self.cells(row)
        if why := reading.left_out(cells):
            yield LeftOut(why)
            return
        said = reading.said(cells)
        item = reading.item(said, origin)
        yield from item.entries
        yield from reading.judgment(item, said, origin)

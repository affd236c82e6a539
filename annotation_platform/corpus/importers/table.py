"""Tables in our own columns, for any scheme: CSV, TSV, JSON Lines, a JSON list, or a sheet of a workbook.

A row is one answer, and one annotator's judgment of it if it names an annotator. A group of candidates is one row for
each, or one row with numbered columns (``answer.1``, ``answer.2``). A later row of the same question, article or answer
may leave blank what an earlier one said. Which columns there are follows from the scheme: see :func:`fields_of`.
"""

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar

from annotation_platform.core.reasons import Reason
from annotation_platform.core.schemes import Aspect, BestOfAspect, ItemChoiceAspect, RatedAspect, Scheme, SeveralAspect
from annotation_platform.core.schemes.aspects import CANNOT_JUDGE, CHOICE_LETTERS, TIE
from annotation_platform.corpus.importers.arrow import SUFFIX as ARROW
from annotation_platform.corpus.importers.arrow import ArrowFile, is_arrow
from annotation_platform.corpus.importers.cells import YES
from annotation_platform.corpus.importers.columns import choose_columns, wrong_columns
from annotation_platform.corpus.importers.exported import (
    ExportReader,
    columns_of_export,
    fields_of_export,
    is_export,
)
from annotation_platform.corpus.importers.format import NO_SCHEME, PREVIEWED, Field, Format, Options, Preview
from annotation_platform.corpus.importers.items import CANNOT_JUDGE_REASON_COLUMN, MOST_BESIDE, RowReader
from annotation_platform.corpus.importers.mistakes import ImportFileError, Mistakes, reason_of, wrong_at
from annotation_platform.corpus.importers.parquet import SUFFIX as PARQUET
from annotation_platform.corpus.importers.parquet import ParquetFile, is_parquet, unpacked_bytes
from annotation_platform.corpus.importers.rows import COLUMNS_FROM, MOST_COLUMNS, Row, RowFile, first_rows
from annotation_platform.corpus.importers.spelling import NONE
from annotation_platform.corpus.importers.study import Entry, Finished, Header, LeftOut, Origin
from annotation_platform.corpus.importers.warnings import lone_questions
from annotation_platform.corpus.importers.workbook import SUFFIXES, Workbook, is_workbook, size_of_workbook

BESIDE = range(1, MOST_BESIDE + 1)
CONVERSATIONS = {"conversation", *(f"conversation.{n}" for n in BESIDE)}
IN_CONVERSATIONS = ("question", "answer")
MOST_NOTED = 1_000_000  # characters of the first rows that are kept for previews
MOST_VALUES = 50  # different ones of a column, of which somebody may say what they stand for
NAMES_OF_THE_BEST = ("winner", "preference", "preferred", "chosen", "better", "best")
ALIASES = {
    "id": "question_id",
    "qid": "question_id",
    "conversation_id": "question_id",
    "prompt": "question",
    "query": "question",
    "options": "choices",
    "response": "answer",
    "output": "answer",
    "candidate": "answer",
    "explanation": "rationale",
    "references": "reference_answers",
    "reference": "reference_answers",
    "gold": "reference_answers",
    "context": "article",
    "passage": "article",
    "document": "article",
    "title": "article_title",
    "model": "system",
    "worker": "annotator",
    "worker_id": "annotator",
    "workerid": "annotator",
    "rater": "annotator",
    "annotator_id": "annotator",
    "judge": "annotator",
    "time": "seconds",
    "lead_time": "seconds",
    "created_at": "judged_at",
    "timestamp": "judged_at",
    "messages": "conversation",
    "conversations": "conversation",
    "turns": "conversation",
    "tstamp": "judged_at",
    **{
        f"{name}_{letter}": f"answer.{n}"
        for n, letter in enumerate("ab", 1)
        for name in ("response", "answer", "output")
    },
    **{f"conversation_{letter}": f"conversation.{n}" for n, letter in enumerate("ab", 1)},
    **{f"{name}_{letter}": f"system.{n}" for n, letter in enumerate("ab", 1) for name in ("model", "system")},
}


def fields_of(scheme: Scheme) -> list[Field]:
    """The fields that a column can hold under a scheme: parts of the item, then who judged it, then every slot."""
    items = fields_of_items(scheme)
    return [*items, *_fields_of_judgments(scheme, {field.key for field in items})]


def fields_of_items(scheme: Scheme) -> list[Field]:
    """The fields that say what an item is."""
    parts = set(scheme.parts)
    group = scheme.judges_candidates
    has_choices = "choices" in parts or any(isinstance(aspect, ItemChoiceAspect) for aspect in scheme.aspects)
    items = [
        Field("question", Reason("corpus.field_question"), is_needed=True),
        Field("question_id", Reason("corpus.field_question_name")),
        Field("answer", Reason("corpus.field_answer"), is_needed="answer" in parts),
        Field("rationale", Reason("corpus.field_rationale"), is_needed="rationale" in parts),
        Field("system", Reason("corpus.field_system")),
        Field("conversation", Reason("corpus.field_conversation")),
    ]
    if group:
        for n in BESIDE:
            items.append(Field(f"answer.{n}", Reason("corpus.field_numbered_answer", number=n)))
            items.append(Field(f"system.{n}", Reason("corpus.field_numbered_system", number=n)))
            items.append(Field(f"conversation.{n}", Reason("corpus.field_numbered_conversation", number=n)))
    if has_choices:
        items += choice_fields()
    if "reference_answers" in parts:
        items.append(Field("reference_answers", Reason("corpus.field_reference_answers"), is_needed=True))
    if "documents" in parts:
        items.append(Field("documents", Reason("corpus.field_documents")))
    if "article" in parts:
        items += [
            Field("article", Reason("corpus.field_article")),
            Field("article_id", Reason("corpus.field_article_name")),
            Field("article_title", Reason("corpus.field_article_title")),
            Field("article_source", Reason("corpus.field_article_source")),
            Field("article_url", Reason("corpus.field_article_url")),
            Field("anchor", Reason("corpus.field_anchor")),
        ]
    return items


def choice_fields() -> list[Field]:
    """The fields of a question's choices: all in one column, or one in each."""
    numbered = [Field(f"choice.{n}", Reason("corpus.field_numbered_choice", number=n)) for n in BESIDE]
    return [Field("choices", Reason("corpus.field_choices")), *numbered]


def _fields_of_judgments(scheme: Scheme, taken: Set[str]) -> Iterator[Field]:
    judged = [
        Field("annotator", Reason("corpus.field_annotator")),
        Field("replicate", Reason("corpus.field_replicate")),
        Field("seconds", Reason("corpus.field_seconds")),
        Field("judged_at", Reason("corpus.field_judged_at")),
    ]
    yield from judged
    taken = taken | {field.key for field in judged}
    for aspect in scheme.aspects:
        key, title, values = aspect.key, aspect.title, _values_of(aspect)
        key = f"aspect.{key}" if key in taken else key
        yield Field(key, title, values=values)
        if aspect.per == "candidate":
            for n in BESIDE:
                beside = Reason("corpus.field_aspect_of_answer", title=title, number=n)
                yield Field(f"{key}.{n}", beside, values=values)
        if isinstance(aspect, BestOfAspect) and aspect.forced_label:
            yield Field(f"{key}.forced", aspect.forced_label)
    if label := scheme.cannot_judge:
        yield Field(CANNOT_JUDGE, Reason("corpus.field_mark", label=label), values=((YES, label),))
        yield Field(CANNOT_JUDGE_REASON_COLUMN, Reason("corpus.field_why", label=label))


def aliases_of(scheme: Scheme, aliases: Mapping[str, str]) -> Mapping[str, str]:
    """Names that columns go by, with those that published comparisons have for which answer is the best."""
    best = [aspect.key for aspect in scheme.aspects if isinstance(aspect, BestOfAspect)]
    return {**aliases, **dict.fromkeys(NAMES_OF_THE_BEST, best[0])} if len(best) == 1 else aliases


def _values_of(aspect: Aspect) -> list[tuple[str, str]]:
    """What can be said to an aspect, as (value, label); none where anything can."""
    if isinstance(aspect, BestOfAspect):
        return [(str(n), Reason("corpus.field_answer_of_row", number=n)) for n in BESIDE] + (
            [(TIE, aspect.tie_label)] * bool(aspect.tie_label)
        )
    if isinstance(aspect, ItemChoiceAspect):
        none = [(NONE, aspect.none_label)] if aspect.none_label else []
        letters = CHOICE_LETTERS[:MOST_BESIDE]
        return [(letter, Reason("corpus.field_choice_of_letter", letter=letter)) for letter in letters] + none
    choices = aspect.scale.choices if isinstance(aspect, RatedAspect) else ()
    choices = aspect.choices if isinstance(aspect, SeveralAspect) else choices
    return [(choice.key, choice.label) for choice in choices]


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
        shown = [[_shown(row.get(column)) for column in columns] for row in rows[:PREVIEWED]]
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
        values = {column: _different(rows, column) for column, field in mapping.items() if field in closed}
        warnings = _lone_questions(rows, mapping)
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


def judged_fields(scheme: Scheme, fields: Sequence[Field]) -> set[str]:
    """The fields that hold what was said of an item."""
    keys = {aspect.key for aspect in scheme.aspects}
    return {field.key for field in fields if {field.key.partition(".")[0], *field.key.split(".")[:2]} & keys} | {
        CANNOT_JUDGE
    }


def _different(rows: Sequence[Mapping[str, Any]], column: str) -> list[str]:
    """The different values of a column, in their order; of lists what is in them."""
    cells = [row.get(column) for row in rows]
    every = chain.from_iterable(cell if isinstance(cell, list) else [cell] for cell in cells)
    return list(dict.fromkeys(filter(None, map(_shown, every))))[:MOST_VALUES]


def _lone_questions(rows: Sequence[Mapping[str, Any]], mapping: Mapping[str, str]) -> list[Reason]:
    """A warning when the column of the questions' names seems to be one of tasks or judgments."""
    columns = {field: column for column, field in mapping.items() if field}
    if not {"question", "question_id", "annotator"} <= columns.keys():
        return []
    text, name, who = (
        [str(row.get(columns[field]) or "") for row in rows] for field in ("question", "question_id", "annotator")
    )
    judged = {pair for pair in zip(name, who, strict=True) if all(pair)}
    asked = {pair for pair in zip(name, text, strict=True) if all(pair)}
    is_shared = len(asked) > len({each for _, each in asked}) and len(set(who)) > 1
    if is_shared and judged and len(judged) == len({each for each, _ in judged}):
        return [lone_questions(columns["question_id"])]
    return []


def shortened(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The rows as far as a preview looks at them: shortened texts, and of very wide rows the first ones."""
    kept: list[dict[str, Any]] = []
    size = 0
    for row in rows:
        kept.append({column: _short(value) for column, value in row.items()})
        size += sum(len(str(value)) for value in kept[-1].values())
        if size > MOST_NOTED and len(kept) >= PREVIEWED:
            break
    return kept


def _short(value: Any) -> Any:
    if isinstance(value, list):
        return [_shown(each) for each in value[:MOST_VALUES]]
    return value if value is None or isinstance(value, bool | int) else _shown(value)


def _shown(value: Any) -> str:
    """A cell as a preview shows it."""
    return "" if value is None else str(value)[:300]

"""What the formats of traces have in common: files read together, and answers that know where they are from."""

import json
from abc import abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from annotation_platform.core.locations import Location
from annotation_platform.core.schemes import Scheme
from annotation_platform.corpus.importers.encoding import check_encoding
from annotation_platform.corpus.importers.format import Options, Preview
from annotation_platform.corpus.importers.mistakes import (
    STRANGE,
    ImportFileError,
    Mistakes,
    RowError,
    in_json_words,
    place,
    reason_of,
    wrong_at,
)
from annotation_platform.corpus.importers.outputs import OutputReader, Outputs
from annotation_platform.corpus.importers.parquet import ParquetFile, is_parquet
from annotation_platform.corpus.importers.rows import Row, RowFile
from annotation_platform.corpus.importers.study import Entry, ImportedAnswer, Origin
from annotation_platform.corpus.importers.traces.spans import Example, Score, Span
from annotation_platform.corpus.importers.traces.spool import Spool
from annotation_platform.corpus.importers.traces.trace import answer_of

TRACED, FILE = "traced", "file"
WHOLE = 500_000_000  # bytes of a file that is one JSON object, which is read as a whole
LOOKED_AT = 20_000  # records of each file, for a preview
PAGES = ("data", "runs", "traces", "observations", "spans", "items")  # what a page of an API has its records under


class Record(NamedTuple):
    """One record of a file: its line, or of a list its number, and what it says."""

    line: int
    said: dict[str, Any]


@dataclass(frozen=True)
class TraceFile(RowFile):
    """A file of records: JSON Lines, a JSON list, one JSON object, CSV or Parquet."""

    def __post_init__(self) -> None:
        if is_parquet(self.path):
            ParquetFile(self.path, self.name)  # which says what is wrong with its size
        else:
            check_encoding(self.path, self.name)

    def where(self, location: Location) -> str:
        if is_parquet(self.path):
            return ParquetFile.where(self, location)  # type: ignore[arg-type]
        if self._is_one_object:
            number, *inner = location or (0,)
            return place(self.name, *inner, entry=number if isinstance(number, int) else 0)
        return super().where(location)

    def records(self, mistakes: Mistakes) -> Iterator[Record]:
        if is_parquet(self.path):
            rows = ParquetFile(self.path, self.name).rows(mistakes)
        elif self._is_one_object:
            rows = iter([Row(1, self._whole())])
        else:
            rows = self.rows(mistakes)
        for row in rows:
            inner = next((row.values[name] for name in PAGES if _is_page(row.values, name)), None)
            if inner is None:
                yield Record(row.line, row.values)
            else:
                lines = range(1, len(inner) + 1) if self._is_one_object else [row.line] * len(inner)
                yield from (Record(n, each) for n, each in zip(lines, inner, strict=True) if isinstance(each, dict))

    @cached_property
    def _is_one_object(self) -> bool:
        """Whether the file is one object over several lines, and not one in each."""
        if is_parquet(self.path) or self.kind != "lines":
            return False
        with self._open() as file:
            first = next((line for line in file if line.strip()), "")
        try:
            json.loads(first)
        except (ValueError, RecursionError):
            return True
        return False

    def _whole(self) -> dict[str, Any]:
        if (size := self.path.stat().st_size) > WHOLE:
            raise ImportFileError([wrong_at(self.name, "corpus.log_too_large", size=size / 1e6, most=WHOLE / 1e6)])
        try:
            found: dict[str, Any] = json.loads(self.path.read_text(encoding="utf-8-sig"))
        except (ValueError, RecursionError) as error:
            raise ImportFileError([wrong_at(self.name, "corpus.json_unread", why=in_json_words(error))]) from None
        return found


def _is_page(said: Mapping[str, Any], name: str) -> bool:
    """Whether an object is only around a list of records, with how many there are beside it."""
    return isinstance(said.get(name), list) and not {"id", "traceId", "trace", "trace_id"} & said.keys()


@dataclass(frozen=True)
class Together(RowFile):
    """All files of an import as one, in which each row is a trace; ``most``: the records that are looked at of each."""

    files: Sequence[TraceFile]
    format: "Traces"
    most: int | None = None

    def __post_init__(self) -> None: ...

    @property
    def sheets(self) -> Sequence[str]:
        return ()

    def _read(self, mistakes: Mistakes) -> Iterator[Row]:
        spool = Spool()
        try:
            for number, file in enumerate(self.files):
                self._spool(spool, number, file, mistakes)
            for kept in spool.traces():
                example = next((each.span.example for each in kept if each.span.example), "")
                try:
                    found = answer_of(kept, spool.scores(kept[0].span.trace), spool.example(example), self.format.key)
                except STRANGE as error:
                    mistakes.add(wrong_at(self.files[kept[0].file].where((kept[0].line,)), _why(error)))
                    continue
                yield found.output.as_row(found.line, **{TRACED: found.traced, FILE: found.file})
        finally:
            spool.close()

    def _spool(self, spool: Spool, number: int, file: TraceFile, mistakes: Mistakes) -> None:
        for line, said in islice(file.records(mistakes), self.most):
            try:
                for entry in self.format.spans(said):
                    spool.take(entry, number, line)
            except STRANGE as error:
                mistakes.add(wrong_at(file.where((line,)), _why(error)))


def _why(error: Exception) -> str:
    return reason_of(error) if isinstance(error, RowError) else "corpus.output_strange"


class Traces(Outputs):
    """The formats of programs that watch models at work."""

    aliases: ClassVar[Mapping[str, str]] = {"context": "article"}
    in_folders: ClassVar[Sequence[str]] = (".json", ".jsonl")

    @abstractmethod
    def spans(self, said: Mapping[str, Any]) -> Iterator[Span | Score | Example]:
        """What a record tells of. A ValueError says what is wrong with it."""

    def _open(self, path: Path, name: str, sheet: str) -> TraceFile:
        return TraceFile(path, name)

    def preview(self, sources: Sequence[Any], options: Options) -> Preview:
        return super().preview([self._together(sources, LOOKED_AT)], options)

    def note(self, sources: Sequence[Any], options: Options) -> dict[str, Any]:
        return super().note([self._together(sources, LOOKED_AT)], options)

    def _together(self, files: Sequence[TraceFile], most: int | None = None) -> Together:
        return Together(files[0].path, files[0].name, files, self, most)

    def reading(
        self, scheme: Scheme, options: Options, mapping: Mapping[str, str], mistakes: Mistakes
    ) -> "TraceReader":
        return TraceReader(scheme, options.language, mapping, mistakes, values=options.values)

    def _entries(self, sources: Sequence[RowFile], reading: Any) -> Iterator[Entry]:
        files: Sequence[Any] = sources
        for row in self._together(files).rows(reading.mistakes):
            file = row.values[FILE]
            try:
                for entry in self.entries(reading, Origin(file, (row.line,)), row):
                    if isinstance(entry, ImportedAnswer):
                        entry = entry._replace(traced=row.values[TRACED])
                    yield entry
            except ValueError as error:
                reading.mistakes.add(wrong_at(sources[file].where((row.line,)), reason_of(error)))
        yield from reading.dropped()


class TraceReader(OutputReader):
    """Rows of traces: what was asked twice of the same system has two answers, the second as a system of its own."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._answered: Counter[int] = Counter()

    def _answers(self, said: Mapping[str, Any], article: str, question: str, origin: Origin) -> list[ImportedAnswer]:
        answers = []
        for answer in super()._answers(said, article, question, origin):
            key = hash((article, question, answer.system))  # there may be a million of them
            self._answered[key] += 1
            times = self._answered[key]
            answers.append(answer if times == 1 else answer._replace(system=f"{answer.system[:180]}, answer {times}"))
        return answers

    def _dropped_as(self, column: str) -> tuple[str, str]:
        """The context is the documents once more, and the prompt the conversation that the question is from."""
        repeats = (column == "context" and "documents" in self._fields) or column in ("model", "name", "prompt")
        return ("", "") if repeats else super()._dropped_as(column)

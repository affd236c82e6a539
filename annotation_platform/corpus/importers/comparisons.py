"""Files in which answers were compared or scored already: several of them together make rows.

Which rows there are depends on whether the scheme judges groups of candidates: comparisons have a place only there, and
scores only where it does not. What has no place is counted.
"""

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, ClassVar, NamedTuple

from annotation_platform.core.schemes import BestOfAspect, RatedAspect, Scheme
from annotation_platform.core.schemes.aspects import TIE
from annotation_platform.corpus.importers.fields import judged_fields
from annotation_platform.corpus.importers.format import Options, Preview
from annotation_platform.corpus.importers.mistakes import Mistakes, reason_of, wrong_at
from annotation_platform.corpus.importers.previews import shortened
from annotation_platform.corpus.importers.row_reader import RowReader
from annotation_platform.corpus.importers.rows import COLUMNS_FROM, Row, RowFile
from annotation_platform.corpus.importers.study import Entry, ImportedAnswer, LeftOut, Origin
from annotation_platform.corpus.importers.table import Table

WINNER, ANNOTATOR = "winner", "annotator"
JUDGED = (WINNER, ANNOTATOR, "score", "replicate", "judgment", "judged_at")


class Composed(NamedTuple):
    """A row, where it comes from, and the numbers of its answers in the order in which whoever judged saw them."""

    file: int
    line: int
    cells: Mapping[str, Any]
    presented: Sequence[int] = ()


class ComparisonReader(RowReader):
    """Reads rows that say in which order their answers were shown."""

    presented: Sequence[int] = ()

    def _presented(self, said: Mapping[str, Any]) -> list[int]:
        return [*self.presented]

    def _answers(self, said: Mapping[str, Any], article: str, question: str, origin: Origin) -> list[ImportedAnswer]:
        answers = super()._answers(said, article, question, origin)
        if not self.presented:
            return answers
        return [answer._replace(number=number) for number, answer in enumerate(answers, start=1)]


class Comparisons(Table):
    """The formats of such files."""

    in_folders: ClassVar[Sequence[str]] = (".jsonl",)

    def names_of_columns(self, scheme: Scheme) -> Mapping[str, str]:
        """A score is the only rated aspect of an answer, if there is one."""
        rated = [each.key for each in scheme.aspects if isinstance(each, RatedAspect) and each.per != "candidate"]
        return {**super().names_of_columns(scheme), **({"score": rated[0]} if len(rated) == 1 else {})}

    @abstractmethod
    def composed(
        self, sources: Sequence[RowFile], *, is_group: bool, mistakes: Mistakes
    ) -> Iterator[Composed | LeftOut]:
        """The rows of all files. With ``is_group`` those that are compared stand beside one another."""

    def preview(self, sources: Sequence[RowFile], options: Options) -> Preview:
        return self.preview_noted(self.note(sources, options), options)

    def note(self, sources: Sequence[RowFile], options: Options) -> dict[str, Any]:
        """The first rows for both kinds of schemes: which one is chosen may change between two previews."""
        first = {kind: self._first(sources, is_group=kind == "group") for kind in ("group", "alone")}
        return {"name": sources[0].name, **{kind: shortened(rows) for kind, rows in first.items()}}

    def preview_noted(self, noted: Mapping[str, Any], options: Options) -> Preview:
        is_group = not self.lacks_scheme(options) and self.scheme(options).judges_candidates
        return self._preview(noted["name"], noted["group" if is_group else "alone"], (), options)

    def _first(self, sources: Sequence[RowFile], *, is_group: bool) -> list[dict[str, Any]]:
        mistakes = Mistakes()
        rows = (each for each in self.composed(sources, is_group=is_group, mistakes=mistakes))
        found = [dict(each.cells) for each in islice((row for row in rows if isinstance(row, Composed)), COLUMNS_FROM)]
        if not found:
            mistakes.refuse()
        return found

    def _preview(
        self, name: str, rows: Sequence[Mapping[str, Any]], sheets: Sequence[str], options: Options
    ) -> Preview:
        """Without a field for what was judged, nobody needs to be named."""
        preview = super()._preview(name, rows, sheets, options)
        if self.lacks_scheme(options) or judged_fields(self.scheme(options), preview.fields) & {
            *preview.mapping.values()
        }:
            return preview
        return replace(
            preview, mapping={column: "" if column in JUDGED else field for column, field in preview.mapping.items()}
        )

    def reading(self, scheme: Scheme, options: Options, mapping: Mapping[str, str], mistakes: Mistakes) -> RowReader:
        return ComparisonReader(scheme, options.language, mapping, mistakes, values=options.values)

    def _entries(self, sources: Sequence[RowFile], reading: RowReader) -> Iterator[Entry]:
        scheme = reading.scheme
        has_tie = any(isinstance(each, BestOfAspect) and each.tie_label for each in scheme.aspects)
        for row in self.composed(sources, is_group=scheme.judges_candidates, mistakes=reading.mistakes):
            if isinstance(row, LeftOut):
                yield row
                continue
            cells = row.cells
            if cells.get(WINNER) == TIE and not has_tie:
                yield LeftOut("corpus.ties_without_place")
                cells = {column: None if column in JUDGED else value for column, value in cells.items()}
            assert isinstance(reading, ComparisonReader)
            reading.presented = row.presented
            try:
                yield from self.entries(reading, Origin(row.file, (row.line,)), Row(row.line, dict(cells)))
            except ValueError as error:
                reading.mistakes.add(wrong_at(sources[row.file].where((row.line,)), reason_of(error)))
        yield from reading.dropped()


def beside(
    first: Mapping[str, Any], second: Mapping[str, Any], shown: Sequence[int]
) -> tuple[dict[str, Any], list[int]]:
    """Two answers by their cells as one row, in the order of their systems' names, and the order they were shown in.

    Parameters
    ----------
    shown
        Which of the two stood first: [1, 2] or [2, 1].
    """
    is_turned = str(first["system"]) > str(second["system"])
    pair = (second, first) if is_turned else (first, second)
    cells = {f"{column}.{number}": value for number, each in enumerate(pair, 1) for column, value in each.items()}
    return cells, [3 - number if is_turned else number for number in shown]


def winner_of(said: str, names: Mapping[str, int], first: str, second: str) -> str:
    """The place of the better one among two systems in the order of their names, or a tie; "" for anything else."""
    if said.startswith(TIE):
        return TIE
    if said not in names:
        return ""
    return str(names[said] if first <= second else 3 - names[said])

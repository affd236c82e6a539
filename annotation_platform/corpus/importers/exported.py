"""The platform's own exports, read back as they were written: which column is what, and the reader of their rows.

What an export writes is taken as it is: nothing is spelled another way, no text is mended. A row is one annotator's
judgment of one answer, or of one candidate of a group. See docs/reference/export.md for the columns.
"""

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from typing import Any, ClassVar

from annotation_platform.core.reasons import Reason
from annotation_platform.core.schemes import (
    Aspect,
    BestOfAspect,
    RatedAspect,
    Scheme,
    SentencesAspect,
    SeveralAspect,
    SpansAspect,
)
from annotation_platform.core.schemes.aspects import CANNOT_JUDGE, FORCED, TIE
from annotation_platform.core.text import typed_number, unguarded
from annotation_platform.corpus.importers.cells import MARKS, NO, NOTHING, YES, documents_of, text_of, whole_of
from annotation_platform.corpus.importers.columns import suggested
from annotation_platform.corpus.importers.conversations import ANSWER_TURNS, QUESTION_TURNS
from annotation_platform.corpus.importers.fields import CANNOT_JUDGE_REASON_COLUMN, PRESENTED
from annotation_platform.corpus.importers.format import Field
from annotation_platform.corpus.importers.mistakes import RowError
from annotation_platform.corpus.importers.row_reader import ItemRead, RowReader
from annotation_platform.corpus.importers.rows import RowFile
from annotation_platform.corpus.importers.spelling import as_written, plain_text

REVISION = "revision"
SIGNS = frozenset({"item_id", REVISION, "scheme_version", "annotation_id"})  # no other table has all of these
# The columns of every export: what each of them is taken for ("": nothing, since a new study has its own).
ALWAYS = {
    **dict.fromkeys(("study", "scheme", "batch"), ""),
    **{name: name for name in ("article_id", "article_title", "question_id", "question", "anchor", "system")},
    "item_id": "",
    "answer": "answer",
    **{name: name for name in ("annotator", "replicate", "seconds")},
    REVISION: REVISION,
    "created_at": "judged_at",
    **dict.fromkeys(("scheme_version", "annotation_id", "under_earlier_rule"), ""),
}
TURNS = (QUESTION_TURNS, ANSWER_TURNS)  # where some of the corpus are conversations
SHOWN = ("choices", "reference_answers", "documents", "rationale")  # where the scheme shows them
OF_GROUPS = ("candidate", PRESENTED)
DRAW_PROBABILITY = "draw_probability"
IS_CURRENT = "is_current"  # where all revisions were exported
# What two exports of one scheme differ in: what each of them is taken for.
OPTIONAL = {DRAW_PROBABILITY: "", "metrics": "", **{name: name for name in (*TURNS, IS_CURRENT)}}
TITLES = {
    "question": "Question",
    "question_id": "The question's own name",
    "answer": "Answer",
    QUESTION_TURNS: "The conversation before the answer, as JSON",
    ANSWER_TURNS: "The turns to judge, as JSON",
    "rationale": "Explanation that came with the answer",
    "system": "System that answered",
    "choices": "Choices, one a line",
    "reference_answers": "Reference answers, one a line",
    "documents": "Names of the reference documents, one a line",
    "article": "Article: running text, or a list of sentences",
    "article_id": "The article's own name",
    "article_title": "The article's title",
    "article_source": "Where the article is from",
    "article_url": "The article's address",
    "anchor": "Number of the sentence that raised the question",
    "candidate": "The candidate's number in its group",
    PRESENTED: "The candidates' numbers in the order shown",
    "annotator": "Annotator's pseudonym",
    "replicate": "0, or 1, 2, … for repeated judgments",
    "seconds": "Time on task in seconds",
    "judged_at": "When it was judged",
    REVISION: "Number of the revision",
    IS_CURRENT: "Whether the revision counts",
}
CANNOT = (CANNOT_JUDGE, CANNOT_JUDGE_REASON_COLUMN)
NUMBER, COUNT = "number", "count"
PARTS = (NUMBER, COUNT, TIE, FORCED)
SCORE = re.compile(r"(.+?)_(explanation_score|score|source|run)")  # each scorer has these four for each aspect


def is_export(columns: Sequence[str]) -> bool:
    """Whether these are the columns of an export."""
    return set(columns) >= SIGNS


def aspect_columns(aspect: Aspect) -> Iterator[tuple[str, str]]:
    """The columns that an aspect has in an export before they are told apart, each with the slot that it holds."""
    yield aspect.key, aspect.key
    if isinstance(aspect, SentencesAspect | SeveralAspect | SpansAspect):
        yield f"{aspect.key}_{COUNT}", f"{aspect.key}.{COUNT}"
    elif isinstance(aspect, BestOfAspect):
        if aspect.tie_label:
            yield f"{aspect.key}_{TIE}", f"{aspect.key}.{TIE}"
        if aspect.forced_label:
            yield f"{aspect.key}_{FORCED}", f"{aspect.key}.{FORCED}"
    elif isinstance(aspect, RatedAspect):
        yield f"{aspect.key}_{NUMBER}", f"{aspect.key}.{NUMBER}"


def field_of_slot(slot: str) -> str:
    """What the field that holds a slot is called; apart from the fields of the item, whatever the aspect's key."""
    return f"aspect.{slot}"


def fields_of_export(scheme: Scheme) -> list[Field]:
    """The fields that a column of an export can hold under a scheme."""
    needed = {"question", "annotator"} | {"answer"} & scheme.parts.keys() | {"rationale"} & scheme.parts.keys()
    if scheme.judges_candidates:
        needed |= {"answer", "system"}
    beside = {part for part in SHOWN if part not in scheme.parts}
    beside |= set() if scheme.judges_candidates else set(OF_GROUPS)
    fields = [Field(key, title, key in needed) for key, title in TITLES.items() if key not in beside]
    for aspect in scheme.aspects:
        what = {COUNT: "how many", TIE: getattr(aspect, "tie_label", ""), FORCED: getattr(aspect, "forced_label", "")}
        for _, slot in aspect_columns(aspect):
            _, _, part = slot.partition(".")
            if part != NUMBER:
                fields.append(Field(field_of_slot(slot), f"{aspect.title} ({what[part]})" if part else aspect.title))
    if scheme.cannot_judge:
        fields.append(Field(CANNOT_JUDGE, scheme.cannot_judge))
        fields.append(Field(CANNOT_JUDGE_REASON_COLUMN, f"Why: {scheme.cannot_judge}"))
    return fields


def columns_of_slots(scheme: Scheme, columns: Collection[str]) -> dict[str, str]:
    """Slot → the column of an export that holds it, also what the export works out (``x.number`` of an aspect ``x``).

    A name that is taken has ``aspect_`` before it, as the export writes it: by a column of every such export, by one
    that this export has, or by an aspect before.
    """
    slots = [(name, slot) for aspect in scheme.aspects for name, slot in aspect_columns(aspect)]
    if scheme.cannot_judge:
        slots += [(name, name) for name in CANNOT]
    taken = {*_always(scheme)}
    # One that has such a column has another name for an aspect which is called so.
    named = {name for name, _ in slots}
    taken |= {name for name in OPTIONAL if name in columns and (name not in named or f"aspect_{name}" in columns)}
    found = {}
    for name, slot in slots:
        while name in taken:
            name = f"aspect_{name}"
        taken.add(name)
        found[slot] = name
    return found


def _always(scheme: Scheme) -> dict[str, str]:
    """The columns of the item in every export under a scheme, each with what it is taken for."""
    beside = [*(part for part in SHOWN if part in scheme.parts), *(OF_GROUPS if scheme.judges_candidates else ())]
    return ALWAYS | {name: name for name in beside}


def columns_of_export(scheme: Scheme, columns: Sequence[str], chosen: Mapping[str, str]) -> dict[str, str]:
    """Column → field, "" for what is not taken. ``chosen`` by hand is stronger than what the layout says.

    A column that somebody has added is taken for the field of its name.
    """
    fields = {field.key for field in fields_of_export(scheme)}
    known = OPTIONAL | _always(scheme)
    for slot, column in columns_of_slots(scheme, columns).items():
        field = slot if slot in CANNOT else field_of_slot(slot)
        known[column] = field if field in fields else ""
    mapping = {column: chosen.get(column, known.get(column, "")) for column in columns}
    free = fields - set(mapping.values())
    added = [column for column in columns if column not in known and column not in chosen and column in free]
    return mapping | {column: suggested(column, free, {}) for column in added}


class ExportReader(RowReader):
    """Reads the rows of an export."""

    may_be_silent: ClassVar[bool] = True  # where every aspect may be left open, or was never asked

    def _slots_by_field(self) -> dict[str, str]:
        slots = [slot for aspect in self.scheme.aspects for _, slot in aspect_columns(aspect)]
        return {field_of_slot(slot): slot for slot in slots if field_of_slot(slot) in self._fields}

    def left_out(self, cells: Mapping[str, Any]) -> str:
        said = {field: cells.get(self._fields.get(field, "")) for field in (IS_CURRENT, REVISION)}
        said = {field: value for field, value in said.items() if value not in NOTHING}
        if IS_CURRENT in said and not self._is_marked(said, IS_CURRENT):
            return "corpus.revisions_replaced"
        if self._whole(said, REVISION, least=1) not in (None, 1):
            self._dropped["corpus.revisions_renumbered", ""] += 1
        return ""

    def _dropped_as(self, column: str) -> tuple[str, str]:
        """What a new study has of its own, or works out again, is not missed."""
        if column in ALWAYS or column == DRAW_PROBABILITY or column in self._follow:
            return "", ""
        if found := SCORE.fullmatch(column):
            return ("corpus.scores_of_export" if found[2] == "score" else ""), ""
        return super()._dropped_as(column)

    @cached_property
    def _follow(self) -> frozenset[str]:
        """Columns that follow from others, whatever has come before their names."""
        names = [f"{aspect.key}_{NUMBER}" for aspect in self.scheme.aspects if isinstance(aspect, RatedAspect)]
        return frozenset(f"{before}{name}" for name in names for before in ("", "aspect_"))

    def warnings(self, rows: Sequence[Mapping[str, Any]]) -> list[Reason]:
        """Whether the file comes from a study under another scheme or another version of it, and what of it is lost."""
        told = [
            Reason("corpus.export_of_other_scheme", other=key, key=self.scheme.key)
            for key in dict.fromkeys(str(row.get("scheme") or "") for row in rows)
            if key not in ("", self.scheme.key)
        ]
        strange = [column for column in self._no_field if self._dropped_as(column)[0] == "corpus.column_for_nothing"]
        parts = {f"{column}_{part}" for column in strange for part in PARTS}  # an aspect's own name says it all
        if columns := [Reason("words.quoted", words=column) for column in strange if column not in parts]:
            told.append(Reason("corpus.export_of_other_aspects", columns=columns))
        return told

    def begin(self, source: RowFile) -> None:
        self._is_guarded = source.is_for_spreadsheets

    def _cell(self, value: Any, is_running: bool) -> Any:
        return unguarded(value) if self._is_guarded and isinstance(value, str) else value

    # --- Parts of the item -------------------------------------------------------------------------------

    def _listed(self, said: Mapping[str, Any], field: str) -> list[Any]:
        """Texts, one a line; as JSON where one of them has several lines."""
        given = said.get(field, [])
        if isinstance(given, str) and given.startswith('["'):
            with suppress(ValueError):  # a text that begins so
                given = json.loads(given)
        return given if isinstance(given, list) else text_of(said, field).split("\n")

    def _documents(self, said: Mapping[str, Any]) -> list[Any]:
        """Names of articles, one a line; or whole documents, where somebody has put them there."""
        given = said.get("documents")
        is_named = isinstance(given, str) and not given.startswith(("[", "{"))
        return [{"id": name} for name in given.split("\n")] if is_named and given else documents_of(given)

    # --- The judgment ------------------------------------------------------------------------------------

    def _values(self, said: Mapping[str, Any], item: ItemRead) -> dict[str, Any]:
        values: dict[str, Any] = {}
        system = item.systems[0]
        for aspect in self.scheme.aspects:
            value = self._value(aspect, said, system)
            if value is not None:
                values[aspect.key] = {system: value} if aspect.per == "candidate" else value
            if self._is_marked(said, field_of_slot(f"{aspect.key}.{FORCED}")):
                values[f"{aspect.key}.{FORCED}"] = True
        return values

    def _value(self, aspect: Aspect, said: Mapping[str, Any], system: str) -> Any:
        """What a row says to an aspect, as a form would send it; None for nothing."""
        field = field_of_slot(aspect.key)
        if isinstance(aspect, SentencesAspect | SeveralAspect):
            if field not in said:
                count = self._whole(said, field_of_slot(f"{aspect.key}.{COUNT}"), least=0)
                return [] if count == 0 else None  # said to be none, or never asked
            words = words_of(said[field])
            if aspect.kind != "sentences":
                return words
            return [word if (number := typed_number(word)) is None else number for word in words]
        if field not in said:
            return None
        if isinstance(aspect, SpansAspect):
            return said[field] if isinstance(said[field], list) else text_of(said, field)
        if isinstance(aspect, BestOfAspect):  # of one candidate; whether it is the best, or as good as the others
            is_tie = self._is_marked(said, field_of_slot(f"{aspect.key}.{TIE}"))
            return {system: TIE if is_tie else YES if self._is_marked(said, field) else NO}
        return text_of(said, field)

    def _presented(self, said: Mapping[str, Any]) -> list[int]:
        words = words_of(said.get(PRESENTED, []))
        order = [number for word in words if (number := typed_number(word)) is not None]
        if len(order) < len(words):
            raise RowError("corpus.no_order", field=self._fields[PRESENTED], value=" ".join(words)[:40])
        return order

    def _is_marked(self, said: Mapping[str, Any], field: str) -> bool:
        if field not in said:
            return False
        mark = as_written(said[field])
        if mark not in MARKS:
            raise RowError("corpus.no_mark", field=self._fields[field], mark=mark[:40])
        return MARKS[mark]

    def _whole(self, said: Mapping[str, Any], field: str, *, least: int) -> int | None:
        return whole_of({self._fields[field]: said[field]}, self._fields[field], least=least) if field in said else None


def words_of(given: Any) -> list[str]:
    """The words of a list: as JSON has it, or with blanks between."""
    return [plain_text(word) for word in given] if isinstance(given, list) else plain_text(given).split()

"""Rows as entries: what a row says of its item, and the judgment that it may hold."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any, ClassVar, NamedTuple

from annotation_platform.core.reasons import Reason
from annotation_platform.core.schemes import BestOfAspect, Scheme
from annotation_platform.core.schemes.aspects import CANNOT_JUDGE, CANNOT_JUDGE_REASON
from annotation_platform.core.text import split_sentences
from annotation_platform.corpus.importers.cells import (
    MARKS,
    NO,
    NOTHING,
    YES,
    as_meant,
    broken,
    digest,
    documents_of,
    names_beside,
    text_of,
    trimmed,
    whole_of,
)
from annotation_platform.corpus.importers.conversations import (
    ANSWER_TURNS,
    QUESTION_TURNS,
    exchange_of,
    is_conversation,
    list_of_messages,
    told_by,
    turns_in,
)
from annotation_platform.corpus.importers.mistakes import ImportFileError, Mistakes, RowError
from annotation_platform.corpus.importers.rows import RowFile
from annotation_platform.corpus.importers.spelling import as_written, list_of, moment_of, number_of
from annotation_platform.corpus.importers.study import (
    NO_DOCUMENT,
    Entry,
    ImportedAnswer,
    ImportedArticle,
    ImportedJudgment,
    ImportedQuestion,
    LeftOut,
    Origin,
)

MOST_BESIDE = 8  # candidates or choices in numbered columns
MOST_CHOICES = 26  # they are named a to z
MOST_CUT = 50_000  # texts that are remembered, so as not to cut them again
MOST_DROPPED = 20  # columns that are told by name
RUNNING = ("question", "answer", "rationale", "article")  # fields of text that goes over lines
CANNOT_JUDGE_REASON_COLUMN = f"{CANNOT_JUDGE}_reason"  # as exports call it
PRESENTED = "presented"
NO_REASON = "The imported file gives no reason."
ONE_ANSWER = "answer"  # the system where no column names it


class ItemRead(NamedTuple):
    """The item that a row is about, and the entries that say so."""

    article: str
    question: str
    systems: list[str]
    entries: list[Entry]


class RowReader:
    """Turns rows into entries, under one scheme and one choice of columns."""

    def __init__(
        self,
        scheme: Scheme,
        language: str,
        mapping: Mapping[str, str],
        mistakes: Mistakes,
        *,
        row_is_question: bool = False,
        values: Mapping[str, Mapping[str, str]] | None = None,
    ) -> None:
        self.mistakes = mistakes
        self.scheme = scheme
        self._language = language
        self._row_is_question = row_is_question
        self._columns = mapping.keys()
        self._dropped: Counter[tuple[str, str]] = Counter()
        self._no_field = [column for column, field in mapping.items() if not field]
        self._fields = {field: column for column, field in mapping.items() if field}
        meant = {
            column: {as_written(written): meant for written, meant in taken.items()}
            for column, taken in (values or {}).items()
        }
        self._read = [
            (field, column, field.partition(".")[0] in RUNNING, meant.get(column))
            for field, column in self._fields.items()
        ]
        self._choices_beside, self._answers_beside = (
            [n for n in range(1, MOST_BESIDE + 1) if any(f"{part}.{n}" in self._fields for part in parts)]
            for parts in (("choice",), ("answer", "conversation"))
        )
        self._of_turns: Counter[tuple[str, tuple[tuple[str, Any], ...]]] = Counter()
        self._cut: dict[bytes, str] = {}
        self._aspects = self._slots_by_field()
        self._has_judgments = bool(self._aspects) or CANNOT_JUDGE in self._fields
        if self._has_judgments and "annotator" not in self._fields and not self.tells_annotators:
            raise ImportFileError([Reason("corpus.no_column_of_annotators")])
        if not self._has_judgments and "annotator" in self._fields:
            column, keys = self._fields["annotator"], [aspect.key for aspect in scheme.aspects]
            raise ImportFileError([Reason("corpus.no_column_of_judgments", column=column, keys=keys)])

    tells_annotators: ClassVar[bool] = False
    """Whether the format itself says who judged, so that no column needs to."""
    may_be_silent: ClassVar[bool] = False
    """Whether a row with an annotator is a judgment even where it says nothing."""

    def _slots_by_field(self) -> dict[str, str]:
        return {
            field: slot
            for aspect in self.scheme.aspects
            for slot in (aspect.key, f"{aspect.key}.forced", *(f"{aspect.key}.{n}" for n in range(1, MOST_BESIDE + 1)))
            for field in (slot, f"aspect.{slot}")
            if field in self._fields and (field != slot or f"aspect.{slot}" not in self._fields)
        }

    @property
    def not_asked(self) -> frozenset[str]:
        """Aspects without a column were never asked for."""
        asked = {slot.partition(".")[0] for slot in self._aspects.values()}
        return frozenset(aspect.key for aspect in self.scheme.aspects) - asked

    @property
    def names(self) -> dict[str, str]:
        return {slot: self._fields[field] for field, slot in self._aspects.items()}

    @property
    def needs(self) -> frozenset[str]:
        """What an answer must have."""
        parts = set(self.scheme.parts)
        answer = {"text"} if parts & {"answer", "candidates"} else set()
        return frozenset(answer | ({"rationale"} & parts))

    def warnings(self, rows: Sequence[Mapping[str, Any]]) -> list[Reason]:
        """What the columns and the first rows show that is perhaps not meant."""
        return []

    def begin(self, source: RowFile) -> None:
        """Be told of the file whose rows come next."""

    def said(self, cells: Mapping[str, Any]) -> dict[str, Any]:
        """Field → what a row says there, blanks left out."""
        if strange := cells.keys() - self._columns:
            raise RowError("corpus.column_not_in_first_rows", column=sorted(strange)[0])
        for column in self._no_field:
            if trimmed(cells.get(column)) not in NOTHING:
                self._dropped[self._dropped_as(column)] += 1
        said = {}
        for field, column, is_running, meant in self._read:
            value = self._cell(cells.get(column), is_running)
            if meant:
                value = as_meant(meant, value)
            if value not in NOTHING:
                said[field] = value
        return self._with_turns(said)

    def _with_turns(self, said: dict[str, Any]) -> dict[str, Any]:
        """Question and answers of conversations, where a row has some; what else is in these is counted."""
        found = {field: exchange_of(list_of_messages(said[field])) for field in said if is_conversation(field)}
        for exchange in found.values():
            for what in exchange.left_out:
                self._of_turns[what.code, tuple(what.parameters.items())] += what.number
        return told_by(found, said) if found else said

    def _cell(self, value: Any, is_running: bool) -> Any:
        """What a cell says, perhaps a text that goes over lines."""
        return broken(trimmed(value)) if is_running else trimmed(value)

    def _dropped_as(self, column: str) -> tuple[str, str]:
        """Code and column of what the summary says of a value that is not taken; "" for what nobody misses."""
        return "corpus.column_for_nothing", column

    def dropped(self) -> Iterator[LeftOut]:
        """What of conversations is not taken, and the columns taken for nothing with how many rows say something."""
        for (code, parameters), number in self._of_turns.items():
            yield LeftOut(code, dict(parameters), number)
        most = [(what, count) for what, count in self._dropped.most_common() if what[0]]
        for (code, column), count in most[:MOST_DROPPED]:
            yield LeftOut(code, {"column": column} if column else {}, count)
        if rest := most[MOST_DROPPED:]:
            yield LeftOut("corpus.more_columns_for_nothing", {"count": len(rest)}, sum(count for _, count in rest))

    def left_out(self, cells: Mapping[str, Any]) -> str:
        """Why a row is left out as a whole, as a code; "" for one that is read."""
        return ""

    def item(self, said: Mapping[str, Any], origin: Origin) -> ItemRead:
        article = self._article(said, origin)
        documents = [self._document(each, origin) for each in self._documents(said)]
        text = text_of(said, "question")
        turns = turns_in(said.get(QUESTION_TURNS) or [])
        name = text_of(said, "question_id")
        if not name:
            if not text:
                raise RowError("corpus.question_blank")
            of_turns = [json.dumps(turns)] if turns else []
            own = digest(text, str(said.get("choices", "")), *of_turns)
            name = f"{origin.location[0]}" if self._row_is_question else own
            name = f"{origin.file + 1}-{name}" if self._row_is_question and origin.file else name
        choices = self._choices(said)
        question = ImportedQuestion(
            *(article.name, name, origin, text, whole_of(said, "anchor", least=1)),
            choices=choices,
            reference_answers=[str(each) for each in self._listed(said, "reference_answers")],
            documents=list(dict.fromkeys(document.name for document in documents)),
            may_repeat=not self._row_is_question,
            turns=turns,
        )
        answers = self._answers(said, article.name, name, origin)
        entries: list[Entry] = [article, *documents, question, *answers]
        return ItemRead(article.name, name, [answer.system for answer in answers], entries)

    def judgment(
        self,
        item: ItemRead,
        said: Mapping[str, Any],
        origin: Origin,
        *,
        annotator: str = "",
        replicate: int = 0,
        seconds: float | None = None,
        judged_at: Any = None,
    ) -> Iterator[ImportedJudgment]:
        """The judgment of a row, if it has one."""
        values = self._without_judgment(said) or self._values(said, item.systems)
        annotator = annotator or text_of(said, "annotator")
        if not annotator:
            if values:
                raise RowError("corpus.annotator_blank")
            return
        if not values and not self.may_be_silent:
            raise RowError("corpus.annotator_without_judgment", annotator=annotator)
        if seconds is None and "seconds" in said:
            seconds = number_of(said["seconds"])
            if seconds is None or not 0 <= seconds < float("inf"):
                raise RowError("corpus.no_seconds", seconds=str(said["seconds"])[:40])
        group, at = self.scheme.judges_candidates, judged_at or said.get("judged_at")
        moment = moment_of(at) if at else None
        if at and moment is None:
            raise RowError("corpus.no_moment", at=str(at)[:40])
        yield ImportedJudgment(
            *(item.article, item.question, "" if group else item.systems[0], annotator),
            values=values,
            origin=origin,
            replicate=replicate or whole_of(said, "replicate", least=0) or 0,
            seconds=seconds,
            goes_on=group and len(item.systems) == 1,
            judged_at=moment,
            presented=self._presented(said),
        )

    def _values(self, said: Mapping[str, Any], systems: Sequence[str]) -> dict[str, Any]:
        """What a row says to the aspects; in a group with candidates named by their systems."""
        values = {slot: said[field] for field, slot in self._aspects.items() if field in said}
        return self._by_system(values, systems) if self.scheme.judges_candidates else values

    def _presented(self, said: Mapping[str, Any]) -> list[int]:
        """The candidates' numbers in the order in which they were shown; nothing where the file does not tell."""
        return []

    def _without_judgment(self, said: Mapping[str, Any]) -> dict[str, Any]:
        """The answer "I cannot judge this" with its reason, which is then all that the row says; else nothing."""
        if not self.scheme.cannot_judge:
            return {}
        reason = text_of(said, CANNOT_JUDGE_REASON_COLUMN)
        mark = as_written(said[CANNOT_JUDGE]) if CANNOT_JUDGE in said else YES if reason else NO
        if mark not in MARKS:
            raise RowError("corpus.no_mark", field=CANNOT_JUDGE, mark=mark[:40])
        if not MARKS[mark]:
            return {}
        has_reasons = CANNOT_JUDGE_REASON_COLUMN in self._fields
        return {CANNOT_JUDGE: True, CANNOT_JUDGE_REASON: reason if has_reasons else NO_REASON}

    def _by_system(self, values: Mapping[str, Any], systems: Sequence[str]) -> dict[str, Any]:
        """A group's values with candidates named: by the row's own system, or by the number of the column."""
        per_candidate = {aspect.key for aspect in self.scheme.aspects if aspect.per == "candidate"}
        best = {aspect.key for aspect in self.scheme.aspects if isinstance(aspect, BestOfAspect)}
        beside = names_beside(systems) if len(systems) > 1 else {}
        named: dict[str, Any] = {}
        for slot, value in values.items():
            key, _, number = slot.partition(".")
            if slot in best and str(value) not in systems:  # 1 is the first answer of this row, not of another
                named[slot] = beside.get(as_written(value), value)
            elif key not in per_candidate:
                named[slot] = value
            elif not number and len(systems) > 1:
                raise RowError("corpus.slot_for_one_answer", slot=slot, count=len(systems))
            else:
                place = int(number or 1)
                if place > len(systems):
                    raise RowError("corpus.slot_without_answer", slot=slot, count=len(systems))
                named.setdefault(key, {})[systems[place - 1]] = value
        return named

    # --- Parts of the item -------------------------------------------------------------------------------

    def _article(self, said: Mapping[str, Any], origin: Origin) -> ImportedArticle:
        name, title, source, url = (
            text_of(said, field) for field in ("article_id", "article_title", "article_source", "article_url")
        )
        name, sentences = self._name_and_text(name, said.get("article"), "article")
        return ImportedArticle(name, origin, title, source, url, sentences, may_repeat=True)

    def _name_and_text(self, name: str, given: Any, column: str) -> tuple[str, Sequence[str]]:
        """An article's name and its text; one that was cut into sentences before is left blank, and not cut again."""
        key = sha256(f"{name}\n{given}".encode()).digest()
        if known := self._cut.get(key):
            return known, ()
        sentences = self._sentences(given, column) if given else []
        if len(self._cut) == MOST_CUT:
            self._cut.clear()
        name = self._cut[key] = name or (digest(*sentences) if sentences else NO_DOCUMENT)
        return name, sentences

    def _document(self, given: Any, origin: Origin) -> ImportedArticle:
        """A reference document: its text, or an object with text or sentences, and perhaps id, title and url."""
        if not isinstance(given, dict):
            given = {"text": given}
        if strange := sorted(set(given) - {"id", "title", "source", "url", "text", "sentences"}):
            raise RowError("corpus.document_unknown_key", key=strange[0])
        name, title, source, url = (str(given.get(part) or "") for part in ("id", "title", "source", "url"))
        called, sentences = self._name_and_text(name, given.get("sentences") or given.get("text"), "documents")
        if called == NO_DOCUMENT and not name:
            raise RowError("corpus.document_empty")
        return ImportedArticle(called, origin, title, source, url, sentences, may_repeat=True)

    def _sentences(self, given: Any, column: str) -> list[str]:
        listed = list_of(given) if isinstance(given, list) or str(given).startswith("[") else None
        if listed is not None and len(listed) != 1:
            return [str(sentence).strip() for sentence in listed if str(sentence).strip()]
        try:
            return split_sentences(str(given if listed is None else listed[0]), self._language)
        except ValueError:
            raise RowError("corpus.not_cut_into_sentences", column=column, language=self._language) from None

    def _listed(self, said: Mapping[str, Any], field: str) -> list[Any]:
        """The texts of a list in one cell."""
        return list_of(said.get(field, []), "|", "\n")

    def _documents(self, said: Mapping[str, Any]) -> list[Any]:
        """The reference documents: texts, or objects."""
        return documents_of(said.get("documents"))

    def _choices(self, said: Mapping[str, Any]) -> list[str]:
        beside = [text_of(said, f"choice.{n}") for n in self._choices_beside]
        choices = [str(each).strip() for each in self._listed(said, "choices")] or [*filter(None, beside)]
        if len(choices) > MOST_CHOICES:
            raise RowError("corpus.too_many_choices", count=len(choices), most=MOST_CHOICES)
        return choices

    def _answers(self, said: Mapping[str, Any], article: str, question: str, origin: Origin) -> list[ImportedAnswer]:
        beside = [
            ImportedAnswer(
                *(article, question, text_of(said, f"system.{n}") or f"{ONE_ANSWER} {n}", origin),
                *(text_of(said, f"answer.{n}"), "", True),
                turns=said.get(f"{ANSWER_TURNS}.{n}", ()),
            )
            for n in self._answers_beside
            if f"answer.{n}" in said
        ]
        if beside:
            return beside
        system = text_of(said, "system") or ONE_ANSWER
        text, rationale = self._answer(said), text_of(said, "rationale")
        return [
            ImportedAnswer(
                *(article, question, system, origin, text, rationale),
                may_repeat=not self._row_is_question,
                number=whole_of(said, "candidate", least=1),
                turns=turns_in(said.get(ANSWER_TURNS) or []),
            )
        ]

    def _answer(self, said: Mapping[str, Any]) -> str:
        return text_of(said, "answer")

"""Rows as entries: what a row says of its item, and the judgment that it may hold."""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar, NamedTuple

from annotation_platform.core.reasons import Reason
from annotation_platform.core.schemes import Scheme
from annotation_platform.core.schemes.aspects import CANNOT_JUDGE, CANNOT_JUDGE_REASON
from annotation_platform.corpus.importers.articles import ArticleReader
from annotation_platform.corpus.importers.cell_reader import CellReader
from annotation_platform.corpus.importers.cells import (
    MARKS,
    NO,
    YES,
    digest,
    documents_of,
    text_of,
    whole_of,
)
from annotation_platform.corpus.importers.conversations import (
    ANSWER_TURNS,
    QUESTION_TURNS,
    turns_in,
)
from annotation_platform.corpus.importers.fields import BESIDE, CANNOT_JUDGE_REASON_COLUMN
from annotation_platform.corpus.importers.groups import by_system
from annotation_platform.corpus.importers.mistakes import ImportFileError, Mistakes, RowError
from annotation_platform.corpus.importers.spelling import as_written, list_of, moment_of, number_of, plain_text
from annotation_platform.corpus.importers.study import (
    MOST_CHOICES,
    Entry,
    ImportedAnswer,
    ImportedJudgment,
    ImportedQuestion,
    Origin,
)

NO_REASON = "The imported file gives no reason."
AHEAD = timedelta(days=1)  # of a time without a zone, or by a clock that is fast
ONE_ANSWER = "answer"  # the system where no column names it


class ItemRead(NamedTuple):
    """The item that a row is about, and the entries that say so.

    ``places``: the number of each column with an answer → its system; empty where the answer has no number.
    """

    article: str
    question: str
    systems: list[str]
    entries: list[Entry]
    places: Mapping[int, str]


class RowReader(CellReader):
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
        super().__init__(mapping, values=values)
        self.mistakes = mistakes
        self.scheme = scheme
        self._row_is_question = row_is_question
        self._articles = ArticleReader(language)
        self._choices_beside, self._answers_beside = (
            [n for n in BESIDE if any(f"{part}.{n}" in self._fields for part in parts)]
            for parts in (("choice",), ("answer", "conversation"))
        )
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
            for slot in (aspect.key, f"{aspect.key}.forced", *(f"{aspect.key}.{n}" for n in BESIDE))
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

    def left_out(self, cells: Mapping[str, Any]) -> str:
        """Why a row is left out as a whole, as a code; "" for one that is read."""
        return ""

    def item(self, said: Mapping[str, Any], origin: Origin) -> ItemRead:
        article = self._articles.article(said, origin)
        documents = [self._articles.document(each, origin) for each in self._documents(said)]
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
            reference_answers=[text for each in self._listed(said, "reference_answers") if (text := plain_text(each))],
            documents=list(dict.fromkeys(document.name for document in documents)),
            may_repeat=not self._row_is_question,
            turns=turns,
        )
        answers = self._answers(said, article.name, name, origin)
        entries: list[Entry] = [article, *documents, question, *answers]
        systems = [answer.system for answer in answers]
        return ItemRead(article.name, name, systems, entries, dict(zip(self._places(said), systems, strict=False)))

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
        values = self._without_judgment(said) or self._values(said, item)
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
        if moment and moment > datetime.now(UTC) + AHEAD:
            raise RowError("corpus.moment_in_future", at=str(at)[:40], moment=f"{moment:%Y-%m-%d}")
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

    def _values(self, said: Mapping[str, Any], item: ItemRead) -> dict[str, Any]:
        """What a row says to the aspects; in a group with candidates named by their systems."""
        values = {slot: said[field] for field, slot in self._aspects.items() if field in said}
        return by_system(self.scheme, values, item.systems, item.places) if self.scheme.judges_candidates else values

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

    # --- Parts of the item -------------------------------------------------------------------------------

    def _listed(self, said: Mapping[str, Any], field: str) -> list[Any]:
        """The texts of a list in one cell; one that is missing is blank."""
        return ["" if each is None else each for each in list_of(said.get(field, []), "|", "\n")]

    def _documents(self, said: Mapping[str, Any]) -> list[Any]:
        """The reference documents: texts, or objects."""
        return documents_of(said.get("documents"))

    def _choices(self, said: Mapping[str, Any]) -> list[str]:
        beside = [text_of(said, f"choice.{n}") for n in self._choices_beside]
        choices = [plain_text(each).strip() for each in self._listed(said, "choices")] or beside
        while choices and not choices[-1]:
            choices.pop()
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
            for n in self._places(said)
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

    def _places(self, said: Mapping[str, Any]) -> list[int]:
        """The numbers of the columns in which a row has answers; one that is blank keeps its number to itself."""
        return [n for n in self._answers_beside if f"answer.{n}" in said]

    def _answer(self, said: Mapping[str, Any]) -> str:
        return text_of(said, "answer")

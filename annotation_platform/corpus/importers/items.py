"""Rows as entries: what a row says of its item, and the judgment that it may hold."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any, ClassVar, NamedTuple

from annotation_platform.core.reasons import Reason
from annotation_platform.core.schemes import BestOfAspect, Scheme
from annotation_platform.core.schemes.aspects import CANNOT_JUDGE, CANNOT_JUDGE_REASON, CHOICE_LETTERS
from annotation_platform.core.text import split_sentences
from annotation_platform.corpus.importers.mistakes import ImportFileError, Mistakes, RowError
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
SMALL = 32_767  # the largest number that the database's small columns hold
MOST_DROPPED = 20  # columns that are told by name
RUNNING = ("question", "answer", "rationale", "article")  # fields of text that goes over lines
BREAK = re.compile(r"[ \t]*(?:<br\s*/?>|&lt;br\s*/?&gt;)[ \t]*(?:\r?\n)?", re.IGNORECASE)
CANNOT_JUDGE_REASON_COLUMN = f"{CANNOT_JUDGE}_reason"  # as exports call it
YES, NO = "yes", "no"
MARKS = {**dict.fromkeys(("1", YES, "true", "x"), True), **dict.fromkeys(("0", NO, "false"), False)}
NO_REASON = "The imported file gives no reason."
ONE_ANSWER = "answer"  # the system where no column names it


class ItemRead(NamedTuple):
    """The item that a row is about, and the entries that say so."""

    article: str
    question: str
    systems: list[str]
    entries: list[Entry]


class Reading:
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
        self._dropped: Counter[str] = Counter()
        self._no_field = [column for column, field in mapping.items() if not field]
        self._fields = {field: column for column, field in mapping.items() if field}
        self._values = {
            column: {as_written(written): meant for written, meant in taken.items()}
            for column, taken in (values or {}).items()
        }
        self._aspects = {
            field: slot
            for aspect in scheme.aspects
            for slot in (aspect.key, f"{aspect.key}.forced", *(f"{aspect.key}.{n}" for n in range(1, MOST_BESIDE + 1)))
            for field in (slot, f"aspect.{slot}")
            if field in self._fields and (field != slot or f"aspect.{slot}" not in self._fields)
        }
        self._has_judgments = bool(self._aspects) or CANNOT_JUDGE in self._fields
        if self._has_judgments and "annotator" not in self._fields and not self.tells_annotators:
            raise ImportFileError([Reason("corpus.no_column_of_annotators")])

    tells_annotators: ClassVar[bool] = False
    """Whether the format itself says who judged, so that no column needs to."""

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

    def said(self, cells: Mapping[str, Any]) -> dict[str, Any]:
        """Field → what a row says there, blanks left out."""
        if strange := cells.keys() - self._columns:
            raise RowError("corpus.column_not_in_first_rows", column=sorted(strange)[0])
        self._dropped.update(column for column in self._no_field if _trimmed(cells.get(column)) not in (None, "", []))
        return {
            field: _broken(value) if field.partition(".")[0] in RUNNING else value
            for field, column in self._fields.items()
            if (value := self._meant(column, _trimmed(cells.get(column)))) not in (None, "", [])
        }

    def dropped(self) -> Iterator[LeftOut]:
        """The columns that were taken for nothing, with how many rows said something there."""
        most = self._dropped.most_common()
        for column, count in most[:MOST_DROPPED]:
            yield LeftOut(f"values of “{column}”, a column that is taken for nothing", count)
        if rest := most[MOST_DROPPED:]:
            yield LeftOut(f"values of {len(rest):,} more such columns", sum(count for _, count in rest))

    def _meant(self, column: str, value: Any) -> Any:
        """What a value stands for, where whoever imports has said so."""
        if (taken := self._values.get(column)) is None:
            return value
        if isinstance(value, list):
            return [self._meant(column, each) for each in value]
        return taken.get(as_written(value), value)

    def item(self, said: Mapping[str, Any], origin: Origin) -> ItemRead:
        article = self._article(said, origin)
        documents = [self._document(each, origin) for each in _documents(said.get("documents"))]
        text = _text(said, "question")
        name = _text(said, "question_id")
        if not name:
            if not text:
                raise RowError("corpus.question_blank")
            name = f"{origin.location[0]}" if self._row_is_question else _digest(text, str(said.get("choices", "")))
            name = f"{origin.file + 1}-{name}" if self._row_is_question and origin.file else name
        choices = self._choices(said)
        question = ImportedQuestion(
            *(article.name, name, origin, text, _whole(said, "anchor", least=1)),
            choices=choices,
            reference_answers=[str(each) for each in list_of(said.get("reference_answers", []), "|", "\n")],
            documents=list(dict.fromkeys(document.name for document in documents)),
            may_repeat=not self._row_is_question,
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
        values = {slot: said[field] for field, slot in self._aspects.items() if field in said}
        values = self._without_judgment(said) or values
        annotator = annotator or _text(said, "annotator")
        if not annotator:
            if values:
                raise RowError("corpus.annotator_blank")
            return
        if not values:
            keys = [aspect.key for aspect in self.scheme.aspects]
            advice = (
                Reason("corpus.add_judgment")
                if self._aspects or CANNOT_JUDGE in self._fields
                else Reason("corpus.say_column_of_judgments", keys=keys)
            )
            raise RowError("corpus.annotator_without_judgment", annotator=annotator, advice=advice)
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
            values=self._by_system(values, item.systems) if group else values,
            origin=origin,
            replicate=replicate or _whole(said, "replicate", least=0) or 0,
            seconds=seconds,
            goes_on=group and len(item.systems) == 1,
            judged_at=moment,
        )

    def _without_judgment(self, said: Mapping[str, Any]) -> dict[str, Any]:
        """The answer "I cannot judge this" with its reason, which is then all that the row says; else nothing."""
        if not self.scheme.cannot_judge:
            return {}
        reason = _text(said, CANNOT_JUDGE_REASON_COLUMN)
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
        sentences = self._sentences(said["article"], "article") if "article" in said else []
        name = _text(said, "article_id") or (_digest(*sentences) if sentences else NO_DOCUMENT)
        title, source, url = (_text(said, f"article_{part}") for part in ("title", "source", "url"))
        return ImportedArticle(name, origin, title, source, url, sentences, may_repeat=True)

    def _document(self, given: Any, origin: Origin) -> ImportedArticle:
        """A reference document: its text, or an object with text or sentences, and perhaps id, title and url."""
        if not isinstance(given, dict):
            given = {"text": given}
        if strange := sorted(set(given) - {"id", "title", "source", "url", "text", "sentences"}):
            raise RowError("corpus.document_unknown_key", key=strange[0])
        sentences = self._sentences(given.get("sentences") or given.get("text") or [], "documents")
        if not sentences and not given.get("id"):
            raise RowError("corpus.document_empty")
        name = str(given.get("id") or _digest(*sentences))
        title, source, url = (str(given.get(part) or "") for part in ("title", "source", "url"))
        return ImportedArticle(name, origin, title, source, url, sentences, may_repeat=True)

    def _sentences(self, given: Any, column: str) -> list[str]:
        listed = list_of(given) if isinstance(given, list) or str(given).startswith("[") else None
        if listed is not None and len(listed) != 1:
            return [str(sentence).strip() for sentence in listed if str(sentence).strip()]
        try:
            return split_sentences(str(given if listed is None else listed[0]), self._language)
        except ValueError:
            raise RowError("corpus.not_cut_into_sentences", column=column, language=self._language) from None

    def _choices(self, said: Mapping[str, Any]) -> list[str]:
        beside = [_text(said, f"choice.{n}") for n in range(1, MOST_BESIDE + 1)]
        choices = [str(each).strip() for each in list_of(said.get("choices", []), "|", "\n")] or list(
            filter(None, beside)
        )
        if len(choices) > MOST_CHOICES:
            raise RowError("corpus.too_many_choices", count=len(choices), most=MOST_CHOICES)
        return choices

    def _answers(self, said: Mapping[str, Any], article: str, question: str, origin: Origin) -> list[ImportedAnswer]:
        beside = [
            ImportedAnswer(
                *(article, question, _text(said, f"system.{n}") or f"{ONE_ANSWER} {n}", origin),
                *(_text(said, f"answer.{n}"), "", True),
            )
            for n in range(1, MOST_BESIDE + 1)
            if f"answer.{n}" in said
        ]
        if beside:
            return beside
        system = _text(said, "system") or ONE_ANSWER
        text, rationale = self._answer(said), _text(said, "rationale")
        return [
            ImportedAnswer(article, question, system, origin, text, rationale, may_repeat=not self._row_is_question)
        ]

    def _answer(self, said: Mapping[str, Any]) -> str:
        return _text(said, "answer")


def names_beside(systems: Sequence[str]) -> dict[str, str]:
    """How the answers of one row may be named by their places: 1, a, model_a, response_a, … → the system."""
    return {
        name: system
        for n, (letter, system) in enumerate(zip(CHOICE_LETTERS, systems, strict=False), start=1)
        for name in (str(n), letter, *(f"{kind}_{letter}" for kind in ("model", "response", "answer", "output")))
    }


def _text(said: Mapping[str, Any], field: str) -> str:
    value = said.get(field, "")
    if isinstance(value, dict | list):
        raise RowError("corpus.value_no_text", field=field)
    return f"{value:g}" if isinstance(value, float) else str(value)


def _whole(said: Mapping[str, Any], field: str, *, least: int) -> int | None:
    """A whole number in a field; None when it is blank."""
    if field not in said:
        return None
    number = number_of(said[field])
    if number is None or number != int(number) or not least <= number <= SMALL:
        raise RowError(
            "corpus.value_no_whole_number", field=field, value=str(said[field])[:40], least=least, most=SMALL
        )
    return int(number)


def _documents(given: Any) -> list[Any]:
    return [] if given is None else [given] if isinstance(given, dict) else list_of(given)


def _broken(value: Any) -> Any:
    """A text in which the line breaks of a web page are those of a text."""
    return BREAK.sub("\n", value).strip() if isinstance(value, str) else value


def _trimmed(value: Any) -> Any:
    return value.strip() if isinstance(value, str) else value


def _digest(*texts: str) -> str:
    """A short name for what has none, the same for the same text."""
    return sha256("\n".join(texts).encode()).hexdigest()[:12]

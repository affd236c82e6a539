"""Where entries wait until all of them are known to be right: a private SQLite database that is gone when closed.

It has no name, so SQLite keeps it in memory while it is small and in a temporary file when it is not. What is read from
here (staged.py) is read in pages, so that neither reading nor storing a million rows needs more memory than a thousand.
"""

import json
import sqlite3
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any

from annotation_platform.core.reasons import Reason
from annotation_platform.core.text import EMAIL
from annotation_platform.corpus.importers.mistakes import Mistakes, wrong_at
from annotation_platform.corpus.importers.study import (
    Entry,
    ImportedAnswer,
    ImportedArticle,
    ImportedJudgment,
    ImportedQuestion,
    LeftOut,
    Origin,
    Source,
)

LONGEST_TEXT = 1_000_000  # characters
LIMITS = {"name": 200, "system": 200, "annotator": 60, "title": 500, "source": 500, "url": 500}  # as the models'
SHORTEST_LIMIT = min(LIMITS.values())
PARTS = {
    "title": "corpus.part_title",
    "source": "corpus.part_source",
    "url": "corpus.part_url",
    "text": "corpus.part_text",
    "question": "corpus.part_question",
    "candidate": "corpus.part_candidate",
    "anchor": "corpus.part_anchor",
    "choices": "corpus.part_choices",
    "reference_answers": "corpus.part_reference_answers",
    "documents": "corpus.part_documents",
    "answer": "corpus.an_answer",
    "rationale": "corpus.part_rationale",
    "turns": "corpus.part_turns",
}
TABLES = """
CREATE TABLE article (id INTEGER PRIMARY KEY, name TEXT UNIQUE, title TEXT, source TEXT, url TEXT, sentences TEXT,
    sentence_count INTEGER, digest TEXT, file INTEGER, location TEXT, pk INTEGER);
CREATE TABLE question (id INTEGER PRIMARY KEY, article INTEGER, position INTEGER, name TEXT, text TEXT, anchor INTEGER,
    choices TEXT, reference_answers TEXT, documents TEXT, turns TEXT, file INTEGER, location TEXT, pk INTEGER,
    UNIQUE (article, name));
CREATE TABLE answer (id INTEGER PRIMARY KEY, question INTEGER, system TEXT, text TEXT, rationale TEXT, called INTEGER,
    turns TEXT, traced TEXT, metrics TEXT, file INTEGER, location TEXT, pk INTEGER, item INTEGER, hit INTEGER,
    number INTEGER, UNIQUE (question, system));
CREATE TABLE judgment (id INTEGER PRIMARY KEY, question INTEGER, answer INTEGER, annotator TEXT, replicate INTEGER,
    said TEXT, broken TEXT DEFAULT '[]', seconds REAL, replies TEXT, judged_at TEXT, presented TEXT, file INTEGER,
    location TEXT,
    UNIQUE (answer, annotator, replicate));
CREATE TABLE left_out (code TEXT, parameters TEXT, count INTEGER, PRIMARY KEY (code, parameters));
"""
WHEN_TAKEN = """
UPDATE question SET position = counted.position FROM
    (SELECT id, ROW_NUMBER() OVER (PARTITION BY article ORDER BY id) AS position FROM question) AS counted
    WHERE counted.id = question.id;
CREATE INDEX judgment_of_question ON judgment (question);
CREATE INDEX answer_by_key ON answer (pk);
CREATE INDEX answer_by_hit ON answer (hit);
CREATE INDEX article_by_source ON article (source);
"""


class Staging:
    """Takes entries, tells what is wrong with them by itself and beside each other, and gives them back in pages."""

    def __init__(self, sources: Sequence[Source], mistakes: Mistakes) -> None:
        self.mistakes = mistakes
        self._sources = sources
        self._said_last: dict[type, list[Any]] = {}
        self._last_article: tuple[str, int] | None = None
        self._last_question: tuple[tuple[str, str], int] | None = None
        self.rows = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        self.rows.executescript(
            f"PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -4000; {TABLES} BEGIN"
        )
        self.close = weakref.finalize(self, self.rows.close)

    def where(self, origin: Origin, *inner: str | int) -> str:
        return self._sources[origin.file].where((*origin.location, *inner))

    # --- Taking entries ----------------------------------------------------------------------------------

    def take(self, entries: Iterable[Entry]) -> None:
        """Take everything that a reader gives; what is wrong becomes a mistake."""
        for entry in entries:
            if isinstance(entry, LeftOut):
                self.rows.execute(
                    "INSERT INTO left_out VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET count = count + excluded.count",
                    (entry.code, json.dumps(dict(entry.parameters)), entry.number),
                )
            elif not self._is_said_again(entry) and self._is_storable(entry):
                if isinstance(entry, ImportedArticle):
                    self._take_article(entry)
                elif isinstance(entry, ImportedQuestion):
                    self._take_question(entry)
                elif isinstance(entry, ImportedAnswer):
                    self._take_answer(entry)
                else:
                    self._take_judgment(entry)
        self.rows.executescript(WHEN_TAKEN)

    def _is_said_again(self, entry: Any) -> bool:
        """Whether an entry says no more than the last one of its kind: the rows of one item mostly stand together."""
        kind = type(entry)
        if kind is ImportedJudgment:
            return False
        said = [part for part in entry if type(part) is not Origin]
        if said == self._said_last.get(kind):
            return bool(entry.may_repeat)
        self._said_last[kind] = said
        return False

    def _refuse(self, origin: Origin, reason: Reason, *inner: str | int) -> None:
        self.mistakes.add(wrong_at(self.where(origin, *inner), reason))

    def _is_storable(self, entry: Any) -> bool:
        """Whether every text has room where it will go."""
        for field, value in zip(entry._fields, entry, strict=True):
            if type(value) is str and len(value) > SHORTEST_LIMIT and len(value) > LIMITS.get(field, LONGEST_TEXT):
                most = LIMITS.get(field, LONGEST_TEXT)
                self._refuse(entry.origin, Reason("corpus.too_long", field=field, length=len(value), most=most))
                return False
            if field == "turns" and value and (length := len(json.dumps(value))) > LONGEST_TEXT:
                self._refuse(entry.origin, Reason("corpus.too_long", field=field, length=length, most=LONGEST_TEXT))
                return False
            if field == "annotator" and "@" in value and EMAIL.search(value):
                self._refuse(entry.origin, Reason("corpus.annotator_is_an_address", field=field))
                return False
        return True

    def _take_article(self, entry: ImportedArticle) -> None:
        sentences = _listed(entry.sentences)
        digest = sha256(sentences.encode()).hexdigest() if entry.sentences else ""
        if not self._added(
            "INSERT INTO article (name, title, source, url, sentences, sentence_count, digest, file, location)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
            *(entry.name, entry.title, entry.source, entry.url, sentences, len(entry.sentences), digest),
            *_stored(entry.origin),
        ):
            found = self.rows.execute(
                "SELECT file, location, title, source, url, digest FROM article WHERE name = ?", (entry.name,)
            ).fetchone()
            said = dict(zip(("title", "source", "url", "text"), (*entry[2:5], digest), strict=True))
            self._compare(entry, lambda: Reason("corpus.the_article", name=entry.name), found[:2], said, found[2:])

    def _take_question(self, entry: ImportedQuestion) -> None:
        article = self._article(entry.article)
        if article is None:
            return  # the article itself was refused
        lists = [_listed(each) for each in (entry.choices, entry.reference_answers, entry.documents)]
        turns = _turns(entry.turns)
        question = self._added(
            "INSERT INTO question (article, name, text, anchor, choices, reference_answers, documents, turns, file,"
            " location) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
            *(article, entry.name, entry.text, entry.anchor, *lists, turns, *_stored(entry.origin)),
        )
        if question:
            self._last_question = (entry.article, entry.name), question
        else:
            found = self.rows.execute(
                "SELECT file, location, text, anchor, choices, reference_answers, documents, turns FROM question"
                " WHERE article = ? AND name = ?",
                (article, entry.name),
            ).fetchone()
            names = ("question", "anchor", "choices", "reference_answers", "documents", "turns")
            said = dict(zip(names, (entry.text, entry.anchor, *lists, turns), strict=True))
            self._compare(entry, lambda: Reason("corpus.the_question", name=entry.name), found[:2], said, found[2:])

    def _take_answer(self, entry: ImportedAnswer) -> None:
        question = self._question(entry.article, entry.question)
        if question is None:
            return
        turns = _turns(entry.turns)
        traced = json.dumps(entry.traced) if entry.traced else None
        metrics = json.dumps({name: dict(found) for name, found in entry.metrics.items()}) if entry.metrics else None
        if not self._added(
            "INSERT INTO answer (question, system, text, rationale, called, turns, traced, metrics, file,"
            " location) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
            *(question, entry.system, entry.text, entry.rationale, entry.number, turns, traced, metrics),
            *_stored(entry.origin),
        ):
            found = self.rows.execute(
                "SELECT file, location, text, rationale, called, turns, id, metrics FROM answer"
                " WHERE question = ? AND system = ?",
                (question, entry.system),
            ).fetchone()
            said = {"answer": entry.text, "rationale": entry.rationale, "candidate": entry.number, "turns": turns}
            self._compare(entry, lambda: Reason("corpus.the_answer", system=entry.system), found[:2], said, found[2:6])
            if metrics and entry.may_repeat:
                self._join_metrics(found[6], found[7], json.loads(metrics))

    def _join_metrics(self, answer: int, before: str | None, now: Mapping[str, Mapping[str, Any]]) -> None:
        """Add what another row of the same answer says, such as lm-evaluation-harness's row of another filter."""
        joined = json.loads(before or "{}")
        for name, found in now.items():
            joined[name] = joined.get(name, {}) | found
        self.rows.execute("UPDATE answer SET metrics = ? WHERE id = ?", (json.dumps(joined), answer))

    def _added(self, insert: str, *values: Any) -> int:
        """The id of a new row; 0 where one of its name is there already."""
        cursor = self.rows.execute(insert, values)
        return cursor.lastrowid or 0 if cursor.rowcount else 0

    def _compare(
        self,
        entry: Any,
        named: Callable[[], Reason],
        first: Sequence[Any],
        said: dict[str, Any],
        before: Sequence[Any],
    ) -> None:
        """Refuse an entry that is there already, unless it may repeat and says nothing else than the first."""
        if not entry.may_repeat:
            there = self.where(origin_of(*first))
            self._refuse(entry.origin, Reason("corpus.there_already", name=named(), where=there))
            return
        for field, old in zip(said, before, strict=True):
            if said[field] not in ("", None, "[]", old):
                there = self.where(origin_of(*first))
                what = Reason(PARTS[field])
                self._refuse(entry.origin, Reason("corpus.said_otherwise", name=named(), what=what, where=there))

    def _take_judgment(self, entry: ImportedJudgment) -> None:
        question = self._question(entry.article, entry.question)
        if entry.system:
            answer = self._one("SELECT id FROM answer WHERE question = ? AND system = ?", question, entry.system)
        else:
            answer = self._one("SELECT MIN(id) FROM answer WHERE question = ?", question)
        if answer is None:
            named = Reason("corpus.answer_by", system=entry.system) if entry.system else Reason("corpus.an_answer")
            self._refuse(
                entry.origin,
                Reason("corpus.judged_unknown", named=named, question=entry.question, article=entry.article),
            )
            return
        try:
            said = json.dumps(dict(entry.values), allow_nan=False)
        except ValueError:
            self._refuse(entry.origin, Reason("corpus.value_infinite"))
            return
        place = (answer, entry.annotator, entry.replicate)
        found = self.rows.execute(
            "SELECT id, file, location, said FROM judgment WHERE answer = ? AND annotator = ? AND replicate = ?", place
        ).fetchone()
        if found is None:
            at = entry.judged_at and entry.judged_at.isoformat()
            self.rows.execute(
                "INSERT INTO judgment (question, answer, annotator, replicate, said, seconds, replies, judged_at,"
                " presented, file, location) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    *(question, *place, said, entry.seconds),
                    *(json.dumps(list(entry.replies)) if entry.replies else "[]", at),
                    *(json.dumps(list(entry.presented)), *_stored(entry.origin)),
                ),
            )
        elif entry.goes_on:
            self._go_on(entry, *found)
        else:
            before, now = json.loads(found[3]), json.loads(said)
            other = [key for key in dict.fromkeys([*before, *now]) if before.get(key) != now.get(key)]
            how = Reason("corpus.judged_otherwise", keys=other) if other else Reason("corpus.judged_the_same")
            there = self.where(origin_of(*found[1:3]))
            self._refuse(entry.origin, Reason("corpus.judged_already", annotator=entry.annotator, where=there, how=how))

    def _go_on(self, entry: ImportedJudgment, judgment: int, file: int, location: str, before_said: str) -> None:
        """Join what another row says of the same judgment."""
        said = json.loads(before_said)
        for key, value in entry.values.items():
            before = said.get(key)
            if isinstance(value, dict) and isinstance(before, dict):
                if twice := before.keys() & value.keys():
                    where, part = self.where(origin_of(file, location)), sorted(twice)[0]
                    again = Reason("corpus.part_judged_already", annotator=entry.annotator, part=part, where=where)
                    self._refuse(entry.origin, again, key)
                said[key] = value | before
            elif before is not None and before != value:
                where = self.where(origin_of(file, location))
                self._refuse(entry.origin, Reason("corpus.rows_contradict", where=where, before=before), key)
            else:
                said[key] = value
        self.rows.execute(
            "UPDATE judgment SET said = ?, seconds = COALESCE(seconds, ?) WHERE id = ?",
            (json.dumps(said), entry.seconds, judgment),
        )

    def _article(self, name: str) -> int | None:
        if self._last_article and self._last_article[0] == name:
            return self._last_article[1]
        if (found := self._one("SELECT id FROM article WHERE name = ?", name)) is not None:
            self._last_article = name, int(found)
        return found and int(found)

    def _question(self, article: str, name: str) -> int | None:
        if self._last_question and self._last_question[0] == (article, name):
            return self._last_question[1]
        found = self._one(
            "SELECT question.id FROM question JOIN article ON article.id = question.article"
            " WHERE article.name = ? AND question.name = ?",
            *(article, name),
        )
        if found is not None:
            self._last_question = (article, name), found
        return found and int(found)

    def _one(self, query: str, *values: Any) -> Any:
        found = self.rows.execute(query, values).fetchone()
        return found and found[0]


def _listed(texts: Sequence[str]) -> str:
    """A list as JSON; most of them are empty."""
    return json.dumps(list(texts)) if texts else "[]"


def _turns(turns: Sequence[Mapping[str, Any]]) -> str | None:
    return json.dumps(list(turns)) if turns else None


def _stored(origin: Origin) -> tuple[int, str]:
    is_row = len(origin.location) == 1 and type(origin.location[0]) is int  # which most are, and quickly written
    return origin.file, f"[{origin.location[0]}]" if is_row else json.dumps(origin.location)


def origin_of(file: int, location: str) -> Origin:
    return Origin(file, tuple(json.loads(location)))

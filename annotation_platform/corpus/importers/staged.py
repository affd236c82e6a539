"""A study that was read and waits to be stored: given in pages, with what its rows were stored as noted down."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cached_property
from itertools import chain, islice
from types import TracebackType
from typing import Any, NamedTuple, Self

from annotation_platform.core.reasons import Reason
from annotation_platform.core.schemes import ItemShape, Scheme, build_scheme
from annotation_platform.core.turns import Conversation
from annotation_platform.corpus.importers.staging import Staging
from annotation_platform.corpus.importers.study import Counts, Finished, Header, RecordedReply, Traced

PAGE = 500
MOST_IN_BATCH = 2_000  # HITs; one batch of a million would be hard to look at


class StagedArticle(NamedTuple):
    id: int
    name: str
    title: str
    source: str
    url: str
    sentences: list[str]


class StagedQuestion(NamedTuple):
    """``article_pk`` is the key under which its article was stored, once it was; so are other keys below.

    Choices and reference answers are lists as JSON, as they are stored, and so are turns; None where there are none.
    """

    id: int
    article_pk: int
    position: int
    name: str
    text: str
    anchor: int | None
    choices: str
    reference_answers: str
    turns: str | None


class StagedAnswer(NamedTuple):
    id: int
    question_pk: int
    system: str
    text: str
    rationale: str
    turns: str | None
    metrics: str | None
    traced: Traced | None


class StagedItem(NamedTuple):
    """A question with the answers that are judged together, all by the keys of their stored rows."""

    article_pk: int
    question_pk: int
    answers: list[int]


class StagedJudgment(NamedTuple):
    """A checked judgment. ``numbers``: place of an answer in its item in the file → the stored candidate's number.

    ``presented``: the stored numbers in the order shown, if the file tells; ``broken``: the keys of values that the
    scheme would not accept today.
    """

    annotator: str
    replicate: int
    values: dict[str, Any]
    seconds: float | None
    replies: list[RecordedReply]
    item: int
    hit: int
    shape: ItemShape
    numbers: dict[int, int]
    judged_at: datetime | None
    presented: list[int] | None
    broken: list[str]


class QuestionJudged(NamedTuple):
    """What the judgments of a question's answers are about. ``systems`` answered it, in the order of the file.

    ``called``: the candidate's number in the file → its system's place, from 1.
    """

    shape: ItemShape
    choices: list[str]
    systems: list[str]
    numbers: dict[int, int]
    called: dict[int, int]

    def with_texts(self, lengths: tuple[tuple[str, int], ...], turns: Conversation = ()) -> Self:
        """The same, with the lengths of the texts that can be marked, and the turns that can be cited."""
        return self._replace(shape=replace(self.shape, texts=lengths, turns=turns)) if lengths or turns else self


def _aspects(slots: Iterable[str]) -> frozenset[str]:
    return frozenset(slot.partition(".")[0] for slot in slots)


class ImportedStudy:
    """A whole study as it was read from files. Use it in a ``with`` block: its pages are in a temporary file."""

    def __init__(self, header: Header, staging: Staging) -> None:
        self.header = header
        self._close = staging.close
        self.rows = staging.rows
        self.where = staging.where
        self.lacking: Counter[str] = Counter()  # aspect's key → judgments of an export that lack what is asked

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()

    @cached_property
    def scheme(self) -> Scheme:
        return build_scheme(dict(self.header.definition))

    @cached_property
    def counts(self) -> Counts:
        return Counts(
            **{f"{table}s": self.one(f"SELECT COUNT(*) FROM {table}") for table in ("article", "question", "answer")},
            judgments=self.one("SELECT COUNT(*) FROM judgment"),
            annotators=self.one("SELECT COUNT(DISTINCT annotator) FROM judgment"),
            left_out={
                Reason(code, **json.loads(parameters)): count
                for code, parameters, count in self.rows.execute("SELECT code, parameters, count FROM left_out")
            },
        )

    @cached_property
    def blank_aspects(self) -> frozenset[str]:
        """Aspects that have columns, of which no row with a judgment says anything: so an export has those that were
        never asked for. Look at it before values are put into their canonical form."""
        said = self.rows.execute("SELECT DISTINCT each.key FROM judgment, json_each(judgment.said) AS each")
        return _aspects(self.header.names) - _aspects(key for (key,) in said)

    @property
    def not_asked(self) -> frozenset[str]:
        return self.header.not_asked | self.blank_aspects

    @property
    def usual_overlap(self) -> int | None:
        """How many judgments most of the judged items have."""
        per_item = "SELECT COUNT(*) AS judgments FROM judgment GROUP BY answer"
        usual = f"SELECT judgments FROM ({per_item}) GROUP BY judgments ORDER BY COUNT(*) DESC LIMIT 1"
        found: int | None = self.one(usual)
        return found

    @property
    def has_turns(self) -> bool:
        """Whether something of it is a conversation."""
        tables = ("question", "answer")
        return any(self.one(f"SELECT EXISTS (SELECT 1 FROM {table} WHERE turns IS NOT NULL)") for table in tables)

    @property
    def has_metrics(self) -> bool:
        """Whether an answer came with what automatic metrics say."""
        return bool(self.one("SELECT EXISTS (SELECT 1 FROM answer WHERE metrics IS NOT NULL)"))

    # --- What is to be stored ----------------------------------------------------------------------------

    def annotators(self) -> list[str]:
        return [name for (name,) in self.rows.execute("SELECT DISTINCT annotator FROM judgment ORDER BY annotator")]

    def systems(self) -> list[str]:
        """The systems in the order of their first answers."""
        return [name for (name,) in self.rows.execute("SELECT system FROM answer GROUP BY system ORDER BY MIN(id)")]

    def articles(self) -> Iterator[StagedArticle]:
        query = "SELECT id, name, title, source, url, sentences FROM article WHERE id > ? ORDER BY id"
        for row in self._paged(query, size=50):
            yield StagedArticle._make((*row[:5], json.loads(row[5])))

    def questions(self) -> Iterator[StagedQuestion]:
        query = (
            "SELECT q.id, a.pk, q.position, q.name, q.text, q.anchor, q.choices, q.reference_answers, q.turns"
            " FROM question q JOIN article a ON a.id = q.article WHERE q.id > ? ORDER BY q.id"
        )
        for row in self._paged(query):
            yield StagedQuestion._make(row)

    def references(self) -> Iterator[tuple[int, int, int]]:
        """Key of a question, key of an article that it refers to, and the number that this has there."""
        query = (
            "SELECT q.id, q.pk, a.pk, d.key + 1 FROM question q, json_each(q.documents) d"
            " JOIN article a ON a.name = d.value WHERE q.id > ? AND q.id <= ? ORDER BY q.id, d.key"
        )
        for first in range(0, self.one("SELECT COALESCE(MAX(id), 0) FROM question"), PAGE):
            for _, question, article, number in self.rows.execute(query, (first, first + PAGE)).fetchall():
                yield question, article, number

    def answers(self) -> Iterator[StagedAnswer]:
        query = (
            "SELECT a.id, q.pk, a.system, a.text, a.rationale, a.turns, a.metrics, a.traced FROM answer a"
            " JOIN question q ON q.id = a.question WHERE a.id > ? ORDER BY a.id"
        )
        for row in self._paged(query):
            traced = row[-1] and Traced(*json.loads(row[-1]))
            yield StagedAnswer._make((*row[:-1], traced))

    def finished_batches(self, size: int | None = None) -> Iterator[Iterator[StagedItem]]:
        """The items that nobody will judge any more, batch by batch; ``size``: the most HITs of one."""
        if self.header.finished is Finished.ALL:  # each source is a batch
            for (source,) in self.rows.execute(
                "SELECT source FROM article GROUP BY source ORDER BY MIN(id)"
            ).fetchall():
                of_source = self._items("q.article IN (SELECT id FROM article WHERE source = ?)", source)
                yield from _cut(of_source, size) if size else [of_source]
        elif self.header.finished is Finished.JUDGED:
            judged = self._items("EXISTS (SELECT 1 FROM judgment j WHERE j.question = q.id)")
            yield from _cut(judged, size or MOST_IN_BATCH)

    def _items(self, condition: str, *values: Any) -> Iterator[StagedItem]:
        group = self.scheme.judges_candidates
        query = f"SELECT q.id, q.pk, q.article FROM question q WHERE q.id > ? AND {condition} ORDER BY q.id"
        for question, pk, article in self._paged(query, *values):
            article_pk = self.one("SELECT pk FROM article WHERE id = ?", article)
            answers = self.rows.execute(
                "SELECT pk, EXISTS (SELECT 1 FROM judgment WHERE answer = answer.id) FROM answer"
                " WHERE question = ? ORDER BY id",
                (question,),
            ).fetchall()
            if group and answers:
                yield StagedItem(article_pk, pk, [key for key, _ in answers])
            elif not group:
                for key, is_judged in answers:
                    if is_judged or self.header.finished is Finished.ALL:
                        yield StagedItem(article_pk, pk, [key])

    def judgments(self) -> Iterator[StagedJudgment]:
        """The judgments by HIT, in the order of the files; their places must have been noted."""
        query = (
            "SELECT DISTINCT a.hit FROM answer a WHERE a.hit > ?"
            " AND EXISTS (SELECT 1 FROM judgment WHERE answer = a.id) ORDER BY a.hit"
        )
        for hits in self.pages(query):
            rows = self.rows.execute(
                "SELECT j.question, j.annotator, j.replicate, j.said, j.seconds, j.replies, a.item, a.hit,"
                " j.judged_at, j.presented, j.broken"
                " FROM answer a JOIN judgment j ON j.answer = a.id WHERE a.hit BETWEEN ? AND ? ORDER BY a.hit, j.id",
                (hits[0][0], hits[-1][0]),
            ).fetchall()
            questions = self.questions_judged({row[0] for row in rows})
            for question, annotator, replicate, said, seconds, replies, item, hit, at, shown, broken in rows:
                about = questions[question]
                recorded = [RecordedReply(*reply) for reply in json.loads(replies)]
                yield StagedJudgment(
                    *(annotator, replicate, json.loads(said), seconds, recorded, item, hit),
                    *(about.shape, about.numbers, datetime.fromisoformat(at) if at else None),
                    [about.numbers[about.called[number]] for number in json.loads(shown)] or None,
                    json.loads(broken),
                )

    def questions_judged(self, ids: Iterable[int]) -> dict[int, QuestionJudged]:
        """What the judgments of these questions are about."""
        group = self.scheme.judges_candidates
        wanted = json.dumps(sorted(ids))
        answers: dict[int, list[tuple[str, int, int | None]]] = {}
        for question, system, number, called in self.rows.execute(
            "SELECT question, system, number, called FROM answer"
            " WHERE question IN (SELECT value FROM json_each(?)) ORDER BY id",
            (wanted,),
        ):
            answers.setdefault(question, []).append((system, number, called))
        found = {}
        for question, sentences, choices, documents in self.rows.execute(
            "SELECT q.id, a.sentence_count, q.choices, q.documents FROM question q JOIN article a ON a.id = q.article"
            " WHERE q.id IN (SELECT value FROM json_each(?))",
            (wanted,),
        ).fetchall():
            given = answers[question]
            listed = json.loads(choices)
            found[question] = QuestionJudged(
                shape=ItemShape(sentences, self._lengths(documents), len(listed), len(given) if group else 1),
                choices=listed,
                systems=[system for system, _, _ in given],
                numbers={place: number for place, (_, number, _) in enumerate(given, start=1)} if group else {},
                called={called: place for place, (_, _, called) in enumerate(given, start=1) if called is not None},
            )
        return found

    def _lengths(self, documents: str) -> tuple[int, ...]:
        if documents == "[]":
            return ()
        return tuple(
            self.one("SELECT sentence_count FROM article WHERE name = ?", n) or 0 for n in json.loads(documents)
        )

    # --- What was stored ---------------------------------------------------------------------------------

    def note_keys(self, table: str, keys: Iterable[tuple[int, int]]) -> None:
        """Note under which key each row of a table was stored: pairs of key and id."""
        self.write(f"UPDATE {table} SET pk = ? WHERE id = ?", keys)

    def note_places(self, places: Iterable[tuple[int, int, int, int]]) -> None:
        """Note where answers are judged: item, HIT and candidate number of the answer with a key."""
        self.write("UPDATE answer SET item = ?, hit = ?, number = ? WHERE pk = ?", places)

    def one(self, query: str, *values: Any) -> Any:
        found = self.rows.execute(query, values).fetchone()
        return found and found[0]

    def _paged(self, query: str, *values: Any, size: int = PAGE) -> Iterator[Sequence[Any]]:
        return chain.from_iterable(self.pages(query, *values, size=size))

    def pages(self, query: str, *values: Any, size: int = PAGE) -> Iterator[list[Any]]:
        """The rows of a query for ids above one; read page by page, so that rows may be written between them."""
        last = 0
        while rows := self.rows.execute(f"{query} LIMIT {size}", (last, *values)).fetchall():
            yield rows
            last = rows[-1][0]

    def write(self, query: str, rows: Iterable[Sequence[Any]]) -> None:
        self.rows.execute("BEGIN")
        self.rows.executemany(query, rows)
        self.rows.execute("COMMIT")


def _cut(items: Iterator[StagedItem], size: int) -> Iterator[Iterator[StagedItem]]:
    while first := next(items, None):
        yield chain([first], islice(items, size - 1))

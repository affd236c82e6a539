"""The answers that a run is about, in blocks of whole items, for the methods that score what systems wrote."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from itertools import chain
from typing import Any, ClassVar, NamedTuple, ParamSpec, TypeVar

from django.db import IntegrityError, connection, transaction
from django.db.models import Max, QuerySet

from annotation_platform.core.errors import InvalidInputError
from annotation_platform.core.items import Answer, ItemTexts
from annotation_platform.core.reasons import Reason
from annotation_platform.core.schemes import Scheme
from annotation_platform.core.schemes.parts import Part
from annotation_platform.corpus.columns import copy_columns, insert_columns, rows_of
from annotation_platform.scoring.methods.contract import RunMethod
from annotation_platform.scoring.models import ItemScore, ScoringRun
from annotation_platform.studies.items import TextsSignature, item_text_blocks, texts_signature
from annotation_platform.studies.models import Candidate, Item, Study

P = ParamSpec("P")
T = TypeVar("T")

ITEMS = 500  # in a block
TEXTS: tuple[Part, ...] = ("question", "reference_answers", "answer", "rationale")


class GivenAnswer(NamedTuple):
    """An answer, and the item in which it is judged."""

    item: ItemTexts
    answer: Answer

    @property
    def references(self) -> tuple[str, ...]:
        """The reference answers that have words."""
        return tuple(filter(str.strip, self.item.reference_answers))


SPOKEN: Mapping[Part, str] = {
    "reference_answers": "scoring.reference_answers",
    "rationale": "scoring.rationales",
}
"""The codes of what sentences call the parts that a method may need."""


class AnswerMethod(RunMethod):
    """A method that scores all answers of a study, judged by people or not.

    ``shows`` are the parts that it needs beside them.
    """

    shows: ClassVar[tuple[Part, ...]] = ()
    called: ClassVar[str] = ""
    """The code of the title, where it has one."""
    counted = "answers"

    def check(self, study: Study) -> None:
        scheme = study.scheme()
        missing: list[Part] = [part for part in self.shows if part not in scheme.parts]
        if missing or not {"answer", "candidates"} & scheme.parts.keys():
            raise InvalidInputError(
                "scoring.parts_not_shown",
                method=Reason(self.called) if self.called else self.title,
                about=[Reason("scoring.answers"), *map(_spoken, self.shows)],
                study=study.name,
                missing=[*map(_spoken, missing)] or [Reason("scoring.answers")],
            )
        if not study.batches.exists():
            raise InvalidInputError("scoring.no_batches_to_score", study=study.name)

    def total(self, run: ScoringRun, scheme: Scheme) -> int:
        return Candidate.objects.filter(item__hit__batch__scoring_runs=run).count()

    def data_signature(self, run: ScoringRun) -> str:
        return texts_signature(_items(run), _parts(run))


def answer_blocks(
    run: ScoringRun,
    *,
    after: int = 0,
    items: int = ITEMS,
    parts: Collection[Part] = (),
    signed: TextsSignature | None = None,
) -> Iterator[list[GivenAnswer]]:
    """The answers of the run's batches, in the order of their items, from the item after ``after`` on.

    ``parts`` are needed of the items beside questions, answers, rationales and reference answers. With ``signed``, what
    is read is added to it.
    """
    for block in item_text_blocks(_items(run), {*_parts(run), *parts}, after=after, size=items):
        if signed is not None:
            signed.add(block)
        yield [GivenAnswer(item, answer) for item in block for answer in item.answers]


def _items(run: ScoringRun) -> QuerySet[Item]:
    return Item.objects.filter(hit__batch__scoring_runs=run)


def _parts(run: ScoringRun) -> tuple[Part, ...]:
    return (*TEXTS, "candidates") if run.study.scheme().judges_candidates else TEXTS


def last_scored(run: ScoringRun) -> int:
    """The last item that the run has scores of; 0 when there is none. Blocks are stored whole and in order."""
    found = ItemScore.objects.filter(run=run).aggregate(Max("item_id"))["item_id__max"]
    return int(found or 0)


def about(run: ScoringRun, each: GivenAnswer) -> dict[str, Any]:
    """The columns by which a score says whose it is."""
    return {"run": run, "item_id": each.item.id, "candidate": each.answer.number}


def store(scores: Iterable[ItemScore]) -> None:
    """Store a block's scores, all or none; of an item that was deleted meanwhile there are none."""
    given = list(scores)
    with transaction.atomic():
        there = _kept({each.item_id for each in given})
        kept = [each for each in given if each.item_id in there]
        ItemScore.objects.bulk_create(kept, ignore_conflicts=True, batch_size=2_000)


class ScoreColumns(NamedTuple):
    """Columns of `ItemScore`, for storing very many rows without a model of each: a list has a value for each row,
    anything else is said by all of them. ``details`` are JSON as text."""

    run: int
    item: list[int]
    candidate: list[int]
    aspect: str
    label: list[str] | str = ""
    value: list[float] | None = None
    reason: str = ""
    details: list[str] | None = None


ITEM = ScoreColumns._fields.index("item")


@contextmanager
def own_thread(name: str) -> Iterator[Executor]:
    """A thread with a connection of its own, where the database can write and read at once; elsewhere, and within a
    transaction, which no other connection sees, what it is given is done on the spot. Leaving waits for it.
    """
    if connection.vendor != "postgresql" or connection.in_atomic_block:
        yield _OnTheSpot()
        return
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix=name) as thread:
        try:
            yield thread
        finally:
            thread.submit(lambda: connection.close())  # the thread's own: who asks for it decides which it is


class _OnTheSpot(Executor):
    def submit(self, do: Callable[P, T], /, *args: P.args, **named: P.kwargs) -> Future[T]:
        done = Future[T]()
        try:
            done.set_result(do(*args, **named))
        except Exception as error:
            done.set_exception(error)
        return done


def ahead(blocks: Iterator[T], thread: Executor) -> Iterator[T]:
    """The same blocks, each of them read while the one before is worked on."""
    following = thread.submit(next, blocks, None)
    while (block := following.result()) is not None:
        following = thread.submit(next, blocks, None)
        yield block


class RowStore:
    """Stores the rows of one block while the next one is judged. One block at most is under way; leaving the thread's
    context waits for it.
    """

    def __init__(self, thread: Executor) -> None:
        self._thread = thread
        self._under_way: Future[int] | None = None

    def store(self, block: Sequence[ScoreColumns], count: int) -> int:
        """Store a block of ``count`` answers, all of its rows or none; gives how many more are stored by now."""
        before = self.finish()
        self._under_way = self._thread.submit(_stored, block, count)
        return before

    def finish(self) -> int:
        """Wait for the block that is under way; gives how many answers it has."""
        under_way, self._under_way = self._under_way, None
        return under_way.result() if under_way else 0


def _stored(block: Sequence[ScoreColumns], count: int) -> int:
    try:
        copy_columns(ItemScore, ScoreColumns._fields, block)
    except IntegrityError:  # another worker, which was taken for gone, has stored some; or an item was deleted
        with transaction.atomic():
            there = _kept({item for columns in block for item in columns.item})
            rows = [row for row in chain.from_iterable(map(rows_of, block)) if row[ITEM] in there]
            insert_columns(ItemScore, ScoreColumns._fields, rows, may_be_there=True)
    return count


def _kept(items: Collection[int]) -> set[int]:
    """Those of the items that are still there, and stay until the end of the transaction."""
    locked = Item.every.select_for_update(no_key=True).filter(pk__in=items)
    return set(locked.order_by("pk").values_list("pk", flat=True))


def _spoken(part: Part) -> str:
    return Reason(SPOKEN[part]) if part in SPOKEN else part.replace("_", " ") + ("" if part.endswith("s") else "s")

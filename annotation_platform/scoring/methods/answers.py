"""The answers that a run is about, in blocks of whole items, for the methods that score what systems wrote."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import astuple, dataclass
from hashlib import sha256
from typing import ClassVar

from django.db.models import Max

from annotation_platform.core.errors import InvalidInputError
from annotation_platform.core.schemes import Scheme
from annotation_platform.core.schemes.parts import Part
from annotation_platform.core.signature import canonical_json
from annotation_platform.corpus.models import Sentence
from annotation_platform.scoring.methods.contract import RunMethod
from annotation_platform.scoring.models import ItemScore, ScoringRun
from annotation_platform.studies.models import Candidate, Item, Study

ITEMS = 500  # in a block
_FIELDS = (
    "item_id",
    "number",
    "item__question_id",
    "item__question__article_id",
    "item__question__text",
    "item__question__reference_answers",
    "item__question__choices",
    "answer__text",
    "answer__rationale",
)


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """An answer with its question. ``candidate`` is 0 where the item is this one answer, as in people's ratings."""

    item_id: int
    candidate: int
    question_id: int
    article_id: int
    question: str
    references: tuple[str, ...]
    choices: tuple[str, ...]
    answer: str
    rationale: str


class AnswerMethod(RunMethod):
    """A method that scores all answers of a study, judged by people or not.

    ``shows`` are the parts that it needs beside them.
    """

    shows: ClassVar[tuple[Part, ...]] = ()
    counted = "answers"

    def check(self, study: Study) -> None:
        scheme = study.scheme()
        missing: list[Part] = [part for part in self.shows if part not in scheme.parts]
        if missing or not {"answer", "candidates"} & scheme.parts.keys():
            raise InvalidInputError(
                "scoring.parts_not_shown",
                method=self.title,
                about=["answers", *map(_spoken, self.shows)],
                study=study.name,
                missing=[*map(_spoken, missing)] or ["answers"],
            )
        if not study.batches.exists():
            raise InvalidInputError("scoring.no_batches_to_score", study=study.name)

    def total(self, run: ScoringRun, scheme: Scheme) -> int:
        return Candidate.objects.filter(item__hit__batch__scoring_runs=run).count()

    def data_signature(self, run: ScoringRun) -> str:
        """Over questions, references, choices, answers and rationales, in their order."""
        digest = sha256()
        for block in answer_blocks(run):
            for each in block:
                digest.update(canonical_json(astuple(each)).encode())
        return digest.hexdigest()


def answer_blocks(run: ScoringRun, *, after: int = 0, items: int = ITEMS) -> Iterator[list[GivenAnswer]]:
    """The answers of the run's batches, in the order of their items, from the item after ``after`` on.

    Two questions to the database a block, and no cursor stays open while it is worked on.
    """
    whole = not run.study.scheme().judges_candidates
    pages = Item.objects.filter(hit__batch__scoring_runs=run).order_by("pk").values_list("pk", flat=True)
    while page := list(pages.filter(pk__gt=after)[:items]):
        after = page[-1]
        rows = Candidate.objects.filter(item__in=page).order_by("item_id", "number").values_list(*_FIELDS)
        yield [
            GivenAnswer(
                item_id,
                0 if whole else number,
                question_id,
                article_id,
                question,
                tuple(text for text in references if text.strip()),
                tuple(choices),
                answer,
                rationale,
            )
            for item_id, number, question_id, article_id, question, references, choices, answer, rationale in rows
        ]


def last_scored(run: ScoringRun) -> int:
    """The last item that the run has scores of; 0 when there is none. Blocks are stored whole and in order."""
    found = ItemScore.objects.filter(run=run).aggregate(Max("item_id"))["item_id__max"]
    return int(found or 0)


def store(scores: Iterable[ItemScore]) -> None:
    """Store a block's scores, all or none."""
    ItemScore.objects.bulk_create(list(scores), ignore_conflicts=True, batch_size=2_000)


def documents_of(answers: Iterable[GivenAnswer]) -> dict[int, str]:
    """The texts of the documents behind some answers, by article."""
    sentences: dict[int, list[str]] = defaultdict(list)
    articles = {each.article_id for each in answers}
    for article, text in (
        Sentence.objects.filter(article__in=articles).order_by("number").values_list("article_id", "text")
    ):
        sentences[article].append(text)
    return {article: " ".join(texts) for article, texts in sentences.items()}


def _spoken(part: str) -> str:
    return part.replace("_", " ") + ("" if part.endswith("s") else "s")

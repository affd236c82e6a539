"""The scorer that asks a language model about the judgments worth their price, and has a rescaler learn the rest."""

from collections import Counter
from collections.abc import Generator, Iterable, Iterator
from dataclasses import replace
from hashlib import sha256
from math import ceil
from typing import Any

from annotation_platform.core.errors import InvalidInputError
from annotation_platform.core.schemes import RatedAspect
from annotation_platform.scoring.methods.ebr.parameters import HybridParameters
from annotation_platform.scoring.methods.ebr.scorers import Explained, JudgmentReading, ModelScorer, scale_numbers
from annotation_platform.scoring.models import Completion, ScoringRun
from annotation_platform.studies.models import Item

PAGE = 2_000


class HybridScorer:
    """A share of the judgments goes to the language model, chosen round by round; the others get predictions.

    What a reply gives no f for gets one too, and says why. The choice is seeded and replies are stored, so that a run
    which is taken up again chooses, asks and predicts the same.
    """

    def __init__(self, parameters: HybridParameters, aspect: RatedAspect, run: ScoringRun) -> None:
        self._parameters = parameters
        self._model = ModelScorer(parameters, aspect, run)
        self._numbers = scale_numbers(aspect.scale)
        self._details: dict[str, Any] = {}
        self._unread: dict[int, JudgmentReading] = {}

    def details(self) -> dict[str, Any]:
        """How many were sent, whose the scores are, and what the rescaler is."""
        return self._details

    def read(self, judgments: Iterable[Explained]) -> Iterator[JudgmentReading]:
        from annotation_platform.core.methods.distilled.judgments import TrainingError

        asked = list(judgments)
        if not asked:
            return
        try:
            yield from self._read(asked)
        except TrainingError:
            replies = Completion.objects.filter(pk__in=[each.completion_id for each in self._unread.values()])
            example = replies.order_by("pk").values_list("reply", flat=True).first() or ""
            raise InvalidInputError("scoring.no_reply_with_score", example=example[:300]) from None

    def _read(self, asked: list[Explained]) -> Iterator[JudgmentReading]:
        from annotation_platform.core.methods.distilled.selection import Choice, pay_in_rounds

        rounds = pay_in_rounds(
            _columns(asked, self._numbers),
            ceil(self._parameters.paid_share * len(asked)),
            seed=self._parameters.choice_seed,
            choice=Choice(tolerance=self._parameters.tolerance),
        )
        read: set[int] = set()
        done = yield from self._ask(rounds, asked, read)
        for position, score in enumerate(done.explanation_scores.tolist()):
            if position not in read:
                judgment = asked[position].position
                yield replace(self._unread.get(judgment) or JudgmentReading(judgment, None), explanation_score=score)
        artefact = done.model.to_bytes()
        self._details = {
            "sent": len(done.paid),
            "read_by": {"language model": len(read), "rescaler": len(asked) - len(read)},
            "unread_replies": dict(sorted(Counter(reading.reason for reading in self._unread.values()).items())),
            "rescaler": {"sha256": sha256(artefact).hexdigest(), "judgments": done.model.metadata["n_judgments"]},
        }

    def _ask(
        self, rounds: Generator[Any, Any, Any], asked: list[Explained], read: set[int]
    ) -> Generator[JudgmentReading, None, Any]:
        """Yield what the language model says, and note what could be read; return the end of the rounds."""
        import numpy as np

        try:
            chosen = next(rounds)
            while True:
                place = {asked[row].position: number for number, row in enumerate(chosen.tolist())}
                scores = np.full(len(chosen), np.nan)
                for reading in self._model.read(asked[row] for row in chosen.tolist()):
                    if reading.explanation_score is None:
                        self._unread[reading.position] = reading
                        continue
                    number = place[reading.position]
                    scores[number] = reading.explanation_score
                    read.add(int(chosen[number]))
                    yield reading
                chosen = rounds.send(scores)
        except StopIteration as end:
            return end.value


def _columns(asked: list[Explained], numbers: list[float]) -> Any:
    from annotation_platform.core.methods.distilled.judgments import ScoredJudgments

    items = [judgment.item_id for judgment in asked]
    articles = _articles(sorted(set(items)))
    return ScoredJudgments.from_columns(
        labels=[judgment.label for judgment in asked],
        explanations=[judgment.explanation for judgment in asked],
        scores=None,
        annotators=[judgment.annotator_id for judgment in asked],
        items=items,
        articles=[articles[item] for item in items],
        scale_numbers=numbers,
    )


def _articles(items: list[int]) -> dict[int, int | None]:
    """The article of each item, where it has one."""
    found: dict[int, int | None] = {}
    for start in range(0, len(items), PAGE):
        rows = Item.objects.filter(pk__in=items[start : start + PAGE])
        found |= dict(rows.values_list("pk", "hit__article_id"))
    return found

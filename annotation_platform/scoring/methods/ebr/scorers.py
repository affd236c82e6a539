"""Who gives f: each scorer reads a stream of explained judgments and yields readings, in any order.

Judgments without an explanation never come here; a reading without a value says why there is none.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Protocol

from annotation_platform.core.items import ItemTexts
from annotation_platform.core.methods.ebr.prompts import Judgment, render
from annotation_platform.core.methods.ebr.rescaling import hundred_point_numbers
from annotation_platform.core.methods.messages import Message
from annotation_platform.core.methods.replies import SCORE_SCHEMA, read_score
from annotation_platform.core.schemes import RatedAspect, Scale
from annotation_platform.scoring.gateway import Gateway, ModelRequestError, Request
from annotation_platform.scoring.methods.ebr.own_rescalers import load_own
from annotation_platform.scoring.methods.ebr.parameters import (
    DistilledParameters,
    ModelParameters,
    PromptTemplate,
)
from annotation_platform.scoring.models import Completion, RecordedReply, ScoringRun
from annotation_platform.scoring.run_words import NO_REPLY
from annotation_platform.studies.items import item_texts
from annotation_platform.studies.models import Item

BLOCK = 500


@dataclass(frozen=True, slots=True)
class Explained:
    """A judgment to read: ``position`` in its run, ``label`` as position on the scale."""

    position: int
    annotation_id: int
    item_id: int
    label: int
    explanation: str
    annotator_id: int = 0


@dataclass(frozen=True, slots=True)
class JudgmentReading:
    """f on 0..100, or None with the reason; and the stored reply it was read from, if any.

    ``failure`` says for people why there is no f of the language model: a reason, or the words of its server.
    """

    position: int
    explanation_score: float | None
    reason: str = ""
    completion_id: int | None = None
    failure: str = ""


class ScorerContract(Protocol):
    def read(self, judgments: Iterable[Explained]) -> Iterator[JudgmentReading]: ...

    def details(self) -> dict[str, Any]:
        """What the run's counts are to hold beside those of the readings."""


def scale_numbers(scale: Scale) -> list[float]:
    """The numbers of a scale's choices, in their order, on 0..100 with 100 the best."""
    numbers = [choice.number for choice in scale.choices if choice.number is not None]
    return hundred_point_numbers(numbers, better=scale.better or "high")


class _NothingToAdd:
    def details(self) -> dict[str, Any]:
        return {}


class DistilledScorer(_NothingToAdd):
    """The small model that comes with the platform, or the study's own one."""

    def __init__(self, parameters: DistilledParameters, aspect: RatedAspect, run: ScoringRun) -> None:
        self._parameters, self._aspect, self._run = parameters, aspect.key, run
        self._numbers = scale_numbers(aspect.scale)

    def read(self, judgments: Iterable[Explained]) -> Iterator[JudgmentReading]:
        from annotation_platform.core.methods.distilled.rescaler import load_default

        own = self._parameters.own.get(self._aspect)
        rescaler = load_own(self._run.study, self._aspect, own) if own else load_default()
        for block in _blocks(judgments):
            scores = rescaler.predict([j.label for j in block], [j.explanation for j in block], self._numbers)
            for judgment, score in zip(block, scores.tolist(), strict=True):
                has_score = score == score  # NaN: the rescaler has nothing to say
                yield JudgmentReading(judgment.position, score if has_score else None, "" if has_score else "no_score")


class RecordedScorer(_NothingToAdd):
    """The raw replies that came with imported data."""

    def __init__(self, aspect: RatedAspect) -> None:
        self._aspect = aspect.key

    def read(self, judgments: Iterable[Explained]) -> Iterator[JudgmentReading]:
        for block in _blocks(judgments):
            replies = dict(
                RecordedReply.objects.filter(
                    aspect=self._aspect, annotation__in=[j.annotation_id for j in block]
                ).values_list("annotation_id", "reply")
            )
            for judgment in block:
                if (reply := replies.get(judgment.annotation_id)) is None:
                    yield JudgmentReading(judgment.position, None, NO_REPLY)
                else:
                    yield _reading(judgment.position, reply)


class ModelScorer(_NothingToAdd):
    """A language model, asked through the gateway."""

    def __init__(self, parameters: ModelParameters, aspect: RatedAspect, run: ScoringRun) -> None:
        self._gateway, self._schema = Gateway(parameters, run), parameters.held_to(SCORE_SCHEMA)
        cites_turns = run.study.scheme().cites_conversation
        self._prompts = Prompts(parameters.template, aspect, cites_turns=cites_turns)

    def read(self, judgments: Iterable[Explained]) -> Iterator[JudgmentReading]:
        asked = (
            Request(judgment.position, messages, self._schema)
            for block in _blocks(judgments)
            for judgment, messages in self._prompts.write(block)
        )
        for position, answer in self._gateway.complete(asked):
            if isinstance(answer, ModelRequestError):
                yield JudgmentReading(position, None, NO_REPLY, failure=str(answer))
            else:
                yield _reading(position, answer.reply, answer)


class Prompts:
    """Writes the prompts of one aspect, with as much of the item as the template shows."""

    def __init__(self, template: PromptTemplate, aspect: RatedAspect, *, cites_turns: bool) -> None:
        self._template, self._cites_turns = template.parse(), cites_turns
        self._title = aspect.title
        choices = aspect.scale.choices
        self._labels = [f"{c.label}: {c.description}" if c.description else c.label for c in choices]
        ranks = scale_numbers(aspect.scale)
        self._scale = [label for _, label in sorted(zip(ranks, self._labels, strict=True))]

    def write(self, block: Sequence[Explained]) -> Iterator[tuple[Explained, list[Message]]]:
        items = self._items({judgment.item_id for judgment in block})
        for judgment in block:
            asked = Judgment(
                aspect=self._title,
                scale=self._scale,
                label=self._labels[judgment.label],
                explanation=judgment.explanation,
                item=items[judgment.item_id],
                cites_turns=self._cites_turns,
            )
            yield judgment, render(self._template, asked).messages

    def _items(self, keys: set[int]) -> dict[int, ItemTexts]:
        texts = item_texts(Item.objects.filter(pk__in=keys), self._template.placeholders)
        return {each.id: each for each in texts}


def _reading(position: int, reply: str, completion: Completion | None = None) -> JudgmentReading:
    if completion is not None and (shortfall := completion.shortfall):
        return JudgmentReading(position, None, shortfall, completion.pk, failure=shortfall)
    score = read_score(reply)
    reason = score.reason or ""
    return JudgmentReading(position, score.value, reason, completion.pk if completion else None, failure=reason)


def _blocks(judgments: Iterable[Explained]) -> Iterator[list[Explained]]:
    remaining = iter(judgments)
    while block := list(islice(remaining, BLOCK)):
        yield block

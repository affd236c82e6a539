"""What a language model is asked about each item, and the labels that its replies give.

Three steps, each of which may be repeated after any failure: ask, and read by rules; have the model read what the
rules could not; vote. What was asked before is answered from its stored completion.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Any

from django.db import transaction
from django.db.models import Count

from annotation_platform.core.items import ItemTexts
from annotation_platform.core.methods.extraction import (
    LabelReading,
    SecondReading,
    Unread,
    read_reply,
    second_reading,
    settle,
)
from annotation_platform.core.methods.judging import (
    Call,
    JudgeFormat,
    JudgePrompt,
    Question,
    ReplyForm,
    calls,
    judge_prompts,
)
from annotation_platform.core.schemes import ItemShape, Scheme
from annotation_platform.jobs.heartbeat import Heartbeat
from annotation_platform.jobs.key_blocks import keys_in_blocks
from annotation_platform.scoring.gateway import Gateway, ModelRequestError, Request
from annotation_platform.scoring.methods.judge.parameters import JudgeParameters
from annotation_platform.scoring.models import Completion, ItemLabel, ScoringRun
from annotation_platform.studies.items import item_text_blocks, item_texts
from annotation_platform.studies.models import Study

CHUNK = 1_000  # rows stored at once
BLOCK = 200  # items read a second time at once

Key = tuple[int, int, int]
"""An item, the position of a prompt among its prompts, and the repetition."""
PromptPosition = tuple[int, int]
"""The position of a prompt among those of its item, and the repetition."""
Round = tuple[str, int]
"""A variant of the prompt and a repetition: what is judged together, so that conditions hold within it."""


@dataclass(frozen=True)
class Panel:
    """What a run asks: the prompts of each item, all aspects or some, so and so often."""

    study: Study
    parameters: JudgeParameters
    aspects: frozenset[str] | None = None

    @cached_property
    def asking(self) -> JudgeFormat:
        return self.parameters.asking.asking()

    @cached_property
    def scheme(self) -> Scheme:
        """In the language of the prompts."""
        return self.study.scheme(self.asking.language)

    def texts(self) -> Iterator[ItemTexts]:
        """All items, in the order of their keys, with what people are shown of them."""
        return chain.from_iterable(item_text_blocks(self.study.items.all(), self.scheme.parts))

    def texts_of(self, items: Sequence[int]) -> list[ItemTexts]:
        """Some items."""
        return item_texts(self.study.items.filter(pk__in=items), self.scheme.parts)

    def prompts(self, texts: ItemTexts) -> list[JudgePrompt]:
        return [prompt for prompt in judge_prompts(self.scheme, texts, self.asking) if self._is_asked(prompt.call)]

    def total(self) -> int:
        """How many replies a whole run has."""
        sizes = Counter(self.study.items.annotate(size=Count("candidates")).values_list("size", flat=True))
        found = 0
        for size, n_items in sizes.items():
            shape = ItemShape(candidates=size if self.scheme.judges_candidates else 0)
            asked = calls(self.scheme, shape, self.asking.calling, explain=self.asking.explain)
            found += n_items * sum(self._is_asked(call) for call in asked)
        return found * len(self.asking.variants) * self.parameters.repetitions

    def request(self, item_id: int, number: int, prompt: JudgePrompt, repetition: int) -> Request[Key]:
        is_json = self.asking.form is ReplyForm.JSON  # such prompts have always come with a schema
        schema = prompt.schema if is_json else self.parameters.held_to(prompt.schema)
        return Request((item_id, number, repetition), prompt.messages, schema, repetition)

    def _is_asked(self, call: Call) -> bool:
        return self.aspects is None or any(slot.aspect.key in self.aspects for slot in call.slots)


@dataclass
class Judged:
    """An item, its prompts, and the replies that have come."""

    item_id: int
    shape: ItemShape
    prompts: Sequence[JudgePrompt]
    replies: dict[PromptPosition, Completion] = field(default_factory=dict)
    refusals: dict[PromptPosition, str] = field(default_factory=dict)
    """The server's words where it gives no reply."""
    also_read: dict[PromptPosition, dict[str, LabelReading]] = field(default_factory=dict)
    """What a second reading or a person found in a reply, by slot; it counts where the rules found nothing."""

    def places(self, round_: Round) -> list[PromptPosition]:
        variant, repetition = round_
        return [(n, repetition) for n, prompt in enumerate(self.prompts) if prompt.variant == variant]

    def rounds(self) -> list[Round]:
        return list(dict.fromkeys((str(self.prompts[n].variant), repetition) for n, repetition in self.replies))

    def readings(self, scheme: Scheme, round_: Round) -> dict[str, LabelReading]:
        """What is read from the replies of a round, conditions applied: slot key → reading."""
        raw: dict[str, LabelReading] = {}
        for place in self.places(round_):
            if (completion := self.replies.get(place)) is not None:
                said = _said(self.prompts[place[0]].questions, completion)
                also = self.also_read.get(place, {})
                raw |= {key: also.get(key, reading) if reading.failure else reading for key, reading in said.items()}
        return settle(scheme, self.shape, raw)

    def labels(self, run: ScoringRun, scheme: Scheme) -> Iterator[ItemLabel]:
        """A row for each question of each reply, and of each request that has none."""
        for (number, repetition), words in self.refusals.items():
            prompt = self.prompts[number]
            for question in labelled(prompt):
                yield ItemLabel(
                    run=run,
                    item_id=self.item_id,
                    candidate=question.slot.candidate,
                    aspect=question.key,
                    variant=str(prompt.variant),
                    repetition=repetition,
                    source=ItemLabel.Source.NO_REPLY,
                    reason=ItemLabel.Source.NO_REPLY,
                    refusal=words,
                )
        for round_ in self.rounds():
            readings = self.readings(scheme, round_)
            for place in self.places(round_):
                if (completion := self.replies.get(place)) is None:
                    continue
                for question in labelled(self.prompts[place[0]]):
                    reading = readings[question.slot_key]
                    is_second = question.slot_key in self.also_read.get(place, {})
                    yield ItemLabel(
                        run=run,
                        item_id=self.item_id,
                        candidate=question.slot.candidate,
                        aspect=question.key,
                        variant=round_[0],
                        repetition=round_[1],
                        completion=completion,
                        **read_fields(reading, is_second=is_second),
                    )


def _said(questions: Sequence[Question], completion: Completion) -> dict[str, LabelReading]:
    """What a reply says to each question; nothing, where it is none for another reason than its words."""
    if shortfall := completion.shortfall:
        said = completion.reply.strip()[-300:]
        return {question.slot_key: LabelReading(failure=shortfall, said=said) for question in questions}
    return read_reply(questions, completion.reply)


def labelled(prompt: JudgePrompt) -> list[Question]:
    """The questions of a prompt that ask for a label, not for words."""
    return [question for question in prompt.questions if question.options]


def read_fields(reading: LabelReading, *, is_second: bool) -> dict[str, Any]:
    """The columns of a label's row that a reading decides."""
    source = ItemLabel.Source.SECOND_READING if is_second else ItemLabel.Source.RULES
    return {
        "label": reading.value or "",
        "is_not_applicable": reading.is_not_applicable,
        "source": source if reading.failure is None else ItemLabel.Source.UNREAD,
        "reason": str(reading.failure or ""),
    }


def ask_everything(run: ScoringRun, panel: Panel, heartbeat: Heartbeat) -> None:
    """Ask the model about every item, and store what the rules read from its replies."""
    forget_refusals(run)
    waiting: dict[int, Judged] = {}

    def requests() -> Iterator[Request[Key]]:
        for texts in panel.texts():
            waiting[texts.id] = judged = Judged(texts.id, texts.shape, panel.prompts(texts))
            for repetition in range(panel.parameters.repetitions):
                for number, prompt in enumerate(judged.prompts):
                    yield panel.request(texts.id, number, prompt, repetition)

    rows: list[ItemLabel] = []
    for key, answer in Gateway(panel.parameters, run).complete(requests()):
        item_id, number, repetition = key
        judged = waiting[item_id]
        if isinstance(answer, ModelRequestError):
            judged.refusals[number, repetition] = str(answer)
        else:
            judged.replies[number, repetition] = answer
        if len(judged.replies) + len(judged.refusals) == len(judged.prompts) * panel.parameters.repetitions:
            rows.extend(waiting.pop(item_id).labels(run, panel.scheme))
        if len(rows) >= CHUNK:
            store_labels(rows)
        heartbeat.beat(1)
    store_labels(rows)


def forget_refusals(run: ScoringRun) -> None:
    """Drop the labels of items of which a request was refused, but what a person decided: it is asked again."""
    refused = run.item_labels.filter(source=ItemLabel.Source.NO_REPLY).values_list("item", flat=True)
    run.item_labels.filter(item__in=refused).exclude(source=ItemLabel.Source.PERSON).delete()


def store_labels(rows: list[ItemLabel]) -> None:
    """Store the rows of whole items that are new, and empty the list; those that are there already stay.

    But not those from other replies than the items have now: since they were stored, the study has got another scheme.
    What a person decided stays in any case.
    """
    if not rows:
        return
    replies = {row.completion_id for row in rows if row.completion_id}
    there = rows[0].run.item_labels.filter(item__in={row.item_id for row in rows})
    with transaction.atomic():
        there.exclude(source=ItemLabel.Source.PERSON).exclude(completion__in=replies).delete()
        ItemLabel.objects.bulk_create(rows, ignore_conflicts=True, batch_size=CHUNK)
    rows.clear()


def read_again(run: ScoringRun, panel: Panel, heartbeat: Heartbeat) -> None:
    """Have the model say which labels the replies give that the rules could not read."""
    unread = run.item_labels.filter(source=ItemLabel.Source.UNREAD).exclude(reason=Unread.UNDECIDED)
    for items in keys_in_blocks(unread, "item_id", size=BLOCK):
        found = judged_items(run, panel, items)
        asked = {
            (item_id, *place): again
            for item_id, judged in found.items()
            for place, again in _second_readings(panel, judged)
        }
        requests = (Request(key, again.messages) for key, again in asked.items())
        for key, answer in Gateway(panel.parameters, run).complete(requests):
            if isinstance(answer, ModelRequestError):
                continue  # a person reads it then
            item_id, number, repetition = key
            read = run.item_labels.filter(item=item_id, completion=found[item_id].replies[number, repetition])
            read.update(second_completion=answer)
            if answer.shortfall:
                continue
            readings = asked[key].read(answer.reply)
            found[item_id].also_read[number, repetition] = {
                slot: reading for slot, reading in readings.items() if reading.failure is None
            }
            heartbeat.beat()
        for judged in found.values():
            resolve_unread(judged.labels(run, panel.scheme))


def resolve_unread(rows: Iterable[ItemLabel]) -> None:
    """Bring the stored rows that are unread to what is read now."""
    for row in rows:
        if row.source != ItemLabel.Source.UNREAD:
            ItemLabel.objects.filter(
                run=row.run_id,
                item=row.item_id,
                candidate=row.candidate,
                aspect=row.aspect,
                variant=row.variant,
                repetition=row.repetition,
                source=ItemLabel.Source.UNREAD,
            ).update(label=row.label, is_not_applicable=row.is_not_applicable, source=row.source, reason="")


def judged_items(run: ScoringRun, panel: Panel, items: Sequence[int], *, decided: bool = False) -> dict[int, Judged]:
    """Items with their prompts and the replies that are stored; ``decided``: and what was read beyond the rules.

    Without the latter, what is asked next is the same however often it is asked, and is paid for once.
    """
    found = {texts.id: Judged(texts.id, texts.shape, panel.prompts(texts)) for texts in panel.texts_of(items)}
    asked = {
        (pk, str(prompt.variant), question.slot.candidate, question.key): (number, question.slot_key)
        for pk, judged in found.items()
        for number, prompt in enumerate(judged.prompts)
        for question in labelled(prompt)
    }
    beyond_rules = (ItemLabel.Source.SECOND_READING, ItemLabel.Source.PERSON)
    for label in run.item_labels.filter(item__in=items).select_related("completion"):
        judged = found[label.item_id]
        place = asked.get((label.item_id, label.variant, label.candidate, label.aspect))
        if label.completion is None or place is None:  # there is no reply, or the scheme does not ask that any more
            continue
        number, slot = place
        judged.replies[number, label.repetition] = label.completion
        if decided and label.source in beyond_rules and (label.label or label.is_not_applicable):
            judged.also_read.setdefault((number, label.repetition), {})[slot] = LabelReading(value=label.label or None)
    return found


def _second_readings(panel: Panel, judged: Judged) -> Iterator[tuple[PromptPosition, SecondReading]]:
    """What is asked about those replies of an item that say something, but not all that the rules look for."""
    for round_ in judged.rounds():
        readings = judged.readings(panel.scheme, round_)
        for place in judged.places(round_):
            completion = judged.replies.get(place)
            if completion is None or completion.shortfall or not completion.reply.strip():
                continue
            questions = judged.prompts[place[0]].questions
            if any(question.options and readings[question.slot_key].failure for question in questions):
                yield place, second_reading(questions, readings, completion.reply, language=panel.asking.language)

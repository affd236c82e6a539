"""Prompts that ask a language model to judge an item by aspect, made from any scheme.

The formats are those of Brassard, Heinzerling, Kudo, Sakaguchi and Inui, "ACORN: Aspect-wise Commonsense Reasoning
Explanation Evaluation" (COLM 2024), appendices C and D; independent calls an aspect are those of LLM-MATE. The wording
is our own, and everything about the task comes from the scheme.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from random import Random
from typing import Any

from annotation_platform.core.items import ItemTexts, texts_of_example
from annotation_platform.core.methods.judging.item import Passage, passages
from annotation_platform.core.methods.judging.questions import (
    Call,
    Calling,
    Question,
    ReplyForm,
    calls,
    in_form,
    questions,
    render_reply,
    reply_schema,
)
from annotation_platform.core.methods.judging.wording import VERSION, Frame, Wording, wording
from annotation_platform.core.methods.messages import Fence, Message, fence_for, fill
from annotation_platform.core.schemes import Scheme
from annotation_platform.core.signature import signature


class Variant(StrEnum):
    """One way to put the same question."""

    SIMPLE = "simple"
    """Introduction, criteria with their labels, examples, the item."""
    SHUFFLED = "shuffled"
    """The criteria in another order."""
    PARAPHRASED = "paraphrased"
    """Another wording of introduction and criteria, drawn from several."""
    VERBOSE = "verbose"
    """More words about each criterion: its help and what its labels mean."""
    REPEATED = "repeated"
    """Introduction and criteria again with every example, and after the item."""
    SWAPPED = "swapped"
    """Examples and item first, then introduction and criteria."""
    VERBATIM = "verbatim"
    """What people read: the guidelines, those of each aspect, and the worked examples with their comments; the
    comments only where everything that they are about is asked for."""


class Format(StrEnum):
    """Which variants an item is judged by."""

    SIMPLE = "simple"
    AVERAGED = "averaged"
    VERBATIM = "verbatim"


AVERAGED = tuple(variant for variant in Variant if variant is not Variant.VERBATIM)


@dataclass(frozen=True)
class JudgeFormat:
    """How a scheme is put to a model.

    Attributes
    ----------
    format : Format
    calling : Calling
    examples : int, optional
        How many of the scheme's worked examples are shown, from the first; None: none, or all of them in the
        verbatim format, because people see them.
    form : ReplyForm
        What the reply is asked to look like. JSON goes with :attr:`JudgePrompt.schema`.
    explain : bool
        Whether reasons are asked for too, where the scheme has a text for them.
    seed : int
        Draws the shuffled order and the paraphrase; the same for all items.
    language : str
        Of the words around the scheme's; take the language that the scheme was built in.
    """

    format: Format = Format.VERBATIM
    calling: Calling = Calling.COMPOUND
    examples: int | None = None
    form: ReplyForm = ReplyForm.LINES
    explain: bool = False
    seed: int = 0
    language: str = "en"

    @property
    def variants(self) -> tuple[Variant, ...]:
        return AVERAGED if self.format is Format.AVERAGED else (Variant(self.format),)


@dataclass(frozen=True)
class JudgePrompt:
    """Chat messages ready to send, and what is needed to read the reply.

    Attributes
    ----------
    messages : list of Message
    call : Call
        The slots that it is about.
    variant : Variant
    questions : tuple of Question
        In the order in which the prompt numbers them.
    schema : dict
        JSON Schema of the reply.
    signature : str
        SHA-256 of messages and schema: two prompts with one signature ask the same.
    template_signature : str
        SHA-256 of all but the item: scheme, wording, variant, order, examples.
    """

    messages: list[Message]
    call: Call
    variant: Variant
    questions: tuple[Question, ...]
    schema: dict[str, Any]
    signature: str
    template_signature: str


def judge_prompts(scheme: Scheme, item: ItemTexts, asking: JudgeFormat) -> list[JudgePrompt]:
    """All prompts that judge one item: call by call, and for each call its variants.

    The same arguments give the same prompts.

    Raises
    ------
    PromptError
        The scheme has no labelled aspect, or the item nothing to choose from.
    """
    return [
        _Composer(scheme, item, asking, call, variant).prompt()
        for call in calls(scheme, item.shape, asking.calling, explain=asking.explain)
        for variant in asking.variants
    ]


@dataclass(frozen=True)
class _Shown:
    """An item or a worked example: its heading, its texts, and below them the reply and comment of an example."""

    heading: str
    passages: Sequence[Passage]
    after: str = ""

    def rendered(self, fence: Fence) -> str:
        parts = [self.heading, *(passage.rendered(fence) for passage in self.passages), self.after]
        return "\n\n".join(filter(None, parts))


@dataclass(frozen=True)
class _Composer:
    """Puts one prompt together."""

    scheme: Scheme
    item: ItemTexts
    asking: JudgeFormat
    call: Call
    variant: Variant

    def prompt(self) -> JudgePrompt:
        asked = self._in_order(questions(self.scheme, self.call, self.item, self.asking.language))
        examples, item = list(self._examples(asked)), self._item()
        fence = fence_for(passage.text for shown in (*examples, item) for passage in shown.passages)
        shown = [example.rendered(fence) for example in examples]
        blocks = self._blocks(self._instructions(asked), shown, item.rendered(fence))
        user = "\n\n".join(filter(None, [*blocks, reply_request(asked, self.asking.form, self._words)]))
        system = fill(self._words.system, {"fence_start": fence.start, "fence_end": fence.end})
        messages: list[Message] = [{"role": "system", "content": system}, {"role": "user", "content": user}]
        schema = reply_schema(asked)
        return JudgePrompt(
            messages=messages,
            call=self.call,
            variant=self.variant,
            questions=asked,
            schema=schema,
            signature=signature({"messages": messages, "schema": schema}),
            template_signature=self._template_signature(),
        )

    @property
    def _words(self) -> Wording:
        return wording(self.asking.language)

    @property
    def _frame(self) -> Frame:
        named = {
            Variant.PARAPHRASED: self._words.paraphrased,
            Variant.VERBOSE: self._words.verbose,
            Variant.VERBATIM: self._words.verbatim,
        }
        return named.get(self.variant, self._words.simple)

    def _random(self) -> Random:
        return Random(f"{self.asking.seed}/{self.variant}")

    def _in_order(self, asked: tuple[Question, ...]) -> tuple[Question, ...]:
        if self.variant is not Variant.SHUFFLED:
            return asked
        order, random = list(asked), self._random()
        while len(asked) > 1 and tuple(order) == asked:
            random.shuffle(order)
        return tuple(order)

    def _instructions(self, asked: Sequence[Question]) -> str:
        random = self._random()
        intro, template = random.choice(self._frame.intro), random.choice(self._frame.criterion)
        guidelines = self.scheme.guidelines.strip() if self.variant is Variant.VERBATIM else ""
        criteria = [criterion(each, number, template, self._words) for number, each in enumerate(asked, start=1)]
        between = "\n" if "\n" not in template else "\n\n"
        return "\n\n".join(filter(None, [intro, guidelines, between.join(criteria)]))

    def _examples(self, asked: Sequence[Question]) -> Iterator[_Shown]:
        notes, number = self._words.notes, 0
        is_verbatim = self.variant is Variant.VERBATIM
        of_everything = self.asking.calling is Calling.COMPOUND and not self.call.candidate  # as the comments are
        implied = len(self.scheme.examples) if is_verbatim else 0
        for example in self.scheme.examples[: implied if self.asking.examples is None else self.asking.examples]:
            texts = texts_of_example(example, self.scheme.parts)
            for candidate in range(1, len(texts.candidates) + 1) if self.call.candidate else [0]:
                number += 1
                reply = render_reply(self._for_example(asked, texts, candidate), example.values, self.asking.form)
                has_comment = is_verbatim and of_everything and example.comment
                comment = fill(notes["comment"], {"comment": example.comment}) if has_comment else ""
                yield _Shown(
                    heading=fill(notes["example"], {"number": str(number)}),
                    passages=passages(self.scheme, texts, self._words, candidate=candidate, is_example=True),
                    after="\n\n".join(filter(None, [f"{notes['example_reply']}\n{reply}", comment])),
                )

    def _for_example(self, asked: Sequence[Question], texts: ItemTexts, candidate: int) -> list[Question]:
        """The same questions, in the same order, with the labels that the example's own item has."""
        slots = {slot.aspect.key: slot for slot in self.scheme.slots(texts.shape) if slot.candidate == candidate}
        call = Call(tuple(slots[slot.aspect.key] for slot in self.call.slots), candidate)
        own = {question.key: question for question in questions(self.scheme, call, texts, self.asking.language)}
        return [own[question.key] for question in asked]

    def _item(self) -> _Shown:
        shown = passages(self.scheme, self.item, self._words, candidate=self.call.candidate, is_example=False)
        return _Shown(self._words.notes["item"], shown)

    def _blocks(self, instructions: str, examples: Sequence[str], item: str) -> list[str]:
        if self.variant is Variant.SWAPPED:
            return [*examples, item, instructions]
        if self.variant is Variant.REPEATED:
            return [instructions, *(f"{example}\n\n{instructions}" for example in examples), item, instructions]
        return [instructions, *examples, item]

    def _template_signature(self) -> str:
        return signature(
            {
                "version": VERSION,
                "wording": self._words.model_dump(mode="json"),
                "scheme": self.scheme.model_dump(mode="json", by_alias=True),
                "slots": [slot.key for slot in self.call.slots],
                "variant": self.variant,
                "examples": self.asking.examples,
                "form": self.asking.form,
                "seed": self.asking.seed,
                "language": self.asking.language,
            }
        )


def criterion(question: Question, number: int, template: str, words: Wording) -> str:
    """A question with its labels, in the wording of a template; lines that would be blank are left out."""
    aspect, free, separator = question.slot.aspect, words.reply["free"], words.joints["labels"]
    described = [option.described for option in question.options]
    # Numbers always come with the words that say which end is which.
    labels = described if question.has_numbers else [option.shown for option in question.options]
    values = {
        "number": str(number),
        "key": question.key,
        "title": question.title,
        "help": "" if question.is_mark else aspect.help,
        "guidelines": "" if question.is_mark else aspect.guidelines.strip(),
        "labels": separator.join(labels) or free,
        "described_labels": separator.join(described) or free,
    }
    lines = [fill(line, values).rstrip() for line in template.splitlines()]
    return "\n".join(filter(None, [*lines, question.condition]))


def reply_request(asked: Sequence[Question], form: ReplyForm, words: Wording) -> str:
    """What the reply is to look like."""
    return fill(words.reply[form], {"form": blank_form(asked, form, words)})


def blank_form(asked: Sequence[Question], form: ReplyForm, words: Wording) -> str:
    """The form to be filled in."""
    return in_form({each.key: words.reply["label" if each.options else "text"] for each in asked}, form)

"""The prompts that ask a language model for f(label, explanation), as versioned template files.

A template is plain text with placeholders such as `{{ label }}`; nothing else in it is special, and what is
put in is never read as a template again. Texts that annotators, authors or systems wrote are put between two
marker lines that cannot occur in them, and the system message says that nothing between them is an order.

The variants are those of Wadhwa et al. (COLM 2024), section 7.1; the wording is our own.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache, cached_property
from hashlib import sha256
from pathlib import Path

from annotation_platform.core.errors import CodedError
from annotation_platform.core.items import ItemTexts
from annotation_platform.core.methods.messages import PLACEHOLDER, Message, fence_for, fill, normalise
from annotation_platform.core.turns import cited_prompt

VERSION = "ebr_v1"
PLACEHOLDERS = (
    "aspect",
    "scale",
    "lowest",
    "highest",
    "label",
    "explanation",
    "article",
    "question",
    "answer",
    "fence_start",
    "fence_end",
)
WITHHELD = "(The text of the article is withheld by its publisher.)"

_FOLDER = Path(__file__).parent / "templates"


class TemplateError(CodedError, ValueError):
    """A template cannot be used as it is written."""


class PromptError(CodedError, ValueError):
    """A template asks for something that the judgment does not have."""


class Variant(StrEnum):
    """What the model is shown; each builds on the one before."""

    EXPLANATION = "explanation"
    LABEL = "label"
    LABEL_ARTICLE = "label_article"
    QUESTION = "question"
    QUESTION_ANSWER = "question_answer"


DEFAULT_VARIANT = Variant.LABEL_ARTICLE


@dataclass(frozen=True)
class Judgment:
    """What a prompt can show of one judgment.

    Attributes
    ----------
    aspect : str
        The question that the annotator answered by choosing a label.
    scale : sequence of str
        A description of each label, from worst to best.
    label : str
        The description of the label chosen.
    explanation : str
        The annotator's words; not blank.
    item : ItemTexts
        What was judged: its article, question and answer.
    cites_turns : bool
        Whether people cite sentences of the conversation, which then has their names.
    """

    aspect: str
    scale: Sequence[str]
    label: str
    explanation: str
    item: ItemTexts = field(default_factory=ItemTexts)
    cites_turns: bool = False


@dataclass(frozen=True)
class Template:
    """A checked template: the user message is `text`, the system message `system`; see `parse_template`."""

    id: str
    text: str
    system: str

    @cached_property
    def placeholders(self) -> frozenset[str]:
        """The names that the user message uses."""
        return frozenset(PLACEHOLDER.findall(self.text))

    @property
    def leaking(self) -> bool:
        """Whether the model sees the answer, and so may judge it itself instead of the annotator's words."""
        return "answer" in self.placeholders

    @cached_property
    def signature(self) -> str:
        """SHA-256 (hexadecimal) of both messages' text: two templates with one signature ask the same."""
        return sha256(f"{self.system}\0{self.text}".encode()).hexdigest()


@dataclass(frozen=True)
class Prompt:
    """Chat messages ready to send, and the template that they came from."""

    messages: list[Message]
    template_id: str
    template_signature: str


@cache
def built_in(variant: Variant = DEFAULT_VARIANT) -> Template:
    """The platform's own template for a variant."""
    name = f"{VERSION}_{variant}"
    return parse_template((_FOLDER / f"{name}.txt").read_text(encoding="utf-8"), template_id=name)


def parse_template(text: str, *, template_id: str) -> Template:
    """Check a template's text, for instance one that a researcher wrote.

    The text becomes the user message. The system message is always the platform's own, because it holds the
    rule that fenced texts give no orders.

    Parameters
    ----------
    text : str
        Plain text with placeholders out of `PLACEHOLDERS`.
    template_id : str
        The name under which scores made with it are recorded.

    Raises
    ------
    TemplateError
        A placeholder is unknown (the message names it, its line and those allowed) or not closed, or
        `{{ explanation }}` is missing.
    """
    for number, line in enumerate(text.splitlines(), start=1):
        for name in PLACEHOLDER.findall(line):
            if name not in PLACEHOLDERS:
                raise TemplateError(
                    "prompts.no_placeholder", template=template_id, line=number, name=name, allowed=[*PLACEHOLDERS]
                )
        if "{{" in PLACEHOLDER.sub("", line):
            raise TemplateError(
                "prompts.placeholder_unread", template=template_id, line=number, allowed=[*PLACEHOLDERS]
            )
    if "explanation" not in PLACEHOLDER.findall(text):
        raise TemplateError("prompts.explanation_unused", template=template_id)
    return Template(id=template_id, text=normalise(text), system=_system())


def render(template: Template, judgment: Judgment) -> Prompt:
    """Fill a template with one judgment.

    The same template and judgment give the same messages. The marker of the fences is taken from a hash of the
    texts themselves, so that it cannot occur in them.

    Raises
    ------
    PromptError
        The explanation is blank, the scale is empty, or the template shows a question or an answer that the
        judgment lacks. (An article without text is no error: a note that it is withheld takes its place.)
    """
    if not judgment.explanation.strip():
        raise PromptError("prompts.no_explanation")
    if not judgment.scale:
        raise PromptError("prompts.scale_without_labels")
    for name in ("question", "answer"):
        if name in template.placeholders and not getattr(judgment.item, name):
            raise PromptError("prompts.part_missing", template=template.id, part=name)
    values = _values(judgment, template.placeholders)
    messages: list[Message] = [
        {"role": "system", "content": fill(template.system, values)},
        {"role": "user", "content": fill(template.text, values)},
    ]
    return Prompt(messages=messages, template_id=template.id, template_signature=template.signature)


def _values(judgment: Judgment, shown: frozenset[str]) -> dict[str, str]:
    item = judgment.item
    article = "\n".join(f"{each.number}. {each.text}" for each in (item.article.numbered if item.article else ()))
    written_by_others = {
        "explanation": judgment.explanation.strip(),
        "article": article,
        "question": cited_prompt(item.question_turns) if judgment.cites_turns else item.question_in_prompt,
        "answer": cited_prompt(item.answer_turns) if judgment.cites_turns else item.answer_in_prompt,
    }
    fence = fence_for(text for name, text in written_by_others.items() if name in shown)
    values = {name: fence.around(text) for name, text in written_by_others.items()}
    return {
        **values,
        "article": values["article"] if article else WITHHELD,
        "aspect": judgment.aspect,
        "scale": "\n".join(f"- {label}" for label in judgment.scale),
        "lowest": judgment.scale[0],
        "highest": judgment.scale[-1],
        "label": judgment.label,
        "fence_start": fence.start,
        "fence_end": fence.end,
    }


@cache
def _system() -> str:
    return normalise((_FOLDER / f"{VERSION}_system.txt").read_text(encoding="utf-8"))

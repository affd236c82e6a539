"""From a scheme to what stands on the page, and from what was sent back to what the scheme checks.

A judgment has three shapes: *typed* (aspect key to the text of its field, as drafts keep it), *sent* (the fields
of the page's form) and *checked* (``core.schemes.check_judgment``).
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any
from uuid import UUID

from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from markdown_it import MarkdownIt

from annotation_platform.core.schemes import Aspect, ChoiceAspect, Scheme, SentencesAspect, TextAspect
from annotation_platform.core.schemes.definition import WorkedExample
from annotation_platform.core.text import SentenceReferenceError, format_sentence_references, parse_sentence_references

PREFIX = "aspect-"
NONE = "none"
MOST_SECONDS = 24 * 3600.0

# What the scheme's check and the services say, which know one language only; see `in_language`.
REASONS = (
    gettext_noop("Choose one."),
    gettext_noop("“{value}” is not one of the choices ({keys})."),
    gettext_noop("Please write something here."),
    gettext_noop("Please write at least {least} characters; there are {length}."),
    gettext_noop("This is {length} characters long; at most {most} fit. Shorten it."),
    gettext_noop("Cite the sentences, or say “{none}”."),
    gettext_noop("“{piece}” is not a sentence number. Write numbers like 3, 5-7."),
    gettext_noop("“{piece}” runs backwards. Write the smaller number first."),
    gettext_noop("“{piece}” is too long a range."),
    gettext_noop("There is no sentence {number}. Numbers lie between 1 and {count}."),
    gettext_noop("There is no sentence {number}. Numbers lie above 0."),
    gettext_noop(
        "Your time for this task ran out and somebody else has it now. What you wrote is kept in your drafts."
    ),
    gettext_noop("This batch has closed and takes no more judgments. What you wrote is kept."),
    gettext_noop("The questions have changed since this page was loaded. Please look through them."),
    gettext_noop("This is more than {limit} characters; it cannot be saved as a draft."),
    gettext_noop("The message is empty. Write a word or two first."),
    gettext_noop("The message has {length} characters; at most {most} fit. Shorten it."),
)


@dataclass(frozen=True)
class Step:
    """One aspect on the page, with what its field holds and what is wrong with it."""

    number: int
    aspect: Aspect
    value: str
    error: str
    labels: tuple[str, ...] = ()
    """What the text of this step explains: an explanation that says no more than these earns a hint."""

    @property
    def name(self) -> str:
        return PREFIX + self.aspect.key

    @property
    def focus_id(self) -> str:
        """The first field of the step."""
        return f"{self.name}-1"

    @property
    def is_none(self) -> bool:
        """Whether the explicit "none" of a sentences aspect is ticked."""
        return isinstance(self.aspect, SentencesAspect) and self.value == NONE

    @property
    def condition(self) -> tuple[str, str] | None:
        """(field, choices that show this step), for the page's script."""
        when = self.aspect.shown_when
        return None if when is None else (PREFIX + when.aspect, " ".join(when.is_))

    @property
    def described_by(self) -> str:
        parts = ("help", self.aspect.help), ("error", self.error), ("counter", isinstance(self.aspect, TextAspect))
        return " ".join(f"{self.name}-{part}" for part, is_there in parts if is_there)


def steps(scheme: Scheme, typed: Mapping[str, str], errors: Mapping[str, str] | None = None) -> list[Step]:
    """The scheme's aspects as the numbered steps of the page."""
    return [
        Step(
            number,
            aspect,
            typed.get(aspect.key, ""),
            (errors or {}).get(aspect.key, ""),
            _explained(scheme, aspect.key),
        )
        for number, aspect in enumerate(scheme.aspects, start=1)
    ]


def _explained(scheme: Scheme, key: str) -> tuple[str, ...]:
    """The labels, descriptions and titles of what this aspect explains."""
    explained = [
        aspect for rule in scheme.rescale if rule.explained_by == key for aspect in [scheme.aspect(rule.aspect)]
    ]
    return tuple(
        text
        for aspect in explained
        if isinstance(aspect, ChoiceAspect)
        for choice in aspect.scale.choices
        for text in (choice.label, choice.description)
        if text
    )


def typed_from_sent(scheme: Scheme, sent: Mapping[str, str]) -> dict[str, str]:
    """The fields of the page's form as typed; a ticked "none" beside an empty field is the word itself."""
    typed = {}
    for aspect in scheme.aspects:
        text = sent.get(PREFIX + aspect.key, "").replace("\r\n", "\n").replace("\x00", "")  # PostgreSQL takes no NUL
        if isinstance(aspect, SentencesAspect) and not text.strip() and sent.get(f"{PREFIX}{aspect.key}-{NONE}"):
            text = NONE
        if text:
            typed[aspect.key] = text
    return typed


def contradictions(scheme: Scheme, sent: Mapping[str, str]) -> dict[str, str]:
    """Sentences aspects whose field has numbers while "none" is ticked (a browser without JavaScript lets them)."""
    return {
        aspect.key: _("You cited sentences and ticked “%(none)s”. Keep one of the two.") % {"none": aspect.none_label}
        for aspect in scheme.aspects
        if isinstance(aspect, SentencesAspect)
        and sent.get(PREFIX + aspect.key, "").strip()
        and sent.get(f"{PREFIX}{aspect.key}-{NONE}")
    }


def strange_fields(scheme: Scheme, sent: Mapping[str, str]) -> list[tuple[str, str]]:
    """What was typed into fields that the scheme no longer has, so that it can be shown and copied."""
    known = {aspect.key for aspect in scheme.aspects}
    fields = ((name.removeprefix(PREFIX), text) for name, text in sent.items() if name.startswith(PREFIX))
    return [(key, text) for key, text in fields if text.strip() and key.removesuffix(f"-{NONE}") not in known]


def typed_from_values(scheme: Scheme, values: Mapping[str, Any]) -> dict[str, str]:
    """Typed or checked values as typed ones; those that do not fit the scheme (any more) are left out."""
    typed = {}
    for aspect in scheme.aspects:
        value = values.get(aspect.key)
        if isinstance(value, list):
            value = format_sentence_references(value) or NONE
        if isinstance(value, str):
            typed[aspect.key] = value
    return typed


def in_language(reason: str) -> str:
    """A reason from below in the reader's language, if it is one of `REASONS`."""
    for template, pattern in _patterns():
        if match := pattern.fullmatch(reason):
            return _(template).format(**match.groupdict())
    return reason


@cache
def _patterns() -> list[tuple[str, re.Pattern[str]]]:
    return [
        (template, re.compile(re.sub(r"\\{(\w+)\\}", r"(?P<\1>.+)", re.escape(template)), re.DOTALL))
        for template in REASONS
    ]


def seconds_from(text: str) -> float | None:
    """The time on task that the page measured; None when it says nothing believable."""
    try:
        seconds = float(text)
    except ValueError:
        return None
    return min(seconds, MOST_SECONDS) if math.isfinite(seconds) and seconds >= 0 else None


def uuid_from(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None


def version_from(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0


def cited_in(scheme: Scheme, typed: Mapping[str, str], sentence_count: int) -> set[int]:
    """The sentences that the page shows as cited when it opens."""
    cited: set[int] = set()
    for aspect in scheme.aspects:
        if isinstance(aspect, SentencesAspect):
            try:
                cited.update(parse_sentence_references(typed.get(aspect.key, ""), count=sentence_count))
            except SentenceReferenceError:
                continue
    return cited


@dataclass(frozen=True)
class ExampleStep:
    """How a worked example judged one aspect."""

    title: str
    value: str


@dataclass(frozen=True)
class Example:
    """A worked example as the instructions show it."""

    example: WorkedExample
    cited: frozenset[int]
    steps: tuple[ExampleStep, ...]


@dataclass(frozen=True)
class Instructions:
    guidelines: SafeString
    examples: tuple[Example, ...]


def instructions(scheme: Scheme) -> Instructions:
    """The scheme's guidelines (Markdown in which HTML is text) and its worked examples."""
    html = MarkdownIt("commonmark", {"html": False}).render(scheme.guidelines)
    return Instructions(mark_safe(html), tuple(_example(scheme, example) for example in scheme.examples))


def _example(scheme: Scheme, example: WorkedExample) -> Example:
    typed = typed_from_values(scheme, example.values)
    judged = [
        ExampleStep(aspect.title, _in_words(aspect, typed[aspect.key]))
        for aspect in scheme.aspects
        if aspect.key in typed
    ]
    return Example(example, frozenset(cited_in(scheme, typed, len(example.sentences))), tuple(judged))


def _in_words(aspect: Aspect, typed: str) -> str:
    if isinstance(aspect, ChoiceAspect):
        return aspect.scale.choice(typed).label
    if isinstance(aspect, SentencesAspect) and typed == NONE:
        return aspect.none_label
    return typed

"""Labels as a model sees them and writes them, and the choices that they stand for."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from annotation_platform.core.schemes.scales import Choice

_MARKUP = re.compile(r"[*`~]+|(?<!\w)_+|_+(?!\w)")
_EDGES = " \t.,;:!?…·#>\"'“”‘’«»「」『』()[]{}<>、。・-–—=/\\|"


@dataclass(frozen=True)
class Option:
    """One label that can be given.

    Attributes
    ----------
    shown : str
        What the prompt offers and the reply is to copy; no other option of the question reads the same.
    choice : str
        What is stored for it: a choice's key, a candidate's number, or yes/no for a mark.
    description : str
        Words beside it.
    names : tuple of str
        Other texts that mean it, such as the words of a numbered point or the text of an item's choice.
    number : float, optional
        Its number, where labels are numbers.
    """

    shown: str
    choice: str
    description: str = ""
    names: tuple[str, ...] = ()
    number: float | None = None

    @property
    def described(self) -> str:
        return f"{self.shown} ({self.description})" if self.description else self.shown


def tidy(text: str) -> str:
    """Text with one spelling for what looks alike: full width, letter case, Markdown, characters without a shape."""
    plain_characters = unicodedata.normalize("NFKC", text)
    visible = "".join(char for char in plain_characters if unicodedata.category(char) != "Cf")
    return _MARKUP.sub("", visible).casefold()


def plain(text: str) -> str:
    """A label's bare words: tidy, in one line, without punctuation around it."""
    return " ".join(tidy(text).split()).strip(_EDGES)


def options_for_choices(choices: Sequence[Choice]) -> tuple[Option, ...]:
    """Options of labelled choices. They are shown by label, or all by key where their labels can be confused."""
    labels = [plain(choice.label) for choice in choices]
    keys = [plain(choice.key) for choice in choices]
    others = [{key for other, key in enumerate(keys) if other != place} for place in range(len(keys))]
    are_clear = len(set(labels)) == len(labels) and all(
        label and label not in other and "\n" not in choice.label and "|" not in choice.label
        for label, other, choice in zip(labels, others, choices, strict=True)
    )
    return tuple(
        Option(
            shown=choice.label.strip() if are_clear else choice.key,
            choice=choice.key,
            description=choice.description if are_clear else choice.label,
            names=(choice.key if are_clear else choice.label,),
        )
        for choice in choices
    )


def options_for_points(choices: Sequence[Choice]) -> tuple[Option, ...]:
    """Options of a numeric scale: its numbers, with the words that some of them have."""
    return tuple(
        Option(
            shown=choice.key,
            choice=choice.key,
            description=words,
            names=(words,) if words else (),
            number=choice.number,
        )
        for choice in choices
        for words in ["" if choice.label == choice.key else choice.label]
    )

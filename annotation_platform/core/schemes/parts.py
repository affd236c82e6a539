"""The small parts of a scheme beside its aspects: what is shown, what is rescaled, what is composed."""

from typing import Any, Literal

from pydantic import Field

from annotation_platform.core.schemes.scales import Frozen, Key

Part = Literal["article", "documents", "question", "choices", "answer", "rationale", "reference_answers", "candidates"]


def as_shown(value: Any) -> Any:
    return {"part": value} if isinstance(value, str) else value


class Shown(Frozen):
    """A part of the item that the judge sees; its bare name will do."""

    part: Part
    """Which part."""
    title: str = ""
    """Replaces the page's own heading for it."""


class Rescaling(Frozen):
    """Which aspect's labels are rescaled from which aspect's explanation."""

    aspect: Key
    """An aspect with an ordered scale that says which end is better."""
    explained_by: Key
    """The text aspect that explains it."""


class Composite(Frozen):
    """A score made of several rated aspects, with weights fitted so that it predicts another (LLM-MATE)."""

    key: Key
    """Names the composite in figures and exports."""
    title: str = Field(min_length=1)
    """Its name on pages."""
    parts: tuple[Key, ...] = Field(min_length=1)
    """The keys of the rated aspects that it is made of."""
    predicts: Key
    """The key of the rated aspect that it predicts."""

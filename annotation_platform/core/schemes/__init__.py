"""Schemes: one definition of a task from which everything else follows."""

from annotation_platform.core.schemes.definition import (
    Aspect,
    Choice,
    ChoiceAspect,
    Level,
    Scale,
    Scheme,
    SentencesAspect,
    TextAspect,
)
from annotation_platform.core.schemes.judgment import (
    InvalidJudgmentError,
    check_judgment,
    cited_sentences,
    rated_choices,
    shown_aspects,
)
from annotation_platform.core.schemes.loading import SchemeError, build_scheme, preset, read_scheme

__all__ = [
    "Aspect",
    "Choice",
    "ChoiceAspect",
    "InvalidJudgmentError",
    "Level",
    "Scale",
    "Scheme",
    "SchemeError",
    "SentencesAspect",
    "TextAspect",
    "build_scheme",
    "check_judgment",
    "cited_sentences",
    "preset",
    "rated_choices",
    "read_scheme",
    "shown_aspects",
]

"""Schemes: one definition of a task from which everything else follows."""

from annotation_platform.core.schemes.aspects import (
    Aspect,
    BestOfAspect,
    ChoiceAspect,
    ItemChoiceAspect,
    LabelledAspect,
    RangeAspect,
    RatedAspect,
    SentencesAspect,
    SeveralAspect,
    StarsAspect,
    TextAspect,
    YesNoAspect,
)
from annotation_platform.core.schemes.definition import ItemShape, Scheme, Slot
from annotation_platform.core.schemes.judgment import (
    Citation,
    InvalidJudgmentError,
    Label,
    check_judgment,
    citations,
    labels_given,
    renumber_candidates,
)
from annotation_platform.core.schemes.loading import (
    SchemeError,
    SchemeMistake,
    build_scheme,
    preset,
    presets,
    read_scheme,
)
from annotation_platform.core.schemes.scales import Choice, Level, Scale

__all__ = [
    "Aspect",
    "BestOfAspect",
    "Choice",
    "ChoiceAspect",
    "Citation",
    "InvalidJudgmentError",
    "ItemChoiceAspect",
    "ItemShape",
    "Label",
    "LabelledAspect",
    "Level",
    "RangeAspect",
    "RatedAspect",
    "Scale",
    "Scheme",
    "SchemeError",
    "SchemeMistake",
    "SentencesAspect",
    "SeveralAspect",
    "Slot",
    "StarsAspect",
    "TextAspect",
    "YesNoAspect",
    "build_scheme",
    "check_judgment",
    "citations",
    "labels_given",
    "preset",
    "presets",
    "read_scheme",
    "renumber_candidates",
]

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
    SpansAspect,
    StarsAspect,
    TextAspect,
    YesNoAspect,
)
from annotation_platform.core.schemes.definition import ItemShape, Scheme, Slot
from annotation_platform.core.schemes.judgment import InvalidJudgmentError, cannot_judge, check_judgment
from annotation_platform.core.schemes.judgment_contents import (
    Citation,
    Label,
    citations,
    labels_given,
    renumber_candidates,
    spans_given,
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
from annotation_platform.core.schemes.spans import Span

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
    "Span",
    "SpansAspect",
    "StarsAspect",
    "TextAspect",
    "YesNoAspect",
    "build_scheme",
    "cannot_judge",
    "check_judgment",
    "citations",
    "labels_given",
    "preset",
    "presets",
    "read_scheme",
    "renumber_candidates",
    "spans_given",
]

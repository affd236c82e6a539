"""The labels of an aspect in words, and the aspect that lists show."""

from django.utils.translation import gettext as _

from annotation_platform.core.schemes import BestOfAspect, LabelledAspect, Level, RatedAspect, Scheme
from annotation_platform.core.schemes.aspects import TIE
from annotation_platform.studies.models import Item


def main_aspect(scheme: Scheme) -> LabelledAspect | None:
    """The aspect that lists show: the first rescaled one, else the first ordered one of the whole item, else any."""
    rescaled = {rescaling.aspect for rescaling in scheme.rescale}

    def rank(aspect: LabelledAspect) -> tuple[bool, bool, bool]:
        is_ordered = isinstance(aspect, RatedAspect) and aspect.scale.level is not Level.NOMINAL
        return aspect.key not in rescaled, aspect.per == "candidate", not is_ordered

    return min(scheme.labelled_aspects, key=rank, default=None)


def labels_in_words(aspect: LabelledAspect, item: Item) -> dict[str, str]:
    """The labels of an item; a number without words says between what it lies, as in ``2 (0 Bad to 3 Good)``."""
    words = dict(labels_of(aspect, item))
    if isinstance(aspect, RatedAspect):
        keys = [choice.key for choice in aspect.scale.choices]
        first, last = (key if words[key] == key else f"{key} {words[key]}" for key in (keys[0], keys[-1]))
        ends = _("%(first)s to %(last)s") % {"first": first, "last": last}
        words |= {key: f"{key} ({ends})" for key in keys if words[key] == key}
    return words


def labels_of(aspect: LabelledAspect, item: Item) -> list[tuple[str, str]]:
    """Key and wording of every label that an item can get; the best of a group is named by its system."""
    if isinstance(aspect, RatedAspect):
        return [(choice.key, choice.label) for choice in aspect.scale.choices]
    if isinstance(aspect, BestOfAspect):
        systems = [(str(candidate.number), candidate.answer.system.name) for candidate in item.candidates.all()]
        return [*systems, *([(TIE, aspect.tie_label)] if aspect.tie_label else [])]
    choices = item.question.choices
    worded = {key: f"{key}) {text}" for key, text in zip(aspect.keys(len(choices)), choices, strict=False)}
    return [(key, worded.get(key, aspect.none_label)) for key in aspect.keys(len(choices))]

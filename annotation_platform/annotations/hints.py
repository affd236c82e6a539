"""The hint beside an explanation that says little: what it is measured against, and what it asks for."""

import re
from collections.abc import Mapping, Sequence
from typing import TypedDict

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotation_platform.annotations.forms.keys import cites
from annotation_platform.annotations.forms.options import options_of
from annotation_platform.annotations.services import log_hint
from annotation_platform.core.items import ItemTexts
from annotation_platform.core.methods.vacuousness import ExplanationAssessment, Reason, assess_explanation
from annotation_platform.core.schemes import Scheme, SentencesAspect, Slot
from annotation_platform.core.schemes.conditions import NONE
from annotation_platform.studies.items import item_texts
from annotation_platform.studies.models import Item, Member

IN_SHORT = {
    Reason.EMPTY: gettext_noop("has no words"),
    Reason.NOISE: gettext_noop("keys hit at random"),
    Reason.REPEATS_LABEL: gettext_noop("restates the label"),
    Reason.REPEATS_CONTEXT: gettext_noop("repeats what is judged"),
    Reason.GENERAL: gettext_noop("could be said of any answer"),
}
"""Why an explanation earned a hint, for researchers: in English, until a page translates it."""
_KANA = re.compile(r"[\u3041-\u30ff]")


def assess(scheme: Scheme, slot: Slot, material: ItemTexts, typed: Mapping[str, str]) -> ExplanationAssessment | None:
    """Measure the explanation in a slot; None when it says enough, is empty, or explains nothing."""
    text = typed.get(slot.key, "")
    explained = scheme.explained_by(slot.aspect.key) if slot.aspect.kind == "text" else ()
    if not text.strip() or not explained:
        return None
    said = assess_explanation(
        text,
        **already_there(scheme, slot, material),
        language=language_of(text, material),
        has_cited=_has_cited(scheme, material, typed),
    )
    return said if said.is_vacuous else None


def slot_named(scheme: Scheme, material: ItemTexts, key: str) -> Slot | None:
    """The field of an item's form that is called so."""
    return next((each for each in scheme.slots(material.shape) if each.key == key), None)


def give(
    *, annotator: Member, item: Item, scheme: Scheme, material: ItemTexts, slot: Slot, typed: Mapping[str, str]
) -> str:
    """What to ask the annotator for, which is logged; empty when the explanation says enough, or they dismissed it."""
    said = assess(scheme, slot, material, typed)
    if said is None or not log_hint(
        annotator=annotator, item=item, slot=slot, text=typed[slot.key], reason=said.reasons[0], score=said.score
    ):
        return ""
    return in_words(said.reasons, scheme, material)


class AlreadyThere(TypedDict):
    """What an explanation may repeat without saying anything."""

    labels: list[str]
    context: list[str]


def already_there(scheme: Scheme, slot: Slot, material: ItemTexts) -> AlreadyThere:
    """What the explanations in a slot are compared with: its labels, and all that is judged."""
    return {"labels": labels_of(scheme, slot, material), "context": context_of(material)}


def labels_of(scheme: Scheme, slot: Slot, material: ItemTexts) -> list[str]:
    """The titles of what is explained and the choices as they are shown; the same for items with the same choices."""
    return [
        word
        for aspect in scheme.explained_by(slot.aspect.key)
        for word in (aspect.title, *(w for o in options_of(scheme, aspect, material) for w in (o.label, o.what)))
        if word
    ]


def judged_texts(items: QuerySet[Item], scheme: Scheme) -> list[ItemTexts]:
    """What explanations are compared with: all that is shown of items but their documents."""
    return item_texts(items, scheme.parts.keys() - {"article", "documents"})


def context_of(material: ItemTexts) -> list[str]:
    """All that is judged."""
    return [
        material.question,
        material.answer,
        material.rationale,
        *material.choices,
        *material.reference_answers,
        *(each.text for each in material.candidates),
    ]


def language_of(text: str, material: ItemTexts) -> str:
    """Whose stock words count: people may write another language than that of the material."""
    return "ja" if _KANA.search(text) else "en" if material.language == "ja" else material.language


def in_words(reasons: Sequence[Reason], scheme: Scheme, material: ItemTexts) -> str:
    """What to ask the annotator for, by the reasons that an explanation was found to say little."""
    ask = {
        Reason.EMPTY: _("There are no words in this yet. What made you decide as you did?"),
        Reason.NOISE: _("This does not look like words. What made you decide as you did?"),
        Reason.REPEATS_LABEL: _("This says little more than your choice above. What exactly made you choose it?"),
        Reason.REPEATS_CONTEXT: _("This repeats what is being judged. What about it made you decide as you did?"),
        Reason.GENERAL: _("This could be said of many answers. Which name, fact or number is it about here?"),
        Reason.CITES_NOTHING: _("Which sentence is it about?"),
    }
    words = ask[reasons[0]]
    has_sentences = material.shape.sentences > 0 or cites(scheme, material)
    if Reason.CITES_NOTHING in reasons[1:] and has_sentences:
        words = f"{words} {ask[Reason.CITES_NOTHING]}"
    return words


def are_possible(scheme: Scheme) -> bool:
    """Whether a text of the scheme explains a label, so that there can be hints at all."""
    return any(aspect.kind == "text" and scheme.explained_by(aspect.key) for aspect in scheme.aspects)


def _has_cited(scheme: Scheme, material: ItemTexts, typed: Mapping[str, str]) -> bool:
    """Whether sentences are cited in a field of their own."""
    of_sentences = (slot for slot in scheme.slots(material.shape) if isinstance(slot.aspect, SentencesAspect))
    return any(typed.get(slot.key, "").strip() not in ("", NONE) for slot in of_sentences)

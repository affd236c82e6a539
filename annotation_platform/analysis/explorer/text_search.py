"""Items by what people wrote: those in whose explanations a word or phrase stands, and those of a theme.

A word is looked for as the page of explanations counts it (`core.methods.explanation_words`): "miss" does not find
"missing", "#" is any number, and of several words each two neighbours stand together. The database gives the judgments
whose text has its letters somewhere, or letters that may be the same ones written otherwise, in their own order, and as
soon as more than `MOST` items are found the rest are left; for a rare word it reads all explanations of the study.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from django.db.models import Q
from django.db.models.fields.json import KeyTextTransform

from annotation_platform.analysis.explorer.words import MOST
from annotation_platform.analysis.snapshots.stored import FIGURES, latest_snapshot, section_of_study
from annotation_platform.annotations.models import Annotation, Rating
from annotation_platform.core.schemes import BestOfAspect, LabelledAspect, Scheme, TextAspect
from annotation_platform.core.schemes.aspects import TIE
from annotation_platform.studies.models import Candidate, Study

AT_ONCE = 500
ANY_NUMBER = re.compile(r"(?<!\w)[#＃](?!\w)")
WRITTEN_OTHERWISE = (
    "[^\x01-\x7fà-öø-ÿа-ё"  # Latin, Cyrillic
    "\u2010-\u2018\u201a-\u2027\u3000-\u303f！-／：-＠［-\uff40｛-･"  # punctuation, without the apostrophe
    "ぁ-ゖァ-ー一-鿿㐀-䶿가-힣ก-าิ-๛]"  # kana, Chinese characters, Hangul, Thai
)
"""A letter that is another one where words are counted (É, ＧＰＴ, ’): databases fold few of them."""
JudgedPlace = tuple[int, int, int]  # judgment, item, candidate (0: the item as a whole)


@dataclass(frozen=True)
class Said:
    """Keys of items; ``too_common`` where there are more than the first `MOST`."""

    keys: frozenset[int]
    too_common: bool = False


def items_saying(
    study: Study, term: str, *, aspect: LabelledAspect | None, label: str = "", annotators: Sequence[int] | None = None
) -> Said:
    """Items with a judgment that has the term in an explanation: with this label and by these annotators, if given."""
    judgments = Annotation.objects.current().filter(item__study=study)
    if annotators is not None:
        judgments = judgments.filter(annotator__in=annotators)
    keys: dict[int, None] = {}
    found = _with_term(judgments, term, _slots(study, aspect))
    while block := list(islice(found, AT_ONCE)):
        keys |= dict.fromkeys(item for _, item, _ in _labelled(study, block, aspect, label))
        if len(keys) > MOST:
            return Said(frozenset(list(keys)[:MOST]), too_common=True)
    return Said(frozenset(keys))


def items_of_theme(study: Study, theme: str) -> tuple[frozenset[int], tuple[str, ...]]:
    """The items of a theme, named by its aspect and number as in ``aspect.2``, nearest first; and its words."""
    aspect, _, number = theme.rpartition(".")
    snapshot = latest_snapshot(study)
    found = section_of_study(snapshot, FIGURES["explanations"]) if snapshot else None
    themes = found[aspect].themes if found and aspect in found else ()
    if not (number.isdecimal() and len(number) < 4 and 0 < int(number) <= len(themes)):
        return frozenset(), ()
    return frozenset(themes[int(number) - 1].items), themes[int(number) - 1].words


def _slots(study: Study, aspect: LabelledAspect | None) -> dict[str, int]:
    """The keys of the texts that explain an aspect (or any, where none of them explains this one), with candidates."""
    scheme: Scheme = study.scheme()
    texts = [each for each in scheme.aspects if isinstance(each, TextAspect) and scheme.explained_by(each.key)]
    own = [each for each in texts if aspect is not None and aspect in scheme.explained_by(each.key)]
    slots: dict[str, int] = {}
    for each in own or texts:
        if each.per == "item":
            slots[each.key] = 0
        else:
            last = Candidate.objects.filter(study=study).order_by("-number").values_list("number", flat=True).first()
            slots |= {f"{each.key}.{number}": number for number in range(1, (last or 0) + 1)}
    return slots


def _with_term(judgments: Any, term: str, slots: dict[str, int]) -> Iterator[JudgedPlace]:
    # Texts are cut into words by what counts them, which loads numpy: only for those who ask for a word.
    from annotation_platform.core.methods.explanation_words import NUMBER, terms_of, words_of

    term = ANY_NUMBER.sub("1", term)
    wanted = terms_of(term)
    words = set(words_of(term)) & wanted - {NUMBER}
    if not wanted or not slots:
        return
    texts = {f"text_{place}": KeyTextTransform(key, "values") for place, key in enumerate(slots)}
    has_letters = Q()
    for name in texts:
        has_letters |= Q(*((f"{name}__icontains", word) for word in sorted(words)), (f"{name}__isnull", False))
        has_letters |= Q((f"{name}__regex", WRITTEN_OTHERWISE))
    rows = judgments.annotate(**texts).filter(has_letters).order_by("pk").values_list("pk", "item_id", *texts)
    for pk, item, *said in rows.iterator(chunk_size=AT_ONCE):
        for text, candidate in zip(said, slots.values(), strict=True):
            if text and wanted <= terms_of(text):
                yield pk, item, candidate


def _labelled(study: Study, found: list[JudgedPlace], aspect: LabelledAspect | None, label: str) -> list[JudgedPlace]:
    """Those of them whose judgment has the label."""
    if not label or aspect is None:
        return found
    ratings = Rating.objects.filter(annotation__in={pk for pk, _, _ in found}, aspect=aspect.key)
    given = {
        (pk, candidate): choice for pk, candidate, choice in ratings.values_list("annotation_id", "candidate", "choice")
    }
    if isinstance(aspect, BestOfAspect):
        candidates = Candidate.objects.filter(item__in={item for _, item, _ in found})
        names = {
            (item, str(number)): name
            for item, number, name in candidates.values_list("item_id", "number", "answer__system__name")
        }
        item_of = {pk: item for pk, item, _ in found}
        given = {
            key: choice if choice == TIE else names.get((item_of[key[0]], choice), "") for key, choice in given.items()
        }
    return [
        (pk, item, candidate)
        for pk, item, candidate in found
        if label in (given.get((pk, candidate)), given.get((pk, 0)))
    ]

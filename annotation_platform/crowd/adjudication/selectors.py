"""The queue of items to decide on, one item with its judgments blinded, and all decisions of a study."""

import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from annotation_platform.analysis.models import ItemFigures
from annotation_platform.annotations.models import Annotation
from annotation_platform.annotations.selectors import material_of
from annotation_platform.core.allocation import shuffled
from annotation_platform.core.errors import NotThereError
from annotation_platform.core.items import CANDIDATE_LETTERS, ItemTexts
from annotation_platform.core.schemes import ItemShape, Scheme, labels_given
from annotation_platform.core.text import typed_number
from annotation_platform.crowd.adjudication.models import Adjudication
from annotation_platform.crowd.adjudication.words import Said, said
from annotation_platform.studies.models import Candidate, Item, Member, Study

QUEUES = {
    "open": _("Undecided"),
    "mine": _("Decided by me"),
    "others": _("Decided by others alone"),
    "all": pgettext_lazy("of a list", "All"),
}


@dataclass(frozen=True)
class ItemToDecide:
    """An item with what its judgments say and what was decided, as one adjudicator sees it.

    Others' decisions are shown to whoever has decided already. ``earlier``: what this one decided under an earlier
    version of the scheme, and has yet to decide again.
    """

    item: Item
    material: ItemTexts
    judgments: list[Said]
    own: Adjudication | None
    earlier: Adjudication | None
    others: list[Said]
    others_count: int


def decisions_that_count(study: Study) -> QuerySet[Adjudication]:
    """Those under the version of the scheme that the study has: those of before are to be made again."""
    return Adjudication.objects.filter(item__study=study, scheme_version=study.scheme_version_id)


def queue(study: Study, aspect: str, adjudicator: Member, which: str = "open") -> QuerySet[ItemFigures]:
    """Judged items by how far their judgments lie apart under an aspect, the farthest first.

    The figures are those of the newest snapshot; ``which`` is a key of ``QUEUES``. Decisions under an earlier version
    of the scheme count nowhere, so what they were about is to be decided again.
    """
    version = study.scheme_version_id
    decided = decisions_that_count(study).filter(item=OuterRef("item"))
    mine = decided.filter(adjudicator=adjudicator)
    found = ItemFigures.objects.filter(study=study, aspect=aspect, raw_disagreement__isnull=False)
    if which == "open":
        found = found.filter(~Exists(decided))
    elif which == "mine":
        found = found.filter(Exists(mine))
    elif which == "others":
        found = found.filter(Exists(decided), ~Exists(mine))
    return (
        found.select_related("item__question", "item__hit__batch")
        .annotate(decisions=Count("item__adjudications", filter=Q(item__adjudications__scheme_version=version)))
        .order_by(F("raw_disagreement").desc(), "item")
    )


def next_in_queue(study: Study, aspect: str, adjudicator: Member, *, after: int) -> int | None:
    """The key of the item that nobody has decided on whose judgments lie farthest apart; None when none is left."""
    return queue(study, aspect, adjudicator).exclude(item=after).values_list("item", flat=True).first()


def item_to_decide(study: Study, pk: int, adjudicator: Member, language: str = "en") -> ItemToDecide:
    """An item as this adjudicator sees it: judgments under letters, in an order drawn once for them.

    ``language``: that of the scheme's words.

    Raises
    ------
    NotThereError
        When the study has no such item.
    """
    item = Item.objects.filter(study=study, pk=pk).select_related("study__scheme_version", "question__article").first()
    if item is None:
        raise NotThereError("crowd.no_item_to_decide")
    scheme = study.scheme(language)
    material = material_of(item, scheme, adjudicator)
    current = list(Annotation.objects.current().filter(item=item).order_by("pk"))
    mixed = shuffled(current, seed=f"adjudication/{item.pk}/{adjudicator.pk}")
    decisions = list(decisions_that_count(study).filter(item=item).select_related("adjudicator"))
    own = next((each for each in decisions if each.adjudicator_id == adjudicator.pk), None)
    others = [each for each in decisions if each is not own]
    earlier = None if own else item.adjudications.filter(adjudicator=adjudicator).first()
    return ItemToDecide(
        item,
        material,
        [said(_letter(place), scheme, material, each.values) for place, each in enumerate(mixed)],
        own,
        earlier,
        [said(each.adjudicator.pseudonym, scheme, material, each.values, each.note) for each in others] if own else [],
        len(others),
    )


def own_decision(study: Study, pk: int, adjudicator: Member) -> Adjudication:
    """What an adjudicator decided about an item.

    Raises
    ------
    NotThereError
        When they have decided nothing about it.
    """
    found = decisions_that_count(study).filter(item=pk, adjudicator=adjudicator).first()
    if found is None:
        raise NotThereError("crowd.no_item_to_decide")
    return found


Labels = dict[tuple[int, str, int], frozenset[str]]
"""Item, aspect and candidate → the labels given."""


def adjudicated_labels(study: Study) -> Labels:
    """The labels on which all adjudicators of an item agree, who decided on it."""
    scheme = study.scheme()
    given: defaultdict[tuple[int, str, int], set[frozenset[str]]] = defaultdict(set)
    rows = decisions_that_count(study)
    sizes = _sizes(rows)
    for item, values in rows.values_list("item_id", "values"):
        for key, labels in labels_by_slot(scheme, item, values, sizes[item]).items():
            given[key].add(labels)
    return {key: next(iter(found)) for key, found in given.items() if len(found) == 1}


def labels_by_slot(scheme: Scheme, item: int, values: dict[str, Any], candidates: int) -> Labels:
    """The labels that checked values give, by item, aspect and candidate."""
    found: defaultdict[tuple[int, str, int], set[str]] = defaultdict(set)
    for label in labels_given(scheme, values, ItemShape(candidates=candidates)):
        found[item, label.aspect, label.candidate].add(label.choice)
    return {key: frozenset(labels) for key, labels in found.items()}


HEADER = ("item_id", "article_id", "question_id", "system", "adjudicator", "aspect", "value", "note", "decided_at")


def decided_rows(decided: QuerySet[Adjudication]) -> Iterator[tuple[Any, ...]]:
    """A row for each value of these decisions, in the order of ``HEADER``."""
    rows = decided.select_related("item__question__article", "adjudicator")
    systems = {
        (item, number): name
        for item, number, name in Candidate.objects.filter(item__adjudications__in=decided).values_list(
            "item_id", "number", "answer__system__name"
        )
    }
    for each in rows.order_by("item", "decided_at", "pk"):
        for key, value in sorted(each.values.items()):
            aspect, _, number = key.partition(".")
            candidate = typed_number(number) or 0
            is_alone = (each.item_id, 2) not in systems
            yield (
                each.item_id,
                each.item.question.article.external_id,
                each.item.question.external_id,
                systems.get((each.item_id, candidate or 1), "") if candidate or is_alone else "",
                each.adjudicator.pseudonym,
                aspect if candidate else key,
                _as_cell(value),
                each.note,
                each.decided_at.isoformat(),
            )


def _as_cell(value: Any) -> str:
    if not isinstance(value, list):
        return str(value)
    has_spans = any(isinstance(each, dict) for each in value)
    return json.dumps(value, ensure_ascii=False) if has_spans else " ".join(map(str, value))


def _sizes(rows: QuerySet[Adjudication]) -> defaultdict[int, int]:
    counted = Item.objects.filter(adjudications__in=rows).annotate(size=Count("candidates", distinct=True))
    return defaultdict(int, counted.values_list("pk", "size"))


def _letter(place: int) -> str:
    return CANDIDATE_LETTERS[place] if place < len(CANDIDATE_LETTERS) else str(place + 1)

"""What people said of each trace, as scores: worked out from the current judgments of closed batches.

What goes for an aspect:

- of a scale with numbers, the number, or with :attr:`What.MEAN` their arithmetic mean over all judgments that have one
  (a choice without a number, such as "not applicable", is left out);
- of a scale without numbers, the label, or with MEAN the one that most judgments have; where two are as frequent,
  nothing;
- of the best of several candidates, 1 for the one that was chosen and 0 for the others, or the mean of these; a
  judgment that says they are equal is left out.

What is said of a group of candidates as a whole belongs to no one trace and never goes.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from django.db.models import QuerySet

from annotation_platform.annotations.models import Annotation, Rating
from annotation_platform.core.schemes import BestOfAspect, RatedAspect, Scheme
from annotation_platform.core.schemes.aspects import TIE, Aspect, ItemChoiceAspect, TextAspect
from annotation_platform.corpus.models import AnswerTrace
from annotation_platform.scoreback.destinations.contract import HumanScore
from annotation_platform.scoreback.destinations.registry import destination as program_named
from annotation_platform.scoreback.models import ScoreDestination, What
from annotation_platform.studies.models import Candidate, Study

ITEMS_AT_ONCE = 500
LONGEST_COMMENT = 5_000  # characters


class Said(NamedTuple):
    """One judgment's answer to one aspect, of one candidate."""

    annotator: str
    choice: str
    number: float | None
    comment: str


@dataclass(frozen=True)
class Judged:
    """An item's candidate with its trace."""

    item: int
    number: int
    traced: AnswerTrace


def sendable_aspects(scheme: Scheme) -> list[Aspect]:
    """The aspects that one answer's trace can have a score of."""
    kinds = RatedAspect | ItemChoiceAspect | BestOfAspect
    own = [aspect for aspect in scheme.aspects if isinstance(aspect, kinds)]
    if not scheme.judges_candidates:
        return [aspect for aspect in own if not isinstance(aspect, BestOfAspect)]
    return [aspect for aspect in own if aspect.per == "candidate" or isinstance(aspect, BestOfAspect)]


def traced_candidates(study: Study, program: str) -> QuerySet[Candidate]:
    """The answers of a study whose traces a program may know."""
    tools = program_named(program).tools
    found = Candidate.objects.filter(study=study, answer__traced__tool__in=tools)
    return found.exclude(answer__traced__span="") if program_named(program).needs_span else found


def scores_of(destination: ScoreDestination) -> Iterator[HumanScore]:
    """All that a destination is to be told, in the order of the items."""
    study = destination.study
    scheme = study.scheme()
    aspects = [aspect for aspect in sendable_aspects(scheme) if aspect.key in destination.aspects]
    items = traced_candidates(study, destination.program).order_by("item_id").values_list("item_id", flat=True)
    keys = iter(list(dict.fromkeys(items)))
    while some := list(islice(keys, ITEMS_AT_ONCE)):
        yield from _of_items(destination, scheme, aspects, some)


def _of_items(
    destination: ScoreDestination, scheme: Scheme, aspects: Sequence[Aspect], items: Sequence[int]
) -> Iterator[HumanScore]:
    judged = _judged(destination, items)
    said = _said(scheme, items, with_comments=destination.with_comments)
    ratings = Rating.objects.filter(annotation__in=said, aspect__in=[aspect.key for aspect in aspects])
    rows = list(
        ratings.order_by("annotation_id", "pk").values_list("annotation_id", "aspect", "candidate", "choice", "number")
    )
    by_item: dict[int, list[tuple[int, str, int, str, float | None]]] = {}
    for row in rows:
        by_item.setdefault(said[row[0]].item_id, []).append(row)
    for each in judged:
        for aspect in aspects:
            given = [
                Said(said[key].annotator.pseudonym, choice, number, _comment(scheme, aspect, said[key], each))
                for key, name, candidate, choice, number in by_item.get(each.item, [])
                if name == aspect.key and candidate in (0, each.number)
            ]
            yield from _scores(destination, aspect, each, given)


def _judged(destination: ScoreDestination, items: Sequence[int]) -> list[Judged]:
    found = traced_candidates(destination.study, destination.program).filter(item__in=items)
    rows = found.select_related("answer__traced").order_by("item_id", "number")
    return [Judged(row.item_id, row.number, row.answer.traced) for row in rows]


def _said(scheme: Scheme, items: Sequence[int], *, with_comments: bool) -> dict[int, Annotation]:
    """The current judgments of some items by their keys; with what they say in words only where that is wanted."""
    rows = Annotation.objects.closed().filter(item__in=items).select_related("annotator")
    rows = rows if with_comments else rows.defer("values")
    return {row.pk: row for row in rows.order_by("annotator__pseudonym", "pk")}


def _comment(scheme: Scheme, aspect: Aspect, judgment: Annotation, judged: Judged) -> str:
    """The explanation of a label, from the texts that explain the aspect."""
    if "values" in judgment.get_deferred_fields():
        return ""
    texts = [each for each in scheme.aspects if isinstance(each, TextAspect) and aspect.key in each.explains]
    keys = [f"{each.key}.{judged.number}" if each.per == "candidate" else each.key for each in texts]
    return "\n".join(str(judgment.values[key]) for key in keys if judgment.values.get(key))


def _scores(
    destination: ScoreDestination, aspect: Aspect, judged: Judged, given: Sequence[Said]
) -> Iterator[HumanScore]:
    if isinstance(aspect, BestOfAspect):
        given = [_as_share(each, judged.number) for each in given if each.choice != TIE]
    labels = _labels(aspect)
    place = {
        "study": destination.study.slug,
        **{name: getattr(judged.traced, name) for name in ("trace", "span", "project")},
        "aspect": aspect.key,
    }
    if destination.what == What.EACH:
        for each in given:
            label = labels.get(each.choice, each.choice)
            yield HumanScore(
                **place,
                value=each.number,
                label=label,
                comment=each.comment[:LONGEST_COMMENT],
                annotator=each.annotator,
            )
    elif (mean := _mean(given)) is not None or (given and _majority(given)):
        choice = "" if mean is not None else _majority(given)
        yield HumanScore(
            **place, value=mean, label=labels.get(choice, choice), comment=_together(given), count=_counted(given, mean)
        )


def _as_share(said: Said, number: int) -> Said:
    is_best = said.choice == str(number)
    return said._replace(choice="best" if is_best else "not best", number=float(is_best))


def _labels(aspect: Aspect) -> Mapping[str, str]:
    return {choice.key: choice.label for choice in aspect.scale.choices} if isinstance(aspect, RatedAspect) else {}


def _mean(given: Iterable[Said]) -> float | None:
    numbers = [each.number for each in given if each.number is not None]
    return sum(numbers) / len(numbers) if numbers else None


def _counted(given: Sequence[Said], mean: float | None) -> int:
    return len(given) if mean is None else sum(each.number is not None for each in given)


def _majority(given: Sequence[Said]) -> str:
    """The choice that most have; "" where two are as frequent."""
    (first, most), *others = Counter(each.choice for each in given).most_common(2)
    return "" if others and others[0][1] == most else first


def _together(given: Sequence[Said]) -> str:
    """The explanations of several judgments, each after whose it is."""
    texts = [f"{each.annotator}: {each.comment}" for each in given if each.comment]
    return "\n\n".join(texts)[:LONGEST_COMMENT]

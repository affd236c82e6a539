"""What was said about items: the list of all, and one with everything that its annotators wrote."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Avg, Count, OuterRef, Q, QuerySet, Subquery

from annotation_platform.annotations.models import Annotation, Rating
from annotation_platform.core.errors import NotThereError
from annotation_platform.core.schemes import ChoiceAspect, Level, Scheme, SentencesAspect, TextAspect
from annotation_platform.core.text import format_sentence_references
from annotation_platform.corpus.models import Sentence
from annotation_platform.scoring.models import Score, ScoringRun
from annotation_platform.scoring.selectors import latest_run
from annotation_platform.studies.models import Item, Study

ITEMS_PER_PAGE = 25
HEAT_STEPS = 5


@dataclass(frozen=True)
class ListedItem:
    """A line of the list: who labelled how, best label first, and the mean score."""

    item: Item
    labels: list[tuple[str, int]]
    judgments: int
    mean_score: float | None


@dataclass(frozen=True)
class CitedSentence:
    number: int
    text: str
    is_anchor: bool
    cited_by: list[str]
    heat: int  # 0 (nobody) to HEAT_STEPS (everybody)


@dataclass(frozen=True)
class ScoreLine:
    """What became of one label: its number on the scale, the rescaled value, and where that came from."""

    title: str
    label: str
    number: float | None
    value: float | None
    source: str


@dataclass(frozen=True)
class Judgment:
    """One annotator's word on an item, in the scheme's order."""

    annotation: Annotation
    annotator: str
    choices: list[tuple[str, str]]
    texts: list[tuple[str, str]]
    cited: list[tuple[str, list[int], str]]
    scores: list[ScoreLine]
    earlier: list[Annotation] = field(default_factory=list)


@dataclass(frozen=True)
class ItemView:
    item: Item
    sentences: list[CitedSentence]
    beyond_text: list[int]  # cited numbers of a document whose text is withheld
    judgments: list[Judgment]
    run: ScoringRun | None
    previous_id: int | None
    next_id: int | None


def main_aspect(scheme: Scheme) -> ChoiceAspect | None:
    """The aspect that lists show: the first rescaled one, else the first ordered one, else the first, if any."""
    if scheme.rescale:
        return next(a for a in scheme.choice_aspects if a.key == scheme.rescale[0].aspect)
    ordered = [aspect for aspect in scheme.choice_aspects if aspect.scale.level is not Level.NOMINAL]
    return next(iter([*ordered, *scheme.choice_aspects]), None)


def search_items(study: Study, *, query: str = "", system: str = "") -> QuerySet[Item]:
    """Items whose article or question has the words, or that a system answered; without the long texts."""
    items = (
        Item.objects.filter(study=study)
        .select_related("answer__question__article", "answer__system", "hit__batch")
        .defer("answer__text")
        .order_by("pk")
    )
    for word in query.split():
        items = items.filter(
            Q(answer__question__article__title__icontains=word)
            | Q(answer__question__article__external_id__iexact=word)
            | Q(answer__question__text__icontains=word)
            | Q(answer__system__name__icontains=word)
        )
    return items.filter(answer__system__name=system) if system else items


def list_items(study: Study, items: QuerySet[Item], page: str | None) -> tuple[Page[Item], list[ListedItem]]:
    """A page of items with the labels that each was given and its mean score in the newest run."""
    shown = Paginator(items, ITEMS_PER_PAGE).get_page(page)
    rows = list(shown.object_list)
    if (aspect := main_aspect(study.scheme())) is None:
        return shown, [ListedItem(item, [], 0, None) for item in rows]
    keys = [item.pk for item in rows]
    counts = (
        Rating.objects.filter(aspect=aspect.key, annotation__is_current=True, annotation__item__in=keys)
        .values_list("annotation__item_id", "choice")
        .annotate(n=Count("pk"))
    )
    given = {(item, choice): n for item, choice, n in counts}
    means = dict(
        Score.objects.filter(run=latest_run(study), aspect=aspect.key, annotation__item__in=keys)
        .values_list("annotation__item_id")
        .annotate(mean=Avg("value"))
    )
    listed = []
    for item in rows:
        labels = [
            (choice.label, given[item.pk, choice.key])
            for choice in aspect.scale.choices
            if (item.pk, choice.key) in given
        ]
        listed.append(ListedItem(item, labels, sum(n for _, n in labels), means.get(item.pk)))
    return shown, listed


def view_item(study: Study, pk: int, language: str = "en") -> ItemView:
    """One item with all that was said about it.

    Raises
    ------
    NotThereError
        When the study has no such item.
    """
    nearby = Item.objects.filter(study=study)
    item = (
        nearby.select_related("answer__question__article", "answer__system", "hit__batch")
        .annotate(
            previous_id=Subquery(nearby.filter(pk__lt=OuterRef("pk")).order_by("-pk").values("pk")[:1]),
            next_id=Subquery(nearby.filter(pk__gt=OuterRef("pk")).order_by("pk").values("pk")[:1]),
        )
        .filter(pk=pk)
        .first()
    )
    if item is None:
        raise NotThereError("This study has no such item.")
    scheme, run = study.scheme(language), latest_run(study)
    annotations = list(
        Annotation.objects.filter(item=item)
        .select_related("annotator", "assignment")
        .order_by("annotator__pseudonym", "-pk")
    )
    current = [annotation for annotation in annotations if annotation.is_current]
    scores = {
        (score.annotation_id, score.aspect): score for score in Score.objects.filter(run=run, annotation__in=current)
    }
    judgments = [
        _judgment(annotation, scheme, scores, [a for a in annotations if _precedes(a, annotation)])
        for annotation in current
    ]
    sentences = list(Sentence.objects.filter(article=item.answer.question.article_id))
    return ItemView(
        item=item,
        sentences=_heat(sentences, judgments, item.answer.question.anchor),
        beyond_text=[] if sentences else sorted({n for j in judgments for _, numbers, _ in j.cited for n in numbers}),
        judgments=judgments,
        run=run,
        previous_id=item.previous_id,
        next_id=item.next_id,
    )


def _precedes(other: Annotation, current: Annotation) -> bool:
    return not other.is_current and (other.assignment_id, other.annotator_id) == (
        current.assignment_id,
        current.annotator_id,
    )


def _judgment(
    annotation: Annotation, scheme: Scheme, scores: dict[tuple[int, str], Score], earlier: list[Annotation]
) -> Judgment:
    values: dict[str, Any] = annotation.values
    rescaled = {rescaling.aspect for rescaling in scheme.rescale}
    judgment = Judgment(annotation, annotation.annotator.pseudonym, [], [], [], [], earlier)
    for aspect in scheme.aspects:
        if aspect.key not in values:
            continue
        value = values[aspect.key]
        if isinstance(aspect, ChoiceAspect):
            choice = aspect.scale.choice(value)
            if aspect.key not in rescaled:
                judgment.choices.append((aspect.title, choice.label))
            else:
                score = scores.get((annotation.pk, aspect.key))
                judgment.scores.append(
                    ScoreLine(
                        title=aspect.title,
                        label=choice.label,
                        number=choice.number,
                        value=None if score is None else score.value,
                        source="" if score is None else score.get_source_display(),
                    )
                )
        elif isinstance(aspect, TextAspect):
            judgment.texts.append((aspect.title, value))
        elif isinstance(aspect, SentencesAspect):
            typed = format_sentence_references(value) or aspect.none_label
            judgment.cited.append((aspect.title, list(value), typed))
    return judgment


def _heat(sentences: Sequence[Sentence], judgments: list[Judgment], anchor: int | None) -> list[CitedSentence]:
    """Who cites each sentence; the heat is the share of those who judged the item, in steps."""
    citing = Counter((number, j.annotator) for j in judgments for _, numbers, _ in j.cited for number in numbers)
    return [
        CitedSentence(
            number=sentence.number,
            text=sentence.text,
            is_anchor=sentence.number == anchor,
            cited_by=(names := [name for number, name in citing if number == sentence.number]),
            heat=-(-HEAT_STEPS * len(names) // max(len(judgments), 1)),
        )
        for sentence in sentences
    ]

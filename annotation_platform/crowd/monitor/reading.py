"""Judgments as the rules of ``signs`` take them: times, labels and explanations."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from django.db.models import QuerySet

from annotation_platform.annotations.models import Annotation, Rating
from annotation_platform.core.schemes import Scheme, SeveralAspect, TextAspect
from annotation_platform.crowd.monitor.signs import Explained, Labelled, Timed, comparable


def timed(judgments: QuerySet[Annotation]) -> Iterator[Timed]:
    """The judgments that have a time on task."""
    columns = judgments.order_by().values_list("annotator_id", "item_id", "pk", "seconds")
    for member, item, annotation, seconds in columns.iterator(chunk_size=20_000):
        if seconds is not None:
            yield Timed(member, item, annotation, seconds)


def labelled(judgments: QuerySet[Annotation], scheme: Scheme) -> Iterator[Labelled]:
    """The labels in judgments, of aspects that take one each."""
    single = [each.key for each in scheme.labelled_aspects if not isinstance(each, SeveralAspect)]
    rows = Rating.objects.filter(aspect__in=single, annotation__in=judgments.order_by())
    columns = rows.values_list("annotation__annotator_id", "annotation__item_id", "aspect", "candidate", "choice")
    for member, item, aspect, candidate, choice in columns.iterator(chunk_size=20_000):
        yield Labelled(member, (item, aspect, candidate), choice)


def explained(judgments: QuerySet[Annotation], scheme: Scheme, *, at_most: int) -> Iterator[Explained]:
    """What was written in the fields of text, of the first ``at_most`` judgments in their order."""
    columns = judgments.values_list("annotator_id", "item_id", "pk", "values")
    return explanations(islice(columns.iterator(chunk_size=5_000), at_most), scheme)


def explanations(rows: Iterable[tuple[int, int, int, Mapping[str, Any]]], scheme: Scheme) -> Iterator[Explained]:
    """What was written in the fields of text. ``rows``: annotator, item, judgment and its values."""
    texts = {aspect.key for aspect in scheme.aspects if isinstance(aspect, TextAspect)}
    for member, item, annotation, values in rows:
        for key, value in values.items():
            if key.partition(".")[0] in texts and isinstance(value, str):
                yield Explained(member, item, annotation, key, comparable(value), len(value))

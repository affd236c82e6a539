"""Computing the figures and signs of all annotators of a study from the judgments that count, by a worker."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from statistics import median
from time import monotonic
from typing import Any

import numpy as np
from django.db import transaction
from django.db.models import Count, Exists, Max, OuterRef, Q
from django.utils import timezone

from annotation_platform.annotations.models import Annotation, Hint, Rating
from annotation_platform.core.schemes import Scheme
from annotation_platform.core.statistics.ratings import Ratings
from annotation_platform.core.statistics.with_others import agreement_with_others
from annotation_platform.crowd.adjudication.selectors import adjudicated_labels
from annotation_platform.crowd.monitor import reading, signs
from annotation_platform.crowd.monitor.models import AnnotatorFigures, Paste, Sign, Watch
from annotation_platform.crowd.monitor.signs import Explained, FoundSign, Labelled, Timed, comparable
from annotation_platform.crowd.pay.rates import rates_of
from annotation_platform.studies.items import item_texts
from annotation_platform.studies.models import AssignmentState, Item, Role, Study

MOST_EXPLAINED = 50_000  # the newest judgments whose explanations are compared

Shares = dict[int, tuple[float, int]]
"""Member → a share and on how many it rests."""


def measure(study: Study) -> None:
    """Compute all figures and signs anew, and put them in the place of those before."""
    begun = monotonic()
    scheme = study.scheme()
    current = Annotation.objects.current().filter(item__study=study)
    labels, timed = list(reading.labelled(current, scheme)), list(reading.timed(current))
    found = _signs(study, scheme, labels, timed)
    agreement = _agreement(labels)
    adjudicated = _adjudicated(study)
    seconds: defaultdict[int, list[float]] = defaultdict(list)
    for row in timed:
        seconds[row.member].append(row.seconds)
    count = Count("pk", distinct=True)
    judgments = dict(current.order_by().values_list("annotator").annotate(n=count))
    counting = current.filter(item=OuterRef("item"), annotator=OuterRef("annotator"))
    hints = Hint.objects.filter(Exists(counting), item__study=study).order_by()  # of what was given back none
    hinted = dict(hints.values_list("annotator").annotate(n=Count("item", distinct=True)))
    pay = rates_of(study)
    hourly = {rate.member.pk: rate.hourly for rate in pay.rates} if pay else {}
    rows = []
    for member in _people(study):
        own = seconds.get(member.pk, [])
        share, n = agreement.get(member.pk, (None, 0))
        right, right_n = adjudicated.get(member.pk, (None, 0))
        rows.append(
            AnnotatorFigures(
                member=member,
                study=study,
                judgments=judgments.get(member.pk, 0),
                done=member.done,
                last_at=member.last_at,
                seconds=median(own) if own else None,
                seconds_n=len(own),
                agreement=share,
                agreement_n=n,
                adjudicated=right,
                adjudicated_n=right_n,
                hinted=hinted.get(member.pk, 0),
                hourly=hourly.get(member.pk),
                currency=pay.currency if pay else "",
                signs=sum(each.member == member.pk for each in found),
            )
        )
    _store(study, rows, found, monotonic() - begun)


@transaction.atomic
def _store(study: Study, rows: Sequence[AnnotatorFigures], found: Sequence[FoundSign], took: float) -> None:
    AnnotatorFigures.objects.filter(study=study).delete()
    AnnotatorFigures.objects.bulk_create(rows, batch_size=1000)
    Sign.objects.filter(member__study=study).delete()
    Sign.objects.bulk_create(
        Sign(member_id=each.member, kind=each.kind, words=each.words, evidence=each.evidence) for each in found
    )
    Watch.objects.update_or_create(study=study, defaults={"measured_at": timezone.now(), "took": took})


def _people(study: Study) -> Any:
    submitted = Q(assignments__state=AssignmentState.SUBMITTED)
    return study.members.filter(role=Role.ANNOTATOR).annotate(
        done=Count("assignments", filter=submitted), last_at=Max("assignments__submitted_at")
    )


def _agreement(labels: Sequence[Labelled]) -> Shares:
    if not labels:
        return {}
    units: dict[tuple[int, str, int], int] = {}
    people: dict[int, int] = {}
    choices: dict[tuple[str, str], int] = {}
    table = Ratings.from_arrays(
        np.array([units.setdefault(row.unit, len(units)) for row in labels]),
        np.array([people.setdefault(row.member, len(people)) for row in labels]),
        np.array([choices.setdefault((row.unit[1], row.choice), len(choices)) for row in labels], dtype=float),
        repeated="cross",
    )
    found = agreement_with_others(table)
    return {
        member: (figure.value, figure.n_ratings)
        for member, figure in zip(people, found, strict=True)
        if figure.value is not None
    }


def _adjudicated(study: Study) -> Shares:
    """How many of each one's labels are the adjudicated ones."""
    decided = adjudicated_labels(study)
    rows = Rating.objects.filter(annotation__is_current=True, annotation__item__in={item for item, _, _ in decided})
    columns = ("annotation__annotator_id", "annotation__item_id", "aspect", "candidate", "choice")
    given: defaultdict[tuple[int, tuple[int, str, int]], set[str]] = defaultdict(set)
    for member, item, aspect, candidate, choice in rows.values_list(*columns):
        given[member, (item, aspect, candidate)].add(choice)
    equal: defaultdict[int, list[bool]] = defaultdict(list)
    for (member, unit), choices in given.items():
        if unit in decided:
            equal[member].append(choices == decided[unit])
    return {member: (sum(each) / len(each), len(each)) for member, each in equal.items()}


def _signs(study: Study, scheme: Scheme, labels: Sequence[Labelled], timed: Sequence[Timed]) -> list[FoundSign]:
    newest = Annotation.objects.current().filter(item__study=study).order_by("-pk")
    explained = list(reading.explained(newest, scheme, at_most=MOST_EXPLAINED))
    titles = {aspect.key: aspect.title for aspect in scheme.aspects}
    pastes = Paste.objects.filter(item__study=study).values_list("member_id", "item_id", "slot")
    lengths = {(member, item, slot): most for member, item, slot, most in pastes.annotate(most=Max("characters"))}
    return [
        *signs.hasty(timed),
        *signs.one_label(labels, titles),
        *signs.copied(explained),
        *signs.repeated(explained),
        *signs.from_text(explained, _texts(study, scheme, explained)),
        *signs.pasted(explained, lengths),
    ]


def _texts(study: Study, scheme: Scheme, explained: Sequence[Explained]) -> Mapping[int, str]:
    """All that is shown of the items, of which an explanation is long enough to be compared."""
    keys = list({row.item for row in explained if len(row.text) >= signs.LEAST_LENGTH})
    found: dict[int, str] = {}
    for start in range(0, len(keys), 500):
        for each in item_texts(Item.objects.filter(pk__in=keys[start : start + 500]), scheme.parts):
            parts = [each.question, each.rationale, *(answer.text for answer in each.answers)]
            documents = [each.article] if each.article else []
            parts += [" ".join(document.sentences) for document in (*documents, *each.documents)]
            found[each.id] = " | ".join(comparable(part) for part in parts)
    return found

"""How uncertain finished runs are about what people do not have yet: by this, the tasks they get next are chosen."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby
from typing import Any

from django.db.models import Count, F, Q, QuerySet, Sum

from annotation_platform.core.errors import InvalidInputError
from annotation_platform.core.schemes import Scheme
from annotation_platform.core.signature import signature
from annotation_platform.scoring.methods import equivalence, run_method
from annotation_platform.scoring.models import ItemLabel, ItemScore, Method, ScoringRun
from annotation_platform.scoring.parameters import pace_of
from annotation_platform.scoring.selectors import latest_run
from annotation_platform.studies.models import Study
from annotation_platform.studies.services import Uncertainty, tasks_to_draw_from

MOST_RUNS = 20  # that are offered


class Measure(StrEnum):
    """What of a run says how uncertain it is."""

    PROBABILITY = "probability"  # p (1 − p) of a classifier
    REPLIES = "replies"  # how far several replies about one item lie apart
    JUDGES = "judges"  # how far two judges lie apart


@dataclass(frozen=True)
class UncertainRun:
    """A run that can choose tasks, by what; ``other`` is the judge's run that it is compared with."""

    run: ScoringRun
    measure: Measure
    replies: int = 1
    other: ScoringRun | None = None


def uncertain_runs(study: Study) -> list[UncertainRun]:
    """The finished runs of a study that say how uncertain they are, the newest first.

    A classifier of answer equivalence does by its probabilities; a language-model judge does by replies to the same
    question, if it was asked several times or in several wordings, else by another judge's labels, of the newest run
    that asked another model or prompt. The rescaler's uncertainty is about judgments that people gave already, so that
    it cannot say whom to ask next.
    """
    found = []
    if classifier := latest_run(study, method=Method.EQUIVALENCE):
        found.append(UncertainRun(classifier, Measure.PROBABILITY))
    judges = list(study.scoring_runs.finished().filter(method=Method.JUDGE).order_by("-pk")[:MOST_RUNS])
    told = {judge.pk: _deciding(judge) for judge in judges}
    for judge in judges:
        replies = judge.item_labels.order_by().values("variant", "repetition").distinct().count()
        if replies > 1:
            found.append(UncertainRun(judge, Measure.REPLIES, replies))
        elif other := next((each for each in judges if told[each.pk] != told[judge.pk]), None):
            found.append(UncertainRun(judge, Measure.JUDGES, 2, other))
    return sorted(found, key=lambda each: -each.run.pk)


def _deciding(run: ScoringRun) -> dict[str, Any]:
    """The model and the prompt: not how fast, or at what price, it was asked."""
    pace = pace_of(run_method(run.method).parameters(run.scorer))
    return {name: value for name, value in run.parameters.items() if name not in pace}


def uncertain_run(study: Study, pk: int) -> UncertainRun:
    """One of them.

    Raises
    ------
    InvalidInputError
        When the study has no such run, or it says nothing about its uncertainty.
    """
    for each in uncertain_runs(study):
        if each.run.pk == pk:
            return each
    raise InvalidInputError("scoring.run_without_uncertainty", run=pk)


def uncertainty_of(study: Study, source: UncertainRun) -> Uncertainty:
    """How uncertain it is about each task that is left: the sum over what is judged in it.

    Raises
    ------
    InvalidInputError
        When it is as certain of everything as of everything else.
    """
    if source.measure is Measure.PROBABILITY:
        of_hit = _of_probabilities(study, source.run)
    else:
        of_hit = _of_replies(study, [source.run] + ([source.other] if source.other else []))
    if not any(of_hit.values()):
        raise InvalidInputError("scoring.never_uncertain", run=source.run.pk)
    if source.other is None:
        return Uncertainty(source.run.pk, source.run.signature, source.measure.value, of_hit)
    both = signature([source.run.signature, source.other.signature])
    return Uncertainty(source.run.pk, both, f"{source.measure.value}/{source.other.pk}", of_hit)


def _of_probabilities(study: Study, run: ScoringRun) -> dict[int, float]:
    """The sum of p (1 − p) over a task's answers: the variance of their number that is right."""
    scores = _left(study, ItemScore.objects.filter(run=run, aspect=equivalence.PROBABILITY, value__isnull=False))
    return dict(scores.values_list("item__hit").annotate(sum=Sum(F("value") * (1 - F("value")))))


def _of_replies(study: Study, runs: Sequence[ScoringRun]) -> dict[int, float]:
    """The sum, over a task's items and aspects, of how far replies lie apart, each aspect in units of its mean."""
    found: defaultdict[int, float] = defaultdict(float)
    labels = _left(study, ItemLabel.objects.filter(run__in=runs).exclude(label=""))
    for aspect in labels.values_list("aspect", flat=True).distinct():
        for hit, variance in _variances(labels.filter(aspect=aspect), study.scheme(), aspect):
            found[hit] += variance
    return dict(found)


def _variances(labels: QuerySet[Any], scheme: Scheme, aspect: str) -> Iterator[tuple[int, float]]:
    """The task and the expected squared distance of each unit with replies; nothing where they never differ."""
    from annotation_platform.core.statistics.chances import spread_variances

    numbers = _numbers(scheme, aspect)
    hits, counts, squares = [], [], []
    rows = labels.values_list("item__hit", "item", "candidate", "label").annotate(n=Count("pk"))
    for (hit, _, _), of_unit in groupby(rows.order_by("item__hit", "item", "candidate"), key=lambda row: row[:3]):
        votes = {label: n for *_, label, n in of_unit}
        hits.append(hit)
        counts.append(sum(votes.values()))
        squares.append(_sum_of_squares(votes, numbers))
    variances = spread_variances(counts, squares) if hits else None
    if variances is not None:
        yield from zip(hits, (variances / variances.mean()).tolist(), strict=True)


def _sum_of_squares(votes: dict[str, int], numbers: dict[str, float] | None) -> float:
    n = sum(votes.values())
    if numbers is None or not votes.keys() <= numbers.keys():
        return n - sum(count**2 for count in votes.values()) / n
    mean = sum(numbers[label] * count for label, count in votes.items()) / n
    return sum(count * (numbers[label] - mean) ** 2 for label, count in votes.items())


def _numbers(scheme: Scheme, aspect: str) -> dict[str, float] | None:
    """The numbers of an aspect's labels; None where they have none."""
    rated = next((each for each in scheme.rated_aspects if each.key == aspect), None)
    if rated is None:
        return None
    return {choice.key: choice.number for choice in rated.scale.choices if choice.number is not None}


def _left(study: Study, rows: QuerySet[Any]) -> QuerySet[Any]:
    return rows.filter(Q(item__hit__in=tasks_to_draw_from(study).order_by())).order_by()
